"""The measurement windows of a run, each taken for a run of its own: one more factor, the load, tells them apart.

A run of uploads measures several loads with one server process: users in a closed loop, then open arrivals at a share
of the capacity. ``run.json`` says of each window from when to when it went, what its requests are called, what was
counted and which gates it passed. A run that was planned with a level of the load has that window alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from uploadlab.records import RunRecord, Settled
from uploadlab.records import Window as WindowRecord

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
    told: WindowRecord
    """What ``run.json`` says of it."""
    run_start_ns: int
    """When the run's first window began."""
    run_end_ns: int
    """When the run's last window ended."""

    @property
    def in_turns(self) -> bool:
        """Whether the run took turns with others: what a whole host did in the window is not this run's alone."""
        return self.told.active_ns is not None

    @property
    def active_ns(self) -> int:
        """How long the run had the core within it."""
        whole_ns = self.end_ns - self.start_ns
        return whole_ns if self.told.active_ns is None else self.told.active_ns


def windows_of(record: RunRecord) -> list[Window]:
    """Return the windows of a run; none where it is measured as a whole."""
    return [
        Window(
            load=one.load,
            label=one.label,
            start_ns=one.start_ns,
            end_ns=one.end_ns,
            rate_per_s=one.rate_per_s,
            held=one.held,
            told=one,
            run_start_ns=min(each.start_ns for each in record.windows),
            run_end_ns=max(each.end_ns for each in record.windows),
        )
        for one in record.windows
    ]


def record_of_window(record: RunRecord, window: WindowRecord) -> RunRecord:
    """Return what ``run.json`` would say, had the run measured this window alone."""
    return msgspec.structs.replace(
        record,
        load=msgspec.structs.replace(record.load, threads=window.users),
        counts=window.counts,
        settled=Settled(settled=window.settled),
        gates=[*record.gates, *window.gates],
    )


def counts_alone(record: RunRecord, window: WindowRecord) -> bool:
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


def is_headline(record: Record, metric: str, load: object) -> bool:
    """Return whether a campaign decides a metric at a load."""
    shares = shares_of(record)
    half = min(shares, key=lambda share: (abs(share - HALF_PCT), share), default=None)
    return metric in HEADLINE_METRICS and str(load) == str(SATURATED if metric == "capacity_per_s" else half)
