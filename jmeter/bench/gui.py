#!/usr/bin/env python3
"""What JMeter's window costs: the same plan without it, in it, and in it with listeners open, in turn.

JMeter is on core 1, a server that does nothing on core 0, where the window's virtual screen is too: on a desktop the
screen has a core of its own. Every run is a JMeter of its own; the ways take turns in an order drawn anew for each
repeat. The first half of each run's requests is left out: JMeter compiles its code then. The intervals are t intervals
of the logarithm of the ratio within a repeat.
"""

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from generator import JMETER, PAGE_BYTES, TICK_US, WATCH_INTERVAL_S, null_server, ticks_of
from scipy import stats

PLAN = JMETER / "upload.jmx"
WITHOUT, BARE, LISTENERS = "command line", "window", "window, listeners open"
STARTED, ENDED = "Running the test!", "Notifying test listeners of end of test"
WAIT_S = 300
WRITER = """<ResultCollector guiclass="SimpleDataWriter" testclass="ResultCollector" testname="Requests">
        <stringProp name="filename">${__P(bench.requests)}</stringProp>
      </ResultCollector>
      <hashTree/>
      """
LISTENER = '<ResultCollector guiclass="SummaryReport"'
ERRORS_ONLY = '<boolProp name="ResultCollector.error_logging">true</boolProp>'


class Figures(NamedTuple):
    """Of one run's second half: response time, its coefficient of variation, throughput, CPU of JMeter a request."""

    mean_ms: float
    cv: float
    requests_per_s: float
    cpu_us: float


def plan_for(way: str) -> str:
    """Return the plan as it is run one way; all write their requests from inside it, as JMeter's window must."""
    text = PLAN.read_text(encoding="utf-8")
    if text.count(LISTENER) != 1 or text.count(ERRORS_ONLY) != 1:
        sys.exit(f"{PLAN}: expected one Summary Report and one listener of errors only.")
    if way == LISTENERS:
        before, listeners = text.split(LISTENER)
        listeners = listeners.replace('enabled="false"', 'enabled="true"').replace(
            ERRORS_ONLY, ERRORS_ONLY.replace("true", "false")
        )
        text = before + LISTENER + listeners
    return text.replace(LISTENER, WRITER + LISTENER)


