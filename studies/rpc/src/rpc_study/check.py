"""Judge a run: right answers, one connection, all records, what the client itself cost, and which calls settled."""

from pathlib import Path
from typing import Any

from rpc_study.events import Called, Connections, Served
from rpc_study.settings import Load
from study_kit.gates import Gate, Limits, counted_gate, gate, own_cost_gates, records_gate
from study_kit.records import Ends, Operations, check_owners, event_files, operations
from study_kit.result import Measured, expect_success, reply
from study_kit.settled import Settled, find_settled, told_of
from study_kit.spec import RunSpec, settings
from study_kit.told import OwnCost, every, told

CALL = Ends(from_=("client", "sent"), to=("client", "answered"))
MILLISECOND_NS = 1_000_000


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return what the harness keeps of a run: its window, its counts, and the gates that only this study can judge."""
    load = settings(spec.load, Load)
    check_owners(out, CALL.from_)
    (called,), (served,) = told(out, "client", Called), told(out, "server", Served)
    (own,) = told(out, "client", OwnCost)
    (client,) = event_files(out, "client")
    calls = operations(out, CALL)
    expect_success(calls)
    levels = [_settled_of(calls, op, cut=load.window == "settled") for op in range(int(calls.op.max()) + 1)]
    window = Measured(operations=calls, cut=0, settled=_of_all(levels))
    gates = [
        _answers_gate(calls, spec.gates),
        records_gate(called.lost_records + served.lost_records),
        counted_gate(len(calls), called.sent),
        _complete_gate(served),
        _connection_gate(every(client, Connections), 1 if served.expected else 0),
        *own_cost_gates(own.ns, float(calls.elapsed_us.mean() * 1e3), spec.limits),
        _garbage_gate("server", served.gc_ms, calls, spec.limits),
        _garbage_gate("client", called.gc_ms, calls, spec.limits),
    ]
    replied = reply(calls, window, spec.load, gates)
    replied["settled"]["levels"] = levels
    if load.clock == "whole_ms":  # by that clock the first call began up to a millisecond earlier
        replied["phases"]["measure_start_ns"] -= MILLISECOND_NS
    return replied


def _settled_of(calls: Operations, op: int, *, cut: bool) -> dict[str, Any]:
    """Return from when on the calls of an operation, a series of their own, kept one level."""
    of_op = calls.good & (calls.op == op)
    begun_ns = calls.from_ns[of_op]
    if not len(begun_ns):
        return {"settled": None, "cut": False, "sentence": "No call was answered correctly."}
    settled = find_settled((calls.to_ns[of_op] - begun_ns) / 1000, begun_ns // 1000, what="calls")
    return told_of(settled, begun_ns, cut=cut and settled.first > 0)


def _of_all(levels: list[dict[str, Any]]) -> Settled:
    """Return whether the calls of every operation settled; those of an operation that did not are left out alone."""
    settled = [one["settled"] for one in levels]
    restless = [str(op) for op, of_op in enumerate(settled) if of_op is False]
    sentence = f"The calls of {settled.count(True)} of {len(settled)} operations settled."
    if restless:
        sentence += f" In the operations numbered {', '.join(restless)} the level still changed in the second half."
    if None in settled:
        sentence += f" For {settled.count(None)} of them there are too few calls to tell."
    every = None if None in settled else not restless
    return Settled(first=0, settled=every, change_points=(), sentence=sentence)


def _answers_gate(calls: Operations, limits: Limits) -> Gate:
    wrong, limit = int((~calls.good).sum()), limits.get("wrong_answers") or 0
    sentence = f"{wrong} of {len(calls)} calls were answered wrongly, or not at all (at most {limit:g})."
    return gate("wrong_answers", wrong <= limit, wrong, "calls", limit, sentence)


def _complete_gate(server: Served) -> Gate:
    passed = server.received == server.expected
    sentence = f"The server answered {server.received} calls; {server.expected} were to be made."
    return gate("calls_seen", passed, server.received, "calls", server.expected, sentence)


def _connection_gate(counts: list[Connections], expected: int) -> Gate:
    """Judge every count of the client's connections, which it takes around each contract."""
    worst = max((len(one.local_ports) for one in counts), default=0)
    same = all(one.same for one in counts)
    how = "the same" if same else "not the same"
    sentence = f"The client had {worst} connections (expected {expected}), {how} throughout."
    return gate("connections", worst == expected and same, worst, "connections", expected, sentence)


def _garbage_gate(role: str, gc_ms: int, calls: Operations, limits: Limits) -> Gate:
    window_ms = (int(calls.to_ns.max()) - int(calls.from_ns.min())) / 1e6
    share, limit = round(100 * gc_ms / window_ms, 3), limits.get("gc_pct")
    limit = 100.0 if limit is None else limit
    sentence = f"The {role}'s JVM collected garbage for {share:.2f} % of the measured time (at most {limit:g} %)."
    return gate(f"{role}_gc", share <= limit, share, "% of the measured time", limit, sentence)
