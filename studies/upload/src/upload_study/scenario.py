"""A scenario's load in numbers: the sample of Table 1, threads, loops or arrivals, requests, bytes, seconds."""

import zlib

import msgspec

from upload_study.spec import DriverError, Factors, Load, RunSpec
from workload_gen import read_table1

# Server CPU of one upload on a whole core: a fixed part and one per byte, half of what Node.js and Tomcat take together
# where a core has the speed that `quick` assumes (57 of its runs).
SECONDS_A_REQUEST = 108e-6
SECONDS_A_BYTE = 3.1e-9
JMETER_WRITE_BYTES = 8192
LEAST_WRITE_BYTES = 1024
CALIBRATED_SHARE = 0.8  # of the server's core: what a calibrated rate stays below


class ResolvedLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The load with Table 1's values filled in, and the requests that follow.

    Of open arrivals on average; 0 where a closed loop runs for a time.
    """

    arrivals: str
    window: str
    threads: int
    loops: int | None
    rate_per_s: float | None
    duration_s: float | None
    requests: int
    warmup_threads: int
    warmup_loops: int
    warmup_requests: int
    ramp_up_s: int
    think_time_ms: int
    connect_timeout_ms: int
    response_timeout_ms: int
    reader: str
    rows: int
    write_bytes: int
    """The most of a file that goes out in one write; 0: all of it."""


def resolve(factors: Factors, load: Load, engines: int = 0) -> ResolvedLoad:
    """Fill in threads and loops of the scenario's sample and count the requests.

    Engines share the measured requests; each has the whole warm-up, which is for its own JVM.

    Raises DriverError where Table 1 has no value, or a rate is still to be calibrated.
    """
    threads = _of_table1(factors, "threads") if load.threads == "table" else load.threads
    loops = _of_table1(factors, "loops") if load.loops == "table" else load.loops
    if load.rate_per_s == "calibrated":
        raise DriverError("The rate of this load is to be calibrated first: ./lab calibrate.")
    if load.arrivals == "open":
        requests = round((load.rate_per_s or 0) * (load.duration_s or 0))
    else:
        requests = threads * (loops or 0)
    return ResolvedLoad(
        arrivals=load.arrivals,
        window=load.window,
        threads=threads,
        loops=loops,
        rate_per_s=load.rate_per_s,
        duration_s=load.duration_s,
        requests=requests,
        warmup_threads=load.warmup_threads,
        warmup_loops=load.warmup_loops,
        warmup_requests=load.warmup_threads * load.warmup_loops * max(1, engines),
        ramp_up_s=load.ramp_up_s,
        think_time_ms=load.think_time_ms,
        connect_timeout_ms=load.connect_timeout_ms,
        response_timeout_ms=load.response_timeout_ms,
        reader=load.reader,
        rows=load.rows,
        write_bytes=_write_bytes(factors, load),
    )


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


def with_expected_rate(load: Load, mean_bytes: float, server_cpu_pct: float) -> Load:
    """Return a load whose rate is to be calibrated with about the rate that will come out, else the load as it is."""
    if load.rate_per_s != "calibrated":
        return load
    expected = CALIBRATED_SHARE * server_cpu_pct / 100 / request_cpu_s(mean_bytes)
    return msgspec.structs.replace(load, rate_per_s=expected)


def schedule_seed(spec: RunSpec) -> int:
    """Return the seed of a run's arrivals: the same for every system, another for each repeat."""
    return zlib.crc32(f"{spec.seed}/{spec.factors.sample}/{spec.repeat}".encode())


def _of_table1(factors: Factors, name: str) -> int:
    if factors.sample == "own":
        raise DriverError(f"The profile takes its {name} from Table 1, which has none for your own sizes; use another.")
    return int(getattr(read_table1()[factors.sample], name))
