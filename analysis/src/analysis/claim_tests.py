"""The tests a claim can name. Each takes the evidence and the claim's own arguments and returns a finding.

A test says ``holds`` or ``fails`` only where the whole 95 % interval agrees; a claim about samples that were not
measured is undecided, but one clear counterexample makes it fail. Printed numbers carry no interval and are taken as
they stand. Where a claim names a number (23 % lower), measured and claimed number agree when the interval lies within
the tolerance around it.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from analysis.claim_words import Said, count, joined, listed, name_of, sample_list, say
from analysis.correlations import correlate, fisher_interval, spearman_rho
from analysis.errors import InputError
from analysis.evidence import Evidence
from analysis.intervals import Interval, generator_for, interval_of_mean, t_quantile
from analysis.sequential import interval_of_paired_ratio

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
DECAY_MARGIN = 0.05
Direction = Literal["rises", "falls"]
SYSTEM_NAMES = {"node": "Node.js", "tomcat": "Tomcat"}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a test found: verdict, the figure it rests on with its interval, how many samples decided, and why."""

    verdict: str
    figure: float | None = None
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    said: Said

    @property
    def why(self) -> str:
        """The reason in English."""
        return self.said.sentence("en")

    @property
    def why_pt(self) -> str:
        """The reason in Portuguese."""
        return self.said.sentence("pt")


def lower_or_higher(
    evidence: Evidence,
    *,
    metric: str,
    system: str,
    than: str,
    lower_in: Sequence[int] = (),
    higher_in: Sequence[int] = (),
) -> Finding:
    """Test that a system's metric is lower than another's in some samples and higher in others, in every one of them.

    The figure is the number of samples that are as claimed, by the point estimate; its interval runs from those that
    surely are to those that may be.
    """
    claimed = {**dict.fromkeys(lower_in, -1), **dict.fromkeys(higher_in, 1)}
    signs: dict[int, int | None] = {}
    points: dict[int, int] = {}
    figures: dict[int, Said] = {}
    for sample in claimed:
        scenario = evidence.scenario(sample, (system, than))
        interval = evidence.ratio(metric, (scenario, system), (scenario, than))
        if interval is not None:
            points[sample] = _sign(interval.estimate)
            signs[sample] = _sure_sign(interval)
            a, b = evidence.mean(scenario, system, metric), evidence.mean(scenario, than, metric)
            figures[sample] = say("pair", a=a, b=b)
    subject = say("against", system=system_name(system), metric=name_of(metric), than=system_name(than))
    return _tally(claimed, points, signs, subject, figures)


def goes_with(
    evidence: Evidence, *, metric: str, other: str, system: str, than: str, samples: Sequence[int] = ()
) -> Finding:
    """Test that in each sample the system with the lower ``metric`` also has the lower ``other``."""
    claimed = dict.fromkeys(samples or evidence.samples, 1)
    points: dict[int, int] = {}
    signs: dict[int, int | None] = {}
    for sample in claimed:
        scenario = evidence.scenario(sample, (system, than))
        first = evidence.ratio(metric, (scenario, system), (scenario, than))
        second = evidence.ratio(other, (scenario, system), (scenario, than))
        if first is None or second is None:
            continue
        points[sample] = _sign(first.estimate) * _sign(second.estimate)
        a, b = _sure_sign(first), _sure_sign(second)
        signs[sample] = None if a is None or b is None else a * b
    return _tally(claimed, points, signs, say("goes_with", metric=name_of(metric), other=name_of(other)))


