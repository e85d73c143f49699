"""Run JMeter on one scenario and say how far it is."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from upload_study.generator import gc_log_of, schedule_file
from upload_study.inputs import ensure
from upload_study.live import live_settings
from upload_study.plans import plan_for, request_properties
from upload_study.scenario import MEASURED, WARM_UP, ResolvedLoad, resolve, schedule_seed
from upload_study.spec import REPOSITORY, DriverError, RunSpec, expected_of
from workload_gen import Schedule, draw_schedule, write_schedule

JMETER = REPOSITORY / "jmeter"
LAUNCHER = JMETER / "bin" / "lab-jmeter"
PLANS = {"closed": JMETER / "upload.jmx", "open": JMETER / "upload-open.jmx"}
GC_OPTION = "-Xlog:gc:file={}:time,level,tags:filecount=0"
PROGRESS_EVERY_S = 1.0
LOOK_EVERY_S = 0.1
REQUESTS_FILE = "requests.jtl"
LOG_FILE = "jmeter.log"
WARMED_UP = b"The warm-up is over."
"""What the plans say in JMeter's log, `lab.lead_ms` before the measured part begins."""
BACKGROUND = b"The server may finish its background work."
"""What lean says before each measured load."""
SETTLE_S = 1.3
"""For what a warm-up leaves a server to do: Java compiles on, for 0.3 s on a quiet core, longer on one it shares."""
LEAD_S = 0.7
END_AT_ONCE = {"jmeterengine.force.system.exit": "true"}
"""When the listeners have ended: else the engine's idle threads keep JMeter for more than a second."""
SCHEDULED_COLUMN = {"sample_variables": "scheduled_ms"}
Process = subprocess.Popen[bytes]
FAILED_ROW = b",false,"
PHASES = {WARM_UP: "warming up", MEASURED: "measuring"}
"""What is said of the requests of a label; of others, what is in its brackets."""


def properties(spec: RunSpec, load: ResolvedLoad, sizes_csv: Path, schedule_csv: Path) -> dict[str, str]:
    """Return the plan's settings for a load, by property name."""
    inputs = ensure(spec.factors, spec.load, spec.seed)
    return {
        "lab.host": spec.server.host,
        "lab.port": str(spec.server.port),
        "lab.path": spec.server.upload.path,
        "lab.field": spec.server.upload.field,
        "lab.sizes_csv": str(sizes_csv),
        "lab.payload_dir": str(inputs.payload_dir),
        "lab.warmup_threads": str(load.warmup_threads),
        "lab.warmup_loops": str(load.warmup_loops),
        "lab.lead_ms": str(lead_ms(load)),
        "lab.connect_timeout_ms": str(load.connect_timeout_ms),
        "lab.response_timeout_ms": str(load.response_timeout_ms),
        **(_open_arrivals(load, schedule_csv) if load.arrivals == "open" else _closed_loops(load)),
        **live_settings(spec),
    }


def lead_ms(load: ResolvedLoad) -> int:
    """Return how long the gap between warm-up and measured part is."""
    return round(1000 * (settle_s(load) + LEAD_S))


def settle_s(load: ResolvedLoad) -> float:
    """Return how much of that gap is the server's, to do what a warm-up leaves."""
    return SETTLE_S if load.warmup_requests else 0.0


def _closed_loops(load: ResolvedLoad) -> dict[str, str]:
    return {
        "lab.threads": str(load.threads),
        "lab.loops": str(-1 if load.loops is None else load.loops),
        "lab.duration_s": str(math.ceil(load.duration_s or 0)),
        "lab.ramp_up_s": str(load.ramp_up_s),
        "lab.think_time_ms": str(load.think_time_ms),
        "lab.reader": load.reader,
    }


def _open_arrivals(load: ResolvedLoad, schedule_csv: Path) -> dict[str, str]:
    return {"lab.max_threads": str(load.threads), "lab.schedule_csv": str(schedule_csv), **SCHEDULED_COLUMN}


