#!/usr/bin/env python3
"""Hold the generators against each other and against the truth: the tables of docs/whose-time.md.

    .venv/bin/python lean-generator/bench/compare.py cpu --out results/generators [--repeats 3]

`cpu`: CPU of both per upload, at three sizes and two numbers of users, in closed loops at the reference server, which
does nothing. `truth`: open arrivals at the reference server with exponential times of 5 ms, beside its own log.
`writes`: CPU per upload of Node.js and Tomcat under JMeter and under lean with two ways to write a file. Campaigns that
are in the folder already are not made again. Printed as Markdown, medians over the runs that count, with their number:
those whose only failed gates are the generator's own (of `cpu`: to be busy is what it is for, and what the hypervisor
takes is not in it).
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
GENERATORS = ("jmeter", "lean")
OF_THE_GENERATOR = {"injector_cpu", "injector_wait", "injector_delay", "injector_gc", "injector_heap"}
OF_THE_HOST = {"server_steal"}  # a core that the hypervisor takes is no CPU time of anybody
UPLOADS = {4: 60_000, 23_000: 40_000, 400_000: 4_000}
WARM_UPS = {4: 1000, 23_000: 1000, 400_000: 100}
USERS = (50, 400)


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

    def logged_ms(self) -> tuple[float, float, float]:
        """Mean, median and p99 of the measured requests as the server wrote them down."""
        start_us, end_us = (self.record["phases"][f"measure_{edge}_ns"] / 1000 for edge in ("start", "end"))
        with (self.folder / "server.truth.csv").open(newline="", encoding="utf-8") as file:
            rows = [(int(row["first_byte_us"]), int(row["answered_us"])) for row in csv.DictReader(file)]
        times = sorted((end - start) / 1000 for start, end in rows if start >= start_us - 2000 and end <= end_us + 2000)
        return statistics.fmean(times), *(times[math.ceil(q * len(times)) - 1] for q in (0.5, 0.99))


def campaign(folder: Path, *arguments: str) -> list[Run]:
    """Make a campaign where it is not there, and return its runs that count."""
    if not (folder / "analysis" / "runs.csv").exists():
        command = ["./lab", "run", "--out", str(folder.resolve()), "--server-cpu", "100", "--disks", "tmpfs"]
        command += ["--baseline-repeats", "0", *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=sys.stderr, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.returncode)
    with (folder / "analysis" / "runs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [Run(row=row, folder=folder / "runs" / row["cell"] / row["repeat"]) for row in rows if row["requests"]]


def settings(**load: object) -> list[str]:
    """Return settings of the load as options."""
    return [word for name, value in load.items() for word in ("--load", f"{name}={value}")]


def median(values: Sequence[float], digits: int) -> str:
    """Return a median with how many values it is of."""
    return f"{statistics.median(values):.{digits}f} ({len(values)})" if values else "-"


def cpu(out: Path, repeats: int) -> Iterator[list[str]]:
    """Yield the rows of the table of CPU per upload."""
    yield ["file", "users", "JMeter, µs (n)", "lean, µs (n)", "ratio"]
    for size, uploads in UPLOADS.items():
        sizes = out / f"{size}.csv"
        sizes.write_text(f"{size}\n", encoding="ascii")
        for users in USERS:
            load = settings(
                threads=users,
                loops=uploads // users,
                think_time_ms=0,
                warmup_threads=20,
                warmup_loops=WARM_UPS[size],
            )
            arguments = ["--profile", "quick", "--systems", "reference", "--sizes", str(sizes), *load]
            arguments += ["--generator", ",".join(GENERATORS), "--repeats", str(repeats)]
            made = campaign(out / f"cpu-{size}-{users}", *arguments)
            runs = [run for run in made if _counts(run, OF_THE_GENERATOR | OF_THE_HOST)]
            found = [[run.generator_cpu_us for run in runs if run.row["generator"] == name] for name in GENERATORS]
            ratio = f"{statistics.median(found[1]) / statistics.median(found[0]):.3f}" if all(found) else "-"
            yield [f"{size:,} B", str(users), *(median(values, 1) for values in found), ratio]


def truth(out: Path, repeats: int, rate_per_s: int) -> Iterator[list[str]]:
    """Yield the rows of the table of response times beside the server's log."""
    yield ["run", "measured: mean, p50, p99, ms", "the server's log", "difference"]
    load = settings(rate_per_s=rate_per_s, duration_s=20, window="whole", warmup_threads=20, warmup_loops=1000)
    law = ["--set", "reference.law=exponential", "--set", "reference.mean_ms=5"]
    arguments = ["--profile", "corrected", "--samples", "5", "--systems", "reference", *law, *load]
    arguments += ["--generator", ",".join(GENERATORS), "--repeats", str(repeats)]
    for run in campaign(out / f"truth-{rate_per_s}", *arguments):
        if _counts(run, set()):
            measured = [float(run.row[name]) for name in ("mean_ms", "p50_ms", "p99_ms")]
            logged = run.logged_ms()
            apart = [seen - true for seen, true in zip(measured, logged, strict=True)]
            yield [run.row["cell"], *(", ".join(f"{value:.2f}" for value in row) for row in (measured, logged, apart))]


def writes(out: Path, repeats: int) -> Iterator[list[str]]:
    """Yield the rows of the table of what the way to write a file costs the servers."""
    ways = {
        "JMeter": (["--generator", "jmeter"], {}),
        "lean, 8 KB": (["--generator", "lean"], {}),
        "lean, one write": (["--generator", "lean"], {"write_bytes": 0}),
    }
    yield ["server", *(f"{way}, µs (n)" for way in ways)]
    found: dict[str, list[str]] = {}
    for way, (generator, load) in ways.items():
        rate = settings(threads=50, think_time_ms=50, loops=200, warmup_threads=20, warmup_loops=1000, **load)
        name = out / f"writes-{way.replace(', ', '-').replace(' ', '-')}"
        runs = campaign(name, "--profile", "quick", "--samples", "5", *generator, *rate, "--repeats", str(repeats))
        for system in ("node", "tomcat"):
            counted = [run for run in runs if run.row["system"] == system and _counts(run, OF_THE_GENERATOR)]
            costs = [float(run.row["server_cpu_us_per_request"]) for run in counted]
            found.setdefault(system, []).append(median(costs, 0))
    yield from ([system, *costs] for system, costs in found.items())


def _counts(run: Run, may_fail: set[str]) -> bool:
    return run.failed_gates <= may_fail


def main() -> None:
    """Make what is missing, and print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("cpu", "truth", "writes"))
    parser.add_argument("--out", type=Path, required=True, help="folder of the campaigns")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rate", type=int, default=1000, help="of truth: arrivals a second")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.table == "truth":
        table = truth(asked.out, asked.repeats, asked.rate)
    else:
        table = {"cpu": cpu, "writes": writes}[asked.table](asked.out, asked.repeats)
    for number, row in enumerate(table):
        print(f"| {' | '.join(row)} |", flush=True)
        if not number:
            print("|" + "---|" * len(row), flush=True)


if __name__ == "__main__":
    main()
