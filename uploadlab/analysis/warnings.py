"""What would mislead who reads only the answer, each with the command that resolves it."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.report.numbers import counted, number
from uploadlab.report.summary import Summary, Warning
from uploadlab.results.campaign import checked_by
from uploadlab.results.windows import asks_at_loads
from uploadlab.statistics.blocks_to_decide import blocks_to_decide
from uploadlab.statistics.sequential import MOST_KEPT_BLOCKS
from uploadlab.table_file import Value, as_number
from uploadlab.tables.answer import Cell, Comparison
from uploadlab.tables.comparisons import system_key
from uploadlab.tables.server_shares import TURNS

MUCH_DEARER = 1.5
"""The CPU per operation in one third of a run over that in another from which on it is said: their mean is neither."""
MOST_NAMED = 3
MOST_BLOCKS = 100
"""Of how many more it is said that they would decide."""
SMOKE = ("smoke", "league-smoke")
FARTHEST_SHARE = 1.5
"""A rate may be so many times the share of the capacity that it is called, or so many times less."""
LONGER = {"settling_s": 10, "saturated_s": 14, "share_s": 16}
"""What a longer run takes at the least, and twice what the campaign took."""


def warnings(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    """Yield the warnings, the gravest first."""
    yield from _not_a_result(analysis, summary)
    yield from _not_complete(analysis, summary)
    yield from _undecided(analysis, summary)
    yield from _rates(analysis)
    yield from _loads(analysis)
    yield from _turns(analysis)
    yield from _groups(analysis)
    yield from _costs_that_vary(analysis)
    yield from _shares(analysis)
    yield from _checks(analysis, summary)


def _not_a_result(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    if summary.campaign.emulated:
        command = _again(analysis, without=("--rig",))
        yield Warning("The processors were emulated: no value of this campaign is a result.", command)
    disks = (analysis.campaign.record.get("rig") or {}).get("disks") or {}
    used = {str(run.get(name)) for run in analysis.runs for name in analysis.campaign.factors}
    if any(name in used and disk.get("filesystem") == "tmpfs" for name, disk in disks.items()):
        real = [name for name, disk in disks.items() if disk.get("filesystem") != "tmpfs"]
        command = _again(analysis, "--disks", real[0]) if real else ""
        yield Warning("Uploads were stored in memory (tmpfs): no value includes a disk.", command)
    for key, system in analysis.campaign.record["systems"].items():
        if system.get("bytes_verified") is False:
            name = analysis.campaign.system_name(key)
            text = f"Bytes not verified: {name} stores where nothing can be compared with what was sent."
            yield Warning(text, f"./lab conformance {shlex.quote(str(system.get('folder') or key.partition('@')[0]))}")


def _not_complete(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    if missing := len(analysis.campaign.missing):
        begins = analysis.campaign.record.get("continue_with", "./lab run --resume")
        command = f"{begins} {shlex.quote(str(analysis.campaign.folder))}"
        yield Warning(f"{missing} of {summary.campaign.planned_runs} runs are not made yet.", command)
    of = summary.campaign
    if of.invalid_runs:
        lost = counted(of.invalid_runs, "run")
        yield Warning(f"Not counted: {lost}; the report lists invalid runs with their reasons.", "./lab doctor")
    if of.partly_valid_runs:
        partly = counted(of.partly_valid_runs, "run")
        yield Warning(f"Not counted at some of their loads: {partly}; the report lists where and why.", "./lab doctor")
    for problem in analysis.problems[:MOST_NAMED]:
        yield Warning(f"A recording is not complete: {problem}")


def _undecided(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    decided = [one for one in summary.comparisons if one.decided]
    undecided = [one for one in decided if one.verdict == "undecided"]
    if not undecided:
        return
    needed = _blocks_needed(summary, undecided)
    within = [(row, blocks) for row, blocks in needed if blocks <= MOST_BLOCKS]
    if _is_smoke(analysis):
        command = _changed(analysis, without=("--profile",))
    else:
        command = "" if needed and not within else _going_on(analysis, summary, within)
    of_all = f"{len(undecided)} of {len(decided)}"
    if summary.ranks:
        yield Warning(f"{of_all} pairs of systems can't be told apart: more runs would separate some.", command)
    else:
        yield Warning(f"{of_all} comparisons are undecided: {_told(len(needed), [of for _, of in within])}.", command)


def _blocks_needed(summary: Summary, undecided: Sequence[Comparison]) -> list[tuple[str, int]]:
    """Return of each comparison that has an interval its row, and how many more blocks would decide it."""
    values = {(cell.scenario, cell.system): cell.values for cell in summary.cells}
    margin = summary.campaign.equal_margin_pct / 100
    found: list[tuple[str, int]] = []
    for one in undecided:
        if one.ratio and one.lo and one.hi:
            blocks = min(values[one.scenario, system][one.metric].n for system in (one.system_a, one.system_b))
            found.append((one.row, blocks_to_decide(one.ratio, one.lo, one.hi, blocks, margin)))
    return found


def _told(needed: int, within: Sequence[int]) -> str:
    """Say how many more blocks it takes, where some take no more than can be asked for what those would decide."""
    if not needed:
        return "it takes more blocks"
    if not within:
        return f"it takes more than {MOST_BLOCKS} more blocks"
    most = f"about {counted(max(within), 'more block')}"
    if len(within) == needed:
        return f"it takes {most}"
    return f"{most} would decide {len(within)} of them, more than {MOST_BLOCKS} the rest"


def _going_on(analysis: Analysis, summary: Summary, needed: Sequence[tuple[str, int]]) -> str:
    """Return the command that makes so many more blocks of rows; where that is not known, twice as many.

    A campaign that ends when all is decided makes no more than `MOST_KEPT_BLOCKS`.
    """
    settings, made, more = _settings(analysis), dict[str, int](), dict[str, int]()
    for cell in summary.cells:
        made[cell.row] = max(made.get(cell.row, 0), cell.valid_runs)
    for row, blocks in needed:
        more[row] = max(more.get(row, 0), blocks)
    all_blocks = max((made[row] + blocks for row, blocks in more.items()), default=0)
    minutes = as_number(settings.get("minutes"))
    if minutes and all_blocks <= MOST_KEPT_BLOCKS:
        longer = 1 + sum(more.values()) / sum(made.values()) if more else 2
        return _changed(analysis, "--minutes", f"{math.ceil(minutes * longer)}")
    repeats = all_blocks or 2 * (as_number(settings.get("repeats")) or 1)
    return _changed(analysis, "--repeats", f"{repeats:g}", without=("--minutes",))


def _changed(analysis: Analysis, *options: str, without: Sequence[str] = ()) -> str:
    """Return the campaign's own command with other options."""
    gone = {"--out", *without, *(one for one in options if one.startswith("--") and one != "--load")}
    settings = {one.partition("=")[0] for one in options if "=" in one}
    kept: list[str] = []
    for part in _made(analysis):
        option = kept[-1] if kept else ""
        if option in gone or (option == "--load" and part.partition("=")[0] in settings):
            kept.pop()
        else:
            kept.append(part)
    return shlex.join([*kept, *options])


