"""What one call of the analysis costs, measured in a process of its own."""

import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# The kernel counts for a child what its parent held when it began: the command itself says what it held at most.
CALL = """
import re, sys
from uploadlab.analysis.__main__ import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(f"peak {1024 * int(peak[1])}", file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one call took; the peak is that of its process."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def cost_of(*arguments: str | Path) -> Cost:
    """Call the analysis with these arguments; what it says is told where it fails."""
    begin, cpu_before = time.monotonic(), _cpu_of_children()
    done = subprocess.run([sys.executable, "-c", CALL, *arguments], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode:
        raise SystemExit(done.stderr)
    peak = int(done.stderr.splitlines()[-1].removeprefix("peak "))
    return Cost(seconds=seconds, cpu_seconds=_cpu_of_children() - cpu_before, peak_bytes=peak)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
