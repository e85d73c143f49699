"""The 100 ms sampler: one CSV row of raw counters per tick, until SIGTERM or its parent's death.

Run it with `python -m monitoring.sampler --role server --pids 123,124 --cores 0 --device-of PATH --out FILE`.
"""

import argparse
import gc
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from monitoring.errors import MonitoringError
from monitoring.host_counters import HostCounters
from monitoring.role_counters import RoleCounters
from monitoring.sample_columns import COLUMNS

_STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_ROWS_AT_ONCE = 10
_PARENT_LOOK_NS = 100_000_000
"""How often it sees whether its parent is still there, however long the interval: nothing may be left running."""


Reading = tuple[dict[str, int], list[bytes]]
"""What one tick read: cells, and the host's texts not yet parsed."""


class Sampler:
    """Reads every source at each tick."""

    def __init__(self, pids: Sequence[int], cores: Sequence[int], device_of: Path) -> None:
        """Open all sources; raises MonitoringError for a missing process, core or path."""
        self._role = RoleCounters(pids)
        self._host = HostCounters(cores, pids[0], device_of)

    def read(self) -> Reading:
        """Read everything now."""
        cells = {"time_ns": time.time_ns()} | self._role.read()
        texts = self._host.read()
        cells["sampler_cpu_ns"] = time.process_time_ns()
        return cells, texts

    def close(self) -> None:
        """Close all sources."""
        self._role.close()
        self._host.close()

    def find_children(self) -> None:
        """Look for processes the role has started."""
        self._role.find_children()

    def row(self, reading: Reading) -> bytes:
        """Return the CSV row of a reading."""
        cells, texts = reading
        cells = cells | self._host.cells(texts)
        return (",".join([str(cells.get(name, "")) for name in COLUMNS]) + "\n").encode()


class _Writer:
    """Writes to a file in its own thread: a disk that the measured server keeps busy must not hold up the next tick."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting: SimpleQueue[bytes] = SimpleQueue()
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while data := self._waiting.get():
                self._out.write(data)
        except OSError as error:
            self._error = error

    def write(self, data: bytes) -> None:
        """Take `data` to be written; raises the OSError an earlier write met."""
        if self._error is not None:
            raise self._error
        self._waiting.put(data)

    def close(self) -> None:
        """Wait until everything is written; raises the OSError a write met."""
        self._waiting.put(b"")
        self._thread.join()
        if self._error is not None:
            raise self._error


def _stop_requests() -> int:
    """Return a descriptor that has something to read once a stop signal has arrived.

    A handler, not a mask: the libraries have threads of their own that mask nothing, and one of those would take the
    signal and end the process.
    """
    descriptor, told_by_python = os.pipe()
    os.set_blocking(told_by_python, False)
    signal.set_wakeup_fd(told_by_python)
    for stop_signal in _STOP_SIGNALS:
        signal.signal(stop_signal, lambda *_: None)
    return descriptor


def record(sampler: Sampler, out: BinaryIO, interval_ns: int, parent_pid: int, stop_requests: int) -> None:
    """Write a row every `interval_ns` until `stop_requests` can be read or `parent_pid` is no longer our parent.

    A tick that was missed is left out, not caught up with. Rows are parsed and written once a second. Raises OSError
    when the file cannot be written.
    """
    writer = _Writer(out)
    try:
        writer.write((",".join(COLUMNS) + "\n").encode() + sampler.row(sampler.read()))
        readings: list[Reading] = []
        next_ns = time.monotonic_ns() + interval_ns
        while os.getppid() == parent_pid:
            wait_ns = next_ns - time.monotonic_ns()
            if select.select([stop_requests], [], [], min(max(0, wait_ns), _PARENT_LOOK_NS) / 1e9)[0]:
                break
            if wait_ns > _PARENT_LOOK_NS:
                continue
            readings.append(sampler.read())
            if len(readings) >= _ROWS_AT_ONCE:
                writer.write(b"".join(map(sampler.row, readings)))
                readings.clear()
                sampler.find_children()
            late_ns = time.monotonic_ns() - next_ns
            next_ns += interval_ns * (late_ns // interval_ns + 1)
        sampler.find_children()
        readings.append(sampler.read())
        writer.write(b"".join(map(sampler.row, readings)))
    finally:
        writer.close()


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
        "--parent",
        type=int,
        default=os.getppid(),
        help="the process with which it ends (default: the one it is started by)",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sampler; returns the exit code (0 stopped as told, 2 could not be done)."""
    options = _parser().parse_args(arguments)
    stop_requests = _stop_requests()
    try:
        if options.interval_ms < 1:
            raise MonitoringError(f"--interval-ms must be at least 1, got {options.interval_ms}")
        sampler = Sampler(options.pids, options.cores, options.device_of)
        with closing(sampler), options.out.open("xb", buffering=0) as out:
            gc.disable()  # nothing here makes cycles, and a collection would show as a late row
            record(sampler, out, options.interval_ms * 1_000_000, options.parent, stop_requests)
    except MonitoringError as error:
        sentence = str(error)
    except FileExistsError:
        sentence = f"{options.out} exists already; a recording is never overwritten"
    except OSError as error:
        sentence = f"{options.out} cannot be written: {error.strerror}"
    else:
        return 0
    print(f"{options.role} sampler: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