def lower_overall(
    evidence: Evidence,
    *,
    metric: str,
    system: str,
    than: str,
    by: float | None = None,
    tolerance: float = 0.05,
    over: str = "",
    samples: Sequence[int] = (),
) -> Finding:
    """Test that a metric summed over the samples is lower for a system, or lower by a claimed share.

    With ``over`` the sums of ``metric`` are divided by the sums of ``over`` (``sd_ms`` over ``mean_ms``: the paper's
    ratio of sums). The figure is the share by which the system is lower: 0.23 for 23 % lower.
    """
    wanted = tuple(samples or evidence.samples)
    usable = [
        scenario
        for sample in wanted
        if (scenario := evidence.scenario(sample, (system, than)))
        and all(len(evidence.values(scenario, name, metric)) for name in (system, than))
    ]
    missing = [sample for sample in wanted if sample not in {scenario[0] for scenario in usable}]
    if not usable:
        return _not_measured(missing)
    interval = _ratio_of_sums(evidence, usable, metric, over, system, than)
    if interval is None:
        return Finding(verdict=UNDECIDED, said=say("no_sums"))
    lower_by = Interval(
        estimate=1 - interval.estimate,
        lo=None if interval.hi is None else 1 - interval.hi,
        hi=None if interval.lo is None else 1 - interval.lo,
        method=interval.method,
    )
    verdict = _within(lower_by, by - tolerance, by + tolerance) if by is not None else _within(lower_by, 0, math.inf)
    what = say("sum_over_sum", metric=metric, over=over) if over else name_of(metric)
    pair = [_sum_figure(evidence, usable, metric, over, each) for each in (system, than)]
    said = say(
        "lower" if lower_by.estimate >= 0 else "higher",
        subject=say("of", system=system_name(system), metric=what),
        percent=100 * abs(lower_by.estimate),
        count=count(len(usable), "sample"),
        pair=say("pair", a=pair[0], b=pair[1]),
        interval=_percent_interval(lower_by),
    )
    if by is not None:
        said += say("claimed", percent=100 * by)
    if missing and verdict == HOLDS:
        verdict = UNDECIDED
    said += say(".")
    return _finding(verdict, lower_by, len(usable), _with_missing(said, missing))


def beats_on_other_disk(
    evidence: Evidence, *, metric: str, sample: int, system: str, disk: str, than: str, than_disk: str
) -> Finding:
    """Test that a system on one kind of disk (``D``, ``S``) has the lower metric than another system on another."""
    here, there = (sample, disk), (sample, than_disk)
    interval = evidence.ratio(metric, (here, system), (there, than))
    first, second = (
        say("on", system=system_name(name), disk=name_of(letter))
        for name, letter in ((system, disk), (than, than_disk))
    )
    if interval is None:
        lacking = [
            said
            for said, key, name in ((first, here, system), (second, there, than))
            if not len(evidence.values(key, name, metric))
        ]
        return Finding(
            verdict=UNDECIDED, said=say("no_disk", sample=sample, lacking=listed(lacking or [first, second]))
        )
    sign = _sure_sign(interval)
    verdict = UNDECIDED if sign is None else HOLDS if sign < 0 else FAILS
    a, b = evidence.mean(here, system, metric), evidence.mean(there, than, metric)
    said = say(
        "disks",
        sample=sample,
        first=first,
        a=a,
        second=second,
        b=b,
        ratio=interval.estimate,
        interval=_interval(interval),
    )
    return _finding(verdict, interval, 1, said)


def trend(
    evidence: Evidence, *, metric: str, system: str, direction: Direction, samples: Sequence[int] = ()
) -> Finding:
    """Test that a metric rises or falls with the size of the files: Spearman's rank correlation with the sample.

    The interval is Fisher's with the standard error 1.06 / sqrt(n - 3) of a rank correlation (Fieller, Hartley and
    Pearson 1957), across samples; the same for printed numbers, since the samples are the scatter.
    """
    wanted = tuple(samples or evidence.samples)
    points = {
        sample: value
        for sample in wanted
        if (value := evidence.mean(evidence.scenario(sample, (system,)), system, metric)) is not None
    }
    subject = say("of", system=system_name(system), metric=name_of(metric))
    missing = [sample for sample in wanted if sample not in points]
    if len(points) < 4:
        return Finding(
            verdict=UNDECIDED,
            n=len(points),
            said=say("trend_few", subject=subject, n=len(points)),
        )
    rho = spearman_rho(list(points), list(points.values()))
    if rho is None:
        same = next(iter(points.values()))
        return Finding(
            verdict=FAILS,
            figure=0.0,
            n=len(points),
            said=say("trend_none", subject=subject, value=same, n=len(points)),
        )
    lo, hi = _spearman_interval(rho, len(points))
    interval = Interval(estimate=rho, lo=lo, hi=hi, method="fisher")
    least, most = (lo, hi) if direction == "rises" else (-hi, -lo)
    verdict = HOLDS if least > 0 else FAILS if most < 0 else UNDECIDED
    first, last = min(points), max(points)
    said = say(
        "trend",
        subject=subject,
        a=points[first],
        first=first,
        b=points[last],
        last=last,
        rho=rho,
        interval=_interval(interval),
        count=count(len(points), "sample"),
    )
    return _finding(verdict, interval, len(points), _with_missing(said, missing))


