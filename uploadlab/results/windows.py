"""The measurement windows of a run, each taken for a run of its own: one more factor, the load, tells them apart.

A run of uploads measures several loads with one server process: users in a closed loop, then open arrivals at a share
of the capacity. ``run.json`` says of each window from when to when it went, what its requests are called, what was
counted and which gates it passed. A run that was planned with a level of the load has that window alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from uploadlab.records import SATURATED, RunRecord, Settled, Window

Record = Mapping[str, Any]
AS_GIVEN = "as_given"
HALF_PCT = 50
HEADLINE_METRICS = ("capacity_per_s", "p99_ms", "server_cpu_us_per_request")
"""What is decided: capacity at saturation, the others at the share of the capacity nearest to a half."""


def record_of_window(record: RunRecord, window: Window) -> RunRecord:
    """Return what ``run.json`` would say, had the run measured this window alone."""
    return msgspec.structs.replace(
        record,
        load=msgspec.structs.replace(record.load, threads=window.users),
        counts=window.counts,
        settled=Settled(settled=window.settled),
        gates=[*record.gates, *window.gates],
    )


def counts_alone(record: RunRecord, window: Window) -> bool:
    """Return whether a window is valid: its own gates and the run's passed, and nothing but gates was against the run.

    A gate that another window failed says nothing of this one.
    """
    gates = [*record.gates, *(gate for one in record.windows for gate in one.gates)]
    if not record.valid and all(gate.passed for gate in gates):
        return False
    return all(gate.passed for gate in (*record.gates, *window.gates))


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


def asks_at_loads(record: Record) -> bool:
    """Return whether a campaign asks at saturation or at several shares of the capacity, not at one load."""
    levels = (record.get("levels") or {}).get(windows_factor(record) or "") or ()
    return SATURATED in levels or len(shares_of(record)) > 1


def is_headline(record: Record, metric: str, load: object) -> bool:
    """Return whether a campaign decides a metric at a load."""
    shares = shares_of(record)
    half = min(shares, key=lambda share: (abs(share - HALF_PCT), share), default=None)
    asked_at = SATURATED if metric == "capacity_per_s" else half
    return asks_at_loads(record) and metric in HEADLINE_METRICS and str(load) == str(asked_at)
