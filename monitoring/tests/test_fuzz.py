"""Damaged recordings by the thousand: a reader raises its one error, or accounts for every line and every value.

The number of damaged files comes from MONITORING_FUZZ_FILES (default below: some 20 s for both readers together).
The first batch of each is read always, the others in ./lab test --all.
"""

import contextlib
import math
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from monitoring.errors import RecordingError
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_recording import DamageKind, NmonRecording
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from monitoring.samples_reader import read_samples

FILES = int(os.environ.get("MONITORING_FUZZ_FILES", "2000"))
BATCHES = 8
DATA = Path(__file__).parent / "data" / "nmon"

DROPPED = {DamageKind.NO_TIMESTAMP, DamageKind.DUPLICATE_ROW, DamageKind.WRONG_LENGTH}
CLEARED = {DamageKind.NOT_A_NUMBER, DamageKind.IMPOSSIBLE_VALUE}
ABSENT = {"", "-nan", "nan", "NaN", "-NaN", "NaNQ"}


def first_snapshots(path: Path) -> bytes:
    """Cut a recording after three snapshots; long texts about the system are left out."""
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"BBB")]
    fourth = next(place for place, line in enumerate(lines) if line.startswith(b"ZZZZ,T0004"))
    return b"".join(lines[:fourth])


RECORDINGS = [first_snapshots(path) for path in sorted(DATA.glob("*.nmon"))]
LINES = [line for recording in RECORDINGS for line in recording.splitlines(keepends=True)]


