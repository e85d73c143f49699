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
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from finished import read_rows

SECOND_NS = 10**9
NMONS_OWN_S = Fraction(1, 20)
"""How much of a snapshot may lie outside: what nmon takes for itself."""
ROUNDED = [Context(prec=6, rounding=rounding) for rounding in (ROUND_HALF_DOWN, ROUND_HALF_UP)]


def printed(value: Fraction | int | None) -> set[str]:
    """Print a number as the tables do: whole, or 6 significant digits, either way where the next is exactly 5."""
    if value is None:
        return {""}
    fraction = Fraction(value)
    if fraction.denominator == 1:
        return {str(fraction)}
    numbers = (one.divide(Decimal(fraction.numerator), Decimal(fraction.denominator)) for one in ROUNDED)
    texts = {format(number, "f") for number in numbers}
    return {text.rstrip("0").rstrip(".") if "." in text else text for text in texts}


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


def recompute(folder: Path) -> dict[str, Fraction | int | None]:
    """Return the figures of one run folder by the names of ``runs.csv``."""
    run = json.loads((folder / "run.json").read_text())
    start_ns, end_ns = run["phases"]["measure_start_ns"], run["phases"]["measure_end_ns"]
    figures = request_figures(folder / "requests.jtl")
    cores = run["processes"]["server"]["cores"]
    figures |= nmon_figures(folder / "server.nmon", cores, start_ns, end_ns, run.get("nmon_written_ns"))
    # What is told per request is of those that ended in the window, and not as it began.
    requests = run["windows"][0]["counts"]["ended"] if run.get("windows") else int(figures["requests"])
    figures |= server_figures(read_rows(folder / "server.samples.csv"), start_ns, end_ns, requests)
    cores = len(run["processes"]["injector"]["cores"])
    return figures | injector_figures(read_rows(folder / "injector.samples.csv"), start_ns, end_ns, requests, cores)


def request_figures(path: Path) -> dict[str, Fraction | int | None]:
    rows = [row for row in read_rows(path) if row["label"] == "Upload file"]

    def all_ms(column: str, finer: str) -> list[Fraction]:
        """A generator with a finer clock writes microseconds beside JMeter's columns."""
        return [Fraction(row[finer] + "/1000" if finer in row else row[column]) for row in rows]

    starts, times = all_ms("timeStamp", "start_us"), all_ms("elapsed", "elapsed_us")
    elapsed, n, middle, sd = sorted(times), len(rows), mean(times), deviation(times)
    errors = sum(row["success"] == "false" for row in rows)
    last = max(start + took for start, took in zip(starts, times, strict=True))

    def rank(quantile: str) -> Fraction:
        return elapsed[max(1, math.ceil(Fraction(quantile) * n)) - 1]

    return {
        "requests": n,
        "errors": errors,
        "error_pct": Fraction(100 * errors, n),
        "mean_ms": middle,
        "sd_ms": sd,
        "mad_ms": mean([abs(value - middle) for value in elapsed]),
        "cv": sd / middle,
        "min_ms": elapsed[0],
        "p50_ms": rank("0.5"),
        "p90_ms": rank("0.9"),
        "p95_ms": rank("0.95"),
        "p99_ms": rank("0.99"),
        "p999_ms": rank("0.999"),
        "p9999_ms": rank("0.9999"),
        "max_ms": elapsed[-1],
        "ttfb_ms": mean(all_ms("Latency", "latency_us")),
        "connect_ms": mean(all_ms("Connect", "connect_us")),
        "throughput_rps": n * 1000 / (last - min(starts)),
        "sent_bytes": sum(int(row["sentBytes"]) for row in rows),
    }


def nmon_figures(
    path: Path, cores: list[int], start_ns: int, end_ns: int, written_ns: int | None
) -> dict[str, Fraction | int | None]:
    """Return the means of the snapshots inside a window, by the rule of docs/method/statistics.md."""
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
    if written_ns is None:  # nmon stamps whole seconds
        begin_s, end_s = Fraction(start_ns // SECOND_NS), Fraction(end_ns // SECOND_NS)
    else:
        written_s = Fraction(written_ns, SECOND_NS)
        after_stamp_s = written_s - max(stamp for stamp in stamps.values() if stamp <= written_s)
        begin_s, end_s = Fraction(start_ns, SECOND_NS) - after_stamp_s, Fraction(end_ns, SECOND_NS) - after_stamp_s
        begin_s, end_s = begin_s - NMONS_OWN_S, end_s + NMONS_OWN_S
    inside = [
        number for before, number in pairwise(sorted(stamps)) if stamps[before] >= begin_s and stamps[number] <= end_s
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
                if row[name] not in printed(value):
                    found.append(f"{row['cell']}/{row['repeat']} {name}: {row[name]} printed, {value} recomputed")
    return found


if __name__ == "__main__":
    sentences = differences(Path(sys.argv[1]))
    print("\n".join(sentences) or "every figure agrees")
    sys.exit(1 if sentences else 0)
