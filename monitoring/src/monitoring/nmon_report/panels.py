"""The panels of the page: which figures of a recording are drawn together, over time."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from monitoring.nmon_recording import FloatArray, IntArray, NmonRecording, Table, aligned

MAX_POINTS = 600
MOST_CELLS = 12_000
"""Rectangles of all cores together."""
MOST_SERIES = 6
KB_PER_MB = 1024.0
_MB_PER_GB = 1024.0
_BUSY_NOTE = "The busiest devices. Layers such as dm-0 stand beside the disks they use: never add them up."
_CPU_NOTE = "Wait: idle while disk I/O is outstanding. Steal: taken by the hypervisor for another machine."
_PARTITION = re.compile(r"(?P<disk>.*\d(?=p\d)|.*[a-z](?=\d))p?\d+")  # nvme0n1 and p2, sda and 1
_NETWORK = re.compile(r"(?P<interface>.+?)-(?P<direction>read|write)")


class Style(StrEnum):
    """How a panel is drawn."""

    LINES = "lines"
    STACK = "stack"
    CORES = "cores"


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a panel is called and how it is drawn."""

    key: str
    title: str
    unit: str
    note: str = ""
    style: Style = Style.LINES
    full_scale: float | None = None


@dataclass(frozen=True, kw_only=True)
class Panel(Look):
    """Figures over time, each series (n,) with nan for what is missing.

    `time_ms` (n,) is the recorded host's clock as if it were UTC, `segment` (n,) numbers the stretches without a gap,
    and `joined` says how many snapshots each point is the mean of.
    """

    series: dict[str, FloatArray]
    time_ms: IntArray
    segment: IntArray
    joined: int


def make_panels(recording: NmonRecording) -> list[Panel]:
    """Make every panel the recording has figures for."""
    shares = {"User%": "user", "Sys%": "system", "Wait%": "wait", "Steal%": "steal"}
    cpu = Look(key="cpu", title="CPU, all cores", unit="%", note=_CPU_NOTE, style=Style.STACK, full_scale=100.0)
    waiting = {"Runnable": "runnable", "Blocked": "blocked"}
    busy = Look(key="disk-busy", title="Disks busy", unit="%", note=_BUSY_NOTE, full_scale=100.0)
    found = [
        _named(recording, "CPU_ALL", shares, cpu),
        _cores(recording),
        _switches(recording),
        _named(recording, "PROC", waiting, Look(key="queue", title="Runnable and blocked processes", unit="")),
        _disks(recording, "DISKBUSY", busy),
        _disks(recording, "DISKREAD", Look(key="disk-read", title="Disks read", unit="MiB/s")),
        _disks(recording, "DISKWRITE", Look(key="disk-written", title="Disks written", unit="MiB/s")),
        _network(recording, "read", Look(key="net-received", title="Network received", unit="MiB/s")),
        _network(recording, "write", Look(key="net-sent", title="Network sent", unit="MiB/s")),
        _memory(recording),
    ]
    return [panel for panel in found if panel is not None]


def own_switch_rates(recording: NmonRecording) -> Table | None:
    """Return PROC without the placeholder of the first snapshot, or None when nothing is left."""
    table = recording.tables.get("PROC")
    if table is not None and recording.first_switch_rate_is_placeholder:
        table = table.since_snapshot(2)
    return table if table is not None and len(table) else None


