"""A scenario's load in numbers: the sample of Table 1, threads, loops, requests, bytes, seconds."""

import msgspec

from upload_study.spec import DriverError, Factors, Load
from workload_gen import read_table1

# Server CPU of one upload, between Node.js and Tomcat as measured on one core: a fixed part and one per byte.
SECONDS_A_REQUEST = 330e-6
SECONDS_A_BYTE = 4.5e-9


class ResolvedLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The load with Table 1's values filled in, and the requests that follow."""

    threads: int
    loops: int
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


def resolve(factors: Factors, load: Load) -> ResolvedLoad:
    """Fill in threads and loops of the scenario's sample and count the requests."""
    threads = _of_table1(factors, "threads") if load.threads == "table" else load.threads
    loops = _of_table1(factors, "loops") if load.loops == "table" else load.loops
    return ResolvedLoad(
        threads=threads,
        loops=loops,
        requests=threads * loops,
        warmup_threads=load.warmup_threads,
        warmup_loops=load.warmup_loops,
        warmup_requests=load.warmup_threads * load.warmup_loops,
        ramp_up_s=load.ramp_up_s,
        think_time_ms=load.think_time_ms,
        connect_timeout_ms=load.connect_timeout_ms,
        response_timeout_ms=load.response_timeout_ms,
        reader=load.reader,
        rows=load.rows,
    )


def _of_table1(factors: Factors, name: str) -> int:
    if factors.sample == "own":
        raise DriverError(f"The profile takes its {name} from Table 1, which has none for your own sizes; use another.")
    return int(getattr(read_table1()[factors.sample], name))
