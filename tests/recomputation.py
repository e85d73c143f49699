"""The figures of ``runs.csv`` once more, from raw, with nothing but the standard library and exact fractions.

Shares no line with the analysis. As a program it holds a real results folder to its ``analysis/runs.csv``:
``python tests/recomputation.py RESULTS``.
"""

from __future__ import annotations

import calendar
import json
import math
import sys
import time
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from finished import read_rows

SECOND_NS = 10**9
DIGITS = Context(prec=6, rounding=ROUND_HALF_EVEN)


def printed(value: Fraction | int | None) -> str:
    """Print a number as the tables do: whole, or 6 significant digits."""
    if value is None:
        return ""
    if Fraction(value).denominator == 1:
        return str(int(value))
    fraction = Fraction(value)
    number = DIGITS.divide(Decimal(fraction.numerator), Decimal(fraction.denominator))
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def root(value: Fraction) -> Fraction:
    """Return a square root to 30 digits."""
    digits = 10**60
    return Fraction(math.isqrt(value.numerator * digits // value.denominator), 10**30)


def mean(values: list[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def deviation(values: list[Fraction]) -> Fraction | None:
    if len(values) < 2:
        return None
    middle = mean(values)
    return root(sum(((value - middle) ** 2 for value in values), Fraction(0)) / (len(values) - 1))


def recompute(folder: Path) -> dict[str, str]:
    """Return the figures of one run folder as ``runs.csv`` prints them."""
    run = json.loads((folder / "run.json").read_text())
    start_ns, end_ns = run["phases"]["measure_start_ns"], run["phases"]["measure_end_ns"]
    figures = request_figures(folder / "requests.jtl")
    figures |= nmon_figures(folder / "server.nmon", run["processes"]["server"]["cores"], start_ns, end_ns)
    requests = int(figures["requests"])
    figures |= server_figures(read_rows(folder / "server.samples.csv"), start_ns, end_ns, requests)
    cores = len(run["processes"]["injector"]["cores"])
    figures |= injector_figures(read_rows(folder / "injector.samples.csv"), start_ns, end_ns, requests, cores)
    return {name: value if isinstance(value, str) else printed(value) for name, value in figures.items()}


def request_figures(path: Path) -> dict[str, Fraction | int | None]:
    rows = [row for row in read_rows(path) if row["label"] == "Upload file"]
    elapsed = sorted(int(row["elapsed"]) for row in rows)
    values = [Fraction(value) for value in elapsed]
    n, middle, sd = len(rows), mean(values), deviation(values)
    errors = sum(row["success"] == "false" for row in rows)
    first = min(int(row["timeStamp"]) for row in rows)
    last = max(int(row["timeStamp"]) + int(row["elapsed"]) for row in rows)

    def rank(quantile: str) -> int:
        return elapsed[max(1, math.ceil(Fraction(quantile) * n)) - 1]

    return {
        "requests": n,
        "errors": errors,
        "error_pct": Fraction(100 * errors, n),
        "mean_ms": middle,
        "sd_ms": sd,
        "mad_ms": mean([abs(value - middle) for value in values]),
        "cv": sd / middle,
        "min_ms": elapsed[0],
        "p50_ms": rank("0.5"),
        "p90_ms": rank("0.9"),
        "p95_ms": rank("0.95"),
        "p99_ms": rank("0.99"),
        "p999_ms": rank("0.999"),
        "p9999_ms": rank("0.9999"),
        "max_ms": elapsed[-1],
        "ttfb_ms": mean([Fraction(row["Latency"]) for row in rows]),
        "connect_ms": mean([Fraction(row["Connect"]) for row in rows]),
        "throughput_rps": Fraction(n * 1000, last - first),
        "sent_bytes": sum(int(row["sentBytes"]) for row in rows),
    }


def nmon_figures(path: Path, cores: list[int], start_ns: int, end_ns: int) -> dict[str, Fraction | int | None]:
    stamps: dict[int, int] = {}
    shares: dict[tuple[int, int], list[Fraction]] = {}
    switches: dict[int, Fraction] = {}
    for line in path.read_text().splitlines():
        field = line.split(",")
        if field[0] == "ZZZZ":
            stamps[int(field[1][1:])] = calendar.timegm(time.strptime(f"{field[2]} {field[3]}", "%H:%M:%S %d-%b-%Y"))
        elif field[0].startswith("CPU") and field[0][3:].isdigit() and field[1].startswith("T"):
            shares[int(field[1][1:]), int(field[0][3:]) - 1] = [Fraction(value) for value in field[2:7]]
        elif field[0] == "PROC" and field[1].startswith("T"):
            switches[int(field[1][1:])] = Fraction(field[4])
    numbers = sorted(stamps)
    inside = [
        number
        for before, number in pairwise(numbers)
        if stamps[before] >= start_ns // SECOND_NS and stamps[number] <= end_ns // SECOND_NS
    ]

    def over_cores(number: int, *columns: int) -> Fraction:
        return sum((shares[number, core][column] for core in cores for column in columns), Fraction(0)) / len(cores)

    cpu = [over_cores(number, 0, 1) for number in inside]
    return {
        "cpu_pct": mean(cpu),
        "cpu_sd": deviation(cpu),
        "wait_pct": mean([over_cores(number, 2) for number in inside]),
        "steal_pct": mean([over_cores(number, 4) for number in inside]),
        "pswitch_per_s": mean([switches[number] for number in inside]),
        "nmon_snapshots": len(inside),
    }


def rise(rows: list[dict[str, str]], column: str, start_ns: int, end_ns: int) -> Fraction | None:
    """Return how much a counter rose between two instants, linear between the rows around each."""
    points = [(int(row["time_ns"]), int(row[column])) for row in rows if row[column]]
    if len(points) < 2 or any(b[1] < a[1] for a, b in pairwise(points)):
        return None

    def at(instant: int) -> Fraction:
        if instant <= points[0][0]:
            return Fraction(points[0][1])
        for (t0, v0), (t1, v1) in pairwise(points):
            if instant <= t1:
                return v0 + Fraction((v1 - v0) * (instant - t0), t1 - t0)
        return Fraction(points[-1][1])

    return at(end_ns) - at(start_ns)


def times(value: Fraction | None, factor: Fraction) -> Fraction | None:
    return None if value is None else value * factor


def server_figures(
    rows: list[dict[str, str]], start_ns: int, end_ns: int, requests: int
) -> dict[str, Fraction | int | None]:
    window = end_ns - start_ns
    cpu_ns = rise(rows, "role_cpu_ns", start_ns, end_ns)
    voluntary = rise(rows, "role_voluntary_switches", start_ns, end_ns)
    involuntary = rise(rows, "role_involuntary_switches", start_ns, end_ns)
    overflows = rise(rows, "tcp_listen_overflows", start_ns, end_ns)
    retransmits = rise(rows, "tcp_retransmitted_segments", start_ns, end_ns)
    dirty = [int(row["memory_dirty_bytes"]) for row in rows if start_ns <= int(row["time_ns"]) < end_ns]
    return {
        "server_cpu_pct": times(cpu_ns, Fraction(100, window)),
        "server_cpu_us_per_request": times(cpu_ns, Fraction(1, 1000 * requests)),
        "server_switches_per_request": None if voluntary is None else (voluntary + involuntary) / requests,
        "server_voluntary_per_request": times(voluntary, Fraction(1, requests)),
        "server_involuntary_per_request": times(involuntary, Fraction(1, requests)),
        "server_wait_ms_per_request": times(
            rise(rows, "role_wait_ns", start_ns, end_ns), Fraction(1, 10**6 * requests)
        ),
        "listen_overflows": None if overflows is None else round(overflows),
        "retransmits": None if retransmits is None else round(retransmits),
        "psi_cpu_pct": times(rise(rows, "psi_cpu_some_us", start_ns, end_ns), Fraction(100_000, window)),
        "psi_io_pct": times(rise(rows, "psi_io_some_us", start_ns, end_ns), Fraction(100_000, window)),
        "dirty_mb_max": Fraction(max(dirty), 10**6),
    }


def injector_figures(
    rows: list[dict[str, str]], start_ns: int, end_ns: int, requests: int, cores: int
) -> dict[str, Fraction | int | None]:
    cpu_ns = rise(rows, "role_cpu_ns", start_ns, end_ns)
    return {
        "injector_cpu_pct": times(cpu_ns, Fraction(100, (end_ns - start_ns) * cores)),
        "injector_wait_ms_per_request": times(
            rise(rows, "role_wait_ns", start_ns, end_ns), Fraction(1, 10**6 * requests)
        ),
    }


def differences(results: Path) -> list[str]:
    """Return a sentence for every figure of ``analysis/runs.csv`` that is printed otherwise than recomputed."""
    found = []
    for row in read_rows(results / "analysis" / "runs.csv"):
        if row["status"] == "complete":
            for name, value in recompute(results / "runs" / row["cell"] / row["repeat"]).items():
                if row[name] != value:
                    found.append(f"{row['cell']}/{row['repeat']} {name}: {row[name]} printed, {value} recomputed")
    return found


if __name__ == "__main__":
    sentences = differences(Path(sys.argv[1]))
    print("\n".join(sentences) or "every figure agrees")
    sys.exit(1 if sentences else 0)
