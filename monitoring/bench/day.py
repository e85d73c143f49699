"""What `./lab nmon` costs for a day of snapshots each second, beside a plain loop over the same lines.

``python monitoring/bench/day.py FOLDER [--snapshots 86400]`` makes the recording from the snapshots of a real one (8
cores, 41 disks; 1.9 KB a snapshot), reports it in a process of its own, and reads it in another with the
least that Python can do: split each line and take what looks like a number for one. FOLDER must not exist; it is left
for the reader to look at and to delete.
"""

import argparse
import os
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path

REAL = Path(__file__).parents[1] / "tests" / "data" / "nmon" / "linux-16g-2s-overwritten.nmon"
WHOLE = range(3, 33)  # snapshots of it
PLAIN_LOOP = """
import sys
columns = {}
for line in open(sys.argv[1]):
    section, snapshot, *values = line.rstrip().split(",")
    if section != "ZZZZ" and snapshot[0] == "T" and snapshot[1:].isdigit():
        rows = columns.setdefault(section, [])
        rows.append([float(value) if value and value[-1].isdigit() else 0.0 for value in values])
"""


def write(path: Path, snapshots: int) -> None:
    """Write a recording of that many snapshots, one a second."""
    lines = REAL.read_text(encoding="utf-8").splitlines()
    parts = [line.split(",", 2) for line in lines]
    taken: dict[str, list[tuple[str, str]]] = {f"T{number:04d}": [] for number in WHOLE}
    for part in parts:
        if part[0] not in ("ZZZZ", "TOP", "ERROR") and len(part) == 3 and part[1] in taken:
            taken[part[1]].append((part[0], part[2]))
    with path.open("w", encoding="utf-8") as file:
        begin = next(place for place, line in enumerate(lines) if line.startswith("ZZZZ"))
        file.writelines(f"{line}\n" for line in lines[:begin] if not line.startswith("AAA,interval"))
        file.write("AAA,interval,1\n")
        file.writelines(f"{line}\n" for line in lines if line.startswith("VM,Paging"))  # nmon names these later
        for number, rows in enumerate(islice(cycle(taken.values()), snapshots), 1):
            clock = f"{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
            file.write(f"ZZZZ,T{number:04d},{clock},{2 + number // 86400:02d}-FEB-2020\n")
            file.writelines(f"{section},T{number:04d},{values}\n" for section, values in rows)


def cpu_seconds(*command: object) -> float:
    """Run a command and return its CPU time."""
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[-1]} failed")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Make the recording, and print what reporting and reading it took."""
    parser = argparse.ArgumentParser(description="What ./lab nmon costs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--snapshots", type=int, default=86_400)
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    path = options.folder / "day.nmon"
    write(path, options.snapshots)
    print(f"{options.snapshots:,} snapshots, {path.stat().st_size / 1e6:.0f} MB")
    ours = cpu_seconds(sys.executable, "-m", "monitoring", "nmon", path, "--out", options.folder / "out")
    plain = cpu_seconds(sys.executable, "-c", PLAIN_LOOP, path)
    print(f"./lab nmon: {ours:.1f} s of CPU time; a plain loop: {plain:.1f} s")


if __name__ == "__main__":
    main()
