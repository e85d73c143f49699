"""Run JMeter on one scenario and say how far it is."""

import contextlib
import json
import math
import os
import signal
import subprocess
import tempfile
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from upload_study.check import MEASURED, WARM_UP
from upload_study.generator import GC_LOG, SCHEDULE_FILE
from upload_study.inputs import ensure
from upload_study.scenario import ResolvedLoad, resolve, schedule_seed
from upload_study.spec import REPOSITORY, DriverError, RunSpec
from workload_gen import draw_schedule, write_schedule

JMETER = REPOSITORY / "jmeter"
LAUNCHER = JMETER / "bin" / "lab-jmeter"
PLANS = {"closed": JMETER / "upload.jmx", "open": JMETER / "upload-open.jmx"}
GC_OPTION = f"-Xlog:gc:file={GC_LOG}:time,level,tags:filecount=0"
PROGRESS_EVERY_S = 1.0
WARMUP_ROW, MEASURED_ROW, FAILED_ROW = (f",{mark},".encode() for mark in (WARM_UP, MEASURED, "false"))


def properties(spec: RunSpec, out: Path) -> dict[str, str]:
    """Return the plan's settings for a run, by property name."""
    load = resolve(spec.factors, spec.load)
    inputs = ensure(spec.factors, spec.load, spec.seed)
    return {
        "lab.host": spec.server.host,
        "lab.port": str(spec.server.port),
        "lab.path": spec.server.upload.path,
        "lab.field": spec.server.upload.field,
        "lab.sizes_csv": str(inputs.sizes_csv),
        "lab.payload_dir": str(inputs.payload_dir),
        "lab.warmup_threads": str(load.warmup_threads),
        "lab.warmup_loops": str(load.warmup_loops),
        "lab.connect_timeout_ms": str(load.connect_timeout_ms),
        "lab.response_timeout_ms": str(load.response_timeout_ms),
        "lab.page_bytes": str(spec.driver.page_bytes),
        **(_open_arrivals(load, out) if load.arrivals == "open" else _closed_loops(load)),
    }


def _closed_loops(load: ResolvedLoad) -> dict[str, str]:
    return {
        "lab.threads": str(load.threads),
        "lab.loops": str(load.loops or -1),
        "lab.duration_s": str(math.ceil(load.duration_s or 0)),
        "lab.ramp_up_s": str(load.ramp_up_s),
        "lab.think_time_ms": str(load.think_time_ms),
        "lab.reader": load.reader,
    }


def _open_arrivals(load: ResolvedLoad, out: Path) -> dict[str, str]:
    return {
        "lab.max_threads": str(load.threads),
        "lab.schedule_csv": str(out / SCHEDULE_FILE),
        "sample_variables": "scheduled_ms",
    }


def _write_arrivals(spec: RunSpec, load: ResolvedLoad, out: Path) -> None:
    """Write when the files of a run are due: Poisson arrivals, the same for every system, others in each repeat."""
    assert load.rate_per_s is not None  # a load of open arrivals has both
    assert load.duration_s is not None
    schedule = draw_schedule(
        "poisson", rate_per_s=load.rate_per_s, duration_s=load.duration_s, seed=schedule_seed(spec)
    )
    write_schedule(schedule, out / SCHEDULE_FILE)


def run(spec: RunSpec, out: Path) -> None:
    """Run the load to its end; one JSON line on standard output for the process and for each second's progress.

    Raises DriverError when JMeter ends with an error.
    """
    load = resolve(spec.factors, spec.load)
    if load.arrivals == "open":
        _write_arrivals(spec, load, out)
    settings = [f"-J{name}={value}" for name, value in properties(spec, out).items()]
    requests = out / "requests.jtl"
    command = [str(LAUNCHER), "-n", "-t", str(PLANS[load.arrivals]), "-l", str(requests), "-j", str(out / "jmeter.log")]
    with tempfile.TemporaryFile() as console:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command, *settings],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            cwd=out,
            env=_environment(spec),
        )
        with _passing_on_termination(process):
            _say({"process": {"role": "injector", "pid": process.pid}})
            _follow(process, requests)
        if process.returncode:
            console.seek(0)
            said = console.read().decode(errors="replace").split("\n")
            last = next((line for line in reversed(said) if line.strip()), "it said nothing")
            raise DriverError(f"JMeter ended with code {process.returncode}: {last.strip()}")


def _environment(spec: RunSpec) -> dict[str, str]:
    heap = {} if spec.heap_mib is None else {"JMETER_HEAP": f"{spec.heap_mib}m"}
    return {**os.environ, **heap, "JVM_ARGS": f"{GC_OPTION} {os.environ.get('JVM_ARGS', '')}"}


def _follow(process: subprocess.Popen[bytes], requests: Path) -> None:
    """Say each second, until JMeter ends, how many requests its growing request file has.

    The rows are counted by their marks, not parsed: it costs next to nothing on the generator's cores.
    """
    warmed_up = measured = errors = 0
    position, since = 0, time.monotonic()
    while _still_runs(process, PROGRESS_EVERY_S):
        rows = _new_rows(requests, position)
        position += len(rows)
        before = warmed_up + measured
        warmed_up, measured = warmed_up + rows.count(WARMUP_ROW), measured + rows.count(MEASURED_ROW)
        errors += rows.count(FAILED_ROW)
        phase, count = ("measuring", measured) if measured else ("warming up", warmed_up)
        now = time.monotonic()
        per_s = (warmed_up + measured - before) / (now - since)
        since = now
        if warmed_up + measured:
            _say({"progress": {"phase": phase, "requests": count, "per_s": per_s, "errors": errors}})


def _still_runs(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def _new_rows(requests: Path, position: int) -> bytes:
    """Return the whole rows that a request file has beyond a position; none before the file is there."""
    if not requests.exists():
        return b""
    with requests.open("rb") as file:
        file.seek(position)
        return file.read().rpartition(b"\n")[0]


@contextlib.contextmanager
def _passing_on_termination(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While the load runs, a SIGTERM to the driver ends JMeter too."""

    def end(number: int, _: types.FrameType | None) -> None:
        process.terminate()
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(message: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, (json.dumps(message) + "\n").encode())
