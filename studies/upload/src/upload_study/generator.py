"""Did the load generator do what it was told: all requests, when they were due, without its own memory in the way?"""

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError
from monitoring.jvm_log import read_jvm_log
from study_kit.gates import Gate, Limits, ceiling, gate
from upload_study.request_rows import Requests
from upload_study.scenario import AS_GIVEN, ResolvedLoad
from upload_study.spec import DriverError

_ceiling = partial(ceiling, digits=3)

SLACK_MS = 0.2
"""How late a request may be sent whatever its share: no user tells two servers apart by it."""
DELAY_SLACK_MS = 0.1
"""How long a response may wait to be read, likewise."""

Whole = NDArray[np.int64]
Parts = NDArray[np.float64]


def schedule_file(load: ResolvedLoad) -> str:
    """Return the name of the file that says when the requests of open arrivals are due."""
    return "schedule.csv" if load.level == AS_GIVEN else f"schedule-{load.level}.csv"


def planned_requests(load: ResolvedLoad, out: Path) -> int | None:
    """Return how many requests were to be sent: of open arrivals the rows of the schedule; None: as many as can be."""
    if load.arrivals == "closed":
        return None if load.loops is None else load.requests
    path = out / schedule_file(load)
    try:
        return len(path.read_text(encoding="utf-8").splitlines()) - 1
    except OSError as error:
        raise DriverError(f"{path}: cannot be read: {error.strerror}.") from error


def full_ms(sent: Requests, users: int) -> Parts:
    """Return for how long each request was late because all users were busy; the generator's own file says it best.

    JMeter's doesn't: there a request that was due while as many were under way as there are users waited for that.
    """
    if not sent.is_open or not np.isnan(sent.full_ms).any():
        return np.nan_to_num(sent.full_ms)
    begun = np.searchsorted(np.sort(sent.start_ms), sent.due_ms, side="left")
    ended = np.searchsorted(np.sort(sent.end_ms), sent.due_ms, side="right")
    return np.where(begun - ended >= users, np.maximum(sent.late_ms, 0.0), 0.0)


def pacing_gates(late_ms: Parts, full_ms: Parts, elapsed_ms: Parts, limits: Limits) -> list[Gate]:
    """Return the gate on how late requests were sent, as a share of the mean response time from the schedule.

    That all users were busy for `full_ms` of it is the server's queue, not the generator's. Up to `SLACK_MS` pass.
    """
    limit = limits.get("pacing_pct")
    if limit is None:
        return []
    own_ms = np.maximum(late_ms - full_ms, 0.0)
    response_ms = float((late_ms + elapsed_ms).mean())
    late_pct = 100 * float(own_ms.mean()) / response_ms if response_ms else 0.0
    sentence = (
        f"Requests were sent {own_ms.mean():.2f} ms late on average though a user was free (99 % within "
        f"{np.quantile(own_ms, 0.99):.0f} ms): {late_pct:.1f} % of the response time from the schedule "
        f"(at most {limit:g} %, or {SLACK_MS} ms)."
    )
    passed = late_pct <= limit or float(own_ms.mean()) <= SLACK_MS
    return [gate("pacing", passed, round(late_pct, 3), "% of the mean response time", limit, sentence)]


def delay_gates(delay_ms: Parts, elapsed_ms: Parts, limits: Limits) -> list[Gate]:
    """Return the gate on how long requests waited for the generator itself, as a share of the mean response time.

    Up to `DELAY_SLACK_MS` pass.
    """
    limit = limits.get("injector_delay_pct")
    if limit is None:
        return []
    delay_pct = 100 * float(delay_ms.mean()) / float(elapsed_ms.mean()) if elapsed_ms.any() else 0.0
    sentence = (
        f"Requests waited for the load generator itself for at most {delay_ms.mean():.3f} ms on average (99 % within "
        f"{np.quantile(delay_ms, 0.99):.2f} ms): {delay_pct:.1f} % of the mean response time (at most {limit:g} %, or "
        f"{DELAY_SLACK_MS} ms)."
    )
    passed = delay_pct <= limit or float(delay_ms.mean()) <= DELAY_SLACK_MS
    return [gate("injector_delay", passed, round(delay_pct, 3), "% of the mean response time", limit, sentence)]


def gc_log_of(role: str) -> str:
    """Return the name of the file in which the JMeter of a role writes of its garbage collections."""
    return f"{role}.gc.log"


def worst_memory_gates(out: Path, limits: Limits, windows: dict[str, tuple[int, int]]) -> list[Gate]:
    """Return the gates on each engine's memory, the worst of each; `windows` is the measured window on its clock."""
    worst: dict[str, Gate] = {}
    for role, (begin_ns, end_ns) in windows.items():
        for found in memory_gates(out / gc_log_of(role), limits, begin_ns, end_ns):
            said = found | {"sentence": f"{role}: {found['sentence']}"} if len(windows) > 1 else found
            if found["name"] not in worst or found["figure"] > worst[found["name"]]["figure"]:
                worst[found["name"]] = said
    return list(worst.values())


def together_gates(engine_of: Whole, start_ms: Parts, end_ms: Parts, limits: Limits) -> list[Gate]:
    """Return the gate on the share of the measured time in which not all engines made load.

    `engine_of` is the number of the engine that sent each request.
    """
    of_each = [engine_of == number for number in np.unique(engine_of)]
    first_ms = max(float(start_ms[mine].min()) for mine in of_each)
    last_ms = min(float(end_ms[mine].max()) for mine in of_each)
    whole_ms = max(1.0, float(end_ms.max() - start_ms.min()))
    apart_pct = 100 * (1 - max(0.0, last_ms - first_ms) / whole_ms)
    sentence = f"For {apart_pct:.1f} % of the measured time not all engines made load (at most {{limit:g}} %)."
    limit = limits.get("injectors_apart_pct")
    return _ceiling("injectors_together", apart_pct, limit, "% of the measured time", sentence)


def memory_gates(log_file: Path, limits: Limits, begin_ns: int, end_ns: int) -> list[Gate]:
    """Return the gates on the generator's garbage collection and heap, from its own log, over the measured window."""
    if limits.get("injector_gc_pct") is None and limits.get("injector_heap_pct") is None:
        return []
    try:
        log = read_jvm_log(log_file)
    except RecordingError as error:
        raise DriverError(str(error)) from error
    inside = (log.collections.end_ns >= begin_ns) & (log.collections.end_ns <= end_ns)
    paused_ns = log.collections.duration_ns[inside]
    pause_pct = 100 * float(paused_ns.sum()) / max(1, end_ns - begin_ns)
    longest_ms = float(paused_ns.max(initial=0.0)) / 1e6
    filled = log.heap_after_bytes[inside] / log.heap_bytes[inside]
    heap_pct = 100 * float(np.nanmax(filled, initial=0.0)) if (~np.isnan(filled)).any() else 0.0
    collected = (
        f"The load generator collected garbage for {pause_pct:.2f} % of the measured time, at most {longest_ms:.0f} ms "
        "at once (at most {limit:g} %)."
    )
    full = f"The load generator's heap was {heap_pct:.0f} % full after a collection (at most {{limit:g}} %)."
    return [
        *_ceiling("injector_gc", pause_pct, limits.get("injector_gc_pct"), "% of the measured time", collected),
        *_ceiling("injector_heap", heap_pct, limits.get("injector_heap_pct"), "% of its heap", full),
    ]
