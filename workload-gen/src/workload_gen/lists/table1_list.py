"""The size list of a Table 1 sample: drawn from its model, and held to its targets."""

from __future__ import annotations

import numpy as np

from workload_gen.errors import WorkloadError
from workload_gen.lists.size_list import stratified_sizes, summarise
from workload_gen.models.distribution import Sizes
from workload_gen.models.solve import table1_model
from workload_gen.table1 import Table1Sample

MEAN_WITHIN = 0.005
"""How far, as a share of the target, the mean of a list may be from Table 1's."""

SD_WITHIN = 0.05
"""The same for the deviation."""

TARGETS_HOLD_FROM_COUNT = 2_000
"""Lists shorter than this are drawn once and may miss the targets."""

_MOST_DRAWS = 1_000


def table1_sizes(sample: Table1Sample, *, count: int, seed: int) -> Sizes:
    """A list of `count` sizes for this sample; the same for the same sample, count and seed.

    A list that misses the targets is drawn again from the same random stream. With 10,000 sizes that hardly ever
    happens; with 2,000 it happens to a fifth of the lists of samples 1 and 2, whose few largest sizes carry much of
    the deviation.

    Returns
    -------
    array of uint32, shape (count,), bytes
    """
    model = table1_model(sample)
    rng = np.random.default_rng([seed, sample.sample])
    for _ in range(_MOST_DRAWS):
        sizes = stratified_sizes(model, count, rng)
        if count < TARGETS_HOLD_FROM_COUNT or meets_targets(sample, sizes):
            return sizes
    raise WorkloadError(
        f"None of {_MOST_DRAWS} lists of {count} sizes for sample {sample.sample} met its mean and deviation; "
        "choose another seed."
    )


def meets_targets(sample: Table1Sample, sizes: Sizes) -> bool:
    """Whether a list has the sample's mean within 0.5 % and its deviation within 5 %."""
    reached = summarise(sizes)
    return (
        abs(reached.mean_bytes / sample.mean_bytes - 1) <= MEAN_WITHIN
        and abs(reached.sd_bytes / sample.sd_bytes - 1) <= SD_WITHIN
    )
