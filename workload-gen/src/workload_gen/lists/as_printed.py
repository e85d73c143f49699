"""The paper's own formulas with their slips, for who wants to see what they give. Never the default.

Its table of formulas, written for Excel, prints k/(ABS(RAND())*(1/a)) for the Pareto distribution (a product where
the power belongs) and INV.NORMAL(1-ABS(RAND()); mean; deviation) for the lognormal (it is the normal). So sizes are
drawn from a Pareto distribution of alpha 1 with scale k a, and from a normal distribution that goes below zero.
"""

from dataclasses import dataclass

import numpy as np

from workload_gen.lists.size_list import check_count, chunks
from workload_gen.lists.table1 import Table1Sample
from workload_gen.models.distribution import Floats, Sizes, sizes_from
from workload_gen.models.simple import Normal
from workload_gen.models.solve import DEFAULT_TAIL_WEIGHT


def printed_pareto(u: Floats, *, k: float, a: float) -> Floats:
    """The formula printed as Pareto at uniform numbers `u`: k / (u (1/a))."""
    return k / (u * (1 / a))


def printed_lognormal(u: Floats, *, mean: float, sd: float) -> Floats:
    """The formula printed as lognormal at uniform numbers `u`: the normal quantile of 1 - u."""
    return Normal(mu=mean, sigma=sd).quantile(1 - u)


@dataclass(frozen=True, kw_only=True, eq=False)
class AsPrinted:
    """A list by the printed formulas, and how many values had to be changed to be file sizes."""

    sizes: Sizes
    raised_to_one_byte: int
    cut_to_the_limit: int


def as_printed_sizes(sample: Table1Sample, *, count: int, seed: int, limit_bytes: int) -> AsPrinted:
    """A list of `count` sizes by the paper's formulas and Table 1's mean, deviation and k.

    The paper does not say how many of its sizes came from which formula: here 2 % from the tail's, as in our own lists.
    Values below half a byte become 1 byte, values above `limit_bytes` that limit.
    """
    check_count(count)
    key = [seed, sample.sample]
    bits = np.random.PCG64(key)
    of_value, of_tail = np.random.default_rng(key), np.random.Generator(bits.advance(count))
    sizes = np.empty(count, dtype=np.uint32)
    raised = cut = 0
    for part in chunks(count):
        u = 1 - of_value.random(part.stop - part.start)
        body = printed_lognormal(u, mean=sample.mean_bytes, sd=sample.sd_bytes)
        tail = printed_pareto(u, k=sample.pareto_k, a=sample.alpha)
        values = np.where(of_tail.random(u.size) < DEFAULT_TAIL_WEIGHT, tail, body)
        sizes[part] = sizes_from(np.minimum(values, limit_bytes))
        raised += int((values < 0.5).sum())
        cut += int((values > limit_bytes).sum())
    return AsPrinted(sizes=sizes, raised_to_one_byte=raised, cut_to_the_limit=cut)
