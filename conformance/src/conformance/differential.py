"""Sends one corpus to two servers and compares what they do, whatever the contract says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.case import Case, Observation, Outcome
from conformance.provider import NotRun, Provider
from conformance.suite import UNANSWERED, no_answer, observe, verdict


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A case in which two servers differ; `allowed` when the contract leaves the choice and both chose from it."""

    case: Case
    left: Observation
    right: Observation
    what: tuple[str, ...]
    allowed: bool


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A case in which a server does not keep the contract, whatever the other one does."""

    case: Case
    server: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How many cases were sent to both, what differed, who broke the contract, what could not be sent."""

    compared: int
    differences: tuple[Difference, ...]
    violations: tuple[Violation, ...]
    not_run: tuple[tuple[Case, str], ...]


def compare(cases: Iterable[Case], left: Provider, right: Provider, report: Callable[[Difference], None]) -> Comparison:
    """Send each case to both servers; hand each difference to `report`."""
    found: list[Difference] = []
    violations: list[Violation] = []
    not_run: list[tuple[Case, str]] = []
    compared = 0
    for case in cases:
        try:
            (ours, allowed, our_faults), (theirs, _, their_faults) = (_seen(case, one) for one in (left, right))
        except NotRun as why:
            not_run.append((case, str(why)))
            continue
        compared += 1
        wrong = [
            Violation(case=case, server=provider.name, reasons=tuple(reasons))
            for provider, reasons in ((left, our_faults), (right, their_faults))
            if reasons
        ]
        violations += wrong
        what = differences(ours, theirs) if ours and theirs else []
        if ours and theirs and what:
            legal = not wrong and (len(allowed) > 1 or _leaves_the_body_free(allowed))
            found.append(Difference(case=case, left=ours, right=theirs, what=tuple(what), allowed=legal))
            report(found[-1])
    return Comparison(compared=compared, differences=tuple(found), violations=tuple(violations), not_run=tuple(not_run))


def _seen(case: Case, provider: Provider) -> tuple[Observation | None, tuple[Outcome, ...], list[str]]:
    """Return what was seen of a server, None where its answer cannot be read; what is allowed; and what is wrong."""
    try:
        seen, allowed = observe(case, provider)
    except UNANSWERED as error:
        return None, (), [no_answer(error)]
    return seen, allowed, verdict(seen, allowed)


def differences(left: Observation, right: Observation) -> list[str]:
    """Name everything in which two observations differ: statuses, codes, bytes, files, leftovers, connection."""
    views: dict[str, Callable[[Observation], object]] = {
        "status": lambda seen: tuple(response.status for response in seen.responses),
        "error code": lambda seen: tuple(response.error_code for response in seen.responses),
        "bytes of the page": lambda seen: tuple(r.body for r in seen.responses if r.status == 200),
        "content type": lambda seen: tuple(
            _content_type(response.header("content-type")) for response in seen.responses if response.error_code
        ),
        "Allow": lambda seen: tuple(response.header("allow") for response in seen.responses),
        "interim answers": lambda seen: seen.interim,
        "stored files": lambda seen: seen.contents.stored,
        "files left behind": lambda seen: len(seen.contents.strays),
        "connection": lambda seen: seen.connection,
    }
    return [name for name, view in views.items() if view(left) != view(right)]


def _leaves_the_body_free(allowed: Iterable[Outcome]) -> bool:
    return any(answer.free for outcome in allowed for answer in outcome.answers)


def _content_type(value: str | None) -> str:
    return (value or "").split(";")[0].strip().lower()