def damage_lines(data: bytes, chance: random.Random) -> bytes:
    """Damage whole lines, as lost blocks and two writers in one file do."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        place = chance.randrange(len(lines))
        line, other = lines[place], chance.choice(lines)
        lines[place : place + chance.choice((1, 1, 5, 30))] = chance.choice(
            [
                [],
                [line, other],
                [other],
                [chance.choice(LINES), line],
                [line.rstrip(b"\n")],
                [line[chance.randrange(len(line)) :]],
                [re.sub(rb"T\d{4}", b"T%04d" % chance.randrange(6), line)],
                [bytes(chance.choice((1, 200))), line],
            ]
        )
        lines = lines or [b"\n"]
    return b"".join(lines)


def damage_bytes(data: bytes, chance: random.Random) -> bytes:
    """Damage single bytes, mostly to others that a recording is made of; now and then cut the end off."""
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 20))):
        place = chance.randrange(max(1, len(damaged)))
        byte = chance.choice(b"0123456789,,,..--TZ\n\r\x00 enaif_") if chance.random() < 0.8 else chance.randrange(256)
        replaced, by = chance.choice([(1, [byte]), (0, [byte]), (1, []), (10, [])])
        damaged[place : place + replaced] = bytes(by)
    if chance.random() < 0.1:
        del damaged[chance.randrange(len(damaged) + 1) :]
    return bytes(damaged)


def damage(data: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        data = damage_lines(data, chance)
    return damage_bytes(data, chance) if chance.random() < 0.75 else data


def text_lines(data: bytes) -> list[str]:
    """Return the whole lines; what follows the last line end is cut off."""
    return [line.removesuffix("\r") for line in data.decode("utf-8", errors="replace").split("\n")[:-1]]


def accounted_for(path: Path, files: Iterable[bytes], read: Callable, check: Callable) -> int:
    """Read damaged files one after the other; return how many were not refused, and so checked to the last line."""
    read_well = 0
    for data in files:
        path.write_bytes(data)
        with contextlib.suppress(RecordingError):
            recording = read(path)
            check(recording, text_lines(data))
            read_well += 1
    return read_well


EACH_BATCH = pytest.mark.parametrize(
    "batch", [0, *(pytest.param(number, marks=pytest.mark.long) for number in range(1, BATCHES))]
)


# --- nmon


def stamps_of(lines: list[str]) -> dict[int, int]:
    stamps: dict[int, int] = {}
    for line in lines:
        match = re.fullmatch(r"ZZZZ,T(\d{4,9}),(\d\d:\d\d:\d\d,\d\d-[A-Z]{3}-\d{4}),*", line, re.ASCII)
        with contextlib.suppress(ValueError):
            if match and 1970 <= int(match[2][-4:]) <= 2261:
                moment = datetime.strptime(match[2], "%H:%M:%S,%d-%b-%Y").replace(tzinfo=UTC)
                stamps.setdefault(int(match[1]), int(moment.timestamp()) * 10**9)
    return stamps


def data_lines(lines: list[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in lines:
        match = re.match(r"(TOP),[^,]*,T[0-9]{4,9}(?:,|$)|(?!TOP,)([A-Z][A-Za-z0-9_]*),T[0-9]{4,9}(?:,|$)", line)
        section = (match[1] or match[2]) if match else "AAA"
        if not re.fullmatch(r"AAA|BBB[A-Z]?|UARG|ZZZZ|ERROR", section):
            found[section] += 1
    return found


def check_recording(recording: NmonRecording, lines: list[str]) -> None:
    stamps = stamps_of(lines)
    assert dict(zip(recording.snapshots.tolist(), recording.time_ns.tolist(), strict=True)) == stamps
    dropped = Counter(damage.section for damage in recording.damages if damage.kind in DROPPED)
    cleared = Counter(damage.line for damage in recording.damages if damage.kind in CLEARED)
    above_100 = {(damage.line, damage.section) for damage in recording.damages if damage.kind == DamageKind.ABOVE_100}
    for section, count in data_lines(lines).items():
        kept = len(recording.tables[section]) if section in recording.tables else 0
        assert kept + dropped[section] == count, section
    assert recording.tables.keys() <= data_lines(lines).keys()
    for section, table in recording.tables.items():
        names = [*table.columns, *table.texts]
        for row, (line, snapshot) in enumerate(zip(table.lines.tolist(), table.snapshots.tolist(), strict=True)):
            cells = lines[line - 1].split(",")
            number_of = cells.pop(2 if section == "TOP" else 1)
            assert cells.pop(0) == section
            assert int(number_of[1:]) == snapshot
            assert table.time_ns[row] == stamps[snapshot]
            assert len(cells) == len(names) or (len(cells) == len(names) + 1 and not cells[-1])
            if section == "TOP":
                continue  # its texts stand between its numbers
            for name, cell in zip(names, cells, strict=False):
                value, where = table[name][row], (section, line, cell)
                if math.isnan(value):
                    # 0 stands for what MEM writes as -0.0, and is told apart by the sign elsewhere
                    assert cell.strip(" ") in ABSENT or cleared[line] or float(cell) in (-1.0, 0.0), where
                elif (line, section) in above_100 and value == 100:
                    assert float(cell) >= 100, where
                else:
                    assert float(cell) == value, where
    assert all(0 < damage.line <= len(lines) + 1 for damage in recording.damages)


@pytest.mark.slow
@EACH_BATCH
def test_a_damaged_nmon_recording_is_refused_or_fully_accounted_for(tmp_path, batch):
    chance = random.Random(f"nmon {batch}")
    files = (damage(RECORDINGS[number % len(RECORDINGS)], chance) for number in range(FILES // BATCHES))
    read_well = accounted_for(tmp_path / "a.nmon", files, read_nmon, check_recording)
    assert read_well > 0.9 * (FILES // BATCHES)  # or the checks would have had little to do


@pytest.mark.slow
def test_damage_to_one_section_leaves_all_others_as_they_were(tmp_path):
    chance = random.Random("sections")
    path = tmp_path / "a.nmon"
    path.write_bytes(RECORDINGS[4])
    sound = read_nmon(path).tables
    lines = RECORDINGS[4].splitlines(keepends=True)
    rows = [place for place, line in enumerate(lines) if not line.startswith((b"ZZZZ", b"AAA"))]
    for _ in range(FILES // 40):
        place = chance.choice(rows)
        damaged = damage_bytes(lines[place][:-1], chance).replace(b"\n", b"") + b"\n"
        path.write_bytes(b"".join([*lines[:place], damaged, *lines[place + 1 :]]))
        touched = {line.partition(b",")[0].decode(errors="replace") for line in (lines[place], damaged)}
        tables = read_nmon(path).tables
        for section in sound.keys() - touched:
            for name, values in sound[section].columns.items():
                assert values.tobytes() == tables[section][name].tobytes(), (section, damaged)


# --- samples


def sound_samples() -> bytes:
    chance = random.Random("samples")
    totals = [1_795_000_000_000_000_000] + [chance.randrange(10**12) for _ in SAMPLE_COLUMNS[1:]]
    rows = [",".join(SAMPLE_COLUMNS)]
    for _ in range(12):
        totals = [total + chance.randrange(10**8) for total in totals]
        rows.append(",".join("" if place and chance.random() < 0.1 else str(n) for place, n in enumerate(totals)))
    return ("\n".join(rows) + "\n").encode()


def check_samples(samples: dict[str, np.ndarray], lines: list[str]) -> None:
    names = lines[0].split(",")
    whole = (cells for line in lines[1:] if len(cells := line.split(",")) == len(names))
    rows = [dict(zip(names, cells, strict=True)) for cells in whole]
    kept = [row for row in rows if is_number(row["time_ns"]) and int(row["time_ns"]) < 2**63]
    assert samples["time_ns"].tolist() == [int(row["time_ns"]) for row in kept]
    for name in names:
        cells = [row[name] for row in kept]
        for cell, value in zip(cells, samples[name].tolist(), strict=True):
            assert math.isnan(value) if not is_number(cell) else value in (int(cell), float(cell))


def is_number(cell: str) -> bool:
    return re.fullmatch("[0-9]{1,30}", cell) is not None


@pytest.mark.slow
@EACH_BATCH
def test_a_damaged_samples_file_is_refused_or_fully_accounted_for(tmp_path, batch):
    chance = random.Random(f"samples files {batch}")
    sound = sound_samples()
    files = (damage_bytes(sound, chance) for _ in range(FILES // BATCHES))
    assert accounted_for(tmp_path / "a.csv", files, read_samples, check_samples) > 0.8 * (FILES // BATCHES)
