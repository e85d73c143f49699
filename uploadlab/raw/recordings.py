"""What the collectors recorded, as `monitoring` reads it, in the shape the figures need: counters and snapshots.

Counters of a sampler only grow. They are read at any instant by interpolation, so that nothing is lost between windows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ONE_CLOCK, ClockAlignment
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_recording import NmonRecording, Table, aligned
from monitoring.samples_reader import read_samples

SECOND_NS = 1_000_000_000
REACH_NS = SECOND_NS // 2
SLACK_NS = 50_000_000
"""nmon takes a snapshot in some ms, and not every second is as long as the one before."""
SHARES = {"user": "User%", "system": "Sys%", "wait": "Wait%", "steal": "Steal%"}
"""Kinds of a core's time, and what nmon calls each."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Rows of one ``*.samples.csv``."""

    time_ns: NDArray[np.int64]
    columns: Mapping[str, Floats]
    """Every other column, NaN where a value could not be read."""

    def at(self, name: str, instants_ns: NDArray[np.int64]) -> Floats:
        """Return a counter at each instant, linear between the nearest rows that have it.

        NaN for an instant more than half a second outside the rows, and everywhere when the counter ever falls
        (its process was replaced) or is absent.
        """
        values = self.columns.get(name)
        known = np.zeros(0, dtype=np.bool_) if values is None else ~np.isnan(values)
        if values is None or known.sum() < 2 or np.any(np.diff(values[known]) < 0):
            return np.full(len(instants_ns), np.nan)
        times = self.time_ns[known]
        result = np.interp(
            (instants_ns - times[0]).astype(np.float64), (times - times[0]).astype(np.float64), values[known]
        )
        outside = (instants_ns < times[0] - REACH_NS) | (instants_ns > times[-1] + REACH_NS)
        return np.where(outside, np.nan, result)

    def increase(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return how much a counter rose in each window between neighbouring edges; one element less than edges."""
        return np.diff(self.at(name, edges_ns))

    def largest(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return the largest value of a gauge in each window [edge, next edge); NaN where there is none."""
        values = self.columns.get(name)
        result = np.full(len(edges_ns) - 1, np.nan)
        if values is None:
            return result
        window = np.searchsorted(edges_ns, self.time_ns, side="right") - 1
        usable = (window >= 0) & (window < len(result)) & ~np.isnan(values)
        np.fmax.at(result, window[usable], values[usable])
        return result

    def busy_pct(self, name: str, edges_ns: NDArray[np.int64]) -> Floats:
        """Return how many % of the role's cores' time went to a kind of work in each window.

        ``name``: ``busy`` (user, system, softirq), ``iowait`` or ``steal``.
        """
        return self.busy_pct_between(name, edges_ns[:-1], edges_ns[1:])

    def busy_pct_between(self, name: str, begin_ns: NDArray[np.int64], end_ns: NDArray[np.int64]) -> Floats:
        """Return the same of times that may overlap."""
        parts = {
            kind: self.at(f"cpu_{kind}_ticks", end_ns) - self.at(f"cpu_{kind}_ticks", begin_ns)
            for kind in ("user", "system", "softirq", "idle", "iowait", "steal")
        }
        total = np.sum(list(parts.values()), axis=0)
        wanted = parts["user"] + parts["system"] + parts["softirq"] if name == "busy" else parts[name]
        shares: Floats = np.divide(100 * wanted, total, out=np.full(len(total), np.nan), where=total > 0)
        return shares


def read_samples_file(path: Path, clocks: ClockAlignment = ONE_CLOCK) -> Samples:
    """Read a 100 ms sampler's recording; `clocks` moves one of the server's host to the load generator's clock.

    Raises RecordingError when it cannot be read.
    """
    samples = read_samples(path)
    return Samples(
        time_ns=clocks.on_injector(samples["time_ns"]),
        columns={name: values for name, values in samples.items() if name != "time_ns"},
    )


@dataclass(frozen=True, kw_only=True)
class Snapshots:
    """The stamped snapshots of one nmon file, in order."""

    stamp_s: NDArray[np.int64]
    """Epoch seconds."""
    number: NDArray[np.int64]
    """1 for T0001."""
    cores: Mapping[int, Mapping[str, Floats]]
    """By core, 0 being nmon's CPU001: ``user``, ``system``, ``wait`` and ``steal`` in %, NaN where nmon gave none."""
    pswitch_per_s: Floats
    after_stamp_ns: int | None = None
    """How long after the whole second of its stamp each snapshot was taken, where that is known."""

    def inside(self, start_ns: int, end_ns: int) -> NDArray[np.bool_]:
        """Return which snapshots cover only time between two instants.

        A snapshot covers the time since the one before it. nmon stamps whole seconds: where nothing else is known it
        is inside when the one before was stamped at or after the first whole second (floor) and it itself at or before
        the last (floor), so up to a second of it may not be. The first snapshot is never inside.
        """
        taken_ns = self.stamp_s * SECOND_NS
        if self.after_stamp_ns is None:
            start_ns = start_ns // SECOND_NS * SECOND_NS
        else:
            taken_ns = taken_ns + self.after_stamp_ns
            start_ns, end_ns = start_ns - SLACK_NS, end_ns + SLACK_NS
        return (
            (np.concatenate([[np.iinfo(np.int64).min], taken_ns[:-1]]) >= start_ns)
            & (taken_ns <= end_ns)
            & (np.arange(len(self.stamp_s)) > 0)
            & (self.number > 1)
        )

    def share(self, kind: str, cores: Sequence[int]) -> Floats:
        """Return ``user``, ``system``, ``wait`` or ``steal`` in each snapshot, mean over some cores (all when none)."""
        chosen = [self.cores[core] for core in cores or self.cores if core in self.cores]
        if not chosen:
            return np.full(len(self.stamp_s), np.nan)
        return np.asarray(np.mean([shares[kind] for shares in chosen], axis=0), dtype=np.float64)

    def cpu_pct(self, cores: Sequence[int]) -> Floats:
        """Return User% + Sys% in each snapshot, mean over some cores."""
        return self.share("user", cores) + self.share("system", cores)


def read_snapshots(
    path: Path, clocks: ClockAlignment = ONE_CLOCK, *, started_ns: int | None = None, written_ns: int | None = None
) -> Snapshots:
    """Read the nmon recording of a run, made on the server's clock, its stamps moved to the load generator's.

    nmon stamps whole seconds: they are moved by whole seconds. `written_ns` is when it wrote one of its snapshots, on
    the server's clock; `started_ns` is when the lab began to start it, on the lab's.

    Raises RecordingError when it cannot be read or holds no snapshot.
    """
    recording = read_nmon(path)
    processes = recording.table("PROC")
    stamp_s = (clocks.on_injector(recording.time_ns) + SECOND_NS // 2) // SECOND_NS
    after_stamp_ns = None
    if written_ns is not None and (before := np.flatnonzero(recording.time_ns <= written_ns)).size:
        written = clocks.on_injector(np.array([written_ns]))[0]
        after_stamp_ns = int(written - stamp_s[before[-1]] * SECOND_NS)
        if started_ns is not None and after_stamp_ns < started_ns - stamp_s[0] * SECOND_NS:
            # The first would have been taken before nmon was started: what was written just after a full second was
            # stamped with the second before.
            after_stamp_ns += SECOND_NS
    return Snapshots(
        stamp_s=stamp_s,
        number=recording.snapshots,
        cores={
            core: {kind: _column(recording, table, column) for kind, column in SHARES.items()}
            for core, table in sorted(recording.cores().items())
        },
        pswitch_per_s=_column(recording, processes, "pswitch"),
        after_stamp_ns=after_stamp_ns,
    )


def _column(recording: NmonRecording, table: Table, name: str) -> NDArray[np.float64]:
    return aligned(recording, table, table[name] if name in table.columns else np.full(len(table), np.nan))