def correlation(
    evidence: Evidence,
    *,
    x: str,
    y: str,
    system: str,
    minus: str = "",
    samples: Sequence[int] = (),
) -> Finding:
    """Test that two metrics go together across samples, for one system or for the difference of two.

    Holds where Fisher's interval of Pearson's r lies above 0 and r keeps at least half whichever sample is left
    out; fails where it lies below 0. An r that loses more than half without one sample rests on it: undecided.
    """
    wanted = tuple(samples or evidence.samples)
    points: dict[str, tuple[float | None, float | None]] = {}
    for sample in wanted:
        scenario = evidence.scenario(sample, (system, minus) if minus else (system,))
        if scenario is None:
            continue
        values = [evidence.mean(scenario, system, column) for column in (x, y)]
        if minus:
            others = [evidence.mean(scenario, minus, column) for column in (x, y)]
            values = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
        points[str(sample)] = (values[0], values[1])
    found = correlate(points)
    if found.pearson is None or found.lo is None or found.hi is None:
        return Finding(
            verdict=UNDECIDED,
            figure=found.pearson,
            n=found.n,
            said=say("correlation_few", n=found.n),
        )
    interval = Interval(estimate=found.pearson, lo=found.lo, hi=found.hi, method="fisher")
    without = say("sample", listed=found.loo_min_without)
    said = say(
        "correlation",
        r=found.pearson,
        interval=_interval(interval),
        count=count(found.n, "sample"),
        without=without,
        loo=found.loo_min,
        spearman=found.spearman,
    )
    if found.hi < 0:
        verdict = FAILS
    elif found.lo > 0 and found.loo_min is not None and found.loo_min >= found.pearson / 2:
        verdict = HOLDS
    else:
        verdict = UNDECIDED
        if found.lo > 0:
            said += say("rests_on", without=without)
    if found.n < len(wanted):
        said += say("number_missing", count=count(len(wanted) - found.n, "sample"))
    return _finding(verdict, interval, found.n, said)


def throughput_decays(evidence: Evidence, *, system: str, sample: int) -> Finding:
    """Test that a run becomes slower as it goes on: requests per second in its last third against its first.

    Only the steady window counts: every user has two requests behind it and none has ended. The figure is the ratio
    over the repeats; the claim holds below 1 and fails where the loss is surely below 5 %.
    """
    scenario = evidence.scenario(sample, (system,))
    if evidence.printed:
        return Finding(verdict=UNDECIDED, said=say("only_a_picture"))
    ratios = [ratio for run in _runs(evidence, scenario, system) if (ratio := _late_over_early(run)) is not None]
    if not ratios:
        return Finding(verdict=UNDECIDED, said=say("too_short", system=system_name(system), sample=sample))
    interval = interval_of_mean(ratios, generator_for(evidence.seed, f"decay {system} {sample}"))
    assert interval is not None  # there is at least one ratio
    single = interval.lo is None or interval.hi is None
    said = say(
        "decay",
        system=system_name(system),
        sample=sample,
        ratio=interval.estimate,
        interval="" if single else _interval(interval),
        count=count(len(ratios), "repeat"),
    )
    if interval.lo is None or interval.hi is None:
        return _finding(UNDECIDED, interval, 1, said + say("one_repeat_no_interval"))
    verdict = FAILS if interval.lo > 1 - DECAY_MARGIN else HOLDS if interval.hi < 1 else UNDECIDED
    return _finding(verdict, interval, 1, said)


TESTS: Mapping[str, Callable[..., Finding]] = {
    test.__name__: test
    for test in (
        lower_or_higher,
        goes_with,
        lower_overall,
        beats_on_other_disk,
        trend,
        correlation,
        throughput_decays,
    )
}