def _made(analysis: Analysis) -> list[str]:
    """Return the campaign's own command, an option apart from its value."""
    told = map(str, analysis.campaign.record.get("command") or ["./lab", "run"])
    return [part for one in told for part in (one.split("=", 1) if one.startswith("--") else [one])]


def _again(analysis: Analysis, *options: str, without: Sequence[str] = ()) -> str:
    """Return the same; empty where it is not `./lab run`, which has all options."""
    return _changed(analysis, *options, without=without) if "run" in _made(analysis) else ""


def _longer(analysis: Analysis) -> str:
    """Return the command that measures longer loads; empty where runs have none."""
    made = _settings(analysis).get("load") or {}
    settings = [f"{name}={max(least, 2 * made.get(name, 0)):g}" for name, least in LONGER.items()]
    options = (part for setting in settings for part in ("--load", setting))
    return _again(analysis, *options) if asks_at_loads(analysis.campaign.record) else ""


def _profile(analysis: Analysis) -> Mapping[str, Any]:
    return analysis.campaign.record.get("profile") or {}


def _is_smoke(analysis: Analysis) -> bool:
    """Return whether a campaign only shows that everything works, and decides nothing."""
    return _profile(analysis).get("name") in SMOKE


def _settings(analysis: Analysis) -> Mapping[str, Any]:
    return _profile(analysis).get("settings") or {}


