"""How a server is profiled without a change to it: by the variables of its runtime, and by `perf` where it is.

Every server gets all of it: Node.js reads NODE_OPTIONS, Java JAVA_TOOL_OPTIONS, and what neither reads, perf sees.
"""

import platform
import shutil
import subprocess
import time
from pathlib import Path

import msgspec

from uploadlab.planning.system import Step, Sut

HERE = Path(__file__).parent
ASYNC_PROFILER = Step(
    folder="async-profiler",
    command=["mvn", "-q", "-B", "package"],
    inputs=["pom.xml"],
    outputs=["target/linux-x64/libasyncProfiler.so", "target/linux-arm64/libasyncProfiler.so"],
)
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
INTERVAL_MS = 1
PERF_HZ = 499
PERF_DATA, PERF_STACKS = "perf.data", "perf.stacks"
NO_PERF = "perf is missing (on Debian: linux-perf): what runs neither on Node.js nor on Java is not explained."
UNFINISHED = ".unfinished"
PERF = (
    'setsid sh -c \'perf record -q -F "$2" -g -o "$0.unfinished" -p "$1"; mv "$0.unfinished" "$0"\' '
    '"$0" $$ "$1" >/dev/null 2>&1 & shift; exec "$@"'
)
"""The process that the lab starts still becomes the server; perf looks on and ends with it."""
PERF_ENDS_S = 60.0


def perf_is_here() -> bool:
    """Return whether programs of any kind can be profiled."""
    return shutil.which("perf") is not None


def profiled(sut: Sut, folder: Path) -> Sut:
    """Return a system that leaves profiles of itself in a folder."""
    start = dict(sut.stack.start_table)
    env = dict(start.get("env", {}))
    told = {"NODE_OPTIONS": f'--require "{HERE / "profile-node.cjs"}"'}
    agent = HERE / ASYNC_PROFILER.folder / "target" / f"linux-{MACHINES.get(platform.machine(), '')}"
    if (library := agent / "libasyncProfiler.so").exists():
        kept = f"start,event=cpu,interval={INTERVAL_MS}ms,collapsed,ann,file={folder}/java-%p.stacks"
        told["JAVA_TOOL_OPTIONS"] = f"-agentpath:{library}={kept}"
    for name, value in told.items():
        env[name] = f"{env.get(name, '')} {value}".strip()
    env["EXPLAIN_FOLDER"] = str(folder)
    start["env"] = env
    if perf_is_here():
        start["command"] = ["bash", "-c", PERF, str(folder / PERF_DATA), str(PERF_HZ), *start["command"]]
    stack = msgspec.structs.replace(sut.stack, start_table=start)
    stacks = {**sut.system.stacks, sut.stack_name: stack}
    return msgspec.structs.replace(sut, system=msgspec.structs.replace(sut.system, stacks=stacks))


def keep_perf_stacks(folder: Path) -> None:
    """Write what perf saw as text, as long as the programs are there that name its addresses."""
    data, deadline = folder / PERF_DATA, time.monotonic() + PERF_ENDS_S
    while data.with_name(data.name + UNFINISHED).exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    if not data.exists():
        return
    with (folder / PERF_STACKS).open("w", encoding="utf-8") as stacks:
        subprocess.run(
            ["perf", "script", "--no-inline", "-i", str(data), "-F", "comm,pid,ip,sym,dso"],
            stdout=stacks,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    data.unlink()
