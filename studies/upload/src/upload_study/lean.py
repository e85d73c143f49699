"""Run the lean generator on one scenario: one process of plain Java that sends what JMeter would."""

import ctypes
import math
import os
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from upload_study import jmeter, turns
from upload_study.generator import gc_log_of, schedule_file
from upload_study.inputs import ensure
from upload_study.scenario import ResolvedLoad, loads_of
from upload_study.spec import REPOSITORY, DriverError, RunSpec
from workload_gen import write_schedule

CLASSES = REPOSITORY / "workload-gen" / "lean" / "target"
MAIN = "uploadlab.lean.LeanGenerator"
LOG_FILE = "lean.log"
PR_SET_TIMERSLACK = 29  # linux/prctl.h
HEAP_MIB = 256
SETTLE_S = 0.7
"""From the warm-up's end to the measured part, where the server keeps its whole cores: Java compiles on for 0.3 s."""
COMPILED_AT_ONCE = ("-XX:TieredStopAtLevel=1",)
"""Java's second compiler leaves out what it has not seen in the warm-up, and compiles again in the measured part: for
0.2 s, on the core that the load needs then, however long the warm-up was."""
DIRECT_MIB = 1024
"""At most, of the bodies that are kept ready; they are as large as the list's files of up to 64 KB are together."""


def settings(spec: RunSpec, load: ResolvedLoad) -> dict[str, str]:
    """Return the generator's settings that all loads of a run share, by name."""
    inputs = ensure(spec.factors, spec.load, spec.seed)
    return {
        "host": spec.server.host,
        "port": str(spec.server.port),
        "path": spec.server.upload.path,
        "field": spec.server.upload.field,
        "sizes_csv": str(inputs.sizes_csv),
        "payload_dir": str(inputs.payload_dir),
        "ramp_up_s": str(load.ramp_up_s),
        "think_time_ms": str(load.think_time_ms),
        "warmup_threads": str(load.warmup_threads),
        "warmup_loops": str(load.warmup_loops),
        "lead_ms": str(lead_ms(spec, load)),
        "background_s": str(math.ceil(load.background_s)),
        "connect_timeout_ms": str(load.connect_timeout_ms),
        "response_timeout_ms": str(load.response_timeout_ms),
        "form": urlencode(spec.server.upload.form),
        "write_bytes": str(load.write_bytes),
        "waits": "1",
        "turn_ms": str(spec.turn_ms),
        "turns": turns.FILE,
        "requests": jmeter.REQUESTS_FILE,
        "log": LOG_FILE,
    }


def own_settings(load: ResolvedLoad, out: Path) -> dict[str, str]:
    """Return the generator's settings of one load, by name."""
    is_open = load.arrivals == "open"
    return {
        "label": load.label,
        "schedule_csv": str(out / schedule_file(load)) if is_open else "",
        "lead_in_csv": str(out / schedule_file(_lead_in(load))) if load.lead_in_s else "",
        "threads": str(load.threads),
        "loops": str(-1 if load.loops is None else load.loops),
        "duration_s": str(0 if is_open else math.ceil(load.duration_s or 0)),
    }


def _lead_in(load: ResolvedLoad) -> ResolvedLoad:
    """Return what comes before open arrivals, unmeasured: others at their rate."""
    return msgspec.structs.replace(load, level=f"{load.level}-lead-in", duration_s=load.lead_in_s)


def lead_ms(spec: RunSpec, load: ResolvedLoad) -> int:
    """Return how long the gap between warm-up and measured part is; JMeter's where a server is held to a share.

    None is needed where the server's background work was waited for.
    """
    if spec.server_cpu_pct < 100 or not load.warmup_requests:
        return jmeter.lead_ms(load)
    return 0 if load.background_s else round(1000 * SETTLE_S)


def java(spec: RunSpec) -> list[str]:
    """Return the command that starts the generator's JVM; it writes of its garbage collections to a file there."""
    heap = f"{spec.heap_mib or HEAP_MIB}m"
    return [
        "java",
        f"-Xms{heap}",
        f"-Xmx{heap}",
        f"-XX:MaxDirectMemorySize={DIRECT_MIB}m",
        "-XX:+UseSerialGC",
        "-XX:+AlwaysPreTouch",
        "-XX:-UsePerfData",
        "-XX:+DisplayVMOutputToStderr",
        *COMPILED_AT_ONCE,
        jmeter.GC_OPTION.format(gc_log_of("injector")),
        "-cp",
        str(CLASSES),
        MAIN,
    ]


def sleep_precisely() -> None:
    """Have this process and those it starts be woken when they asked to, not 50 us later (Linux's timer slack)."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1))


def run(spec: RunSpec, out: Path) -> None:
    """Run the load to its end; one JSON line on standard output for the process and for each second's progress.

    The generator makes itself ready and then waits for the word to begin, a line of this process's standard input; on
    its standard output, which is this process's, it says that a turn is over.
    Raises DriverError when the generator ends with an error.
    """
    loads = loads_of(spec.factors, spec.load)
    if not CLASSES.exists():
        raise DriverError("The load generator lean is not compiled: run ./lab setup.")
    given = _arguments(settings(spec, loads[0]))
    for number, load in enumerate(loads):
        for one in [load, _lead_in(load)] if load.lead_in_s else [load]:
            if load.arrivals == "open":
                write_schedule(jmeter.draw_arrivals(spec, one), out / schedule_file(one))
        given += [*(["then"] if number else []), *_arguments(own_settings(load, out))]
    requests, log = out / jmeter.REQUESTS_FILE, out / LOG_FILE

    def tell(process: jmeter.Process) -> None:
        jmeter.say({"process": {"role": "injector", "pid": process.pid}})
        jmeter.say({"ready": True})  # it hears the word to begin as soon as it is: a pipe keeps it
        pauses = {"settle_s": jmeter.settle_s(loads[0]), "background_s": loads[0].background_s}
        jmeter.follow(process, requests, log, [load.label for load in loads], **pauses)

    sleep_precisely()
    headers = "".join(f"{name}: {value}\r\n" for name, value in spec.server.upload.request_headers().items())
    # Java takes paths with other letters than ASCII's only in such a locale; secrets don't belong into a command line.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "LEAN_HEADERS": headers}
    jmeter.carry_out([*java(spec), *given], out, environment, tell, "lean", source=None, speaks=True)


def _arguments(settings: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in settings.items()]
