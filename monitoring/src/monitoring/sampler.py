"""The 100 ms sampler: one CSV row of raw counters per tick, until SIGTERM or its parent's death.

Run it with `python -m monitoring.sampler --role server --pids 123,124 --cores 0 --device-of PATH --out FILE`.
"""

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from monitoring.errors import MonitoringError
from monitoring.host_counters import CpuTicks, Disk, Memory, Pressure, Tcp
from monitoring.role_counters import RoleCounters
from monitoring.sample_columns import COLUMNS

_STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_FLUSH_EVERY_ROWS = 10
_LOOK_FOR_CHILDREN_EVERY_ROWS = 10


class Sampler:
    """Reads every source once per row."""

    def __init__(
        self, pids: Sequence[int], cores: Sequence[int], device_of: Path, *, use_taskstats: bool = True
    ) -> None:
        """Open all sources; raises MonitoringError for a missing process, core or path."""
        self._role = RoleCounters(pids, use_taskstats=use_taskstats)
        self._host = (CpuTicks(cores), Pressure(), Tcp(pids[0]), Memory(), Disk(device_of))
        self._rows = 0

    def row(self) -> str:
        """Read everything now and return the CSV row."""
        if self._rows % _LOOK_FOR_CHILDREN_EVERY_ROWS == 0:
            self._role.find_children()
        self._rows += 1
        cells = {"time_ns": time.time_ns()}
        cells.update(self._role.read())
        for source in self._host:
            cells.update(source.read())
        cells["sampler_cpu_ns"] = time.process_time_ns()
        return ",".join([str(cells.get(name, "")) for name in COLUMNS]) + "\n"


def record(sampler: Sampler, out: BinaryIO, interval_ns: int, parent_pid: int) -> None:
    """Write a row every `interval_ns` until a stop signal arrives or `parent_pid` is no longer our parent.

    A tick that was missed is left out, not caught up with. Whole rows are handed to the kernel once a second.
    """
    out.write((",".join(COLUMNS) + "\n").encode())
    rows = [sampler.row()]
    out.write(rows.pop().encode())
    next_ns = time.monotonic_ns() + interval_ns
    while os.getppid() == parent_pid:
        wait_ns = next_ns - time.monotonic_ns()
        if signal.sigtimedwait(_STOP_SIGNALS, max(0, wait_ns) / 1e9) is not None:
            break
        rows.append(sampler.row())
        if len(rows) >= _FLUSH_EVERY_ROWS:
            out.write("".join(rows).encode())
            rows.clear()
        now_ns = time.monotonic_ns()
        next_ns += interval_ns * max(1, -(-(now_ns - next_ns) // interval_ns))
    rows.append(sampler.row())
    out.write("".join(rows).encode())


def _numbers(text: str) -> list[int]:
    """Parse `0,2-4` into [0, 2, 3, 4]."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise argparse.ArgumentTypeError(f"expected numbers such as 0,2-4, got {text!r}")
        numbers.extend(range(int(first), int(last if dash else first) + 1))
    return numbers


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m monitoring.sampler", description="Write a CSV row of raw counters every tick until SIGTERM."
    )
    parser.add_argument("--role", required=True, help="named in messages: server or injector")
    parser.add_argument(
        "--pids", required=True, type=_numbers, help="the role's processes; their children are followed"
    )
    parser.add_argument("--cores", required=True, type=_numbers, help="cores whose ticks are counted, as in 0,2-3")
    parser.add_argument("--device-of", required=True, type=Path, help="a path on the disk the role writes to")
    parser.add_argument("--out", required=True, type=Path, help="file to write; must not exist")
    parser.add_argument("--interval-ms", type=int, default=100, help="default: %(default)s")
    parser.add_argument(
        "--thread-by-thread", action="store_true", help="read every thread even where the kernel gives sums (for tests)"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sampler; returns the exit code (0 stopped as told, 2 could not be done)."""
    options = _parser().parse_args(arguments)
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    parent_pid = os.getppid()
    try:
        if options.interval_ms < 1:
            raise MonitoringError(f"--interval-ms must be at least 1, got {options.interval_ms}")
        sampler = Sampler(options.pids, options.cores, options.device_of, use_taskstats=not options.thread_by_thread)
        with options.out.open("xb", buffering=0) as out:
            gc.disable()  # nothing here makes cycles, and a collection would show as a late row
            record(sampler, out, options.interval_ms * 1_000_000, parent_pid)
    except MonitoringError as error:
        print(f"{options.role} sampler: {error}", file=sys.stderr)
        return 2
    except FileExistsError:
        print(f"{options.role} sampler: {options.out} exists already; it is never overwritten", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{options.role} sampler: {options.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
