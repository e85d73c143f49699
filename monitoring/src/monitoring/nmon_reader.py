"""Read an nmon file (Linux 13g to 16n, AIX), whatever order or damage its lines have.

The parser is our own because the existing ones take absent values for 0, keep the placeholder of the first snapshot,
or trust the order of lines.
"""

import codecs
import gzip
import re
import zlib
from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import numpy as np

from monitoring.errors import RecordingError, read_bytes
from monitoring.nmon_lines import SortedLines, parse_stamp, sort_lines
from monitoring.nmon_recording import Damage, DamageKind, NmonRecording, Table
from monitoring.nmon_tables import make_table

_GZIP = b"\x1f\x8b"
_STAMPED = re.compile(r"ZZZZ,T(\d{4,9}),", re.ASCII)
_NS_PER_S = 1_000_000_000
_MAX_UTC_OFFSET_S = 14 * 3600
_UTC_OFFSET_STEP_S = 15 * 60
_BOOT_TIME_SLACK_S = 120  # the boot time is printed in whole minutes, and so is the time since
_DAY_S = 86_400


def read_nmon(path: Path) -> NmonRecording:
    """Read the nmon recording at `path`, which may be compressed by gzip.

    nmon stamps local time without saying which zone: times are as if it were UTC, in which our own collector records.
    Damage that can be survived is listed in the result's `damages`. Raises RecordingError with file and line when the
    file cannot be read, is not an nmon recording, holds no snapshot, or holds more than one recording.
    """
    recordings = read_nmon_recordings(path)
    if len(recordings) > 1:
        sentence = f"holds {len(recordings)} recordings, the second from here on; ./lab nmon shows each"
        raise RecordingError(path, recordings[1].first_line, sentence)
    return recordings[0]


def read_nmon_recordings(path: Path) -> list[NmonRecording]:
    """Read all recordings of a file: somebody may have put one behind the other. Otherwise as `read_nmon`."""
    lines, damages = _lines_of(path)
    starts = _starts(lines)
    recordings = []
    for number, (start, end) in enumerate(pairwise([*starts, len(lines)]), 1):
        found = sort_lines(lines[start:end], start + 1)
        if not found.stamps:
            what = "has no snapshot (no line ZZZZ,T0001,time,date)"
            sentence = f"{what}: nmon ended before its first, or the file is not an nmon recording"
            raise RecordingError(path, end, sentence)
        _refuse_decimal_commas(path, found)
        found.damages += [damage for damage in damages if bisect(starts, damage.line - 1) == number]
        recordings.append(_recording(path, found, first_line=start + 1, number=number, of=len(starts)))
    return recordings


def _recording(path: Path, found: SortedLines, *, first_line: int, number: int, of: int) -> NmonRecording:
    system = _system_of(found)
    made = {section: make_table(found, section, is_linux=system != "AIX") for section in found.rows}
    tables = {section: table for section, table in made.items() if table is not None}
    if not tables:
        raise RecordingError(path, first_line, "has snapshots but no readable row of numbers")
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
        inferred_utc_offset_s=_inferred_utc_offset_s(found),
        first_line=first_line,
        number=number,
        of=of,
    )


def _lines_of(path: Path) -> tuple[list[str], list[Damage]]:
    """Return the lines of a file without their ends, and what was wrong with its bytes."""
    data = _content(path)
    if not data:
        raise RecordingError(path, 0, "is empty; expected an nmon recording")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    data = data.removeprefix(codecs.BOM_UTF8)
    damages: list[Damage] = []
    lines = data.decode().split("\n") if data.isascii() else list(_decoded(data.split(b"\n"), damages))
    if not any(line.startswith(("AAA,", "ZZZZ,T")) for line in lines):
        expected = "expected lines such as AAA,progname,nmon"
        raise RecordingError(path, 1, f"is not an nmon recording ({expected}; got {lines[0][:40]!r})")
    if lines.pop():
        damages.append(_damage(len(lines) + 1, DamageKind.CUT_END, "has no line end: it may be cut off, left out"))
    if b"\r" in data:
        lines = [line.removesuffix("\r") for line in lines]
    return lines, damages


def _content(path: Path) -> bytes:
    data = read_bytes(path)
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(path, 0, f"is compressed by gzip and damaged: {error}") from None


