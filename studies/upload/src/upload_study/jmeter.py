"""Run JMeter on one scenario and say how far it is."""

import contextlib
import json
import os
import re
import signal
import subprocess
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from upload_study.inputs import ensure
from upload_study.scenario import ResolvedLoad, resolve
from upload_study.spec import REPOSITORY, DriverError, RunSpec

JMETER = REPOSITORY / "jmeter"
LAUNCHER = JMETER / "bin" / "lab-jmeter"
PLAN = JMETER / "upload.jmx"
SUMMARY = re.compile(r"summary \+ +(\d+) in (\d+):(\d+):(\d+) = .*Err: +(\d+)")


def properties(spec: RunSpec) -> dict[str, str]:
    """Return the plan's settings for a scenario, by property name."""
    load = resolve(spec.factors, spec.load)
    inputs = ensure(spec.factors, spec.load, spec.seed)
    return {
        "lab.host": spec.server.host,
        "lab.port": str(spec.server.port),
        "lab.path": spec.server.upload.path,
        "lab.field": spec.server.upload.field,
        "lab.threads": str(load.threads),
        "lab.loops": str(load.loops),
        "lab.ramp_up_s": str(load.ramp_up_s),
        "lab.think_time_ms": str(load.think_time_ms),
        "lab.sizes_csv": str(inputs.sizes_csv),
        "lab.payload_dir": str(inputs.payload_dir),
        "lab.reader": load.reader,
        "lab.warmup_threads": str(load.warmup_threads),
        "lab.warmup_loops": str(load.warmup_loops),
        "lab.connect_timeout_ms": str(load.connect_timeout_ms),
        "lab.response_timeout_ms": str(load.response_timeout_ms),
        "lab.page_bytes": str(spec.driver.page_bytes),
    }


def run(spec: RunSpec, out: Path) -> None:
    """Run the load to its end; one JSON line on standard output for the process and for each second's progress.

    Raises DriverError when JMeter ends with an error.
    """
    settings = [f"-J{name}={value}" for name, value in properties(spec).items()]
    command = [str(LAUNCHER), "-n", "-t", str(PLAN), "-l", str(out / "requests.jtl"), "-j", str(out / "jmeter.log")]
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *command, *settings],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=out,
    )
    with _passing_on_termination(process):
        _say({"process": {"role": "injector", "pid": process.pid}})
        said = _follow(process, resolve(spec.factors, spec.load))
        code = process.wait()
    if code:
        raise DriverError(f"JMeter ended with code {code}: {said[-1] if said else 'it said nothing'}")


def _follow(process: subprocess.Popen[str], load: ResolvedLoad) -> list[str]:
    """Turn JMeter's summary lines into progress; return the other lines it printed."""
    assert process.stdout is not None
    others: list[str] = []
    requests = errors = 0
    for line in process.stdout:
        found = SUMMARY.search(line)
        if not found:
            others += [line.strip()] if line.strip() else []
            continue
        count, hours, minutes, seconds, failed = map(int, found.groups())
        requests, errors = requests + count, errors + failed
        lasted = max(1, hours * 3600 + minutes * 60 + seconds)
        warming = requests <= load.warmup_requests
        measured = requests if warming else requests - load.warmup_requests
        phase = "warming up" if warming else "measuring"
        _say({"progress": {"phase": phase, "requests": measured, "per_s": count / lasted, "errors": errors}})
    return others


@contextlib.contextmanager
def _passing_on_termination(process: subprocess.Popen[str]) -> Iterator[None]:
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
