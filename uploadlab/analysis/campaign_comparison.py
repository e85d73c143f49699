"""Two campaigns set side by side: what became better, what worse, what did not change, and what was set otherwise."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uploadlab import junit
from uploadlab.analysis.analysis_files import Analysis
from uploadlab.errors import LabError
from uploadlab.junit import Case, Kind
from uploadlab.metrics.figures import valid_figures
from uploadlab.report.numbers import between, factor
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import Metric, declarations
from uploadlab.statistics.intervals import generator_for, interval_of_ratio
from uploadlab.table_file import Value, format_number
from uploadlab.tables.comparisons import cvs_without_clock, more_repeats, system_key

MARGIN = 0.05
WORSE, BETTER, UNCHANGED, UNDECIDED = "worse", "better", "unchanged", "can't tell"
NONE_VALID = "without a valid run"
LIMIT, TURN_MS = "rig.server_cpu_limit_pct", "profile.settings.turn_ms"
OF_THE_MOMENT = (".load_1m", ".load_5m", ".load_15m", ".temperature_c", ".frequency_khz.now", ".free_bytes")
"""What the machine says of the moment and not of itself."""
SMALL_WORSE, SMALL_BETTER = "slightly worse", "slightly better"
VERDICTS = (NONE_VALID, WORSE, SMALL_WORSE, SMALL_BETTER, BETTER, UNCHANGED, UNDECIDED)
"""In the order in which they are listed."""
REGRESSED = (NONE_VALID, WORSE)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One figure of one cell in two campaigns; ``ratio`` is the second over the first."""

    cell: str
    metric: Metric
    before: float | None
    after: float | None
    ratio: float | None
    lo: float | None
    hi: float | None
    n: tuple[int, int]
    verdict: str
    more_repeats: int | None
    without_clock: tuple[float, float] | None = None
    """Of a coefficient of variation where a mean is below 10 ms: both without JMeter's clock of whole ms."""

    @property
    def sentence(self) -> str:
        """Say the change in one sentence."""
        name = self.metric.name
        if self.verdict == NONE_VALID:
            return f"{name}: no run is valid any more."
        if self.before is None or self.after is None:
            return f"{name}: no valid run has this value in one of the campaigns."
        values = f"{name} {_bare(self.before)} -> {_bare(self.after)} {self.metric.unit}".rstrip()
        if self.without_clock:
            values += f" (without the clock of whole ms {' -> '.join(map(_bare, self.without_clock))})"
        if self.ratio is None:
            return f"{values}; a value of 0 has no ratio."
        if self.lo is None or self.hi is None:
            return f"{values}, ratio {factor(self.ratio)}; one repeat has no interval."
        more = f"; about {self.more_repeats} more repeats would decide" if self.more_repeats else ""
        interval = f"95% interval {between(self.lo, self.hi)}"
        repeats = f"{self.n[0]} and {self.n[1]} repeats"
        return f"{values}, ratio {factor(self.ratio)}, {interval}, {repeats}: {self.verdict}{more}."


@dataclass(frozen=True, kw_only=True)
class CampaignComparison:
    """Everything that two campaigns have in common, and what they do not."""

    names: tuple[str, str]
    margin: float
    changes: Sequence[Change]
    only_first: Sequence[str]
    only_second: Sequence[str]
    differences: Sequence[tuple[str, str, str]]
    """What was set or found otherwise: what, in the first, in the second."""

    @property
    def regressions(self) -> Sequence[Change]:
        """The changes for the worse that are surely beyond the margin, and figures of cells without a valid run now."""
        return [change for change in self.changes if change.verdict in REGRESSED]


