"""Runs cases against a provider and says of each whether it passed, failed, or was not run and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from conformance.case import Case, Observation, Outcome, problems
from conformance.clients import CLIENTS
from conformance.controlled import CONTROLLED
from conformance.conversation import converse
from conformance.page import PAGE
from conformance.provider import NotRun, Provider, StartedSystem
from conformance.trial import Trial

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of a case."""

    id: str
    group: str
    name: str
    verdict: str
    reasons: tuple[str, ...] = ()
    elapsed_s: float = 0.0
    observation: Observation | None = None


def trials(cases: Iterable[Case]) -> tuple[Trial, ...]:
    """Return everything that can be run, in the order in which it is run."""
    return (*map(as_trial, cases), *CONTROLLED, *CLIENTS)


def as_trial(case: Case) -> Trial:
    """Return a black-box case as something that can be run."""
    return Trial(group=case.group, id=case.id, name=case.name, run=lambda provider: _run_case(case, provider))


def run(selected: Iterable[Trial], provider: Provider, report: Callable[[Result], None]) -> list[Result]:
    """Run trials one after the other; hand each result to `report` as soon as it is there."""
    results = []
    for trial in selected:
        began = time.monotonic()
        try:
            reasons = trial.run(provider)
            verdict = FAILED if reasons else PASSED
        except NotRun as why:
            reasons, verdict = [str(why)], NOT_RUN
        except OSError as error:
            reasons, verdict = [f"the connection failed: {error}"], FAILED
        if verdict != NOT_RUN and isinstance(provider, StartedSystem):
            reasons += provider.deaths()
            verdict = FAILED if reasons else PASSED
        result = Result(
            id=trial.id,
            group=trial.group,
            name=trial.name,
            verdict=verdict,
            reasons=tuple(reasons),
            elapsed_s=time.monotonic() - began,
        )
        results.append(result)
        report(result)
    return results


def observe(case: Case, provider: Provider) -> tuple[Observation, tuple[Outcome, ...]]:
    """Carry out a case; return what was seen and what is allowed."""
    target, store = provider.target(case.profile)
    exchange = case.build(target.limits)
    store.clear()
    try:
        return converse(exchange, target, store), exchange.expected
    finally:
        store.clear()


def verdict(seen: Observation, allowed: Iterable[Outcome]) -> list[str]:
    """Return what is wrong, measured against the outcome that is nearest; empty when one of them came true."""
    found = [problems(outcome, seen, PAGE) for outcome in allowed]
    return min(found, key=len)


def _run_case(case: Case, provider: Provider) -> list[str]:
    seen, allowed = observe(case, provider)
    wrong = verdict(seen, allowed)
    return [*wrong, f"seen: {seen.summary()}"] if wrong else []


def groups(results: Iterable[Result]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield for each group how many results there are of each verdict."""
    counts: dict[str, dict[str, int]] = {}
    for result in results:
        counts.setdefault(result.group, {PASSED: 0, FAILED: 0, NOT_RUN: 0})[result.verdict] += 1
    yield from counts.items()
