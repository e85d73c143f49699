#!/usr/bin/env python3
"""What the load generator itself can do: JMeter on core 1 against a server that does nothing on core 0.

`rate` runs the plan once and prints the requests per second of each stretch of the run, and what a request costs once
the compiler has settled. `compare` runs the plan twice at the same time on the same core, once changed, and prints the
ratio of what a request costs: whatever else the machine does falls on both.
"""

import argparse
import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from uploadlab.hosts.ports import free_port, is_listened_on

JMETER = Path(__file__).resolve().parent.parent
REFERENCE = JMETER.parent / "studies" / "kit" / "reference-server"
PAGE_BYTES = 974
STRETCH = 5000
WATCH_INTERVAL_S = 0.2
TICK_US = 1e6 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A way to run the plan: its file, Java's options, JMeter's further arguments."""

    plan: Path
    java: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Load:
    """What is sent: `requests` files of `size` bytes by `threads` users."""

    size: int
    threads: int
    requests: int


@dataclass(frozen=True, kw_only=True)
class Cost:
    """CPU time of a request in JMeter and in the kernel on its behalf, in µs; requests per second meanwhile."""

    user_us: float
    system_us: float
    per_s: float

    @property
    def total_us(self) -> float:
        """User and system time together."""
        return self.user_us + self.system_us


@dataclass(frozen=True, kw_only=True)
class Watched:
    """One JMeter that has ended: when its requests ended (epoch s, sorted), and its CPU ticks at each time watched."""

    ends: list[float]
    ticks: list[tuple[float, int, int]]


@contextmanager
def null_server() -> Iterator[int]:
    """Run the reference server, which without a law only reads and answers, on core 0; gives its port."""
    port = free_port()
    with tempfile.TemporaryDirectory() as classes:
        sources = REFERENCE / "src"
        program = sources / "uploadlab/reference/ReferenceServer.java"
        quiet = ["-nowarn", "-XDignore.symbol.file"]
        subprocess.run(["javac", *quiet, "-d", classes, "-sourcepath", sources, program], check=True)
        java = ["java", "-XX:+UseSerialGC", "-Xmx64m", "-cp", classes, "uploadlab.reference.ReferenceServer"]
        server = subprocess.Popen(
            ["taskset", "-c", "0", *java], env={**os.environ, "HOST": "127.0.0.1", "PORT": str(port)}, cwd=REFERENCE
        )
        try:
            while not is_listened_on("127.0.0.1", port):
                if server.poll() is not None:
                    raise SystemExit(f"The reference server ended with code {server.returncode}.")
                time.sleep(WATCH_INTERVAL_S)
            yield port
        finally:
            server.terminate()
            server.wait()


def watch(variants: Sequence[Variant], load: Load) -> list[Watched]:
    """Run the variants at the same time to their ends."""
    with null_server() as port, tempfile.TemporaryDirectory() as scratch:
        inputs = Path(scratch)
        (inputs / f"{load.size}.split").write_bytes(random.Random(1).randbytes(load.size))
        (inputs / "sizes.csv").write_text(f"{load.size}\n")
        folders = [Path(tempfile.mkdtemp(dir=scratch)) for _ in variants]
        running = [_start(each, load, port, inputs, out) for each, out in zip(variants, folders, strict=True)]
        ticks: list[list[tuple[float, int, int]]] = [[] for _ in variants]
        while any(process.poll() is None for process in running):
            for process, series in zip(running, ticks, strict=True):
                if process.poll() is None:
                    series.append(ticks_of(process.pid))
            time.sleep(WATCH_INTERVAL_S)
        return [
            Watched(ends=_ends(out / "requests.jtl"), ticks=series) for out, series in zip(folders, ticks, strict=True)
        ]


def _start(variant: Variant, load: Load, port: int, inputs: Path, out: Path) -> subprocess.Popen[bytes]:
    settings = {
        "port": port,
        "sizes_csv": inputs / "sizes.csv",
        "payload_dir": inputs,
        "threads": load.threads,
        "loops": load.requests // load.threads,
        "body_bytes": PAGE_BYTES,
    }
    return subprocess.Popen(
        ["taskset", "-c", "1", str(JMETER / "bin/lab-jmeter"), "-n", "-t", str(variant.plan)]
        + ["-l", str(out / "requests.jtl"), "-j", str(out / "jmeter.log")]
        + [f"-Jlab.{name}={value}" for name, value in settings.items()]
        + list(variant.arguments),
        env={**os.environ, "JVM_ARGS": variant.java},
        stdout=subprocess.DEVNULL,
    )


def ticks_of(pid: int) -> tuple[float, int, int]:
    """Now (epoch s), and the user and system ticks of a process; those of its threads that ended are in it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return time.time(), 0, 0
    return time.time(), int(fields[11]), int(fields[12])


