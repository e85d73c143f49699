"""The measurement windows of a run, each taken for a run of its own: one more factor, the load, tells them apart.

A run of uploads measures several loads with one server process: users in a closed loop, then open arrivals at a share
of the capacity. ``run.json`` says of each window from when to when it went, what its requests are called, what was
counted and which gates it passed. A run that was planned with a level of the load has that window alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Record = Mapping[str, Any]
SATURATED = "saturated"
AS_GIVEN = "as_given"
HALF_PCT = 50
HEADLINE_METRICS = ("capacity_per_s", "p99_ms", "server_cpu_us_per_request")
"""What is decided: capacity at saturation, the others at the share of the capacity nearest to a half."""


@dataclass(frozen=True, kw_only=True)
class Window:
    """One window of a run, as ``run.json`` tells it."""

    load: str | int
    """``saturated``, a share of the capacity in per cent, or ``as_given``."""
    label: str
    """What the request file calls its requests."""
    start_ns: int
    end_ns: int
    rate_per_s: float | None = None
    """Of open arrivals: how many were due in a second."""
    held: bool | None = None
    """Of open arrivals: whether the system held the rate."""
    counts: Record = field(default_factory=dict)
    run_start_ns: int
    """When the run's first window began."""
    run_end_ns: int
    """When the run's last window ended."""


def windows_of(record: Record) -> list[Window]:
    """Return the windows of a ``run.json``; none where a run is measured as a whole.

    Raises KeyError, TypeError or ValueError where one lacks what it must say.
    """
    told = record.get("windows") or []
    return [
        Window(
            load=_level(one["load"]),
            label=str(one["label"]),
            start_ns=int(one["start_ns"]),
            end_ns=int(one["end_ns"]),
            rate_per_s=one.get("rate_per_s"),
            held=one.get("held"),
            counts=one["counts"],
            run_start_ns=min(each["start_ns"] for each in told),
            run_end_ns=max(each["end_ns"] for each in told),
        )
        for one in told
    ]


def _level(said: object) -> str | int:
    if isinstance(said, (str, int)) and not isinstance(said, bool):
        return said
    raise ValueError(f"load is {said!r}")


def record_of_window(record: Record, number: int) -> dict[str, Any]:
    """Return what ``run.json`` would say, had the run measured this window alone."""
    told = record["windows"][number]
    return {
        **record,
        "load": {**(record.get("load") or {}), "threads": told.get("users")},
        "counts": told["counts"],
        "settled": {"settled": told.get("settled")},
        "gates": [*(record.get("gates") or []), *(told.get("gates") or [])],
    }


def counts_alone(record: Record, number: int) -> bool:
    """Return whether a window is valid: its own gates and the run's passed, and nothing but gates was against the run.

    A gate that another window failed says nothing of this one.
    """
    windows = record["windows"]
    gates = [gate for window in windows for gate in window.get("gates") or []] + [*(record.get("gates") or [])]
    if record.get("valid") is not True and all(gate.get("passed") is not False for gate in gates):
        return False
    own = [*(record.get("gates") or []), *(windows[number].get("gates") or [])]
    return all(gate.get("passed") is not False for gate in own)


def windows_factor(record: Record) -> str | None:
    """Return the factor of a ``campaign.json`` whose levels are windows of one run; None where there is none."""
    name = record.get("windows_factor")
    return name if isinstance(name, str) else None


def cell_of_window(cell: str, key: str, load: str | int) -> str:
    """Return the cell of a run's window: that of the run, with its load before the key of the system."""
    mark = {AS_GIVEN: ""}.get(str(load), f"{load}pct-" if isinstance(load, int) else f"{load}-")
    return f"{cell.removesuffix(f'-{key}')}-{mark}{key}"


def loads_of(record: Record, factors: Record) -> Sequence[str | int]:
    """Return the loads that a planned run measures: its own, else all of the campaign's; none without windows."""
    name = windows_factor(record)
    if name is None:
        return ()
    return (factors[name],) if name in factors else (record.get("levels") or {}).get(name) or (AS_GIVEN,)


def shares_of(record: Record) -> list[int]:
    """Return the shares of the capacity that a campaign measures."""
    levels = (record.get("levels") or {}).get(windows_factor(record) or "") or ()
    return [level for level in levels if isinstance(level, int)]


def is_headline(record: Record, metric: str, load: object) -> bool:
    """Return whether a campaign decides a metric at a load."""
    shares = shares_of(record)
    half = min(shares, key=lambda share: (abs(share - HALF_PCT), share), default=None)
    return metric in HEADLINE_METRICS and str(load) == str(SATURATED if metric == "capacity_per_s" else half)