@contextmanager
def screen() -> Iterator[str]:
    """Run a virtual screen on the server's core; gives its DISPLAY."""
    command = ["taskset", "-c", "0", "Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def run(way: str, asked: argparse.Namespace, port: int, display: str) -> Figures:
    """Run the plan one way to its end and return what was measured."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / f"{asked.size}.split").write_bytes(random.Random(1).randbytes(asked.size))
        (folder / "sizes.csv").write_text(f"{asked.size}\n")
        (folder / "plan.jmx").write_text(plan_for(way), encoding="utf-8")
        loops = asked.requests // asked.threads
        settings = {"port": port, "sizes_csv": folder / "sizes.csv", "payload_dir": folder, "body_bytes": PAGE_BYTES}
        command = ["taskset", "-c", "1", str(JMETER / "bin/lab-jmeter"), "-t", str(folder / "plan.jmx")]
        command += ["-j", str(folder / "jmeter.log"), f"-Jbench.requests={folder / 'requests.jtl'}"]
        command += ["-Jsave_automatically_before_run=false", f"-Jlab.threads={asked.threads}", f"-Jlab.loops={loops}"]
        command += [f"-Jlab.{name}={value}" for name, value in settings.items()]
        command += ["-n"] if way == WITHOUT else []
        environment = {**os.environ, "DISPLAY": display}
        with (
            (folder / "jmeter.err").open("wb") as errors,
            subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors) as jmeter,
        ):
            try:
                if way != WITHOUT:
                    _press_start(jmeter, folder / "jmeter.log", environment)
                ticks = _watch(jmeter, folder / "jmeter.log")
            finally:
                jmeter.terminate()
        return figures(folder / "requests.jtl", ticks, loops * asked.threads)


def _press_start(jmeter: "subprocess.Popen[bytes]", log: Path, environment: dict[str, str]) -> None:
    """Wait for the window with the plan, and press Ctrl+R until the test runs."""
    search = ["xdotool", "search", "--onlyvisible", "--name", "plan.jmx"]
    for _ in _until(jmeter, "did not begin its test"):
        found = subprocess.run(search, env=environment, capture_output=True, text=True, check=False).stdout.split()
        if found:
            # There is no window manager: a click gives the window the keyboard.
            keys = ["xdotool", "windowfocus", found[0], "mousemove", "300", "600", "click", "1", "key", "ctrl+r"]
            subprocess.run(keys, env=environment, capture_output=True, check=False)
            time.sleep(1)  # keys pressed sooner could stop what they have just started
        if _says(log, STARTED):
            return


def _watch(jmeter: "subprocess.Popen[bytes]", log: Path) -> list[tuple[float, int, int]]:
    """Return JMeter's CPU ticks until the test has ended."""
    series = []
    for _ in _until(jmeter, "did not end its test", may_end=True):
        series.append(ticks_of(jmeter.pid))
        if jmeter.poll() is not None or _says(log, ENDED):
            return series
    return series


def _until(jmeter: "subprocess.Popen[bytes]", what: str, *, may_end: bool = False) -> Iterator[None]:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if jmeter.poll() is not None and not may_end:
            sys.exit("JMeter ended before its test began.")
        yield
        time.sleep(WATCH_INTERVAL_S)
    sys.exit(f"JMeter {what} within {WAIT_S} s.")


def _says(log: Path, part: str) -> bool:
    return log.exists() and part in log.read_text(encoding="utf-8")


def figures(requests: Path, ticks: Sequence[tuple[float, int, int]], expected: int) -> Figures:
    """Return the figures of the second half of a run's requests."""
    with requests.open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = sum(row["success"] != "true" for row in rows)
    if failed or len(rows) != expected:
        sys.exit(f"{len(rows)} requests, {failed} of them failed; expected {expected} good ones.")
    sent, elapsed = (np.array([int(row[name]) for row in rows], dtype=float) for name in ("timeStamp", "elapsed"))
    order = np.argsort(sent + elapsed)
    ends_s, elapsed = (sent + elapsed)[order] / 1000, elapsed[order]
    half = len(elapsed) // 2
    inside = [point for point in ticks if ends_s[half] <= point[0] <= ends_s[-1]]
    if len(inside) < 2:
        sys.exit("The run was too short to see JMeter's CPU: ask for more --requests.")
    (begin_s, *used), (end_s, *used_end) = inside[0], inside[-1]
    done = int(((ends_s > begin_s) & (ends_s <= end_s)).sum())
    return Figures(
        mean_ms=float(elapsed[half:].mean()),
        cv=float(elapsed[half:].std(ddof=1) / elapsed[half:].mean()),
        requests_per_s=(len(elapsed) - half) / float(ends_s[-1] - ends_s[half]),
        cpu_us=(sum(used_end) - sum(used)) * TICK_US / done,
    )


def ratio(changed: Sequence[float], base: Sequence[float]) -> tuple[float, float, float]:
    """Return the geometric mean of the ratios of each repeat and its 95 % t interval; arrays of shape (repeats,)."""
    logs = np.log(np.asarray(changed) / np.asarray(base))
    interval = stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)
    return float(np.exp(logs.mean())), float(np.exp(interval.low)), float(np.exp(interval.high))


def main() -> None:
    """Read the command line, make the runs, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=23_000, help="bytes of a file (default 23000)")
    parser.add_argument("--threads", type=int, default=50, help="users (default 50)")
    parser.add_argument("--requests", type=int, default=60_000, help="of each run (default 60000)")
    parser.add_argument("--repeats", type=int, default=5, help="of each way (default 5)")
    asked = parser.parse_args()
    if (os.cpu_count() or 1) < 2 or asked.repeats < 2:
        sys.exit("Two cores are needed, one for JMeter, one for the server; and two repeats for an interval.")
    ways = [WITHOUT, BARE, LISTENERS]
    found: dict[str, list[Figures]] = {way: [] for way in ways}
    order = random.Random(1)
    with null_server() as port, screen() as display:
        for repeat in range(asked.repeats):
            for way in order.sample(ways, len(ways)):
                found[way].append(run(way, asked, port, display))
                print(f"repeat {repeat + 1}  {way:<24}", *(f"{value:.4g}" for value in found[way][-1]), flush=True)
    print(f"\n{'to the command line, n = ' + str(asked.repeats):<32}" + "".join(f"{way:>26}" for way in ways[1:]))
    for index, name in enumerate(("mean response time", "its CV", "throughput", "CPU of JMeter a request")):
        columns = {way: [each[index] for each in found[way]] for way in ways}
        cells = ("{:.3f} ({:.3f} to {:.3f})".format(*ratio(columns[way], columns[WITHOUT])) for way in ways[1:])
        print(f"{name:<32}" + "".join(f"{cell:>26}" for cell in cells))


if __name__ == "__main__":
    main()
