"""What the scenarios say that are there to check the answer: the same with another load generator, for example."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uploadlab.report import facts
from uploadlab.report.facts import Standing
from uploadlab.report.results import Results, Scenario
from uploadlab.results.campaign import checked_by, first_levels
from uploadlab.words.language import Language

DECIDED = ("better", "equal")


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Sentences on the check: what it rests on and whether it agrees, and what speaks against the answer."""

    told: Sequence[str] = ()
    against: Sequence[str] = ()


def sentences(words: Language, results: Results, standings: Mapping[str, Sequence[Standing]]) -> Checks:
    """Hold each check against the scenario it checks: where both decide a figure of the first page, they must agree."""
    checks = {
        key: (one, levels)
        for key, one in results.scenarios.items()
        if (levels := checked_by(results.campaign, one.factors))
    }
    if not checks:
        return Checks()
    decided, against = 0, []
    for scenario, levels in checks.values():
        checked = _counterpart(results, scenario, levels)
        contradictions = []
        for metric, of_metric in standings.items():
            first = next((one for one in of_metric if checked and one.scenario.key == checked.key), None)
            second = facts.standing(results, scenario, metric)
            if first is None or first.decision not in DECIDED or second.decision not in DECIDED:
                continue
            decided += 1
            if _contradicts(results, first, second):
                contradictions.append(_contradiction(words, results, first, second))
        if checked and contradictions:
            against.append(" ".join([*contradictions, _reason(words, results, checked, scenario)]))
    first_of, names = first_levels(results.campaign), dict.fromkeys(name for _, of in checks.values() for name in of)
    rests = words.join([f"{words.columns.get(name, name).lower()} {first_of[name]}" for name in names])
    with_ = words.join(sorted({str(level) for _, levels in checks.values() for level in levels.values()}))
    parts = {"rests": rests, "with_": with_, "scenarios": words.count(len(checks), "scenario")}
    busy = _busy_pct(results, *checks)
    said = words.say("check_rests", **parts)
    if busy is not None:
        said += words.say("check_load", percent=words.span(busy, 2))
    if not decided:
        return Checks(told=[said + words.say("check_nothing")])
    if against:
        return Checks(told=[f"{said}."], against=against)
    return Checks(told=[said + words.say("check_agrees", count=words.count(decided, "comparison"))])


def _counterpart(results: Results, scenario: Scenario, levels: Mapping[str, str]) -> Scenario | None:
    first = first_levels(results.campaign)
    wanted = {**scenario.factors, **{name: str(first[name]) for name in levels}}
    return next((one for one in results.scenarios.values() if dict(one.factors) == wanted), None)


def _contradicts(results: Results, first: Standing, second: Standing) -> bool:
    """Return whether two winners differ, or systems are equal by the one and further apart by the other for certain.

    That one finds a difference where the other may find less is no contradiction.
    """
    if first.decision == second.decision:
        return first.decision == "better" and first.best != second.best
    equal, better = (first, second) if first.decision == "equal" else (second, first)
    compared = {better.best, better.rival} <= {*equal.contenders}
    return compared and _apart_at_least(better) > results.equal_margin_pct / 100


def _apart_at_least(one: Standing) -> float:
    """Return by what share the best and its rival surely differ, by the interval."""
    return max(1 / (one.high or 1), one.low or 1) - 1


def _contradiction(words: Language, results: Results, first: Standing, second: Standing) -> str:
    phrase = {
        ("better", "better"): "check_contradicts",
        ("equal", "better"): "check_not_equal",
        ("better", "equal"): "check_equal",
    }[first.decision, second.decision]
    words = words.about(results.declared.metric(first.metric))
    return words.say(
        phrase,
        where=words.scenario(second.scenario),
        measure=words.say(f"measure_{first.metric}"),
        second=results.systems[second.best].name,
        second_by=_by(words, second),
        first=results.systems[first.best].name,
        first_by=_by(words, first),
        margin=words.figures.plain(results.equal_margin_pct),
    )


def _by(words: Language, one: Standing) -> str:
    return words.apart((one.low or 1, one.high or 1))


def _reason(words: Language, results: Results, checked: Scenario, check: Scenario) -> str:
    """Say what may have made the difference, with how much of it there was on both sides as far as that is known."""
    said = words.say("check_reason")
    for phrase, figure in (("check_reason_load", _busy_pct), ("check_reason_own", _own_pct)):
        here, there = figure(results, checked.key), figure(results, check.key)
        if here and there:
            said += " " + words.say(phrase, there=words.span(there, 2), here=words.span(here, 2))
    return said


def _busy_pct(results: Results, *scenarios: str) -> tuple[float, float] | None:
    """Return how busy the servers were in scenarios, least and most, in per cent of a core."""
    cells = [cell for cell in results.cells if cell.scenario in scenarios and cell.valid_runs]
    return facts.extent(cell.value("server_cpu_pct") for cell in cells)


def _own_pct(results: Results, *scenarios: str) -> tuple[float, float] | None:
    """Return how much of the mean response time the load generator waited for a core, least and most, in per cent."""
    runs = [run for run in results.valid_runs if run.scenario in scenarios]
    return facts.extent(facts.generator_wait_pct(run) for run in runs)