def draw_arrivals(spec: RunSpec, load: ResolvedLoad) -> Schedule:
    """Return when the files of a run are due: Poisson arrivals, the same for every system, others in each repeat."""
    assert load.rate_per_s is not None  # a load of open arrivals has both
    assert load.duration_s is not None
    seed = schedule_seed(spec, load.level)
    return draw_schedule("poisson", rate_per_s=load.rate_per_s, duration_s=load.duration_s, seed=seed)


def run(spec: RunSpec, out: Path) -> None:
    """Run the load to its end; one JSON line on standard output for the process and for each second's progress.

    Raises DriverError when JMeter ends with an error.
    """
    load = resolve(spec.factors, spec.load)
    if load.arrivals == "open":
        write_schedule(draw_arrivals(spec, load), out / schedule_file(load))
    sizes_csv = ensure(spec.factors, spec.load, spec.seed).sizes_csv
    requests = out / REQUESTS_FILE
    settings = properties(spec, load, sizes_csv, out / schedule_file(load))
    plan = plan_for(spec, PLANS[load.arrivals], out)
    settings |= wait_until_told() | END_AT_ONCE
    with request_properties(spec.server.upload) as more:
        carry_out(
            [str(LAUNCHER), *more, *plan_arguments(plan, requests, LOG_FILE), *as_options("-J", settings)],
            out,
            environment(spec, gc_log_of("injector")),
            lambda process: _tell_of(process, requests, settle_s(load)),
        )


def plan_arguments(plan: Path, requests: Path, log: str) -> list[str]:
    """Return JMeter's arguments to run a plan without its window into a request file, its log beside that."""
    return ["-n", "-t", str(plan), "-l", str(requests), "-j", str(requests.with_name(log))]


def as_options(option: str, settings: Mapping[str, str]) -> list[str]:
    """Return properties as JMeter's arguments: `-J` sets them here, `-G` on its engines."""
    return [f"{option}{name}={value}" for name, value in settings.items()]


def carry_out(
    command: list[str],
    out: Path,
    env: dict[str, str],
    meanwhile: Callable[[Process], None],
    name: str = "JMeter",
    source: int | None = subprocess.DEVNULL,
    speaks: bool = False,
) -> None:
    """Run a load generator in a folder to its end, `meanwhile` beside it; DriverError when it ends with an error.

    A SIGTERM to this process ends the generator, too. `source` is its standard input; None: that of this process. One
    that `speaks` writes to this process's standard output.
    """
    with tempfile.TemporaryFile() as console:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command],
            stdin=source,
            stdout=None if speaks else console,
            stderr=console,
            cwd=out,
            env=env,
        )
        with _passing_on_termination(process):
            meanwhile(process)
            process.wait()
        if process.returncode:
            console.seek(0)
            said = console.read().decode(errors="replace").split("\n")
            last = next((line for line in reversed(said) if line.strip()), "it printed nothing")
            raise DriverError(f"{name} ended with code {process.returncode}: {last.strip()}")


def _tell_of(process: Process, requests: Path, settle_s: float) -> None:
    say({"process": {"role": "injector", "pid": process.pid}})
    follow(process, requests, requests.with_name(LOG_FILE), settle_s=settle_s)


def environment(spec: RunSpec, gc_log: str) -> dict[str, str]:
    """Return the environment of a JMeter that makes load; it writes of its garbage collections to a file there."""
    heap = {} if spec.heap_mib is None else {"JMETER_HEAP": f"{spec.heap_mib}m"}
    return {**os.environ, **heap, "JVM_ARGS": f"{GC_OPTION.format(gc_log)} {os.environ.get('JVM_ARGS', '')}"}