_KINDS: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("text", lambda value: isinstance(value, str)),
    Direction: ("rises or falls", lambda value: value in get_args(Direction)),
    int: ("a whole number", lambda value: type(value) is int),
    float: ("a number", lambda value: type(value) in (int, float)),
    float | None: ("a number", lambda value: type(value) in (int, float)),
    Sequence[int]: (
        "a list of whole numbers",
        lambda value: isinstance(value, list) and all(type(element) is int for element in value),
    ),
}
"""By a parameter's type: what it takes, in words, and whether a value is that."""


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Hold a claim's arguments to the parameters of its test.

    Raises
    ------
    InputError
        For an unknown test, an unknown argument or a missing one.
    """
    if name not in TESTS:
        raise InputError(f"there is no test {name!r}; there are: {', '.join(TESTS)}.")
    parameters = dict(list(inspect.signature(TESTS[name]).parameters.items())[1:])
    unknown = [argument for argument in arguments if argument not in parameters]
    if unknown:
        raise InputError(f"the test {name} takes no {unknown[0]}; it takes: {', '.join(parameters)}.")
    needed = [key for key, value in parameters.items() if value.default is inspect.Parameter.empty]
    lacking = [argument for argument in needed if argument not in arguments]
    if lacking:
        raise InputError(f"the test {name} needs {lacking[0]}.")
    hints = get_type_hints(TESTS[name])
    for argument, value in arguments.items():
        expected, is_right = _KINDS[hints[argument]]
        if not is_right(value):
            raise InputError(f"the test {name} takes {expected} as {argument}, not {value!r}.")


def _tally(
    claimed: Mapping[int, int],
    points: Mapping[int, int],
    signs: Mapping[int, int | None],
    subject: Said,
    figures: Mapping[int, Said] | None = None,
) -> Finding:
    agree = [sample for sample in points if points[sample] == claimed[sample]]
    sure = [sample for sample in signs if signs[sample] == claimed[sample]]
    contrary = [sample for sample, sign in signs.items() if sign is not None and sign != claimed[sample]]
    missing = [sample for sample in claimed if sample not in points]
    unclear = [sample for sample in points if sample not in sure and sample not in contrary]
    if not points:
        return _not_measured(missing)
    said = say("as_claimed", subject=subject, agree=len(agree), count=count(len(points), "sample"))
    if contrary:
        verdict = FAILS
        said += say("contrary", where=sample_list(contrary, "in_sample{s}"))
        if figures:
            said += say("figures", figures=joined([figures[sample] for sample in sorted(contrary)], "; "))
    elif unclear or missing:
        verdict = UNDECIDED
    else:
        verdict = HOLDS
    if unclear:
        said += say("nothing_decided", where=sample_list(unclear, "in_sample{s}"))
    if missing:
        said += say("not_measured", listed=sample_list(missing))
    return Finding(
        verdict=verdict,
        figure=float(len(agree)),
        lo=float(len(sure)),
        hi=float(len(points) - len(contrary)),
        n=len(points),
        said=said + say("."),
    )


def _ratio_of_sums(
    evidence: Evidence, scenarios: Sequence[tuple[int, str]], metric: str, over: str, system: str, than: str
) -> Interval | None:
    """Ratio of two systems' sums over scenarios; t interval on its log, standard errors by the delta method.

    Where a campaign went on until it was sure, the sums of each block are compared instead, as all else is there.
    A scenario's part of the log of a sum is its repeats' values over the sum; ``over`` enters with a minus, repeat by
    repeat, because the two figures of a run vary together.
    """
    sums = [_sum_figure(evidence, scenarios, metric, over, name) for name in (system, than)]
    if any(value is None or value <= 0 for value in sums):
        return None
    ratio = float(sums[0] or 0) / float(sums[1] or 1)
    if evidence.printed:
        return Interval(estimate=ratio, lo=ratio, hi=ratio, method="printed")
    if evidence.most_blocks is not None:
        paired = _sums_by_block(evidence, scenarios, [metric, *([over] if over else [])], (system, than))
        return interval_of_paired_ratio(*paired, evidence.most_blocks)
    parts = [part for name in (system, than) for part in _log_parts(evidence, scenarios, metric, over, name)]
    if any(len(part) < 2 for part in parts):
        return Interval(estimate=ratio, lo=None, hi=None, method="none")
    variances = [(float(part.var(ddof=1)) / len(part), len(part)) for part in parts]
    total = sum(variance for variance, _ in variances)
    if total == 0:
        return Interval(estimate=ratio, lo=ratio, hi=ratio, method="t")
    degrees = total**2 / sum(variance**2 / (n - 1) for variance, n in variances)
    factor = math.exp(min(700.0, t_quantile(degrees) * math.sqrt(total)))
    return Interval(estimate=ratio, lo=ratio / factor, hi=ratio * factor, method="t")


def _sums_by_block(
    evidence: Evidence, scenarios: Sequence[tuple[int, str]], columns: Sequence[str], systems: tuple[str, str]
) -> tuple[list[float], list[float]]:
    """Return each system's sum, or ratio of two sums, pair by pair: of each scenario the k-th block with runs of both.

    What is paired is the two systems within a block. Which blocks of different scenarios are summed does not matter:
    they ran minutes apart in any order, and a campaign repeats one scenario more often than another.
    """
    values = {
        scenario: [evidence.by_block(scenario, system, column) for system in systems for column in columns]
        for scenario in scenarios
    }
    blocks = {scenario: sorted(set.intersection(*map(set, found))) for scenario, found in values.items()}
    pairs = min(len(found) for found in blocks.values())

    def figure(of_system: int, pair: int) -> float:
        top, *bottom = (
            sum(values[scenario][of_system * len(columns) + place][blocks[scenario][pair]] for scenario in scenarios)
            for place in range(len(columns))
        )
        return top / bottom[0] if bottom else top

    first, second = ([figure(of_system, pair) for pair in range(pairs)] for of_system in (0, 1))
    return first, second


def _log_parts(
    evidence: Evidence, scenarios: Sequence[tuple[int, str]], metric: str, over: str, system: str
) -> list[NDArray[np.float64]]:
    top, bottom = (_sum(evidence, scenarios, column, system) if column else 1.0 for column in (metric, over))
    parts = []
    for scenario in scenarios:
        part = np.asarray(evidence.values(scenario, system, metric), dtype=np.float64) / top
        if over:
            part = part - np.asarray(evidence.values(scenario, system, over), dtype=np.float64) / bottom
        parts.append(part)
    return parts


def _sum(evidence: Evidence, scenarios: Sequence[tuple[int, str]], column: str, system: str) -> float:
    return sum(evidence.mean(scenario, system, column) or 0.0 for scenario in scenarios)


def _sum_figure(
    evidence: Evidence, scenarios: Sequence[tuple[int, str]], metric: str, over: str, system: str
) -> float | None:
    top = _sum(evidence, scenarios, metric, system)
    if not over:
        return top
    bottom = _sum(evidence, scenarios, over, system)
    return top / bottom if bottom else None


def _runs(evidence: Evidence, scenario: tuple[int, str] | None, system: str) -> Sequence[Sequence[float]]:
    return () if scenario is None else evidence.throughput.get(scenario, {}).get(system, ())


def _late_over_early(seconds: Sequence[float]) -> float | None:
    third = len(seconds) // 3
    early, late = sum(seconds[:third]), sum(seconds[len(seconds) - third :])
    return late / early if third and early and late else None


def _spearman_interval(rho: float, n: int) -> tuple[float, float]:
    """Return the interval of a rank correlation of n points; a perfect one as if two neighbours were swapped."""
    below_perfect = 1 - 12 / (n * (n**2 - 1))
    centre = max(-below_perfect, min(below_perfect, rho))
    lo, hi = fisher_interval(centre, n)
    assert lo is not None  # callers have at least 4 points
    assert hi is not None
    half = 1.06 * (math.atanh(hi) - math.atanh(centre))
    lo, hi = math.tanh(math.atanh(centre) - half), math.tanh(math.atanh(centre) + half)
    return min(lo, rho), max(hi, rho)


def _within(interval: Interval, least: float, most: float) -> str:
    if interval.lo is None or interval.hi is None:
        return UNDECIDED
    if interval.lo > least and interval.hi < most:
        return HOLDS
    return FAILS if interval.hi < least or interval.lo > most else UNDECIDED


def _sign(ratio: float) -> int:
    return (ratio > 1) - (ratio < 1)


def _sure_sign(interval: Interval) -> int | None:
    """Return -1 or 1 where the whole ratio lies on one side of 1, 0 where it is exactly 1, None where unclear."""
    if interval.lo is None or interval.hi is None:
        return None
    if interval.hi < 1 or interval.lo > 1:
        return _sign(interval.estimate)
    return 0 if interval.lo == interval.hi == 1 else None


def _not_measured(missing: Sequence[int]) -> Finding:
    return Finding(verdict=UNDECIDED, said=say("none_measured", listed=sample_list(missing)))


def _finding(verdict: str, interval: Interval, n: int, said: Said) -> Finding:
    return Finding(verdict=verdict, figure=interval.estimate, lo=interval.lo, hi=interval.hi, n=n, said=said)


def _with_missing(said: Said, missing: Sequence[int]) -> Said:
    return said + sample_list(missing, "sample{s}_missing") if missing else said


def system_name(system: str) -> str:
    """Return what a system is called."""
    return SYSTEM_NAMES.get(system, system)


def _interval(interval: Interval) -> Said | str:
    if interval.lo is None or interval.hi is None:
        return say("no_interval")
    return "" if interval.method == "printed" else say("interval", lo=interval.lo, hi=interval.hi)


def _percent_interval(interval: Interval) -> Said | str:
    if interval.lo is None or interval.hi is None:
        return say("no_percent_interval")
    if interval.method == "printed":
        return ""
    return say("percent_interval", lo=100 * interval.lo, hi=100 * interval.hi)
