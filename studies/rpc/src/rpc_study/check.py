"""Judge a run: right answers, one connection, complete records, and what the client and the collectors cost."""

from pathlib import Path
from typing import Any

from rpc_study.errors import DriverError
from rpc_study.seen import NS_PER_S, Seen, read


def check(spec: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what the harness keeps of a run: its phases, its counts and the gates that only this study can judge."""
    seen = read(folder)
    begin_ns, end_ns = int(seen.sent_ns.min()), int(seen.answered_ns.max())
    limits = spec["gates"]
    return {
        "phases": {"measure_start_ns": begin_ns, "measure_end_ns": end_ns},
        "counts": {"requests": len(seen.seq), "errors": int(seen.wrong.sum())},
        "load": spec["load"],
        "first_calls": next(seen.told("client", "first_calls"), None),
        "gates": [
            _wrong(seen, limits["wrong_answers"]),
            _lost(seen, limits["lost_records"]),
            _complete(seen, remote=spec.get("remote", True)),
            _own_cost(seen, limits["own_cost_pct"]),
            *(_garbage(seen, role, end_ns - begin_ns, limits["gc_pct"]) for role in ("server", "client")),
        ],
    }


def gate(name: str, passed: bool, figure: float, unit: str, threshold: float, sentence: str) -> dict[str, Any]:
    """Return a gate as run.json keeps it."""
    return {
        "name": name, "passed": passed, "figure": figure, "unit": unit, "threshold": threshold, "sentence": sentence,
    }  # fmt: skip


def _wrong(seen: Seen, limit: int) -> dict[str, Any]:
    wrong = int(seen.wrong.sum())
    sentence = f"{wrong} of {len(seen.seq)} answers differed from the local procedure's (at most {limit})."
    return gate("wrong_answers", wrong <= limit, wrong, "answers", limit, sentence)


def _lost(seen: Seen, limit: int) -> dict[str, Any]:
    lost = sum(seen.measured(role)["lost_records"] for role in ("server", "client"))
    sentence = f"{lost} records found their file full (at most {limit})."
    return gate("lost_records", lost <= limit, lost, "records", limit, sentence)


def _complete(seen: Seen, *, remote: bool) -> dict[str, Any]:
    made = len(seen.seq)
    wanted = made if remote else 0
    passed = seen.received == seen.replied == wanted
    sentence = f"The server saw {seen.received} calls and answered {seen.replied}; the client made {made}."
    return gate("records_complete", passed, seen.received, "calls", wanted, sentence)


def _own_cost(seen: Seen, limit_pct: float) -> dict[str, Any]:
    own = next(seen.told("client", "own_cost"), None)
    if own is None:
        raise DriverError("client-0.events.jsonl: the client told no cost of its own.")
    mean_ns = float((seen.answered_ns - seen.sent_ns).mean())
    share = round(100 * own["ns"] / mean_ns, 3)
    sentence = f"The client's own time for a call is {share:.2f} % of the mean response time (at most {limit_pct:g} %)."
    return gate("own_cost", share <= limit_pct, share, "% of the mean response time", limit_pct, sentence)


def _garbage(seen: Seen, role: str, window_ns: int, limit_pct: float) -> dict[str, Any]:
    share = round(100 * seen.measured(role)["gc_ms"] / (window_ns / NS_PER_S * 1e3), 3)
    sentence = f"The {role}'s JVM collected garbage for {share:.2f} % of the measured time (at most {limit_pct:g} %)."
    return gate(f"{role}_gc", share <= limit_pct, share, "% of the measured time", limit_pct, sentence)
