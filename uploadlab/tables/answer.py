"""The answer of a campaign as typed rows: what ``summary.json``, the page and the terminal are made from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from msgspec import Struct

from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign, key_of
from uploadlab.results.declarations import Declarations, declarations
from uploadlab.results.windows import AS_GIVEN, SATURATED
from uploadlab.table_file import Value, as_number
from uploadlab.tables.comparisons import CANNOT_TELL

Row = Mapping[str, Value]
Load = str | int
"""``saturated``, ``as_given``, or the share of the capacity in per cent."""
Verdict = Literal["better", "worse", "equal", "undecided"]
SIZED = "sample"
"""The factor whose levels are lists of files."""

_TURNED: Mapping[Verdict, Verdict] = {"better": "worse", "worse": "better", "equal": "equal", "undecided": "undecided"}


class Estimate(Struct, frozen=True, omit_defaults=True):
    """A mean over valid repeats with its 95% interval; no interval where one repeat counts."""

    value: float
    lo: float | None = None
    hi: float | None = None
    n: int = 0
    """How many runs it is over."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One system in one scenario."""

    scenario: str
    factors: Mapping[str, Value]
    size_bytes: int | None
    """Mean size of the files that were sent, bytes; None where the study sends none."""
    load: Load
    system: str
    runs: int
    valid_runs: int
    held: int | None
    """Of open arrivals: how many of the valid runs held the rate."""
    never_settled: int
    """How many of the valid runs were still warming up."""
    values: Mapping[str, Estimate]
    """By metric; what is unknown is left out."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems in one scenario by one metric; ratio is a / b, the verdict that on a."""

    scenario: str
    factors: Mapping[str, Value]
    size_bytes: int | None
    load: Load
    metric: str
    system_a: str
    system_b: str
    a: float | None
    b: float | None
    ratio: float | None
    lo: float | None
    hi: float | None
    verdict: Verdict
    headline: bool
    """Whether it is one of those that are decided, and that hold together."""
    more_blocks: int | None
    """How many more blocks would decide it, were ratio and scatter to stay; None where decided, or not to be."""

    def turned(self) -> "Comparison":
        """Return the same comparison of b against a."""
        lo, hi = (None if end is None else 1 / end for end in (self.hi, self.lo))
        return replace(
            self,
            system_a=self.system_b,
            system_b=self.system_a,
            a=self.b,
            b=self.a,
            ratio=None if self.ratio is None else 1 / self.ratio,
            lo=lo,
            hi=hi,
            verdict=_TURNED[self.verdict],
        )


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Two systems whose order by a metric is another at a higher share of the capacity; both orders are decided."""

    size_bytes: int | None
    factors: Mapping[str, Value]
    """Of the scenario, without its load."""
    metric: str
    system_a: str
    system_b: str
    below: int
    """The highest share of the capacity, in per cent, at which the first order is decided."""
    above: int
    """The lowest share beyond it at which the other is."""
    better_below: str
    better_above: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """All that a campaign answers."""

    cells: tuple[Cell, ...]
    comparisons: tuple[Comparison, ...]
    turns: tuple[Turn, ...]


def answer_of(campaign: Campaign, runs: Sequence[Row], cells: Sequence[Row], comparisons: Sequence[Row]) -> Answer:
    """Return the answer from the rows of ``runs.csv``, ``cells.csv`` and ``comparisons.csv``."""
    declared = declarations(campaign.record)
    compared = tuple(_comparison(campaign, declared, row) for row in comparisons)
    return Answer(
        cells=tuple(_cell(campaign, declared, row, runs) for row in cells),
        comparisons=compared,
        turns=tuple(turns(compared, campaign.windows_factor)),
    )


def size_of(campaign: Campaign, factors: Mapping[str, Value]) -> int | None:
    """Return the mean size of the files of a scenario, bytes."""
    inputs: Mapping[str, Any] = campaign.record.get("inputs") or {}
    mean_bytes = as_number((inputs.get(str(factors.get(SIZED))) or {}).get("mean_bytes"))
    return None if mean_bytes is None else round(mean_bytes)


def load_of(campaign: Campaign, factors: Mapping[str, Value]) -> Load:
    """Return the load of a scenario."""
    load = factors.get(campaign.windows_factor or "")
    return load if isinstance(load, (int, str)) else AS_GIVEN


def _factors(campaign: Campaign, row: Row) -> dict[str, Value]:
    return {name: row.get(name) for name in campaign.factors}


def _key(row: Row) -> str:
    return key_of(str(row["system"]), None if row["stack"] is None else str(row["stack"]))


def _columns(campaign: Campaign, declared: Declarations, load: Load) -> dict[str, str]:
    """Return the column of each metric of a cell. Response times of open arrivals count from when they were due."""
    columns = {metric.key: metric.column for metric in declared.metrics.values()}
    if campaign.windows_factor is None:
        return columns
    from_due = "" if load in (SATURATED, AS_GIVEN) else "scheduled_"
    times = {f"{name}_ms": f"{from_due}{column}_ms" for name, column in _PERCENTILES.items()}
    return columns | times | {name: name for name in _OF_WINDOWS}


_PERCENTILES = {"median": "p50", "p99": "p99", "p999": "p999"}
_OF_WINDOWS = (
    "capacity_per_s", "server_cpu_us_per_request", "rate_per_s", "in_flight", "memory_peak_mb", "memory_per_upload_kb",
    "error_pct",
)  # fmt: skip


def _cell(campaign: Campaign, declared: Declarations, row: Row, runs: Sequence[Row]) -> Cell:
    factors = _factors(campaign, row)
    load = load_of(campaign, factors)
    valid = [run for run in runs if run["cell"] == row["cell"] and run["valid"] is True]
    held = [run["held"] for run in valid if run.get("held") is not None]
    estimates = {
        name: Estimate(
            value=value,
            lo=as_number(row.get(f"{column}_lo")),
            hi=as_number(row.get(f"{column}_hi")),
            n=len(valid_figures(valid, column)),
        )
        for name, column in _columns(campaign, declared, load).items()
        if (value := as_number(row.get(column))) is not None
    }
    return Cell(
        scenario=str(row["scenario"]),
        factors=factors,
        size_bytes=size_of(campaign, factors),
        load=load,
        system=_key(row),
        runs=int(str(row["runs"])),
        valid_runs=int(str(row["valid_runs"])),
        held=sum(one is True for one in held) if held else None,
        never_settled=sum(run.get("settled") is False for run in valid),
        values=estimates,
    )


def _comparison(campaign: Campaign, declared: Declarations, row: Row) -> Comparison:
    factors = _factors(campaign, row)
    metric = declared.metric(str(row["metric"]))
    headline = row.get("headline")
    more = row.get("more_repeats")
    return Comparison(
        scenario=str(row["scenario"]),
        factors=factors,
        size_bytes=size_of(campaign, factors),
        load=load_of(campaign, factors),
        metric=metric.key,
        system_a=str(row["system_a"]),
        system_b=str(row["system_b"]),
        **{name: as_number(row.get(name)) for name in ("a", "b", "ratio", "lo", "hi")},
        verdict=_verdict(row),
        headline=metric.column in declared.questions if headline is None else headline is True,
        more_blocks=more if isinstance(more, int) else None,
    )


def _verdict(row: Row) -> Verdict:
    if row["verdict"] == CANNOT_TELL:
        return "undecided"
    if not row["better"]:
        return "equal"
    return "better" if row["better"] == row["system_a"] else "worse"


def turns(comparisons: Sequence[Comparison], windows_factor: str | None) -> Iterator[Turn]:
    """Yield where the order of two systems turns as the share of the capacity grows."""
    decided: dict[tuple[Any, ...], list[tuple[int, str, Comparison]]] = {}
    for one in comparisons:
        if isinstance(one.load, int) and one.verdict in ("better", "worse"):
            others = tuple(sorted((name, level) for name, level in one.factors.items() if name != windows_factor))
            better = one.system_a if one.verdict == "better" else one.system_b
            decided.setdefault((others, one.metric, one.system_a, one.system_b), []).append((one.load, better, one))
    for (others, metric, a, b), orders in decided.items():
        orders.sort(key=lambda order: order[0])
        for (below, better_below, _), (above, better_above, one) in pairwise(orders):
            if better_below != better_above:
                yield Turn(
                    size_bytes=one.size_bytes,
                    factors=dict(others),
                    metric=metric,
                    system_a=a,
                    system_b=b,
                    below=below,
                    above=above,
                    better_below=better_below,
                    better_above=better_above,
                )