def _ends(requests: Path) -> list[float]:
    with requests.open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = sum(row["success"] != "true" for row in rows)
    if failed:
        raise SystemExit(f"{failed} of {len(rows)} requests failed: {rows[0]['failureMessage'] or rows[0]}")
    return sorted((int(row["timeStamp"]) + int(row["elapsed"])) / 1000 for row in rows)


def costs(watched: Sequence[Watched]) -> list[Cost]:
    """What a request cost each, over the time in which all had done half and none was near its end."""
    begin = max(each.ends[len(each.ends) // 2] for each in watched)
    end = min(each.ends[int(len(each.ends) * 0.95)] for each in watched)
    found = []
    for each in watched:
        inside = [point for point in each.ticks if begin <= point[0] <= end]
        if len(inside) < 2:
            raise SystemExit("The runs did not overlap for long enough: ask for more --requests.")
        (first_s, user, system), (last_s, user_end, system_end) = inside[0], inside[-1]
        done = sum(first_s < moment <= last_s for moment in each.ends)
        found.append(
            Cost(
                user_us=(user_end - user) * TICK_US / done,
                system_us=(system_end - system) * TICK_US / done,
                per_s=done / (last_s - first_s),
            )
        )
    return found


def rate(variant: Variant, load: Load) -> None:
    """Print the rate of each stretch of one run, then the cost of a request."""
    (watched,) = watch([variant], load)
    print("requests done  requests/s")
    for done in range(STRETCH, len(watched.ends) + 1, STRETCH):
        lasted = watched.ends[done - 1] - watched.ends[done - STRETCH]
        print(f"{done:>13}  {STRETCH / lasted:>10.0f}")
    (cost,) = costs([watched])
    print(f"settled: {cost.per_s:.0f} requests/s, {cost.user_us:.0f} + {cost.system_us:.0f} µs of CPU a request")


def compare(base: Variant, changed: Variant, load: Load, repeats: int) -> None:
    """Print the cost of a request with the change over that without, each repeat and their median."""
    ratios = []
    for repeat in range(repeats):
        # The one started first is ahead by a moment: take turns.
        if repeat % 2:
            after, before = costs(watch([changed, base], load))
        else:
            before, after = costs(watch([base, changed], load))
        ratios.append(after.total_us / before.total_us)
        print(f"{before.total_us:.0f} µs -> {after.total_us:.0f} µs a request: {ratios[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}")


def main() -> None:
    """Read the command line and run what it asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rate", "compare"])
    parser.add_argument("--size", type=int, default=23_000, help="bytes of a file (default 23000)")
    parser.add_argument("--threads", type=int, default=50, help="users (default 50)")
    parser.add_argument("--requests", type=int, default=100_000, help="of each run (default 100000)")
    parser.add_argument("--repeats", type=int, default=3, help="of a comparison (default 3)")
    parser.add_argument("--plan", type=Path, default=JMETER / "upload.jmx", help="the changed plan")
    parser.add_argument("--java", default="", help='the changed options of Java, as in --java="-XX:+UseParallelGC"')
    parser.add_argument("arguments", nargs="*", help="the changed arguments of JMeter, after --")
    asked = parser.parse_args()
    load = Load(size=asked.size, threads=asked.threads, requests=asked.requests)
    changed = Variant(plan=asked.plan.resolve(), java=asked.java, arguments=tuple(asked.arguments))
    if (os.cpu_count() or 1) < 2:
        sys.exit("Two cores are needed: one for JMeter, one for the server.")
    if asked.what == "rate":
        rate(changed, load)
    else:
        compare(Variant(plan=JMETER / "upload.jmx"), changed, load, asked.repeats)


if __name__ == "__main__":
    main()