def follow(
    process: Process,
    requests: Path,
    log: Path | None = None,
    labels: Sequence[str] = (MEASURED,),
    *,
    settle_s: float = 0.0,
    background_s: float = 0.0,
) -> None:
    """Say each second, until JMeter ends, how many requests of the last of the labels its growing request file has.

    With `log`, the generator's, also say that the warm-up is over, `settle_s` after that said so, and when the server
    has up to `background_s` for its background work. The rows are counted by their marks, not parsed: it costs next to
    nothing on the generator's cores.
    """
    counts, errors = dict.fromkeys((WARM_UP, *labels), 0), 0
    rows_of, rate, last_look_s = _Growing(requests), _Rate(), time.monotonic()
    said = _Log(log, settle_s, background_s) if log else None
    while _still_runs(process, LOOK_EVERY_S if said and not said.is_warm else PROGRESS_EVERY_S):
        for message in said.messages() if said else ():
            say(message)
        now_s = time.monotonic()
        if now_s - last_look_s < PROGRESS_EVERY_S:
            continue
        rows = rows_of.more()
        counts = {label: count + rows.count(f",{label},".encode()) for label, count in counts.items()}
        errors += rows.count(FAILED_ROW)
        label, count = next(((name, count) for name, count in reversed(counts.items()) if count), (WARM_UP, 0))
        phase = PHASES.get(label) or label.partition("(")[2].rstrip(")")
        if count:
            per_s = rate.per_s(phase, count, last_look_s, now_s)
            say({"progress": {"phase": phase, "requests": count, "per_s": per_s, "errors": errors}})
        last_look_s = now_s


def _still_runs(process: Process, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


class _Rate:
    """Requests a second of a phase, over the last ten: JMeter writes its rows some seventy at a time."""

    SECONDS = 10.0

    def __init__(self) -> None:
        self._phase = ""
        self._counts: deque[tuple[float, int]] = deque()

    def per_s(self, phase: str, count: int, last_look_s: float, now_s: float) -> float:
        if phase != self._phase:
            self._phase = phase
            self._counts = deque([(last_look_s, 0)])
        self._counts.append((now_s, count))
        while self._counts[1][0] <= now_s - self.SECONDS:
            self._counts.popleft()
        first_s, first = self._counts[0]
        return (count - first) / (now_s - first_s)


class _Log:
    """What the log of a running generator says of the warm-up, and of the time that a server is given after it."""

    def __init__(self, log: Path, settle_s: float, background_s: float) -> None:
        self.is_warm = False
        self._log, self._settle_s, self._background_s = _Growing(log), settle_s, background_s
        self._over_s: float | None = None

    def messages(self) -> Iterator[dict[str, Any]]:
        now_s, lines = time.monotonic(), self._log.more()
        for _ in range(lines.count(BACKGROUND)):
            yield {"background_s": self._background_s}
        if WARMED_UP in lines:
            self._over_s = now_s
        if not self.is_warm and self._over_s is not None and now_s >= self._over_s + self._settle_s:
            self.is_warm = True
            yield {"warmed_up": True}


class _Growing:
    """A text file that another process writes, maybe not there yet."""

    def __init__(self, path: Path) -> None:
        self._path, self._position = path, 0

    def more(self) -> bytes:
        """Return the whole lines that it has beyond those returned before."""
        if not self._path.exists():
            return b""
        with self._path.open("rb") as file:
            file.seek(self._position)
            lines = file.read().rpartition(b"\n")[0]
        self._position += len(lines)
        return lines


@contextlib.contextmanager
def _passing_on_termination(process: Process) -> Iterator[None]:
    """While the load runs, a SIGTERM to the driver ends JMeter too."""

    def end(number: int, _: types.FrameType | None) -> None:
        process.terminate()
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def wait_until_told() -> dict[str, str]:
    """Say that the load is ready, and wait for the word to begin: a line of standard input, or its end.

    Returns what it says of the responses to expect, as properties of the plan.
    """
    say({"ready": True})
    return {f"lab.{name}": value for name, value in expected_of(sys.stdin.readline().strip()).items()}


def say(message: dict[str, Any]) -> None:
    """Tell the harness something: one line of JSON."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, (json.dumps(message) + "\n").encode())