def compare_campaigns(first: Analysis, second: Analysis, margin: float = MARGIN) -> CampaignComparison:
    """Compare the cells that two campaigns of one study have in common.

    Raises LabError when the studies differ or no cell is in both.
    """
    studies = (first.campaign.study, second.campaign.study)
    if studies[0] != studies[1]:
        raise LabError(f"The campaigns are of different studies: {studies[0]} and {studies[1]}.")
    before = _by_cell(first.runs)
    planned = dict.fromkeys(str(run["cell"]) for run in second.campaign.record["runs"] if not run.get("baseline"))
    after: dict[str, list[Mapping[str, Value]]] = {cell: [] for cell in planned} | _by_cell(second.runs)
    common = [cell for cell in before if cell in after]
    if not common:
        raise LabError(
            f"The campaigns have no cell in common: {', '.join(before)} in the first, {', '.join(after)} in the second."
        )
    return CampaignComparison(
        names=(first.campaign.folder.resolve().name, second.campaign.folder.resolve().name),
        margin=margin,
        changes=[
            _change(cell, metric, before[cell], after[cell], margin)
            for cell in common
            for metric in _asked(second.campaign, before[cell][0])
        ],
        only_first=[cell for cell in before if cell not in after],
        only_second=[cell for cell in after if cell not in before],
        differences=list(_differences(first.campaign.record, second.campaign.record)),
    )


def _by_cell(runs: Sequence[Mapping[str, Value]]) -> dict[str, list[Mapping[str, Value]]]:
    cells: dict[str, list[Mapping[str, Value]]] = {}
    for run in runs:
        if system_key(run):
            cells.setdefault(str(run["cell"]), []).append(run)
    return cells


def _asked(campaign: Campaign, run: Mapping[str, Value]) -> list[Metric]:
    """Return the metrics that a campaign's systems are compared by in the scenario of a run."""
    levels = {name: run.get(name) for name in campaign.factors}
    return [one for one in declarations(campaign.record).metrics.values() if one.asked(levels)]


def _change(
    cell: str,
    metric: Metric,
    before: Sequence[Mapping[str, Value]],
    after: Sequence[Mapping[str, Value]],
    margin: float,
) -> Change:
    old, new = valid_figures(before, metric.column), valid_figures(after, metric.column)
    interval = interval_of_ratio(new, old, generator_for(0, f"{cell} {metric.column}"))
    verdict, more = UNDECIDED, None
    if old and not any(run["valid"] for run in after):
        verdict = NONE_VALID
    if interval is not None and interval.lo is not None and interval.hi is not None:
        # as a factor of worsening: above 1 is worse, whichever way the metric goes
        low, high = (interval.lo, interval.hi) if metric.lower_is_better else (1 / interval.hi, 1 / interval.lo)
        verdict = _judge(low, high, 1 + margin)
        more = more_repeats(new, old, margin) if verdict == UNDECIDED else None
    return Change(
        cell=cell,
        metric=metric,
        before=sum(old) / len(old) if old else None,
        after=sum(new) / len(new) if new else None,
        ratio=interval.estimate if interval else None,
        lo=interval.lo if interval else None,
        hi=interval.hi if interval else None,
        n=(len(old), len(new)),
        verdict=verdict,
        more_repeats=more,
        without_clock=cvs_without_clock(before, after) if metric.column == "cv" else None,
    )


def _judge(low: float, high: float, limit: float) -> str:
    if low > 1 / limit and high < limit:
        return UNCHANGED
    if low > limit:
        return WORSE
    if high < 1 / limit:
        return BETTER
    if low > 1:
        return SMALL_WORSE
    return SMALL_BETTER if high < 1 else UNDECIDED


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for part in ("profile", "systems", "rig", "machine", "versions"):
        old, new = dict(_leaves(first.get(part), part)), dict(_leaves(second.get(part), part))
        for name in {**old, **new}:
            if old.get(name) != new.get(name) and not name.endswith(OF_THE_MOMENT):
                yield name, str(old.get(name, "-")), str(new.get(name, "-"))


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}")
    else:
        yield name, value


