"""Read what the load generator wrote: the measured windows, their counts, and the study's own gates."""

from pathlib import Path
from typing import Any

import numpy as np

from monitoring.clocks import ClockAlignment
from monitoring.errors import RecordingError
from monitoring.samples_reader import read_samples
from study_kit.gates import Gate, gate
from study_kit.settled import ended_per_s
from upload_study import generator, merging, settling
from upload_study.request_rows import NS_PER_MS, RequestFile, Requests, read_requests, taken
from upload_study.scenario import SATURATED, ResolvedLoad, loads_of
from upload_study.settling import Work, find_start, still_at_work
from upload_study.spec import BackgroundWork, DriverError, RunSpec
from upload_study.turns import NS_PER_US, Turns, active_ns, read_turns, starts_within

US_PER_MS = 1000
SAMPLES_FILE = "server.samples.csv"
HELD = 0.95
"""Of the uploads that were due in a window, so many at least are answered in it where the system holds the rate."""


def check(spec: RunSpec, out: Path) -> dict[str, Any]:
    """Return the windows of a finished run, with the phases and counts of all together and the study's own gates.

    Raises DriverError when a file is missing or damaged, or holds no measured request.
    """
    loads = loads_of(spec.factors, spec.load, len(spec.engines))
    if spec.engines:
        merging.merge(spec, out)
    sent = read_requests(out / "requests.jtl", [load.label for load in loads], spec.server.upload.accepts)
    works: list[BackgroundWork | None] = [*spec.background_work] or [None] * len(loads)
    windows = [_window(spec, out, load, sent.of[load.label], work) for load, work in zip(loads, works, strict=True)]
    first = windows[0]
    return {
        "windows": windows,
        "phases": {
            "measure_start_ns": first["start_ns"],
            "measure_end_ns": max(window["last_ns"] for window in windows),
        },
        "counts": {
            **{name: sum(window["counts"][name] for window in windows) for name in ("requests", "errors")},
            **{name: sum(window["counts"][name] for window in windows) for name in ("cut_requests", "cut_errors")},
            "warmup_requests": sent.warm_ups,
            "stored_files": spec.files_of_load,
            "ended_per_s": first["counts"]["ended_per_s"] if len(windows) == 1 else [],
        },
        "load": {name: getattr(loads[0], name) for name in loads[0].__struct_fields__}
        | {"requests": sum(load.requests for load in loads) or sum(len(one.start_ms) for one in sent.of.values())},
        "settled": first["settling"] | {"cut": first["counts"]["cut_requests"] > 0} if len(windows) == 1 else None,
        "gates": [*_stored_gates(spec, sent), _own_faults_gate(sent)],
    }


def _window(
    spec: RunSpec, out: Path, load: ResolvedLoad, sent: Requests, work: BackgroundWork | None
) -> dict[str, Any]:
    """Return what `run.json` keeps of one load: where what is measured begins and ends, and what came of it."""
    begin_ns = int(sent.due_ms.min()) * NS_PER_MS
    until_ns, last_ns = (int(np.ceil(edge)) * NS_PER_MS for edge in (sent.due_ms.max(), sent.end_ms.max()))
    planned = generator.planned_requests(load, out)
    counted = load.arrivals == "closed" and planned is not None  # such a load ends with its last request
    end_ns = last_ns if counted else until_ns
    settling_s = load.settling_s if load.window == "settled" else 0.0
    starts_ns, in_turns = settling.starts(begin_ns, until_ns, settling_s), read_turns(out, load.label)
    if in_turns is not None:
        begin_ns, end_ns = int(in_turns[0, 0]), int(in_turns[-1, 1])
        starts_ns, until_ns = starts_within(in_turns, settling_s), end_ns
    settled = find_start(_work(spec, out, sent), starts_ns, until_ns)
    if work and not work.ended:
        settled = still_at_work(settled, work.seconds)
    due_ns = np.rint(sent.due_ms * US_PER_MS) * NS_PER_US  # a request may be due at the very start of a turn
    begun = due_ns >= settled.start_ns
    measured = taken(sent, begun)
    ends_ns = (sent.end_ms * NS_PER_MS).astype(np.int64)
    # By JMeter's clock of whole milliseconds an upload may end when it begins.
    ended = (begun | (ends_ns > settled.start_ns)) & (ends_ns <= end_ns)
    full = bool((generator.full_ms(sent, load.threads) > 0).any())
    requests = len(measured.start_ms)
    return {
        "load": load.level,
        "label": load.label,
        "start_ns": settled.start_ns,
        "end_ns": end_ns,
        "last_ns": last_ns,
        "active_ns": None if in_turns is None else active_ns(in_turns, settled.start_ns),
        "settled": settled.settled,
        "settling": {"settled": settled.settled, "seconds": _seconds(begin_ns, settled.start_ns)}
        | {"sentence": settled.sentence},
        "users": load.threads if load.arrivals == "closed" else None,
        "rate_per_s": load.rate_per_s,
        "held": _held(load, in_turns, full=full, ended=int(ended.sum()), due=requests),
        "counts": {
            "requests": requests,
            "errors": int(measured.failed.sum()),
            "cut_requests": len(sent.start_ms) - requests,
            "cut_errors": int(sent.failed.sum() - measured.failed.sum()),
            "ended": int(ended.sum()),
            "ended_ok": int((ended & ~sent.failed).sum()),
            "ended_per_s": ended_per_s(np.maximum(ends_ns[ended] - 1, settled.start_ns), settled.start_ns, end_ns),
        },
        "requests_of": merging.requests_of(spec, merging.engine_of(spec, measured.users)),
        "mean_ms": float(measured.response_ms.mean()),
        "gates": _gates(spec, out, load, sent, measured, (settled.start_ns, end_ns)),
    }


