"""A recording of the server (nmon) beside the requests, on one clock: what it was doing while they were slow.

The correlations are over nmon's snapshots. Neighbouring snapshots are alike, so that there are fewer independent ones
than snapshots: n (1 - a b) / (1 + a b), with the lag-1 autocorrelations a and b of the two series (Bartlett, Journal
of the Royal Statistical Society 98, 1935), enters Fisher's interval in place of n.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monitoring.errors import RecordingError
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_recording import NmonRecording, Table, aligned
from monitoring.nmon_report.panels import network_columns
from uploadlab.errors import LabError
from uploadlab.jtl.figures import origin_us, seconds_spanned
from uploadlab.jtl.result_file import ResultFile
from uploadlab.metrics.figures import finite
from uploadlab.statistics.correlations import fisher_interval, lag_1, pearson_r, spearman_rho
from uploadlab.table_file import Value

SECOND_US = 1_000_000
ZONE_STEP_S = 900
SLACK_S = 60  # by which a change of the zone is told from a pause or a clock that is set
ZONES_S = range(-12 * 3600, 14 * 3600 + 1, ZONE_STEP_S)
LEAST_SHARE = 0.5  # of the load, that a recording must cover where nobody said its zone
FEWEST_SNAPSHOTS = 8
LOOPBACK = re.compile(r"lo\d*", re.ASCII)
OUTCOMES = ("mean_ms", "cv", "p99_ms")
SERIES = (
    "cpu_pct", "wait_pct", "steal_pct", "switches_per_s", "run_queue", "disk_busy_pct", "disk_mb_per_s", "net_mb_per_s",
)  # fmt: skip
SERVER_COLUMNS = ("file", "from_s", "to_s", "requests", *OUTCOMES, *SERIES)
CORRELATION_COLUMNS = (
    "file", "y", "indicator", "n", "n_independent", "pearson", "lo", "hi", "spearman",
)  # fmt: skip
Floats = NDArray[np.float64]
Row = dict[str, Value]


@dataclass(frozen=True, kw_only=True)
class Joined:
    """A recording laid beside one result file."""

    rows: list[Row]
    """One a snapshot that lies whole inside the load."""
    correlations: list[Row]
    spread: Mapping[int, Row]
    """For each second since the first start the figures of the snapshot that covers it."""
    offset_s: int
    """How far the recorded clock was ahead of the file's."""
    notes: tuple[str, ...]


def read_recording(path: Path) -> NmonRecording:
    """Read an nmon recording; raises LabError, one sentence, where it cannot be read or its clock changed zones."""
    try:
        recording = read_nmon(path)
    except RecordingError as error:
        raise LabError(f"{str(error).rstrip('.')}.") from None
    _refuse_clock_steps(recording)
    return recording


def _refuse_clock_steps(recording: NmonRecording) -> None:
    """Raise where one offset from UTC cannot hold for the whole recording: it says an hour twice, or leaves one out."""
    usual_s = _usual_step_us(recording) / SECOND_US
    for place in np.flatnonzero(np.diff(recording.snapshots) == 1).tolist():
        passed_s = int(recording.time_ns[place + 1] - recording.time_ns[place]) // 10**9
        step_s = passed_s - usual_s
        if step_s < SLACK_S - ZONE_STEP_S or abs(step_s - 3600) <= SLACK_S:
            before, after = recording.snapshots[place : place + 2].tolist()
            raise LabError(
                f"{recording.path}: T{after:04d} is stamped {abs(passed_s)} s {'after' if passed_s > 0 else 'before'} "
                f"T{before:04d}, as when summer time begins or ends: expected a clock with one offset from UTC. Keep "
                f"the file's first lines and the snapshots up to T{before:04d}, or those from T{after:04d} on."
            )


