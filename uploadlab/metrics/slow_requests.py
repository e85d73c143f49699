"""What the slowest requests of a run met while they were under way, beside what all requests did.

A request is under way from when it was due (in a closed loop: sent) until it was answered. What a recorder counted in
that time, over the time, is what the request met; of the sampler's rows, 0.1 s apart, a straight line lies between two.
It shows what goes together: a server that does nothing for a moment is met by every request of that moment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uploadlab.metrics.figures import RunRecordings, label_of, mean_known, measured_of
from uploadlab.raw.raw_files import recorded_file
from uploadlab.raw.recordings import Samples
from uploadlab.raw.request_file import TimedRequests, read_timed_requests
from uploadlab.raw.runtime import Runtime, Work
from uploadlab.raw.wire import JoinedRequests
from uploadlab.results.campaign import Run

SLOWEST = 0.01
"""The share of the requests that is called slow."""
NS_PER_MS = 1_000_000
Floats = NDArray[np.float64]
Instants = NDArray[np.int64]
Counter = Callable[[Instants], Floats]


@dataclass(frozen=True, kw_only=True)
class Met:
    """What some requests met on average; None where no recorder tells."""

    elapsed_ms: float | None
    """From when they were due to the answer."""
    unsent_ms: float | None
    """Of it, before they were sent."""
    in_flight: float | None
    """Other requests under way when they were due."""
    run_queue: float | None
    """Threads of the server that were ready and had no core."""
    collection_pct: float | None
    """Of the time, in which the collector had stopped the server's threads."""
    steal_pct: float | None
    """Of the time of the server's cores, taken by other guests of the host."""
    loop_delay_ms: float | None
    """How late the runtime's event loop was, by its mean in that second; None where it has none."""
    outside_ms: float | None
    """Of the elapsed time, outside the server's host as its captured packets tell."""


def met_in_run(run: Run, declared: Mapping[str, Any], recordings: RunRecordings) -> tuple[Met, Met]:
    """Return what the slowest 1 % of a complete run's requests met, and what all did.

    Raises LabError when its request file cannot be used.
    """
    measured = measured_of(run, label_of(run, declared))
    requests = read_timed_requests(recorded_file(run, "requests.jtl"), **measured)
    return met_by_slow_and_all(requests, recordings)


def met_by_slow_and_all(requests: TimedRequests, recordings: RunRecordings) -> tuple[Met, Met]:
    """Return what the slowest 1 % of a run's requests met (at least one), and what all did."""
    begin_ns, end_ns = ((times * NS_PER_MS).astype(np.int64) for times in (requests.due_ms, requests.end_ms))
    elapsed_ms = (requests.end_ms - requests.due_ms).astype(np.float64)
    found: dict[str, Floats] = {
        "elapsed_ms": elapsed_ms,
        "unsent_ms": (requests.start_ms - requests.due_ms).astype(np.float64),
        "in_flight": _in_flight(begin_ns, end_ns),
        **_sampled(recordings.server, begin_ns, end_ns),
        **_told_by_runtime(recordings.runtime, begin_ns, end_ns),
    }
    slow, every = slowest(elapsed_ms), np.ones(len(elapsed_ms), dtype=np.bool_)
    return _met(found, slow, _outside(recordings.joined, only_slow=True)), _met(
        found, every, _outside(recordings.joined, only_slow=False)
    )


def mean_of(met: list[Met]) -> Met:
    """Return the mean of what was met in several runs, each counted once."""
    of = {one.name: [value for run in met if (value := getattr(run, one.name)) is not None] for one in fields(Met)}
    return Met(**{name: float(np.mean(values)) if values else None for name, values in of.items()})


def slowest(elapsed_ms: Floats) -> NDArray[np.bool_]:
    """Return which of the requests are the slowest 1 %, at least one."""
    order = np.argsort(elapsed_ms, kind="stable")
    chosen = np.zeros(len(elapsed_ms), dtype=np.bool_)
    chosen[order[-max(1, round(SLOWEST * len(elapsed_ms))) :]] = True
    return chosen


def _met(found: dict[str, Floats], which: NDArray[np.bool_], outside_ms: float | None) -> Met:
    names = [one.name for one in fields(Met) if one.name != "outside_ms"]
    means = {name: mean_known(found[name][which]) if name in found else None for name in names}
    return Met(**means, outside_ms=outside_ms)


def _in_flight(begin_ns: Instants, end_ns: Instants) -> Floats:
    """Return for each request how many others had begun and not ended when it began."""
    begun = np.searchsorted(np.sort(begin_ns), begin_ns, side="left")
    ended = np.searchsorted(np.sort(end_ns), begin_ns, side="right")
    return (begun - ended).astype(np.float64)


def _over(counter: Counter, begin_ns: Instants, end_ns: Instants) -> Floats:
    """Return how much a counter of nanoseconds rose in each request's time, as a share of it."""
    share: Floats = (counter(end_ns) - counter(begin_ns)) / np.maximum(end_ns - begin_ns, 1)
    return share


def _sampled(samples: Samples | None, begin_ns: Instants, end_ns: Instants) -> dict[str, Floats]:
    if samples is None:
        return {}
    return {
        "run_queue": _over(partial(samples.at, "role_wait_ns"), begin_ns, end_ns),
        "steal_pct": samples.busy_pct_between("steal", begin_ns, end_ns),
    }


def _told_by_runtime(runtime: Runtime | None, begin_ns: Instants, end_ns: Instants) -> dict[str, Floats]:
    if runtime is None:
        return {}
    delay = runtime.loop_delay
    each_ns = None if delay is None else NS_PER_MS * 1000
    found = {"collection_pct": 100 * _over(_stopped(runtime.collections, each_ns), begin_ns, end_ns)}
    if delay is None or not len(delay.end_ns):
        return found
    second = np.minimum(np.searchsorted(delay.end_ns, begin_ns, side="right"), len(delay.end_ns) - 1)
    return found | {"loop_delay_ms": delay.mean_ms[second]}


def _stopped(work: Work, piece_ns: int | None) -> Counter:
    """Return how long a collector has worked until an instant, ns; None: each piece is one pause.

    Else it is what several took in the ``piece_ns`` before its end, and is spread over them.
    """
    length_ns = work.duration_ms * NS_PER_MS
    if not len(work.end_ns):
        return lambda at_ns: np.zeros(len(at_ns))
    zero = work.end_ns[0]
    end = (work.end_ns - zero).astype(np.float64)
    begin = np.maximum(end - (length_ns if piece_ns is None else piece_ns), np.r_[-np.inf, end[:-1]])
    instants = np.column_stack([begin, end]).ravel()
    total = np.cumsum(length_ns)
    spent = np.column_stack([np.r_[0.0, total[:-1]], total]).ravel()
    return lambda at_ns: np.interp((at_ns - zero).astype(np.float64), instants, spent)


def _outside(joined: JoinedRequests | None, *, only_slow: bool) -> float | None:
    if joined is None or not len(joined.elapsed_ms):
        return None
    which = slowest(joined.elapsed_ms) if only_slow else slice(None)
    return float((joined.elapsed_ms - joined.wire_ms)[which].mean())
