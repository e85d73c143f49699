"""What would mislead who reads only the answer, each with the command that resolves it."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from uploadlab.analysis.analysis_files import Analysis
from uploadlab.analysis.scenarios import Scenario
from uploadlab.report.numbers import counted, number, size
from uploadlab.report.summary import Summary, Warning
from uploadlab.results.campaign import checked_by
from uploadlab.table_file import as_number
from uploadlab.tables.answer import Cell
from uploadlab.tables.comparisons import system_key
from uploadlab.tables.server_shares import TURNS

MUCH_DEARER = 1.5
"""The CPU per operation in one third of a run over that in another from which on it is said: their mean is neither."""
MOST_NAMED = 3
SMOKE = ("smoke", "league-smoke")
FARTHEST_SHARE = 1.5
"""A rate may be so many times the share of the capacity that it is called, or so many times less."""
LONGER = ("--load", "settling_s=10", "--load", "saturated_s=14", "--load", "share_s=16")


def warnings(analysis: Analysis, summary: Summary, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    """Yield the warnings, the gravest first."""
    yield from _not_a_result(analysis, summary)
    yield from _not_complete(analysis, summary)
    yield from _undecided(analysis, summary)
    yield from _rates(analysis, scenarios)
    yield from _loads(analysis, scenarios)
    yield from _groups(analysis, scenarios)
    yield from _costs_that_vary(analysis, scenarios)
    yield from _shares(analysis, scenarios)
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
    if summary.left_out:
        yield Warning(
            f"Not counted: {counted(len(summary.left_out), 'run')}; the report lists invalid runs with their reasons.",
            "./lab doctor",
        )
    for problem in analysis.problems[:MOST_NAMED]:
        yield Warning(f"A recording is not complete: {problem}")


def _undecided(analysis: Analysis, summary: Summary) -> Iterator[Warning]:
    decided = [one for one in summary.comparisons if one.decided]
    undecided = [one for one in decided if one.verdict == "undecided"]
    if undecided:
        settings = _settings(analysis)
        minutes, repeats = as_number(settings.get("minutes")), as_number(settings.get("repeats"))
        more = ["--minutes", f"{2 * minutes:g}"] if minutes else ["--repeats", f"{2 * (repeats or 1):g}"]
        made = _made(analysis)
        if _is_smoke(analysis):
            command = shlex.join(_without(made, "--profile", "--out"))
        else:
            command = shlex.join([*_without(made, more[0], "--out"), *more])
        of_all = f"{len(undecided)} of {len(decided)}"
        if summary.ranks:
            yield Warning(f"{of_all} pairs of systems can't be told apart: more runs would separate some.", command)
        else:
            yield Warning(f"{of_all} comparisons are undecided: it takes more runs.", command)


def _made(analysis: Analysis) -> list[str]:
    return [str(part) for part in analysis.campaign.record.get("command") or ["./lab", "run"]]


def _again(analysis: Analysis, *options: str, without: Sequence[str] = ()) -> str:
    """Return the campaign's own command with other options; empty where it is not `./lab run`, which has them all."""
    made = _made(analysis)
    if "run" not in made:
        return ""
    once = [option for option in options if option.startswith("--") and option != "--load"]
    settings = {option.partition("=")[0] for option in options if "=" in option}
    kept = _without_settings(_without(made, "--out", *once, *without), settings)
    return shlex.join([*kept, *options])


def _profile(analysis: Analysis) -> Mapping[str, Any]:
    return analysis.campaign.record.get("profile") or {}


def _is_smoke(analysis: Analysis) -> bool:
    """Return whether a campaign only shows that everything works, and decides nothing."""
    return _profile(analysis).get("name") in SMOKE


def _settings(analysis: Analysis) -> Mapping[str, object]:
    return _profile(analysis).get("settings") or {}


def _without(command: Sequence[str], *options: str) -> list[str]:
    """Return a command without some options and their values."""
    kept, skip = [], False
    for part in command:
        if skip or part in options:
            skip = not skip
        else:
            kept.append(str(part))
    return kept


def _without_settings(command: Sequence[str], settings: Collection[str]) -> list[str]:
    """Return a command without what `--load` sets of some settings."""
    kept: list[str] = []
    for part in command:
        if kept and kept[-1] == "--load" and part.partition("=")[0] in settings:
            kept.pop()
        else:
            kept.append(part)
    return kept