def join(file: ResultFile, recording: NmonRecording, utc_offset_s: int | None) -> Joined:
    """Lay a recording beside a result file.

    Parameters
    ----------
    utc_offset_s
        How far the recorded clock was ahead of the file's (of UTC, where the file has epochs); None: as the recording
        says, if it then covers half of the load; else the one zone in which it covers the whole load (or half of it,
        where no zone does better).

    Raises
    ------
    LabError
        When the file has no times, or the recording does not cover the load, or more than one zone would do.
    """
    if seconds_spanned(file) is None:
        raise LabError(f"{file.path} has no timeStamp: a recording cannot be joined to it.")
    begin_us = origin_us(file)
    end_us = int(file.one("SELECT max(start_us + elapsed_us) FROM counted")[0])
    offset_s, notes = _offset(file, recording, utc_offset_s, (begin_us, end_us))
    if damages := recording.damages:
        notes.append(
            f"Damaged places in the recording: {len(damages):,}, the first on line {damages[0].line}. What is doubtful "
            "there is left out; ./lab nmon lists them."
        )
    stamps_us = recording.time_ns // 1000 - offset_s * SECOND_US
    order = np.argsort(stamps_us, kind="stable")
    stamps_us, numbers = stamps_us[order], recording.snapshots[order]
    # nmon stamps whole seconds: a snapshot may begin or end up to one later.
    inside = np.zeros(len(order), dtype=np.bool_)
    inside[1:] = (
        (np.diff(numbers) == 1) & (stamps_us[:-1] >= begin_us - SECOND_US) & (stamps_us[1:] <= end_us + SECOND_US)
    )
    series = {name: values[order] for name, values in _series(recording, numbers[inside]).items()}
    rows: list[Row] = []
    spread: dict[int, Row] = {}
    outcomes = _outcomes(file, stamps_us)
    for place in range(1, len(stamps_us)):
        low, high = int(stamps_us[place - 1]), int(stamps_us[place])
        figures: Row = {name: finite(values[place]) for name, values in series.items()}
        for second in range(max(0, (low - begin_us) // SECOND_US), min((high - begin_us) // SECOND_US, 10**6)):
            spread[second] = figures
        if inside[place]:
            found = outcomes.get(place, {"requests": 0})
            span: Row = {"from_s": (low - begin_us) / SECOND_US, "to_s": (high - begin_us) / SECOND_US}
            rows.append({"file": file.name, **span, **found, **figures})
    if len(rows) < FEWEST_SNAPSHOTS:
        notes.append(f"Only {len(rows)} snapshots lie entirely inside the load; correlations need {FEWEST_SNAPSHOTS}.")
    return Joined(
        rows=rows, correlations=_correlations(file.name, rows), spread=spread, offset_s=offset_s, notes=tuple(notes)
    )


def _offset(
    file: ResultFile, recording: NmonRecording, given_s: int | None, load_us: tuple[int, int]
) -> tuple[int, list[str]]:
    known = given_s if given_s is not None else None if file.dated else recording.inferred_utc_offset_s
    first, last = int(recording.time_ns.min()) // 1000, int(recording.time_ns.max()) // 1000
    covering: list[int] = []
    if known is None:
        covering = _covering_zones(load_us, first, last, _usual_step_us(recording))
    elif (share := _covered(load_us, first, last, known)) >= LEAST_SHARE or (share > 0 and given_s is not None):
        by_boot = (
            f"The recording says when its host booted, which puts its clock {_signed(known)} from UTC: every time zone "
            "that fits what it says had that offset then."
        )
        return known, [] if given_s is not None else [by_boot]
    elif share > 0:
        raise LabError(
            f"{recording.path}: by its boot time its clock was {_signed(known)} from UTC, and it covers only "
            f"{share:.0%} of the load of {file.path}: if that is right, say --utc-offset {_signed(known)}."
        )
    if len(covering) == 1:
        only = f"{_signed(covering[0])} from UTC is the only one in which it covers the load."
        return covering[0], [f"The recording does not say the zone of its clock: {only}"]
    if covering:
        raise LabError(
            f"{recording.path}: the zone of its clock is not known, and it covers the load in more than one: say how "
            f"far it was ahead of UTC with --utc-offset, such as --utc-offset +00:00 ({_signed(covering[0])} to "
            f"{_signed(covering[-1])} would do)."
        )
    raise LabError(
        f"{recording.path} was recorded from {_clock(first)} to {_clock(last)} by its own clock; {file.path} has "
        f"requests from {_clock(load_us[0])} to {_clock(load_us[1])}{'' if file.dated else ' UTC'}: they do not overlap"
        f"{'' if known is None else f' with the recorded clock {_signed(known)} from UTC'}."
    )


def _covering_zones(load_us: tuple[int, int], first_us: int, last_us: int, slack_us: int) -> list[int]:
    """Return the zones in which a recording covers the load whole; where there is none, those with half of it."""
    whole = [
        zone
        for zone in ZONES_S
        if first_us - zone * SECOND_US <= load_us[0] + slack_us and last_us - zone * SECOND_US >= load_us[1] - slack_us
    ]
    return whole or [zone for zone in ZONES_S if _covered(load_us, first_us, last_us, zone) >= LEAST_SHARE]


def _usual_step_us(recording: NmonRecording) -> int:
    passed_ns = np.abs(np.diff(recording.time_ns))
    return int(np.median(passed_ns)) // 1000 if len(passed_ns) else 0


def _covered(load_us: tuple[int, int], first_us: int, last_us: int, zone_s: int) -> float:
    """Return the share of the load that a recording covers, its clock being so far ahead."""
    low, high = first_us - zone_s * SECOND_US, last_us - zone_s * SECOND_US
    length = max(1, load_us[1] - load_us[0])
    return max(0, min(high, load_us[1]) - max(low, load_us[0])) / length


def _outcomes(file: ResultFile, stamps_us: NDArray[np.int64]) -> dict[int, Row]:
    """Return the requests that ended in each snapshot: after the stamp before it, up to its own."""
    file.database.execute("CREATE OR REPLACE TEMP TABLE stamp (at_us BIGINT, place INTEGER)")
    file.database.execute(
        "INSERT INTO stamp SELECT unnest(?), unnest(?)", [stamps_us.tolist(), list(range(len(stamps_us)))]
    )
    rows = file.database.execute(
        """
        SELECT stamp.place, count(*), avg(elapsed_us), stddev_samp(elapsed_us), quantile_disc(elapsed_us, 0.99)
        FROM (SELECT start_us + elapsed_us - 1 AS end_us, elapsed_us FROM counted) AS ended
        ASOF JOIN stamp ON ended.end_us < stamp.at_us GROUP BY stamp.place
        """
    ).fetchall()
    return {
        place: {
            "requests": n,
            "mean_ms": mean / 1000,
            "cv": sd / mean if sd is not None and mean else None,
            "p99_ms": p99 / 1000,
        }
        for place, n, mean, sd, p99 in rows
    }


def _series(recording: NmonRecording, during: NDArray[np.int64]) -> dict[str, Floats]:
    """Return the server's figures for each stamped snapshot; `during` are the snapshots that lie inside the load."""
    tables = recording.tables
    found: dict[str, Floats] = {}
    if cpu := tables.get("CPU_ALL"):
        found["cpu_pct"] = aligned(recording, cpu, _sum(cpu, ("User%", "Sys%")))
        found["wait_pct"] = aligned(recording, cpu, _sum(cpu, ("Wait%",)))
        found["steal_pct"] = aligned(recording, cpu, _sum(cpu, ("Steal%",)))
    if processes := tables.get("PROC"):
        switches = aligned(recording, processes, _sum(processes, ("pswitch",)))
        if recording.first_switch_rate_is_placeholder:
            switches[recording.snapshots == 1] = np.nan
        found["switches_per_s"] = switches
        found["run_queue"] = aligned(recording, processes, _sum(processes, ("Runnable",)))
    if "DISKBUSY" in tables:
        busy = recording.wide_table("DISKBUSY")
        disk = _busiest(busy, busy.columns, during)
        if disk is not None:
            found["disk_busy_pct"] = aligned(recording, busy, busy[disk])
            moved = [
                aligned(recording, table, table[disk])
                for section in ("DISKREAD", "DISKWRITE")
                if section in tables and disk in (table := recording.wide_table(section)).columns
            ]
            if moved:
                found["disk_mb_per_s"] = np.asarray(sum(moved) / 1024, dtype=np.float64)
    if network := tables.get("NET"):
        read, written = (network_columns(network, direction) for direction in ("read", "write"))
        there = [name for name in read if name in written and not LOOPBACK.fullmatch(name)]
        traffic = {name: read[name] + written[name] for name in there}
        # Not the sum: a bond, a bridge and what is below it move the same bytes.
        interface = _busiest(network, traffic, during)
        if interface is not None:
            found["net_mb_per_s"] = aligned(recording, network, traffic[interface]) / 1024
    return {name: values for name, values in found.items() if np.isfinite(values).any()}


def _sum(table: Table, columns: Sequence[str]) -> Floats:
    there = [table[name] for name in columns if name in table.columns]
    if len(there) < len(columns):
        return np.full(len(table), np.nan)
    return np.asarray(np.sum(there, axis=0), dtype=np.float64)


def _busiest(table: Table, columns: Mapping[str, Floats], during: NDArray[np.int64]) -> str | None:
    """Return the device with the largest mean during the load; over the whole recording, where no snapshot lies in."""
    counted = np.isin(table.snapshots, during)
    where = counted if counted.any() else ~counted
    return max(columns, key=lambda name: _mean(columns[name][where]), default=None)


def _mean(values: Floats) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else -math.inf


def _correlations(name: str, rows: Sequence[Row]) -> list[Row]:
    """Correlate each series of the server with each outcome over the snapshots that have both."""
    found: list[Row] = []
    for outcome in OUTCOMES:
        for indicator in SERIES:
            pairs = [
                (there, here)
                for row in rows
                if isinstance(there := row.get(indicator), float) and isinstance(here := row.get(outcome), float)
            ]
            if len(pairs) < FEWEST_SNAPSHOTS:
                continue
            x, y = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            r = pearson_r(x, y)
            if r is None:
                continue
            independent = _independent(x, y)
            lo, hi = fisher_interval(r, max(0, math.floor(independent)))
            found.append(
                {
                    "file": name,
                    "y": outcome,
                    "indicator": indicator,
                    "n": len(pairs),
                    "n_independent": independent,
                    "pearson": r,
                    "lo": lo,
                    "hi": hi,
                    "spearman": spearman_rho(x, y),
                }
            )
    return sorted(found, key=lambda row: (OUTCOMES.index(str(row["y"])), -abs(float(str(row["pearson"])))))


def _independent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return how many independent pairs two series are worth (see the module's first lines)."""
    product = max(0.0, lag_1(x) * lag_1(y))
    return len(x) * (1 - product) / (1 + product)


def _signed(seconds: int) -> str:
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _clock(moment_us: int) -> str:
    return datetime.fromtimestamp(moment_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")