def _rates(analysis: Analysis) -> Iterator[Warning]:
    """Say which rates were another share of the lowest capacity than they are called: a short run had found it."""
    lowest = _lowest_capacities(analysis)
    shares: dict[str, tuple[str, int, float]] = {}
    for cell in analysis.answer.cells:
        if isinstance(cell.load, int) and lowest.get(cell.row) and "rate_per_s" in cell.values:
            share = cell.values["rate_per_s"].value / lowest[cell.row]
            shares.setdefault(cell.scenario, (cell.name, cell.load, share))
    for name, load, share in shares.values():
        if not 1 / FARTHEST_SHARE <= 100 * share / load <= FARTHEST_SHARE:
            yield Warning(
                f"{name}: the rate was {100 * share:.0f}% of the lowest capacity; "
                "the short run that found it was disturbed.",
                _again(analysis),
            )


def _lowest_capacities(analysis: Analysis) -> dict[str, float]:
    """Return the capacity that shares are of, by the row of the scenario."""
    named = _settings(analysis).get("shares_of")
    found: dict[str, list[float]] = {}
    for cell in analysis.answer.cells:
        if "capacity_per_s" in cell.values and named in (None, "", cell.system.partition("@")[0]):
            found.setdefault(cell.row, []).append(cell.values["capacity_per_s"].value)
    return {row: min(values) for row, values in found.items()}


def _loads(analysis: Analysis) -> Iterator[Warning]:
    """Say which systems did not hold a rate, and which had not settled, once of all scenarios where it is the same."""
    held, settled = dict[str, list[str]](), dict[str, list[str]]()
    shares: dict[str, tuple[int, int]] = {}
    for key, scenario in analysis.scenarios.items():
        cells = [cell for cell in analysis.answer.cells if cell.scenario == key]
        held.setdefault(_in_how_many(analysis, cells, [cell.held_runs for cell in cells]), []).append(scenario.name)
        counts = [sum(run.get("settled") is not False for run in _valid_runs(analysis, cell)) for cell in cells]
        settled.setdefault(_in_how_many(analysis, cells, counts), []).append(scenario.name)
        for cell, count in zip(cells, counts, strict=True):
            shares[f"{analysis.campaign.system_name(cell.system)}, {scenario.name}"] = (count, cell.valid_runs)
    lower = "" if _settings(analysis).get("shares_of") else _again(analysis, "--capacity", "20,30,40")
    yield from (Warning(f"The rate was held by {by}: {'; '.join(of)}.", lower) for by, of in held.items() if by)
    if _is_cold(analysis):
        yield Warning("Servers were measured cold, as the profile asks: times and CPU of a request changed meanwhile.")
    elif not _is_smoke(analysis):
        longer = _longer(analysis)
        yield from (Warning(text, longer) for text in _not_settled(settled, shares))