def _rates(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    """Say which rates were another share of the lowest capacity than they are called: a short run had found it."""
    lowest = _lowest_capacities(analysis)
    shares: dict[str, tuple[int, float]] = {}
    for cell in analysis.answer.cells:
        capacity = lowest.get(_but_load(analysis, cell))
        if capacity and isinstance(cell.load, int) and "rate_per_s" in cell.values:
            shares.setdefault(cell.scenario, (cell.load, cell.values["rate_per_s"].value / capacity))
    for scenario, (load, share) in shares.items():
        if not 1 / FARTHEST_SHARE <= 100 * share / load <= FARTHEST_SHARE:
            yield Warning(
                f"{scenarios[scenario].name}: the rate was {100 * share:.0f}% of the lowest capacity; "
                "the short run that found it was disturbed.",
                _again(analysis),
            )


def _lowest_capacities(analysis: Analysis) -> dict[object, float]:
    """Return the capacity that shares are of, by the scenario without its load."""
    named = _settings(analysis).get("shares_of")
    found: dict[object, list[float]] = {}
    for cell in analysis.answer.cells:
        if "capacity_per_s" in cell.values and named in (None, "", cell.system.partition("@")[0]):
            found.setdefault(_but_load(analysis, cell), []).append(cell.values["capacity_per_s"].value)
    return {without_load: min(values) for without_load, values in found.items()}


def _but_load(analysis: Analysis, cell: Cell) -> object:
    return tuple((name, level) for name, level in cell.factors.items() if name != analysis.campaign.windows_factor)


def _loads(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    """Say which systems did not hold a rate, which had not settled, and where the order of two turns with the load."""
    longer = _again(analysis, *LONGER) if analysis.campaign.windows_factor else ""
    same_rates = _settings(analysis).get("shares_of")
    lower = "" if same_rates else _again(analysis, "--capacity", "20,30,40")
    for scenario in dict.fromkeys(cell.scenario for cell in analysis.answer.cells):
        cells, where = [cell for cell in analysis.answer.cells if cell.scenario == scenario], scenarios[scenario].name
        if text := _in_how_many(analysis, cells, [cell.held for cell in cells]):
            yield Warning(f"The rate was held by {text}: {where}.", lower)
        settled = [cell.valid_runs - cell.never_settled for cell in cells]
        if not _is_smoke(analysis) and (text := _in_how_many(analysis, cells, settled)):
            yield Warning(f"The load had settled for {text}: {where}.", longer)
    for turn in analysis.answer.turns:
        below, above = (analysis.campaign.system_name(one) for one in (turn.better_below, turn.better_above))
        at = size(turn.size_bytes) if turn.size_bytes is not None else "in one scenario"
        text = f"The order by {turn.metric} turns at {at}: {below} to {turn.below}%, {above} from {turn.above}% on."
        between = f"{turn.below},{(turn.below + turn.above) // 2},{turn.above}"
        yield Warning(text, _again(analysis, "--capacity", between))


def _in_how_many(analysis: Analysis, cells: Sequence[Cell], counts: Sequence[int | None]) -> str:
    """Name the systems for which something was so in fewer than all valid runs, and in how many; nothing if none."""
    found = {cell.system: (n, cell.valid_runs) for cell, n in zip(cells, counts, strict=True) if n is not None}
    named = [
        f"{analysis.campaign.system_name(system)} in {n} of {counted(runs, 'run')}"
        for system, (n, runs) in found.items()
        if n < runs
    ]
    return ", ".join(named)


def _groups(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    rows = {str(row["cell"]): row for row in reversed(analysis.groups)}
    for row in [*rows.values()][:MOST_NAMED]:
        low, high = (
            f"{number(as_number(row[f'{kind}_from']))}–{number(as_number(row[f'{kind}_to']))} ({row[f'n_{kind}']} runs)"
            for kind in ("low", "high")
        )
        name = f"{analysis.campaign.system_name(system_key(row))}, {scenarios[str(row['scenario'])].name}"
        yield Warning(f"{name}: the runs are bimodal, {row['metric']} {low} and {high}; their mean is neither.")
    if (more := len(rows) - MOST_NAMED) > 0:
        yield Warning(f"{counted(more, 'more cell')} bimodal: analysis/groups.csv.")


def _costs_that_vary(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    longer = _again(analysis, *LONGER) if analysis.campaign.windows_factor else ""
    found: dict[str, list[str]] = {}
    for cell in analysis.cells:
        runs = [run for run in analysis.runs if run["cell"] == cell["cell"] and run["valid"] is True]
        thirds = [value for run in runs if (value := as_number(run.get("server_cpu_of_thirds"))) is not None]
        if thirds and sum(thirds) / len(thirds) >= MUCH_DEARER:
            found.setdefault(system_key(cell), []).append(scenarios[str(cell["scenario"])].name)
    for system, where in found.items():
        name = analysis.campaign.system_name(system)
        yield Warning(
            f"{name}'s CPU per operation was {MUCH_DEARER}x and more apart between thirds of a run: "
            f"{'; '.join(where)}.",
            longer,
        )


def _shares(analysis: Analysis, scenarios: Mapping[str, Scenario]) -> Iterator[Warning]:
    limit = analysis.campaign.leading_cpu_limit_pct
    if limit is not None:
        yield Warning(
            f"The server had a CPU quota of {limit:g}%: on a whole core the order may be another.",
            _again(analysis, without=("--server-cpu",)),
        )
    for row in analysis.share_orders:
        if row["order"] == TURNS:
            better, against = (analysis.campaign.system_name(str(row[name])) for name in ("better", "better_against"))
            where = scenarios[str(row["scenario"])].name
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
