#!/usr/bin/env python3
"""Compare the load generators with each other and with the truth: tables of docs/notebook/2026-11-load-generators.md.

    .venv/bin/python workload-gen/lean/bench/compare.py cpu --out results/generators [--repeats 3] [--only cpu-23000-50]

`cpu`: CPU of both per upload in the measured part, at three sizes and two numbers of users, in closed loops at the
reference server, which does nothing; beside it the floor, a program that makes the same writes and reads and nothing
else (`floor.c`; needs a C compiler), and both with one write a file. `truth`: open arrivals at the reference server
with exponential times of 5 ms, beside its own log. `writes`: CPU per upload of Node.js and Tomcat under JMeter and
under lean with two ways to write a file, compared within rounds. Campaigns that are in the folder already are not made
again; `--only` names those that may be made now, one or several: a table can be made a few minutes at a time. Printed
as Markdown, medians over the runs that count, with their number: those whose only failed gates are the generator's own
(of `cpu`: to be busy is what it is for, and what the hypervisor takes is not in it).
"""

import argparse
import csv
import json
import math
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from uploadlab.hosts.local_host import LocalHost
from uploadlab.hosts.processes import Processes, pinned
from uploadlab.planning.system import choose
from uploadlab.runs.server import start_server

REPOSITORY = Path(__file__).resolve().parents[3]
GENERATORS = ("jmeter", "lean")
OF_THE_GENERATOR = {"injector_cpu", "injector_wait", "injector_delay", "injector_gc", "injector_heap"}
OF_THE_HOST = {"server_steal"}  # a core that the hypervisor takes is no CPU time of anybody
UPLOADS = {4: 60_000, 23_000: 40_000, 400_000: 4_000}
WARM_UPS = {4: 1000, 23_000: 1000, 400_000: 100}
USERS = (50, 400)
HEAD_BYTES, TAIL_BYTES = 410, 38  # of JMeter's requests, within some bytes
WRITE_BYTES = 8192  # JMeter's, and lean's where it is told nothing else


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a campaign: its row of runs.csv and its folder."""

    row: dict[str, str]
    folder: Path

    @property
    def failed_gates(self) -> set[str]:
        """Names of the gates that it failed."""
        return {gate["name"] for gate in self.record["gates"] if not gate["passed"]}

    @property
    def record(self) -> dict:
        """Its run.json."""
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    @property
    def generator_cpu_us(self) -> float:
        """CPU of the load generator per upload, µs."""
        cores = len(self.record["processes"]["injector"]["cores"])
        return 1e4 * float(self.row["injector_cpu_pct"]) * cores / float(self.row["throughput_rps"])

    def cores(self, role: str) -> list[int]:
        """Return the cores that a role had."""
        return list(self.record["processes"][role]["cores"])

    def logged_us(self) -> list[tuple[int, int]]:
        """First byte and answer of each measured request as the server wrote them down, epoch."""
        start_us, end_us = (self.record["phases"][f"measure_{edge}_ns"] / 1000 for edge in ("start", "end"))
        with (self.folder / "server.truth.csv").open(newline="", encoding="utf-8") as file:
            rows = [(int(row["first_byte_us"]), int(row["answered_us"])) for row in csv.DictReader(file)]
        return [(start, end) for start, end in rows if start >= start_us - 2000 and end <= end_us + 2000]

    def outside_the_log_ms(self) -> tuple[float, float, float] | None:
        """Mean times from a request's start to its first byte in the log, from its answer there to its end, in lean.

        None of JMeter, whose clock has whole milliseconds. A mean needs nobody to know which row of the log is whose.
        """
        with (self.folder / "requests.jtl").open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["label"] == "Upload file"]
        logged = self.logged_us()
        if "start_us" not in rows[0] or len(rows) != len(logged):
            return None
        starts_us = [int(row["start_us"]) for row in rows]
        ends_us = [start + int(row["elapsed_us"]) for start, row in zip(starts_us, rows, strict=True)]
        before = statistics.fmean(first for first, _ in logged) - statistics.fmean(starts_us)
        after = statistics.fmean(ends_us) - statistics.fmean(answered for _, answered in logged)
        return before / 1000, after / 1000, statistics.fmean(int(row["delay_us"]) for row in rows) / 1000


def three_figures(times_us: Sequence[int]) -> list[float]:
    """Return mean, median and p99, ms."""
    times = sorted(times_us)
    return [
        time / 1000 for time in (statistics.fmean(times), *(times[math.ceil(q * len(times)) - 1] for q in (0.5, 0.99)))
    ]


def campaign(folder: Path, only: Sequence[str], *arguments: str) -> list[Run]:
    """Make a campaign where it is not there and may be made, and return its runs that have requests."""
    if not (folder / "analysis" / "runs.csv").exists():
        if only and folder.name not in only:
            return []
        command = ["./lab", "run", "--out", str(folder.resolve()), "--server-cpu", "100", "--disks", "tmpfs"]
        command += ["--baseline-repeats", "0", *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=sys.stderr, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.returncode)
    with (folder / "analysis" / "runs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [Run(row=row, folder=folder / "runs" / row["cell"] / row["repeat"]) for row in rows if row["requests"]]


def pieces(file_bytes: int, write_bytes: int) -> list[int]:
    """Return the sizes of the writes that send a file; `write_bytes` 0: one."""
    if not write_bytes:
        return [HEAD_BYTES + file_bytes + TAIL_BYTES]
    first = min(file_bytes, write_bytes // 2)
    rest = range(first, file_bytes, write_bytes)
    return [HEAD_BYTES + first, *(min(write_bytes, file_bytes - start) for start in rest), TAIL_BYTES]


def floor(
    folder: Path, like: Sequence[Run], users: int, uploads: int, writes: Sequence[int], repeats: int
) -> list[float]:
    """Return CPU per upload of the program that only writes and reads, µs, on the cores that a campaign's runs had.

    It is kept in the campaign's folder; without a campaign there is none.
    """
    if not like:
        return []
    kept, program = folder / f"floor-{len(writes)}.txt", folder / "floor"
    if not kept.exists():
        subprocess.run(["cc", "-std=gnu11", "-O2", "-o", program, Path(__file__).with_name("floor.c")], check=True)
        with closing(Processes(folder / "state")) as processes, closing(LocalHost(processes)) as host:
            server = start_server(
                host,
                choose(REPOSITORY / "studies" / "kit" / "reference-server", "current", {}),
                cores=like[0].cores("server"),
                upload_dir=folder,
                run_dir=folder,
                limits={},
                log=folder / "floor.log",
            )
            counts = [server.port, users, uploads, uploads, *writes]
            command = pinned([str(program), *map(str, counts)], like[0].cores("injector"))
            said = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(repeats)]
        kept.write_text("".join(said), encoding="ascii")
    return [float(line.split()[0]) for line in kept.read_text(encoding="ascii").splitlines()]


def settings(**load: object) -> list[str]:
    """Return settings of the load as options."""
    return [word for name, value in load.items() for word in ("--load", f"{name}={value}")]


def median(values: Sequence[float], digits: int) -> str:
    """Return a median with how many values it is of."""
    return f"{statistics.median(values):.{digits}f} ({len(values)})" if values else "-"


def cpu(out: Path, repeats: int, only: Sequence[str]) -> Iterator[list[str]]:
    """Yield the rows of the table of CPU per upload."""
    yield ["file, users", "JMeter, µs (n)", "lean, µs (n)", "its floor", "ratio", "lean, one write", "its floor"]
    for size, uploads in UPLOADS.items():
        sizes = out / f"{size}.csv"
        sizes.write_text(f"{size}\n", encoding="ascii")
        for users in USERS:
            load = {"threads": users, "loops": uploads // users, "think_time_ms": 0}
            load |= {"warmup_threads": 20, "warmup_loops": WARM_UPS[size]}
            arguments = [
                "--profile",
                "quick",
                "--systems",
                "reference",
                "--sizes",
                str(sizes),
                "--repeats",
                str(repeats),
            ]
            as_jmeter, at_once = out / f"cpu-{size}-{users}", out / f"cpu-{size}-{users}-one-write"
            made = campaign(as_jmeter, only, *arguments, "--generator", ",".join(GENERATORS), *settings(**load))
            few = campaign(at_once, only, *arguments, "--generator", "lean", *settings(**load, write_bytes=0))
            least = floor(as_jmeter, made, users, uploads, pieces(size, WRITE_BYTES), repeats)
            least_at_once = floor(at_once, few, users, uploads, pieces(size, 0), repeats)
            counted = [run for run in made if _counts(run, OF_THE_GENERATOR | OF_THE_HOST)]
            found = [[run.generator_cpu_us for run in counted if run.row["generator"] == name] for name in GENERATORS]
            ratio = f"{statistics.median(found[1]) / statistics.median(found[0]):.3f}" if all(found) else "-"
            at_once_us = [run.generator_cpu_us for run in few if _counts(run, OF_THE_GENERATOR | OF_THE_HOST)]
            figures = [median(values, 1) for values in (*found, least)]
            yield [f"{size:,} B, {users}", *figures, ratio, median(at_once_us, 1), median(least_at_once, 1)]


def truth(out: Path, repeats: int, only: Sequence[str], rate_per_s: int) -> Iterator[list[str]]:
    """Yield the rows of the table of response times beside the server's log."""
    yield ["run", "measured: mean, p50, p99, ms", "the server's log", "difference", "to the log, from the log, in lean"]
    load = settings(rate_per_s=rate_per_s, duration_s=20, window="whole", warmup_threads=20, warmup_loops=1000)
    law = ["--set", "reference.law=exponential", "--set", "reference.mean_ms=5"]
    arguments = ["--profile", "corrected", "--samples", "5", "--systems", "reference", *law, *load]
    arguments += ["--generator", ",".join(GENERATORS), "--repeats", str(repeats)]
    for run in campaign(out / f"truth-{rate_per_s}", only, *arguments):
        if _counts(run, set()):
            measured = [float(run.row[name]) for name in ("mean_ms", "p50_ms", "p99_ms")]
            logged = three_figures([end - start for start, end in run.logged_us()])
            apart = [seen - true for seen, true in zip(measured, logged, strict=True)]
            outside = run.outside_the_log_ms()
            figures = (measured, logged, apart, *([outside] if outside else []))
            row = [run.row["cell"], *(", ".join(f"{value:.2f}" for value in values) for values in figures)]
            yield row if outside else [*row, "-"]


