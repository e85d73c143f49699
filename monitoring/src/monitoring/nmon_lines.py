"""What each line of an nmon file is, by its first fields alone: nmon's sections may come in any order."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from monitoring.nmon_recording import Damage, DamageKind

_SNAPSHOT = re.compile(r"T\d{4,9}", re.ASCII)
_SECTION = re.compile(r"[A-Z][A-Za-z0-9_]*")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")  # in any locale
_STAMP = re.compile(r"(\d\d):(\d\d):(\d\d),(\d\d-[A-Z]{3}-\d{4}),*", re.ASCII)
_FIRST_YEAR, _LAST_YEAR = 1970, 2261  # what 64 bits of nanoseconds since the epoch can hold
_UPTIME = re.compile(
    r'\d+,uptime," *(\d\d):(\d\d):(\d\d) up +(?:(\d{1,6}) days?, +)?(?:(\d\d?):(\d\d)|(\d\d?) min), .*', re.ASCII
)
_TEXT_SECTION = re.compile(r"BBB[A-Z]*|UARG")  # BBBVG: AIX's volume groups


class Row(NamedTuple):
    """A line of numbers: where it is, its T number, and the text of its values."""

    line: int
    snapshot: int
    values: str


class Header(NamedTuple):
    """The names of a section's columns."""

    line: int
    title: str
    names: list[str]


@dataclass
class SortedLines:
    """The lines of one file, sorted by what they are."""

    about: dict[str, str] = field(default_factory=dict)
    headers: dict[str, Header] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    stamps: dict[int, tuple[int, int]] = field(default_factory=dict)
    """T number to (line, seconds since the epoch as if the stamp were UTC)."""
    boot_epoch_s: int | None = None
    """The kernel's boot time (UTC), where it was recorded."""
    uptime: tuple[int, int] | None = None
    """What `uptime` said before the first snapshot: the local time, s since midnight, and for how long it was up, s."""
    damages: list[Damage] = field(default_factory=list)

    def report(self, line: int, kind: DamageKind, section: str, sentence: str) -> None:
        """Note a damage."""
        self.damages.append(Damage(line=line, kind=kind, section=section, sentence=sentence))


def parse_stamp(text: str) -> int | None:
    """Parse `HH:MM:SS,DD-MON-YYYY` to seconds since the epoch as if it were UTC; None when it is no time."""
    match = _STAMP.fullmatch(text)
    if match is None:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    midnight_s = _midnight_s(match[4])
    if midnight_s is None or hour > 23 or minute > 59 or second > 59:
        return None
    return midnight_s + 3600 * hour + 60 * minute + second


@cache
def _midnight_s(date: str) -> int | None:
    day, month, year = date.split("-")
    if month not in _MONTHS or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    try:
        moment = datetime(int(year), _MONTHS.index(month) + 1, int(day), tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp())


def sort_lines(lines: list[str], first: int = 1) -> SortedLines:
    """Sort all lines (without their line ends) by what they are; `first` is the number of the first one."""
    found = SortedLines()
    for number, line in enumerate(lines, first):
        section, _, rest = line.partition(",")
        if section == "AAA":
            _take_about(found, rest)
        elif _TEXT_SECTION.fullmatch(section):
            if section == "BBBP" and "btime" in rest:
                _take_boot_time(found, rest)
            elif section == "BBBP" and ",uptime," in rest:
                _take_uptime(found, rest)
        elif section == "ZZZZ":
            _take_stamp(found, number, rest)
        elif section == "ERROR":
            found.report(number, DamageKind.RECORDER_ERROR, section, f"nmon itself reported: {rest}")
        elif section == "TOP":
            _take_top(found, number, rest)
        elif _SECTION.fullmatch(section) and rest:
            _take_section(found, number, section, rest)
        elif line.strip():
            found.report(number, DamageKind.FRAGMENT, "", f"not a line of nmon, left out: {line[:60]!r}")
    return found


def _take_about(found: SortedLines, rest: str) -> None:
    key, _, value = rest.partition(",")
    if key == "x86":
        inner, _, value = value.partition(",")
        key = f"{key},{inner}"
    found.about.setdefault(key, value.strip())


def _take_boot_time(found: SortedLines, rest: str) -> None:
    match = re.search(r'/proc/stat,"btime (\d{1,12})"', rest, re.ASCII)
    if match is not None:
        found.boot_epoch_s = int(match[1])


def _take_uptime(found: SortedLines, rest: str) -> None:
    match = _UPTIME.fullmatch(rest)
    if match is not None:
        hour, minute, second, days, hours, minutes, only_minutes = (int(text or 0) for text in match.groups())
        up_s = 86_400 * days + 3600 * hours + 60 * (minutes + only_minutes)
        found.uptime = 3600 * hour + 60 * minute + second, up_s


def _take_stamp(found: SortedLines, number: int, rest: str) -> None:
    name, _, stamp = rest.partition(",")
    epoch_s = parse_stamp(stamp)
    if not _SNAPSHOT.fullmatch(name) or epoch_s is None:
        found.report(number, DamageKind.BAD_TIMESTAMP, "ZZZZ", f"no snapshot number and time, left out: {rest[:60]!r}")
        return
    snapshot = int(name[1:])
    if snapshot in found.stamps:
        first = found.stamps[snapshot][0]
        found.report(
            number, DamageKind.DUPLICATE_SNAPSHOT, "ZZZZ", f"{name} was already stamped on line {first}, which counts"
        )
        return
    found.stamps[snapshot] = (number, epoch_s)


def _take_section(found: SortedLines, number: int, section: str, rest: str) -> None:
    second, _, values = rest.partition(",")
    if _SNAPSHOT.fullmatch(second):
        found.rows.setdefault(section, []).append(Row(number, int(second[1:]), values))
        return
    _take_header(found, number, section, Header(number, second, values.split(",") if values else []))


def _take_header(found: SortedLines, number: int, section: str, header: Header) -> None:
    known = found.headers.get(section)
    if known is None:
        found.headers[section] = header
    elif (known.title, known.names) != (header.title, header.names):
        sentence = f"{section} has other columns than on line {known.line}; those count"
        found.report(number, DamageKind.HEADER_CHANGED, section, sentence)


def _take_top(found: SortedLines, number: int, rest: str) -> None:
    pid, _, after = rest.partition(",")
    snapshot, _, values = after.partition(",")
    if _SNAPSHOT.fullmatch(snapshot):
        found.rows.setdefault("TOP", []).append(Row(number, int(snapshot[1:]), f"{pid},{values}"))
    elif pid == "+PID":
        _take_header(found, number, "TOP", Header(number, "Top processes", ["PID", *values.split(",")]))
    elif not pid.startswith("%CPU"):
        found.report(number, DamageKind.FRAGMENT, "TOP", f"not a line of nmon, left out: {rest[:60]!r}")
