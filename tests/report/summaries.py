"""Summaries with plausible values, of any number of systems and loads."""

import math
from collections.abc import Iterator
from itertools import combinations

import msgspec
import numpy as np

from uploadlab.records import SATURATED
from uploadlab.report.answer_table import AnswerTable
from uploadlab.report.sentence import answer
from uploadlab.report.summary import Campaign, Curve, LeftOut, Metric, Rank, Summary, System, Warning
from uploadlab.statistics.ranks import rank_sets
from uploadlab.tables.answer import Cell, Comparison, Estimate, Load

SIZES = {"4 B": 4, "790 B": 790, "23 KB": 22857, "97 KB": 96838, "410 KB": 410243}
NAMES = ("Node.js", "Tomcat", "nginx", "Go net/http", "hyper", "Flask with gunicorn", "Spring Boot", "FastAPI")
METRICS = (
    Metric("capacity_per_s", "capacity", "uploads/s", lower_is_better=False, decided=True),
    Metric("median_ms", "median", "ms"),
    Metric("p99_ms", "p99", "ms", decided=True),
    Metric("p999_ms", "p99.9", "ms", shown=False),
    Metric("server_cpu_us_per_request", "CPU per upload", "µs", decided=True),
    Metric("memory_peak_mb", "peak memory", "MB", of_whole_run=True),
    Metric("memory_per_upload_kb", "memory per upload in flight", "KB", of_whole_run=True),
)


def plausible(systems: int = 2, seed: int = 2) -> Summary:
    """Return the summary of a campaign of so many systems."""
    generator = np.random.default_rng(seed)
    named = {f"s{place}": NAMES[place] if place < len(NAMES) else f"System {place}" for place in range(systems)}
    cells, comparisons, curves, ranks = [], [], [], []
    for row, size in SIZES.items():
        for load in (SATURATED, 50):
            values = {key: _values(generator, place, size, load) for place, key in enumerate(named)}
            levels = {"sample": 1, "load": load}
            cells += [
                Cell(f"s-{load}", row, size, load, key, values[key], levels, runs=6, valid_runs=5) for key in named
            ]
            curves += [Curve("percentiles", f"{row}, {load}", key, [0.0, 1.0, 2.0], [1.0, 4.0, 9.0]) for key in named]
            comparisons += _compared(row, size, load, values)
            ranks += _ranked(generator, row, load, values) if systems > 1 else []
    summary = Summary(
        campaign=Campaign(
            name="20261127-quick",
            study="upload",
            title="Uploads",
            profile="quick",
            started="2026-11-27",
            operation="upload",
            operations="uploads",
            planned_runs=60,
            valid_runs=58,
            invalid_runs=2,
            least_repeats=5,
            most_repeats=6,
            equal_margin_pct=10,
            command="./lab run",
            machine={"processor": "Some CPU, 2 cores"},
        ),
        answer="",
        systems=[System(key, name) for key, name in named.items()],
        metrics=list(METRICS),
        cells=cells,
        comparisons=comparisons,
        ranks=ranks,
        curves=curves,
        warnings=[Warning("2 of 15 comparisons are undecided: it takes more runs.", "./lab run --minutes 30")],
        left_out=[LeftOut("s05-node/03", "The load generator used 91% of its core.")],
    )
    return msgspec.structs.replace(summary, answer=answer(AnswerTable(summary)))


def _values(generator: np.random.Generator, place: int, size: int, load: Load) -> dict[str, Estimate]:
    slower = (1 + size / 40_000) * (1 + place / 4)
    crowded = load == SATURATED
    truths = {
        "capacity_per_s": 7000 / slower,
        "median_ms": 0.5 * slower**0.4 * (12 if crowded else 1),
        "p99_ms": (12 + 3 * place if place else 31) * slower**0.5,
        "p999_ms": 80 * slower**0.5,
        "server_cpu_us_per_request": 160 * slower * (1.3 if place % 2 else 1),
        "memory_peak_mb": 90.0 + 160 * place,
        "memory_per_upload_kb": 20 + size / 500 * (place + 1),
    }
    known = {name: value for name, value in truths.items() if crowded or name != "capacity_per_s"}
    found = {name: value * math.exp(generator.normal(0, 0.05)) for name, value in known.items()}
    return {name: Estimate(value, 0.93 * value, 1.08 * value) for name, value in found.items()}


def _ranked(
    generator: np.random.Generator, row: str, load: Load, values: dict[str, dict[str, Estimate]]
) -> Iterator[Rank]:
    for metric in METRICS:
        if metric.id in next(iter(values.values())):
            known = [of[metric.id].value for of in values.values()]
            blocks = [[value * math.exp(generator.normal(0, 0.03)) for _ in range(6)] for value in known]
            sets = rank_sets(blocks, higher_is_better=not metric.lower_is_better)
            for system, of in zip(values, sets, strict=True):
                yield Rank(f"s-{load}", row, load, metric.id, system, of.best, of.worst)


def _compared(row: str, size: int, load: Load, values: dict[str, dict[str, Estimate]]) -> Iterator[Comparison]:
    for first, second in combinations(values, 2):
        for metric in METRICS[:5]:
            if metric.id not in values[first]:
                continue
            a, b = (values[key][metric.id].value for key in (first, second))
            ratio, lo, hi = a / b, 0.88 * a / b, 1.13 * a / b
            verdict = "undecided" if lo < 1 < hi else "better" if (ratio < 1) == metric.lower_is_better else "worse"
            decided = metric.decided and (load == SATURATED) == (metric.id == "capacity_per_s")
            ends = (a, b, ratio, lo, hi)
            yield Comparison(f"s-{load}", row, size, load, metric.id, first, second, *ends, verdict, decided)