def _held(load: ResolvedLoad, in_turns: Turns | None, *, full: bool, ended: int, due: int) -> bool | None:
    """Return whether open arrivals were answered as fast as they came; a turn is too short for a queue to say it."""
    if load.arrivals == "closed" or in_turns is not None:
        return None
    return not full and ended >= HELD * due


def _seconds(begin_ns: int, end_ns: int) -> float:
    return round((end_ns - begin_ns) / 1e9, 3)


def _work(spec: RunSpec, out: Path, sent: Requests) -> Work | None:
    """Return what the server did under a load, on the load generator's clock; None where nobody recorded it."""
    path = out / SAMPLES_FILE
    if not path.exists():
        return None
    try:
        samples = read_samples(path)
    except RecordingError as error:
        raise DriverError(str(error)) from error
    roles = [spec.engines[0].role if spec.engines else merging.PLAIN, "server"]
    if all(role in spec.clock for role in roles):
        clocks = ClockAlignment.of({"server": spec.clock["server"], "injector": spec.clock[roles[0]]})
        samples["time_ns"] = clocks.on_injector(samples["time_ns"])
    return Work.of(samples, (sent.end_ms * NS_PER_MS).astype(np.int64), sent.sent_bytes)


def _gates(
    spec: RunSpec, out: Path, load: ResolvedLoad, sent: Requests, measured: Requests, window: tuple[int, int]
) -> list[Gate]:
    """Return the gates on what the load generator did in one window."""
    gates = []
    if (planned := generator.planned_requests(load, out)) is not None:
        figure = len(sent.start_ms)
        sentence = f"The load generator sent {figure} of {planned} requests."
        gates.append(gate("requests_sent", figure == planned, figure, "requests", planned, sentence))
    if load.arrivals == "open":
        if not sent.is_open:
            raise DriverError("requests.jtl: the column 'scheduled_ms' is missing.")
        full_ms = generator.full_ms(measured, load.threads)
        gates += generator.pacing_gates(measured.late_ms, full_ms, measured.elapsed_ms, spec.gates)
    # At saturation capacity is measured: who waits for the generator's core would else wait for the server's, and that
    # the generator keeps up is the gate `injector_cpu`.
    if len(measured.delay_ms) and load.level != SATURATED:
        gates += generator.delay_gates(measured.delay_ms, measured.elapsed_ms, spec.gates)
    if spec.engines:
        engine_of = merging.engine_of(spec, measured.users)
        gates += generator.together_gates(engine_of, measured.start_ms, measured.end_ms, spec.gates)
    return gates + generator.worst_memory_gates(out, spec.gates, merging.windows(spec, *window))


def _stored_gates(spec: RunSpec, sent: RequestFile) -> list[Gate]:
    """Return the gate that what was answered is stored, and nothing else; none where nobody can look.

    An upload that got no answer, because it took too long or its connection broke, may have been stored or not.
    """
    stored = spec.files_of_load
    if stored is None or spec.verified is None:
        return []
    each = spec.verified.files_per_upload
    wanted, most = each * sent.answered, each * (sent.answered + sent.unanswered)
    sentence = f"{stored} files are stored for {sent.answered} uploads that the server said it stored"
    sentence += f" and {sent.unanswered} that it did not answer" if sent.unanswered else ""
    sentence += f", {each} for each." if each > 1 else "."
    return [gate("uploads_stored", wanted <= stored <= most, stored, "files", wanted, sentence)]


def _own_faults_gate(sent: RequestFile) -> Gate:
    """Return the gate that no request failed for want of something on the load generator's host.

    All other failed requests are the server's: they are a result.
    """
    figure = sent.own_faults
    sentence = f"{figure} requests failed because the load generator's host had no port, descriptor or memory left."
    return gate("injector_errors", figure == 0, figure, "requests", 0, sentence)
