"""Runs cases against a provider and says of each whether it passed, failed, or was not run and why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from conformance.case import Case, Observation, Outcome, problems
from conformance.clients import CLIENTS
from conformance.controlled import CONTROLLED
from conformance.conversation import converse
from conformance.page import PAGE
from conformance.provider import NotRun, Provider, StartedSystem, cleared
from conformance.trial import Trial
from conformance.wire import Unreadable

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"

UNANSWERED = (OSError, Unreadable)
"""What a case raises when there is no answer to judge."""
TIMEOUT_S = 1.5  # a case that fails after so long has waited for what did not come
MOST_TIMEOUTS = 8


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of a case."""

    id: str
    group: str
    name: str
    verdict: str
    reasons: tuple[str, ...] = ()
    elapsed_s: float = 0.0
    stopped: bool = False


def trials(cases: Iterable[Case]) -> tuple[Trial, ...]:
    """Return everything that can be run, in the order in which it is run."""
    return (*map(as_trial, cases), *CONTROLLED, *CLIENTS)


def as_trial(case: Case) -> Trial:
    """Return a black-box case as something that can be run."""
    return Trial(group=case.group, id=case.id, name=case.name, run=lambda provider: _run_case(case, provider))


def run(
    selected: Iterable[Trial],
    provider: Provider,
    report: Callable[[Result], None],
    *,
    most_timeouts: int | None = None,
) -> list[Result]:
    """Run trials one after the other; hand each result to `report` as soon as it is there.

    With `most_timeouts` the rest of a group is not run once so many of its cases have failed by waiting.
    """
    results = []
    timeouts: Counter[str] = Counter()
    for trial in selected:
        began = time.monotonic()
        stopped = most_timeouts is not None and timeouts[trial.group] >= most_timeouts
        try:
            if stopped:
                raise NotRun(f"{most_timeouts} cases of it failed by waiting for what did not come (--timeouts)")
            reasons = trial.run(provider)
            verdict = FAILED if reasons else PASSED
        except NotRun as why:
            reasons, verdict = [str(why)], NOT_RUN
        except UNANSWERED as error:
            reasons, verdict = [no_answer(error)], FAILED
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
            stopped=stopped,
        )
        timeouts[trial.group] += result.verdict == FAILED and result.elapsed_s >= TIMEOUT_S
        results.append(result)
        report(result)
    return results


def no_answer(error: Exception) -> str:
    """Say why there is no answer to judge."""
    what = "the answer cannot be read" if isinstance(error, Unreadable) else "the connection failed"
    return f"{what}: {error}"


def observe(case: Case, provider: Provider) -> tuple[Observation, tuple[Outcome, ...]]:
    """Carry out a case; return what was seen and what is allowed."""
    with cleared(provider, case.profile) as (target, store):
        exchange = case.build(target.limits)
        return converse(exchange, target, store), exchange.expected


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
