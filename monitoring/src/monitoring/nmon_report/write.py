"""Write the report of some recordings: CSV tables and one page."""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from monitoring.drawing_library import drawing_library
from monitoring.errors import MonitoringError
from monitoring.nmon_recording import NmonRecording
from monitoring.nmon_report.charts import colour, specification
from monitoring.nmon_report.panels import Panel, Style, make_panels
from monitoring.nmon_report.summary import describe_machine, describe_time, figures, format_figure, group_damages
from monitoring.nmon_report.tables import write_tables

PAGE = "index.html"
_MARK = '<meta name="generator" content="monitoring nmon">'


def write_report(recordings: Sequence[NmonRecording], folder: Path, utc_offset_s: int | None = None) -> Path:
    """Write the tables of each recording into a folder of its own below `folder`, and the page; return the page's path.

    `utc_offset_s` says how far the recorded clocks were ahead of UTC (None: as each file tells, if it does). The
    recordings must have been read without an offset. Raises MonitoringError when `folder` holds anything but an
    earlier report.
    """
    _check_folder(folder)
    parts = []
    for name, recording in zip(_names(recordings), recordings, strict=True):
        offset_s = recording.inferred_utc_offset_s if utc_offset_s is None else utc_offset_s
        write_tables(recording, folder / name, offset_s)
        parts.append(_part(name, recording, offset_s))
    page = folder / PAGE
    page.write_text(_page(parts), encoding="utf-8")
    return page


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise MonitoringError(f"{folder} is a file; the report needs a folder")
    page = folder / PAGE
    if folder.is_dir() and any(folder.iterdir()) and not (page.is_file() and _MARK in page.read_text("utf-8")):
        raise MonitoringError(
            f"{folder} holds files that are not an earlier report's; choose another folder with --out"
        )


def _names(recordings: Sequence[NmonRecording]) -> list[str]:
    names: list[str] = []
    for recording in recordings:
        stem = Path(recording.file_name.removesuffix(".gz")).stem
        name, count = stem, 1
        while name in names:
            count += 1
            name = f"{stem}-{count}"
        names.append(name)
    return names


def _part(name: str, recording: NmonRecording, offset_s: int | None) -> dict[str, Any]:
    panels = [_panel(panel) for panel in make_panels(recording)]
    times = recording.time_ns // 1_000_000
    return {
        "name": name,
        "file": recording.name,
        "machine": describe_machine(recording),
        "time": describe_time(recording, offset_s),
        "figures": figures(recording),
        "panels": panels,
        "damages": group_damages(recording.damages),
        "damage_count": len(recording.damages),
        "tables": [(section, len(table)) for section, table in recording.tables.items()],
        "payload": {
            "start_ms": int(times.min()),
            "end_ms": max(int(times.max()), int(times.min()) + 1000),
            "panels": [panel["payload"] for panel in panels],
        },
    }


def _panel(panel: Panel) -> dict[str, Any]:
    gaps = [later - earlier for earlier, later in zip(panel.time_ms.tolist(), panel.time_ms.tolist()[1:], strict=False)]
    usual_ms = sorted(gaps)[len(gaps) // 2] if gaps else 1000
    return {
        "key": panel.key,
        "title": panel.title,
        "unit": panel.unit,
        "note": panel.note,
        "joined": panel.joined,
        "legend": [(series, colour(place)) for place, series in enumerate(panel.series)],
        "listed": panel.style is not Style.CORES,
        "payload": {
            "spec": specification(panel),
            "stacked": panel.style is Style.STACK,
            "usual_ms": usual_ms,
            "time_ms": panel.time_ms.tolist(),
            "segment": panel.segment.tolist(),
            "series": [[_rounded(value) for value in values.tolist()] for values in panel.series.values()],
        },
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.4g}")


def _page(parts: Sequence[Mapping[str, Any]]) -> str:
    payload = [part["payload"] for part in parts]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            mark=_MARK,
            parts=parts,
            payload=json.dumps(payload, separators=(",", ":")).replace("<", "\\u003c"),
            library=drawing_library(),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    """Return what keeps the template once it is compiled."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("monitoring.nmon_report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = format_figure
    return environment