def _panel(recording: NmonRecording, table: Table, series: Mapping[str, FloatArray], look: Look) -> Panel | None:
    known = {name: values for name, values in series.items() if np.isfinite(values).any()}
    if not known:
        return None
    segment = _segments(recording, table)
    points = min(MAX_POINTS, MOST_CELLS // len(known)) if look.style is Style.CORES else MAX_POINTS
    joined = -(-len(table) // points)
    starts = _group_starts(segment, joined)
    return Panel(
        **vars(look),
        series={name: _thinned(values, starts) for name, values in known.items()},
        time_ms=(table.time_ns // 1_000_000)[starts],
        segment=segment[starts],
        joined=joined,
    )


def _segments(recording: NmonRecording, table: Table) -> IntArray:
    """Number the stretches between gaps: a line must not be drawn over time that was not recorded."""
    passed_s = np.diff(table.time_ns) / 1e9
    interval_s = recording.interval_s or (float(np.median(passed_s)) if len(passed_s) else 1.0)
    broken = (passed_s > 1.5 * interval_s + 1) | (passed_s < 0)
    return np.concatenate(([0], np.cumsum(broken))).astype(np.int64)


def _group_starts(segment: IntArray, joined: int) -> IntArray:
    """Return where each group of `joined` neighbours begins; none reaches over the end of a segment."""
    firsts = np.flatnonzero(np.diff(segment, prepend=-1))
    lengths = np.diff(firsts, append=len(segment))
    place = np.arange(len(segment)) - np.repeat(firsts, lengths)
    return np.flatnonzero(place % joined == 0)


def _thinned(values: FloatArray, starts: IntArray) -> FloatArray:
    """Return the mean of each group, leaving missing values out."""
    if len(starts) == len(values):
        return values
    known = np.isfinite(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts)
    counts = np.add.reduceat(known.astype(np.float64), starts)
    means: FloatArray = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
    return means


def _named(recording: NmonRecording, section: str, names: Mapping[str, str], look: Look) -> Panel | None:
    """Return the panel of some columns of a section, by what the page calls them."""
    table = recording.tables.get(section)
    if table is None:
        return None
    series = {label: table[name] for name, label in names.items() if name in table.columns}
    return _panel(recording, table, series, look)


def _cores(recording: NmonRecording) -> Panel | None:
    cores = recording.cores()
    reference = recording.tables.get("CPU_ALL")
    if len(cores) < 2 or reference is None:
        return None
    series = {
        f"core {number}": aligned(reference, table, table["User%"] + table["Sys%"])
        for number, table in sorted(cores.items())
        if {"User%", "Sys%"} <= table.columns.keys()
    }
    look = Look(key="cores", title="Each core, user and system", unit="%", style=Style.CORES, full_scale=100.0)
    return _panel(recording, reference, series, look)


def _switches(recording: NmonRecording) -> Panel | None:
    table = own_switch_rates(recording)
    if table is None or "pswitch" not in table.columns:
        return None
    without_first = "Snapshot 1 is left out: nmon on Linux always writes 0 there."
    note = without_first if recording.first_switch_rate_is_placeholder else ""
    look = Look(key="switches", title="Context switches", unit="/s", note=note)
    return _panel(recording, table, {"switches": table["pswitch"]}, look)


def is_partition(name: str, disks: frozenset[str]) -> bool:
    """Whether `name` is a part of another disk in `disks` (sda1 of sda, nvme0n1p2 of nvme0n1)."""
    match = _PARTITION.fullmatch(name)
    return match is not None and match["disk"] in disks


def busiest_disks(recording: NmonRecording) -> list[str]:
    """Return the disks that were busy for the longest time, at most MOST_SERIES; partitions are left out.

    Between disks that were busy alike, and where the recording does not say how busy they were, those go first that
    moved the most.
    """
    busy = _sums(recording, "DISKBUSY")
    moved = Counter(_sums(recording, "DISKREAD")) + Counter(_sums(recording, "DISKWRITE"))
    names = busy.keys() | moved.keys()
    whole = [name for name in names if not is_partition(name, frozenset(names)) and (busy.get(name) or moved[name])]
    return sorted(whole, key=lambda name: (-busy.get(name, 0.0), -moved[name], name))[:MOST_SERIES]


def _sums(recording: NmonRecording, section: str) -> dict[str, float]:
    """Return the sum of each column, of a section that may go on in others; nothing of one that is not there."""
    if section not in recording.tables:
        return {}
    return {name: float(np.nansum(values)) for name, values in recording.wide_table(section).columns.items()}


def _disks(recording: NmonRecording, section: str, look: Look) -> Panel | None:
    if section not in recording.tables:
        return None
    table, factor = recording.wide_table(section), 1.0 if look.unit == "%" else KB_PER_MB
    series = {name: table[name] / factor for name in busiest_disks(recording) if name in table.columns}
    return _panel(recording, table, series, look)


def network_columns(table: Table, direction: str) -> dict[str, FloatArray]:
    """Return the `direction` ("read" or "write") columns of NET by interface, in KB/s."""
    matches = {name: _NETWORK.match(name) for name in table.columns}
    return {
        match["interface"]: table[name] for name, match in matches.items() if match and match["direction"] == direction
    }


def _network(recording: NmonRecording, direction: str, look: Look) -> Panel | None:
    table = recording.tables.get("NET")
    if table is None:
        return None
    moved: Counter[str] = Counter()
    for either in ("read", "write"):
        moved.update({name: float(np.nansum(values)) for name, values in network_columns(table, either).items()})
    columns = network_columns(table, direction)
    busiest = [name for name, kilobytes in moved.most_common(MOST_SERIES) if kilobytes > 0]
    return _panel(recording, table, {name: columns[name] / KB_PER_MB for name in busiest if name in columns}, look)


def _memory(recording: NmonRecording) -> Panel | None:
    table = recording.tables.get("MEM")
    if table is None:
        return None
    gigabytes = {name: values / _MB_PER_GB for name, values in table.columns.items()}
    if {"memtotal", "memfree", "cached", "buffers"} <= gigabytes.keys():
        total, free = gigabytes["memtotal"], gigabytes["memfree"]
        cache = gigabytes["cached"] + gigabytes["buffers"]
        series = {"in use": total - free - cache, "cache and buffers": cache, "free": free}
    elif {"Real total(MB)", "Real free(MB)"} <= gigabytes.keys():  # AIX
        total, free = gigabytes["Real total(MB)"], gigabytes["Real free(MB)"]
        series = {"in use": total - free, "free": free}
    else:
        return None
    full_scale = float(np.nanmax(total)) if np.isfinite(total).any() else None
    look = Look(key="memory", title="Memory", unit="GiB", style=Style.STACK, full_scale=full_scale)
    return _panel(recording, table, series, look)
