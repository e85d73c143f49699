"""Checks of the harness itself that make a run invalid: was the server measured, or the load generator?"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import monitoring
from harness.study import Gates


def gate(name: str, passed: bool, figure: float | None, unit: str, threshold: float, sentence: str) -> dict[str, Any]:
    """Return one gate as run.json keeps it; `sentence` is what a reader needs when it failed."""
    return {
        "name": name,
        "passed": passed,
        "figure": figure,
        "unit": unit,
        "threshold": threshold,
        "sentence": sentence,
    }


def injector_gates(
    samples: Path, gates: Gates, *, start_ns: int, end_ns: int, cores: int, requests: int, mean_ms: float
) -> list[dict[str, Any]]:
    """Return the two gates on the generator's own share, from its `injector.samples.csv` over the measured window."""
    rows = monitoring.read_samples(samples)
    cpu_ns = _growth(rows, "role_cpu_ns", start_ns, end_ns)
    wait_ns = _growth(rows, "role_wait_ns", start_ns, end_ns)
    cpu_pct = None if cpu_ns is None else 100 * cpu_ns / ((end_ns - start_ns) * cores)
    wait_pct = None if wait_ns is None or not (requests and mean_ms) else 100 * wait_ns / requests / 1e6 / mean_ms
    return [
        _ceiling(
            "injector_cpu",
            cpu_pct,
            gates.injector_cpu_pct,
            "% of its cores",
            "The load generator used {figure:.0f} % of its cores (at most {limit:g} %): it was measured, not "
            "the server.",
        ),
        _ceiling(
            "injector_wait",
            wait_pct,
            gates.injector_wait_pct,
            "% of the mean response time",
            "The load generator's threads waited for a core for {figure:.1f} % of the mean response time "
            "(at most {limit:g} %): that share is not the server's.",
        ),
    ]


def _ceiling(name: str, figure: float | None, limit: float, unit: str, sentence: str) -> dict[str, Any]:
    if figure is None:
        return gate(name, False, None, unit, limit, f"The gate {name} could not be computed: its samples are missing.")
    said = sentence.format(figure=figure, limit=limit)
    return gate(name, figure < limit, round(figure, 3), unit, limit, said)


def _growth(rows: dict[str, npt.NDArray[np.float64]], column: str, start_ns: int, end_ns: int) -> float | None:
    """Return how much a cumulative counter grew between two times, by linear interpolation; None without samples."""
    known = ~np.isnan(rows[column])
    if known.sum() < 2:
        return None
    at = np.interp([start_ns, end_ns], rows["time_ns"][known], rows[column][known])
    return float(at[1] - at[0])