def writes(out: Path, repeats: int, only: Sequence[str]) -> Iterator[list[str]]:
    """Yield the rows of the table of what the way to write a file costs the servers.

    Each round makes a campaign of every way, so that the ways are compared within a round: a host drifts meanwhile.
    """
    ways = {
        "JMeter": ["--generator", "jmeter"],
        "lean, 8 KB": ["--generator", "lean"],
        "lean, one write": ["--generator", "lean", *settings(write_bytes=0)],
    }
    load = settings(threads=50, think_time_ms=100, loops=100, warmup_threads=20, warmup_loops=1000)
    arguments = ["--profile", "quick", "--samples", "5", "--repeats", "1", *load]
    costs: dict[tuple[str, str], dict[int, float]] = {}
    for number in range(repeats):
        for way, of_way in ways.items():
            folder = out / f"writes-{number + 1}-{way.replace(', ', '-').replace(' ', '-')}"
            for run in campaign(folder, only, *arguments, *of_way):
                if _counts(run, OF_THE_GENERATOR):
                    cost_us = float(run.row["server_cpu_us_per_request"])
                    costs.setdefault((run.row["system"], way), {})[number] = cost_us
    yield [
        "server, load generator",
        "CPU of the server, µs (n)",
        "over lean, 8 KB, in the same round",
        "lowest, highest",
    ]
    for (system, way), of_rounds in sorted(costs.items()):
        base = costs.get((system, "lean, 8 KB"), {})
        ratios = [cost / base[number] for number, cost in of_rounds.items() if number in base]
        least_most = f"{min(ratios):.2f}, {max(ratios):.2f}" if ratios else "-"
        yield [f"{system}, {way}", median(list(of_rounds.values()), 0), median(ratios, 2), least_most]


def _counts(run: Run, may_fail: set[str]) -> bool:
    return run.failed_gates <= may_fail


def main() -> None:
    """Make what is missing, and print the table that was asked for."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("cpu", "truth", "writes"))
    parser.add_argument("--out", type=Path, required=True, help="folder of the campaigns")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rate", type=int, default=1000, help="of truth: arrivals a second")
    parser.add_argument(
        "--only", type=lambda names: names.split(","), default=[], help="campaigns that may be made now"
    )
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.table == "truth":
        table = truth(asked.out, asked.repeats, asked.only, asked.rate)
    else:
        table = {"cpu": cpu, "writes": writes}[asked.table](asked.out, asked.repeats, asked.only)
    for number, row in enumerate(table):
        print(f"| {' | '.join(row)} |", flush=True)
        if not number:
            print("|" + "---|" * len(row), flush=True)


if __name__ == "__main__":
    main()