def _decoded(raw: list[bytes], damages: list[Damage]) -> Iterator[str]:
    for number, line in enumerate(raw, 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            if number < len(raw):
                damages.append(_damage(number, DamageKind.UNDECODABLE, "is not UTF-8 text; read as Latin-1"))
            yield line.decode("latin-1")


def _damage(line: int, kind: DamageKind, sentence: str) -> Damage:
    return Damage(line=line, kind=kind, section="", sentence=sentence)


def _starts(lines: list[str]) -> list[int]:
    """Return the places of the lines that begin a recording: after them the snapshots are counted from the start again.

    One that only names the program once more begins none: two recorders wrote into the file, or a line is there twice.
    """
    named = [place for place, line in enumerate(lines) if line.startswith("AAA,progname,")]
    starts = [0]
    if len(named) < 2:
        return starts
    for place, end in pairwise([*named, len(lines)]):
        before, after = (_snapshots(lines[first:last]) for first, last in ((starts[-1], place), (place, end)))
        if before and after and min(after) <= min(before):
            starts.append(place)
    return starts


def _snapshots(lines: list[str]) -> list[int]:
    matches = (_STAMPED.match(line) for line in lines if line.startswith("ZZZZ,"))
    return [int(match[1]) for match in matches if match]


def _refuse_decimal_commas(path: Path, found: SortedLines) -> None:
    """Raise when most sections have more values than names, and no number in the file has a decimal point.

    TOP does not count: its commands are text, and may hold points and commas.
    """
    sections = [section for section in found.rows if section != "TOP"]
    if any("." in row.values for section in sections for row in found.rows[section]):
        return
    named = [section for section in sections if section in found.headers]
    wide = [section for section in named if _is_wide(found, section)]
    if 2 * len(wide) <= len(named):
        return
    sentence = (
        f"{wide[0]} has more values than columns, and no number in the file has a decimal point: decimal commas cannot "
        "be told from the commas between values; record again with LC_ALL=C"
    )
    raise RecordingError(path, found.rows[wide[0]][0].line, sentence)


def _is_wide(found: SortedLines, section: str) -> bool:
    names = ",".join(found.headers[section].names).rstrip(",").count(",")
    return all(row.values.rstrip(",").count(",") > names for row in found.rows[section])


def _system_of(found: SortedLines) -> str:
    if "AIX" in found.about:
        return "AIX"
    return found.about.get("OS", "").partition(",")[0] or "unknown"


def _check_times(found: SortedLines) -> None:
    snapshots = sorted(found.stamps)
    interval_s = _interval_s(found, snapshots)
    with_rows = {row.snapshot for rows in found.rows.values() for row in rows}
    for snapshot in snapshots:
        if snapshot not in with_rows:
            found.report(found.stamps[snapshot][0], DamageKind.EMPTY_SNAPSHOT, "ZZZZ", f"T{snapshot:04d} has no rows")
    for before, snapshot in pairwise(snapshots):
        line, epoch_s = found.stamps[snapshot]
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
    with_rows = sorted(set[int]().union(*(table.snapshots.tolist() for table in tables.values())))
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
    """Compare the boot time in local time (AAA) with the kernel's in UTC (BBBP).

    None when either is missing, or the offset may have changed since: somewhere with that offset, it did, and `uptime`
    (BBBP) does not tell otherwise.
    """
    match = re.fullmatch(
        r"(\d\d):(\d\d) ([AP])M +(\d\d?)-([A-Za-z]{3})-(\d{4})", found.about.get("boottime", ""), re.ASCII
    )
    if match is None or found.boot_epoch_s is None:
        return None
    hour = int(match[1]) % 12 + (12 if match[3] == "P" else 0)
    local_s = parse_stamp(f"{hour:02d}:{match[2]}:00,{int(match[4]):02d}-{match[5].upper()}-{match[6]}")
    if local_s is None:
        return None
    offset_s = _utc_offset_s(local_s, found.boot_epoch_s)
    if offset_s is None:
        return None
    known = [(found.boot_epoch_s, offset_s)]
    stamps_s = [epoch_s for _, epoch_s in found.stamps.values()]
    if found.uptime is not None:
        time_s, up_s = found.uptime
        local_s = min(stamps_s) + (time_s - min(stamps_s) + _DAY_S // 2) % _DAY_S - _DAY_S // 2  # the nearest such time
        later_s = _utc_offset_s(local_s, found.boot_epoch_s + up_s)
        if later_s is not None:
            offset_s = later_s
            known.append((found.boot_epoch_s + up_s, offset_s))
    supposed = [(stamp_s - offset_s, offset_s) for stamp_s in (min(stamps_s), max(stamps_s))]
    return offset_s if _holds(known, supposed) else None


def _utc_offset_s(local_s: int, epoch_s: int) -> int | None:
    """Return by how much a local time is ahead of UTC, None where no time zone is by that much."""
    ahead_s = local_s - epoch_s
    rounded_s = round(ahead_s / _UTC_OFFSET_STEP_S) * _UTC_OFFSET_STEP_S
    if abs(ahead_s - rounded_s) > _BOOT_TIME_SLACK_S or abs(rounded_s) > _MAX_UTC_OFFSET_S:
        return None
    return rounded_s


def _holds(known: Sequence[tuple[int, int]], supposed: Sequence[tuple[int, int]]) -> bool:
    """Whether the time zones that had all known offsets from UTC, each with its epoch, had the supposed ones too."""
    alike = [zone for zone in _time_zones() if _had(zone, known)]
    return bool(alike) and all(_had(zone, supposed) for zone in alike)


def _had(zone: ZoneInfo, offsets: Sequence[tuple[int, int]]) -> bool:
    return all(
        datetime.fromtimestamp(at_s, zone).utcoffset() == timedelta(seconds=ahead_s) for at_s, ahead_s in offsets
    )


@cache
def _time_zones() -> tuple[ZoneInfo, ...]:
    return tuple(ZoneInfo(name) for name in sorted(available_timezones()))
