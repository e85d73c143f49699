"""Files of the collectors, as `monitoring` reads them, in the shape the figures need."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.raw.counters import Samples
from analysis.raw.snapshots import Snapshots
from monitoring.clocks import ONE_CLOCK, ClockAlignment
from monitoring.errors import RecordingError
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_recording import NmonRecording, Table
from monitoring.samples_reader import read_samples

SECOND_NS = 1_000_000_000
SHARES = {"user": "User%", "system": "Sys%", "wait": "Wait%", "steal": "Steal%"}
"""Kinds of a core's time, and what nmon calls each."""


def read_snapshots(
    path: Path, clocks: ClockAlignment = ONE_CLOCK, *, started_ns: int | None = None, written_ns: int | None = None
) -> Snapshots:
    """Read the nmon recording of a run, made on the server's clock, its stamps moved to the load generator's.

    nmon stamps whole seconds: they are moved by whole seconds. `written_ns` is when it wrote one of its snapshots, on
    the server's clock; `started_ns` is when the lab began to start it, on the lab's.

    Raises InputError when it cannot be read or holds no snapshot.
    """
    try:
        recording = read_nmon(path)
        processes = recording.table("PROC")
    except RecordingError as error:
        raise InputError(f"{error}.") from None
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


def aligned(recording: NmonRecording, table: Table, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values of a table with one element for each stamped snapshot, NaN where nmon gave none."""
    given = dict(zip(table.snapshots.tolist(), values.tolist(), strict=True))
    return np.array([given.get(number, np.nan) for number in recording.snapshots.tolist()], dtype=np.float64)


def _column(recording: NmonRecording, table: Table, name: str) -> NDArray[np.float64]:
    return aligned(recording, table, table[name] if name in table.columns else np.full(len(table), np.nan))


def read_samples_file(path: Path, clocks: ClockAlignment = ONE_CLOCK) -> Samples:
    """Read a 100 ms sampler's recording; `clocks` moves one of the server's host to the load generator's clock.

    Raises InputError when it cannot be read.
    """
    try:
        samples = read_samples(path)
    except RecordingError as error:
        raise InputError(f"{error}.") from None
    return Samples(
        time_ns=clocks.on_injector(samples["time_ns"]),
        columns={name: values for name, values in samples.items() if name != "time_ns"},
    )