def _not_settled(settled: Mapping[str, Sequence[str]], shares: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return what is said of loads that had not settled: of a few each, of many how many and where the fewest."""
    said = [f"The load had settled for {by}: {'; '.join(of)}." for by, of in settled.items() if by]
    if len(said) <= MOST_NAMED:
        return said
    all_settled, all_runs = map(sum, zip(*shares.values(), strict=True))
    where, (fewest, runs) = min(shares.items(), key=lambda item: item[1][0] / max(item[1][1], 1))
    return [
        f"The load had settled in {all_settled} of {all_runs} measurements, in the fewest for {where}: {fewest} of "
        f"{runs} (settled in analysis/runs.csv)."
    ]


def _is_cold(analysis: Analysis) -> bool:
    """Return whether the profile has no warm-up, as where a paper had none."""
    load = _settings(analysis).get("load") or {}
    return "warmup_loops" in load and not load["warmup_loops"]


def _valid_runs(analysis: Analysis, cell: Cell) -> list[Mapping[str, Value]]:
    of = (cell.scenario, cell.system)
    return [run for run in analysis.runs if run["valid"] is True and (run["scenario"], system_key(run)) == of]


def _turns(analysis: Analysis) -> Iterator[Warning]:
    """Say where the order of two systems turns as the share of the capacity grows; both orders are decided."""
    decided: dict[tuple[str, ...], dict[int, Comparison]] = {}
    for one in analysis.answer.comparisons:
        if isinstance(one.load, int) and one.winner:
            decided.setdefault((one.row, one.metric, one.system_a, one.system_b), {})[one.load] = one
    for (row, metric, *_), by_load in decided.items():
        for below, above in pairwise(sorted(by_load)):
            first, then = by_load[below].winner, by_load[above].winner
            if first != then:
                name = analysis.campaign.system_name
                yield Warning(
                    f"The order by {metric} turns at {row}: {name(first)} to {below}%, {name(then)} from {above}% on.",
                    _again(analysis, "--capacity", f"{below},{(below + above) // 2},{above}"),
                )


def _in_how_many(analysis: Analysis, cells: Sequence[Cell], counts: Sequence[int | None]) -> str:
    """Name the systems for which something was so in fewer than all valid runs, and in how many; nothing if none."""
    found = {cell.system: (n, cell.valid_runs) for cell, n in zip(cells, counts, strict=True) if n is not None}
    named = [
        f"{analysis.campaign.system_name(system)} in {n} of {counted(runs, 'run')}"
        for system, (n, runs) in found.items()
        if n < runs
    ]
    return ", ".join(named)


def _groups(analysis: Analysis) -> Iterator[Warning]:
    rows = {str(row["cell"]): row for row in reversed(analysis.groups)}
    for row in [*rows.values()][:MOST_NAMED]:
        low, high = (
            f"{number(as_number(row[f'{kind}_from']))}–{number(as_number(row[f'{kind}_to']))} ({row[f'n_{kind}']} runs)"
            for kind in ("low", "high")
        )
        name = f"{analysis.campaign.system_name(system_key(row))}, {analysis.scenarios[str(row['scenario'])].name}"
        yield Warning(f"{name}: the runs are bimodal, {row['metric']} {low} and {high}; their mean is neither.")
    if (more := len(rows) - MOST_NAMED) > 0:
        yield Warning(f"{counted(more, 'more cell')} bimodal: analysis/groups.csv.")


def _costs_that_vary(analysis: Analysis) -> Iterator[Warning]:
    if _is_cold(analysis):
        return
    found: dict[str, list[str]] = {}
    for cell in analysis.answer.cells:
        runs = _valid_runs(analysis, cell)
        thirds = [value for run in runs if (value := as_number(run.get("server_cpu_of_thirds"))) is not None]
        if thirds and sum(thirds) / len(thirds) >= MUCH_DEARER:
            found.setdefault(cell.system, []).append(cell.name)
    for system, where in found.items():
        name = analysis.campaign.system_name(system)
        yield Warning(
            f"{name}'s CPU per operation was {MUCH_DEARER}x and more apart between thirds of a run: "
            f"{'; '.join(where)}.",
            _longer(analysis),
        )


def _shares(analysis: Analysis) -> Iterator[Warning]:
    limit = analysis.campaign.leading_cpu_limit_pct
    if limit is not None:
        yield Warning(
            f"The server had a CPU quota of {limit:g}%: on a whole core the order may be another.",
            _again(analysis, without=("--server-cpu",)),
        )
    for row in analysis.share_orders:
        if row["order"] == TURNS:
            better, against = (analysis.campaign.system_name(str(row[name])) for name in ("better", "better_against"))
            where = analysis.scenarios[str(row["scenario"])].name
            yield Warning(
                f"The order turns with the CPU quota: {where}, {row['metric']}: {better}; "
                f"at {row['against_pct']}% {against}."
            )


def _checks(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    """Say where a check, another load generator for one, names the other winner."""
    verdicts: dict[tuple[str, ...], dict[bool, str]] = {}
    for one in summary.comparisons:
        factors = next(cell.factors for cell in summary.cells if cell.scenario == one.scenario)
        checks = checked_by(analysis.campaign.record, factors)
        same = tuple(
            f"{name}={level}"
            for name, level in factors.items()
            if name not in (analysis.campaign.record.get("check_factors") or [])
        )
        verdicts.setdefault((one.metric, one.system_a, one.system_b, *same), {})[bool(checks)] = one.verdict
    contrary = [found for found in verdicts.values() if set(found.values()) == {"better", "worse"}]
    if contrary:
        yield Warning(f"A check names the other winner in {counted(len(contrary), 'comparison')}: see all comparisons.")
