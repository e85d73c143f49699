"""Read an nmon file (Linux 13g to 16n, AIX), whatever order or damage its lines have.

The parser is our own because the existing ones take absent values for 0, keep the placeholder of the first snapshot,
or trust the order of lines.
"""

import re
from pathlib import Path

import numpy as np

from monitoring.errors import RecordingError
from monitoring.nmon_lines import SortedLines, parse_stamp, sort_lines
from monitoring.nmon_recording import DamageKind, NmonRecording, Table
from monitoring.nmon_tables import make_table

_NS_PER_S = 1_000_000_000
_MAX_UTC_OFFSET_S = 14 * 3600
_UTC_OFFSET_STEP_S = 15 * 60
_BOOT_TIME = re.compile(r"(\d\d):(\d\d) ([AP])M +(\d\d?)-([A-Za-z]{3})-(\d{4})", re.ASCII)
_BOOT_TIME_SLACK_S = 120  # the boot time is printed in whole minutes


def read_nmon(path: Path, *, utc_offset_s: int = 0) -> NmonRecording:
    """Read the nmon recording at `path`.

    nmon stamps local time without saying which zone; `utc_offset_s` is how far that clock was ahead of UTC (0 for our
    own collector, which records in UTC). Damage that can be survived is listed in the result's `damages`. Raises
    RecordingError with file and line when the file cannot be read, is no nmon recording, or holds no snapshot.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror}") from None
    found = sort_lines(_lines_of(path, data))
    _check_text(found, data)
    if not found.stamps:
        last = data.count(b"\n") + (not data.endswith(b"\n"))
        what = "has no snapshot (no line ZZZZ,T0001,time,date)"
        raise RecordingError(path, last, f"{what}: nmon was ended before its first, or the file is no nmon recording")
    found.stamps = {snapshot: (line, epoch_s - utc_offset_s) for snapshot, (line, epoch_s) in found.stamps.items()}
    system = _system_of(found)
    tables: dict[str, Table] = {}
    for section in found.rows:
        table = make_table(found, section, is_linux=system != "AIX")
        if table is not None:
            tables[section] = table
    if not tables:
        raise RecordingError(path, 1, "has snapshots but no readable row of numbers")
    _check_times(found)
    _check_rows(found, tables)
    snapshots = sorted(found.stamps)
    return NmonRecording(
        path=path,
        about=found.about,
        system=system,
        snapshots=np.array(snapshots, dtype=np.int64),
        time_ns=np.array([found.stamps[snapshot][1] for snapshot in snapshots], dtype=np.int64) * _NS_PER_S,
        tables=tables,
        damages=tuple(sorted(found.damages, key=lambda damage: damage.line)),
        skipped_lines=found.skipped,
        inferred_utc_offset_s=_inferred_utc_offset_s(found),
    )


def _lines_of(path: Path, data: bytes) -> list[str]:
    if not data:
        raise RecordingError(path, 0, "is empty; expected an nmon recording")
    lines = data.decode("utf-8", errors="replace").split("\n")
    if not any(line.startswith(("AAA,", "ZZZZ,T")) for line in lines):
        expected = "expected lines such as AAA,progname,nmon"
        raise RecordingError(path, 1, f"is no nmon recording ({expected}; got {lines[0][:40]!r})")
    return [line.removesuffix("\r") for line in lines[:-1]]  # the last is empty, or cut off


def _check_text(found: SortedLines, data: bytes) -> None:
    lines = data.split(b"\n")
    if lines[-1]:
        sentence = "has no line end: it may be cut off, left out"
        found.report(len(lines), DamageKind.CUT_END, "", sentence)
    for number, line in enumerate(lines[:-1], 1):
        if not line.isascii():
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                found.report(
                    number,
                    DamageKind.UNDECODABLE,
                    "",
                    "has bytes that are no UTF-8 text; shown as \N{REPLACEMENT CHARACTER}",
                )


def _system_of(found: SortedLines) -> str:
    if "AIX" in found.about:
        return "AIX"
    return found.about.get("OS", "").partition(",")[0] or "unknown"


def _check_times(found: SortedLines) -> None:
    snapshots = sorted(found.stamps)
    interval_s = _interval_s(found, snapshots)
    with_rows = {row.snapshot for rows in found.rows.values() for row in rows}
    for before, snapshot in zip([None, *snapshots], snapshots, strict=False):
        line, epoch_s = found.stamps[snapshot]
        if snapshot not in with_rows:
            found.report(line, DamageKind.EMPTY_SNAPSHOT, "ZZZZ", f"T{snapshot:04d} has no rows")
        if before is None:
            continue
        if snapshot > before + 1:
            missing = f"T{before + 1:04d}" + (f" to T{snapshot - 1:04d}" if snapshot > before + 2 else "")
            found.report(line, DamageKind.MISSING_SNAPSHOT, "ZZZZ", f"{missing} not stamped before T{snapshot:04d}")
        passed_s = epoch_s - found.stamps[before][1]
        if passed_s < 0:
            sentence = f"T{snapshot:04d} is stamped {-passed_s} s before T{before:04d}"
            found.report(line, DamageKind.TIME_STEPS_BACK, "ZZZZ", sentence)
        elif interval_s is not None and passed_s > (1.5 * interval_s + 1) * (snapshot - before):
            sentence = f"T{snapshot:04d} comes {passed_s} s after T{before:04d}, at an interval of {interval_s:g} s"
            found.report(line, DamageKind.GAP, "ZZZZ", sentence)


def _interval_s(found: SortedLines, snapshots: list[int]) -> float | None:
    asked = found.about.get("interval", "")
    if asked.isascii() and asked.isdecimal() and int(asked):
        return float(asked)
    if len(snapshots) < 2:
        return None
    return float(np.median(np.diff([found.stamps[snapshot][1] for snapshot in snapshots])))


def _check_rows(found: SortedLines, tables: dict[str, Table]) -> None:
    with_rows = sorted({int(snapshot) for table in tables.values() for snapshot in table.snapshots})
    for section, table in tables.items():
        if section == "TOP":
            continue
        present = set(table.snapshots.tolist())
        missing = [snapshot for snapshot in with_rows if snapshot not in present and snapshot > table.snapshots[0]]
        if missing:
            names = ", ".join(f"T{snapshot:04d}" for snapshot in missing[:5]) + (", ..." if len(missing) > 5 else "")
            sentence = f"{section} has no usable row for {len(missing)} of {len(with_rows)} snapshots: {names}"
            found.report(int(table.lines[-1]), DamageKind.MISSING_ROW, section, sentence)


def _inferred_utc_offset_s(found: SortedLines) -> int | None:
    """Compare the boot time in local time (AAA) with the kernel's in UTC (BBBP); None when either is missing."""
    match = re.fullmatch(
        r"(\d\d):(\d\d) ([AP])M +(\d\d?)-([A-Za-z]{3})-(\d{4})", found.about.get("boottime", ""), re.ASCII
    )
    if match is None or found.boot_epoch_s is None:
        return None
    hour = int(match[1]) % 12 + (12 if match[3] == "P" else 0)
    local_s = parse_stamp(f"{hour:02d}:{match[2]}:00,{int(match[4]):02d}-{match[5].upper()}-{match[6]}")
    if local_s is None:
        return None
    offset_s = local_s - found.boot_epoch_s
    rounded_s = round(offset_s / _UTC_OFFSET_STEP_S) * _UTC_OFFSET_STEP_S
    if abs(offset_s - rounded_s) > _BOOT_TIME_SLACK_S or abs(rounded_s) > _MAX_UTC_OFFSET_S:
        return None
    return rounded_s