def markdown(comparison: CampaignComparison) -> str:
    """Return the comparison as Markdown for a pull request."""
    before, after = comparison.names
    lines = [f"### {after} against {before}", "", _headline(comparison), ""]
    if limits := next((pair for name, *pair in comparison.differences if name == LIMIT), None):
        first, second = ("all" if limit in ("None", "-") else f"{limit}%" for limit in limits)
        lines += [
            f"**Not the same server:** it had {first} of its cores in {before}, {second} in {after}; "
            "times, rates and shares of CPU differ for that reason alone.",
            "",
        ]
    if turns := next((pair for name, *pair in comparison.differences if name == TURN_MS), None):
        first, second = (_turns(turn_ms) for turn_ms in turns)
        lines += [f"**Not measured alike:** the servers {first} in {before}, and {second} in {after}.", ""]
    notable = [change for change in comparison.changes if change.verdict not in (UNCHANGED, UNDECIDED)]
    if notable:
        lines += [*_table(sorted(notable, key=lambda change: VERDICTS.index(change.verdict))), ""]
    lines += [*_folded("All values", _table(comparison.changes))]
    if comparison.differences:
        rows = [f"| {_cell(what)} | {_cell(old)} | {_cell(new)} |" for what, old, new in comparison.differences]
        lines += _folded("What differed between the campaigns", [f"| | {before} | {after} |", "|---|---|---|", *rows])
    for cells, name in ((comparison.only_first, before), (comparison.only_second, after)):
        if cells:
            lines += [f"Only in {name}: {', '.join(cells)}.", ""]
    return "\n".join(lines)


def _turns(turn_ms: str) -> str:
    return "ran one after the other" if turn_ms in ("0", "None", "-") else f"took turns of {turn_ms} ms on the core"


def _folded(title: str, table: Sequence[str]) -> list[str]:
    return [f"<details><summary>{title}</summary>", "", *table, "", "</details>", ""]


def _headline(comparison: CampaignComparison) -> str:
    found = Counter(change.verdict for change in comparison.changes)
    counted = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS if found[verdict])
    margin = f"{100 * comparison.margin:g}%"
    said = f"Nothing is worse by more than {margin}. Of all values: {counted}."
    if worse := found[WORSE]:
        values = "value" if worse == 1 else "values"
        said = f"**Worse by more than {margin}** in {worse} {values}. Of all: {counted}."
    if cells := dict.fromkeys(change.cell for change in comparison.changes if change.verdict == NONE_VALID):
        said = f"**No valid run left** of {', '.join(cells)}. {said}"
    return said


def _table(changes: Sequence[Change]) -> list[str]:
    rows = ["| cell | value | before | after | ratio | 95% | repeats | |", "|---|---|---:|---:|---:|---|---|---|"]
    for change in changes:
        interval = "" if change.lo is None or change.hi is None else between(change.lo, change.hi)
        ratio = "" if change.ratio is None else factor(change.ratio)
        clocks = [f" ({_bare(cv)} without the clock)" for cv in change.without_clock or ()]
        old, new = clocks or ("", "")
        verdict = f"**{change.verdict}**" if change.verdict in REGRESSED else change.verdict
        unit = f", {change.metric.unit}" if change.metric.unit else ""
        rows.append(
            f"| {change.cell} | {change.metric.name}{unit} | {_bare(change.before)}{old} | "
            f"{_bare(change.after)}{new} | {ratio} | {interval} | "
            f"{change.n[0]}, {change.n[1]} | {verdict} |"
        )
    return rows


def _bare(value: float | None) -> str:
    return "" if value is None else format_number(value, 3)


def junit_xml(comparison: CampaignComparison) -> str:
    """Return the comparison as JUnit XML: a test a figure, failed where surely worse, skipped where unclear."""
    kinds: dict[str, Kind] = {**dict.fromkeys(REGRESSED, "failure"), UNDECIDED: "skipped"}
    before, after = comparison.names
    cases = (
        Case(group=one.cell, name=one.metric.column, kind=kinds.get(one.verdict, ""), told=one.sentence)
        for one in comparison.changes
    )
    return junit.junit_xml(f"{after} against {before}", cases)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
