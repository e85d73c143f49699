"""A recording in a few figures."""

import argparse
import re
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from monitoring.nmon_recording import FloatArray, NmonRecording
from monitoring.nmon_report.panels import KB_PER_MB, busiest_disks, network_columns, own_switch_rates


@dataclass(frozen=True, kw_only=True)
class Figure:
    """The mean and the largest value of one figure over the whole recording; `device` names what it is of."""

    name: str
    unit: str
    mean: float
    largest: float
    device: str = ""


def figures(recording: NmonRecording) -> list[Figure]:
    """Return the figures the recording has, in the order of the page."""
    found: list[Figure] = []
    cpu = recording.tables.get("CPU_ALL")
    if cpu is not None and {"User%", "Sys%", "Wait%"} <= cpu.columns.keys():
        _add(found, "CPU", "%", cpu["User%"] + cpu["Sys%"])
        _add(found, "wait", "%", cpu["Wait%"])
        if "Steal%" in cpu.columns:
            _add(found, "steal", "%", cpu["Steal%"])
    processes = own_switch_rates(recording)
    if processes is not None and "pswitch" in processes.columns:
        _add(found, "switches", "/s", processes["pswitch"])
    disks = busiest_disks(recording)
    for section, name, unit, factor in (
        ("DISKBUSY", "disk busy", "%", 1.0),
        ("DISKREAD", "disk read", "MiB/s", KB_PER_MB),
        ("DISKWRITE", "disk written", "MiB/s", KB_PER_MB),
    ):
        if disks and section in recording.tables and disks[0] in (table := recording.wide_table(section)).columns:
            _add(found, name, unit, table[disks[0]] / factor, disks[0])
    network = recording.tables.get("NET")
    for direction, name in (("read", "received"), ("write", "sent")):
        if network is not None:
            columns = network_columns(network, direction)
            interface = max(columns, key=lambda one: float(np.nansum(columns[one])), default=None)
            if interface is not None:
                _add(found, name, "MiB/s", columns[interface] / KB_PER_MB, interface)
    return found


def _add(found: list[Figure], name: str, unit: str, values: FloatArray, device: str = "") -> None:
    if np.isfinite(values).any():
        mean, largest = float(np.nanmean(values)), float(np.nanmax(values))
        found.append(Figure(name=name, unit=unit, mean=mean, largest=largest, device=device))


def describe_machine(recording: NmonRecording) -> str:
    """Return one line about the host: name, system, cores, nmon's version."""
    about = recording.about
    system = f"AIX {about['AIX']}" if recording.system == "AIX" else " ".join(about.get("OS", "").split(",")[:2])
    parts = [about.get("host", ""), system.strip(), _processors(recording), _version(recording)]
    return " · ".join(part for part in parts if part)


def _processors(recording: NmonRecording) -> str:
    """Return how many there are: on AIX `AAA,cpus` is how many there can be, then how many logical ones are online."""
    cpus = recording.about.get("cpus", "").split(",")
    if recording.system == "AIX":
        online = cpus[1] if len(cpus) > 1 else len(recording.cores()) or cpus[0]
        return f"{online} logical processors" if online else ""
    return f"{cpus[0]} cores" if cpus[0] else ""


def _version(recording: NmonRecording) -> str:
    version = recording.about.get("version", "")
    return version if "nmon" in version.lower() else f"nmon {version}".strip()


def describe_time(recording: NmonRecording, utc_offset_s: int | None) -> str:
    """Return one line about when was recorded, by the host's clock."""
    first, last = (datetime.fromtimestamp(int(ns) / 1e9, UTC) for ns in (recording.time_ns[0], recording.time_ns[-1]))
    until = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    interval = f", every {recording.interval_s:g} s" if recording.interval_s else ""
    zone = "time zone unknown" if utc_offset_s is None else f"UTC{format_offset(utc_offset_s)}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {until} ({zone}), {len(recording.snapshots)} snapshots{interval}"


def format_offset(utc_offset_s: int) -> str:
    """Return an offset from UTC as +HH:MM."""
    minutes = abs(utc_offset_s) // 60
    return f"{'-' if utc_offset_s < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def offset_of(text: str) -> int:
    """Return the seconds of an offset such as +05:30 on a command line."""
    match = re.fullmatch(r"([+-])([01]\d):([0-5]\d)", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected an offset such as +05:30, got {text!r}")
    seconds = 3600 * int(match[2]) + 60 * int(match[3])
    return -seconds if match[1] == "-" else seconds


def format_figure(value: float) -> str:
    """Return a figure with three significant digits, thousands apart."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"
