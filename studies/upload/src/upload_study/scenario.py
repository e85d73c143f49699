"""A scenario's load in numbers: the sample of Table 1, threads, loops or arrivals, requests, bytes, seconds."""

import zlib
from typing import Any

import msgspec

from upload_study.spec import DriverError, Factors, Load, RunSpec, Window
from workload_gen import read_table1

# Server CPU of one upload on a whole core: a fixed part and one per byte, half of what Node.js and Tomcat take together
# where a core has the speed that `quick` assumes (57 of its runs).
SECONDS_A_REQUEST = 108e-6
SECONDS_A_BYTE = 3.1e-9
JMETER_WRITE_BYTES = 8192
LEAST_WRITE_BYTES = 1024
AS_GIVEN = "as_given"
"""The level of the factor `load` of a profile whose load has settings of its own."""
SATURATED = "saturated"
MEASURED, WARM_UP = "Upload file", "Warm-up upload"
MOST_UNDER_WAY = {"lean": 10_000, "jmeter": 400}
"""Uploads of open arrivals at a time; a user of JMeter's is a thread, there from the start."""


class ResolvedLoad(msgspec.Struct, frozen=True, kw_only=True):
    """A load with Table 1's values filled in, and the requests that follow.

    Of open arrivals on average; 0 where a closed loop runs for a time.
    """

    level: int | str
    """Of the factor `load`."""
    label: str
    """Of its requests in the request file."""
    arrivals: str
    window: str
    threads: int
    loops: int | None
    rate_per_s: float | None
    duration_s: float | None
    settling_s: float
    """After which what is measured begins at the latest, where that is the settled part."""
    requests: int
    warmup_threads: int
    warmup_loops: int
    warmup_requests: int
    background_s: float
    """How long a server's background work is waited for after the warm-up, and before each load, at most."""
    lead_in_s: float
    """How long open arrivals come before that, unmeasured."""
    ramp_up_s: int
    think_time_ms: int
    connect_timeout_ms: int
    response_timeout_ms: int
    reader: str
    rows: int
    write_bytes: int
    """The most of a file that goes out in one write; 0: all of it."""


def resolve(factors: Factors, load: Load, engines: int = 0) -> ResolvedLoad:
    """Return the only load that a run measures, its values filled in; DriverError where it is to measure several."""
    loads = loads_of(factors, load, engines)
    if len(loads) > 1:
        raise DriverError(f"The load generator {factors.generator} measures one load in a run, not {len(loads)}.")
    return loads[0]


def loads_of(factors: Factors, load: Load, engines: int = 0) -> list[ResolvedLoad]:
    """Return the loads that a run measures one after the other, with the values of the scenario's sample filled in.

    Engines share the measured requests; each has the whole warm-up, which is for its own JVM and before the first load.

    Raises DriverError where Table 1 has no value, or a rate is not known yet.
    """
    if not load.windows:
        return [_resolved(factors, load, engines, AS_GIVEN, MEASURED)]
    return [
        _resolved(factors, _of_window(factors, load, window), engines, window.load, label_of(factors, window.load))
        for window in load.windows
    ]


def label_of(factors: Factors, level: int | str) -> str:
    """Return the label of a load's requests in the request file; JMeter's plan has one name for all."""
    if factors.generator == "jmeter":
        return MEASURED
    return f"{MEASURED} ({level} % of capacity)" if isinstance(level, int) else f"{MEASURED} ({level})"


def _of_window(factors: Factors, load: Load, window: Window) -> Load:
    """Return the load of one window, as a profile that has no other would give it."""
    if window.load == SATURATED:
        own = {"arrivals": "closed", "duration_s": load.saturated_s, "rate_per_s": None}
    else:
        own = {"arrivals": "open", "duration_s": load.share_s, "rate_per_s": window.rate_per_s}
        own |= {"threads": MOST_UNDER_WAY[factors.generator]}
    return msgspec.structs.replace(load, windows=[], loops=None, window="settled", **own)


def _resolved(factors: Factors, load: Load, engines: int, level: int | str, label: str) -> ResolvedLoad:
    threads = _of_table1(factors, "threads") if load.threads == "table" else load.threads
    loops = _of_table1(factors, "loops") if load.loops == "table" else load.loops
    if load.arrivals == "open":
        requests = round((load.rate_per_s or 0) * (load.duration_s or 0))
    else:
        requests = threads * (loops or 0)
    background_s = _background_s(factors, load)
    own: dict[str, Any] = {
        "level": level,
        "label": label,
        "threads": threads,
        "loops": loops,
        "requests": requests,
        "warmup_requests": load.warmup_threads * load.warmup_loops * max(1, engines),
        "background_s": background_s,
        "lead_in_s": load.lead_in_s if load.arrivals == "open" and background_s else 0.0,
        "write_bytes": _write_bytes(factors, load),
    }
    as_given = {name: getattr(load, name) for name in ResolvedLoad.__struct_fields__ if name not in own}
    return ResolvedLoad(**as_given, **own)


def _background_s(factors: Factors, load: Load) -> float:
    """Return how long background work is waited for: not by JMeter's plans, and not in a server that is to be cold."""
    is_waited_for = factors.generator == "lean" and load.warmup_threads * load.warmup_loops > 0
    return load.background_s if is_waited_for else 0.0


def _write_bytes(factors: Factors, load: Load) -> int:
    if load.write_bytes is None:
        return JMETER_WRITE_BYTES
    if factors.generator == "jmeter" and load.write_bytes != JMETER_WRITE_BYTES:
        raise DriverError(
            f"write_bytes is a setting of --generator lean: JMeter writes {JMETER_WRITE_BYTES} at a time."
        )
    if load.write_bytes and load.write_bytes < LEAST_WRITE_BYTES:
        raise DriverError(f"write_bytes must be at least {LEAST_WRITE_BYTES}, or 0 for all, not {load.write_bytes}.")
    return load.write_bytes


def request_cpu_s(mean_bytes: float) -> float:
    """Return about how much of a core an upload of this size takes from a server, in seconds."""
    return SECONDS_A_REQUEST + mean_bytes * SECONDS_A_BYTE


def with_expected_rates(load: Load, mean_bytes: float, server_cpu_pct: float) -> Load:
    """Return a load whose rates are not known yet with about those that will come out."""
    capacity_per_s = server_cpu_pct / 100 / request_cpu_s(mean_bytes)
    windows = [_with_expected_rate(window, capacity_per_s) for window in load.windows]
    return msgspec.structs.replace(load, windows=windows)


def _with_expected_rate(window: Window, capacity_per_s: float) -> Window:
    if isinstance(window.load, str) or window.rate_per_s is not None:
        return window
    return msgspec.structs.replace(window, rate_per_s=capacity_per_s * window.load / 100)


def schedule_seed(spec: RunSpec, level: int | str = AS_GIVEN) -> int:
    """Return the seed of a load's arrivals: the same for every system, another for each repeat and level."""
    of_level = "" if level == AS_GIVEN else f"/{level}"
    return zlib.crc32(f"{spec.seed}/{spec.factors.sample}/{spec.repeat}{of_level}".encode())


def _of_table1(factors: Factors, name: str) -> int:
    if factors.sample == "own":
        raise DriverError(f"The profile takes its {name} from Table 1, which has none for your own sizes; use another.")
    return int(getattr(read_table1()[factors.sample], name))
