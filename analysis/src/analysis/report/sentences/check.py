"""What the scenarios say that are there to check the answer: the same with another load generator, for example."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.campaign import checked_by, first_levels
from analysis.report import facts
from analysis.report.facts import Standing
from analysis.report.results import Results, Scenario
from analysis.words.language import Language

DECIDED = ("better", "equal")


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Sentences on the check: what it rests on and whether it agrees, and what speaks against the answer."""

    told: Sequence[str] = ()
    against: Sequence[str] = ()


def sentences(words: Language, results: Results, standings: Mapping[str, Sequence[Standing]]) -> Checks:
    """Hold each check against the scenario it checks: where both decide a question, they should say the same."""
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
        for metric in results.declared.questions:
            first = next((one for one in standings[metric] if checked and one.scenario.key == checked.key), None)
            second = facts.standing(results, scenario, metric)
            if first is None or first.decision not in DECIDED or second.decision not in DECIDED:
                continue
            decided += 1
            # Both name a winner; that one finds a difference where the other finds less is no contradiction.
            if first.decision == second.decision == "better" and first.best != second.best:
                against.append(_contradiction(words, results, metric, first, second))
    first_of, names = first_levels(results.campaign), dict.fromkeys(name for _, of in checks.values() for name in of)
    rests = words.join([f"{words.columns.get(name, name).lower()} {first_of[name]}" for name in names])
    with_ = words.join(sorted({str(level) for _, levels in checks.values() for level in levels.values()}))
    parts = {"rests": rests, "with_": with_, "scenarios": words.count(len(checks), "scenario")}
    busy = facts.extent(
        cell.value("server_cpu_pct") for cell in results.cells if cell.scenario in checks and cell.valid_runs
    )
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


def _contradiction(words: Language, results: Results, metric: str, first: Standing, second: Standing) -> str:
    return words.about(results.declared.metric(metric)).say(
        "check_contradicts",
        where=words.scenario(second.scenario),
        measure=words.say(f"measure_{metric}"),
        second=results.systems[second.best].name,
        first=results.systems[first.best].name,
    )
