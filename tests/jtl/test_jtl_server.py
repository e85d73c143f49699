"""`./lab jtl --nmon`: a recording of the server laid beside requests, whatever its clock, disks and interfaces are."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from uploadlab.errors import LabError
from uploadlab.jtl.analysis import JtlAnalysis, analyse
from uploadlab.jtl.result_file import ReadingOptions

TEN = datetime(2024, 7, 1, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BUSY, IDLE = 90.0, 2.0


def load(path: Path, begin: datetime, seconds: int) -> Path:
    """Write a request a second."""
    begin_ms = int(1000 * begin.timestamp())
    lines = [f"{begin_ms + 1000 * number},{50 + number % 7},Home,true" for number in range(seconds)]
    path.write_text("\n".join(["timeStamp,elapsed,label,success", *lines, ""]))
    return path


def recording(
    path: Path, stamps: Sequence[datetime], cpu: Sequence[float], *more: tuple[str, Sequence[str]], boot: str = ""
) -> Path:
    """Write a snapshot at each stamp; `more` are headings of other sections and their values in each snapshot."""
    lines = ["AAA,progname,nmon", "AAA,version,16n", "AAA,OS,Linux,6.1", *boot.splitlines()]
    lines += ["CPU_ALL,CPU Total web1,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs", *(heading for heading, _ in more)]
    for place, stamp in enumerate(stamps):
        number = f"T{place + 1:04d}"
        lines.append(f"ZZZZ,{number},{stamp:%H:%M:%S},{stamp.strftime('%d-%b-%Y').upper()}")
        lines.append(f"CPU_ALL,{number},{cpu[place]:.1f},0.0,0.0,{100 - cpu[place]:.1f},0.0,,4")
        lines += [f"{heading.partition(',')[0]},{number},{values[place]}" for heading, values in more]
    path.write_text("\n".join([*lines, ""]))
    return path


def every_minute(begin: datetime, minutes: int) -> list[datetime]:
    return [begin + MINUTE * minute for minute in range(minutes + 1)]


def booted(local: datetime, ahead: timedelta) -> str:
    """Return what nmon writes of a boot at this time of a clock so far ahead of UTC."""
    written = local.strftime("%I:%M %p %d-%b-%Y")
    return f'AAA,boottime,{written}\nBBBP,001,/proc/stat,"btime {int((local - ahead).timestamp())}"'


def joined(files: Sequence[Path], nmon: Path, offset_s: int | None = None) -> JtlAnalysis:
    return analyse(files, ReadingOptions(), nmon, offset_s)


def cpu_of(found: JtlAnalysis) -> set[object]:
    return {row["cpu_pct"] for row in found.server}


# --- the zone of the recorded clock


def test_a_host_that_booted_before_summer_time_began_is_not_joined_an_hour_off(tmp_path):
    path = load(tmp_path / "r.jtl", datetime(2024, 7, 1, 7, 30, tzinfo=UTC), 3600)
    stamps = every_minute(datetime(2024, 7, 1, 9, tzinfo=UTC), 180)  # of a clock two hours ahead
    cpu = [BUSY if 30 < minute <= 90 else IDLE for minute in range(181)]
    boot = booted(datetime(2024, 1, 10, 9, tzinfo=UTC), timedelta(hours=1))
    nmon = recording(tmp_path / "web1.nmon", stamps, cpu, boot=boot)
    with pytest.raises(LabError, match="say how far it was ahead of UTC with --utc-offset"):
        joined([path], nmon)
    assert cpu_of(joined([path], nmon, 7200)) == {BUSY}


def test_one_recording_has_one_clock_beside_several_files(tmp_path):
    nmon = recording(tmp_path / "web1.nmon", every_minute(TEN, 20), [BUSY] * 21)
    first = load(tmp_path / "b1.jtl", TEN + timedelta(seconds=20), 1150)
    later = load(tmp_path / "b2.jtl", TEN + timedelta(hours=2, seconds=20), 1150)
    with pytest.raises(LabError, match=r"b2\.jtl .* do not overlap with the recorded clock \+00:00 from UTC"):
        joined([first, later], nmon)


# --- a recorded clock that steps


@pytest.mark.parametrize(
    ("stamps", "step"),
    [
        (every_minute(TEN - 120 * MINUTE, 90) + every_minute(TEN - 89 * MINUTE, 180), "3540 s before"),
        (every_minute(TEN - 60 * MINUTE, 90) + every_minute(TEN + 91 * MINUTE, 60), "3660 s after"),
    ],
    ids=["back", "forward"],
)
def test_a_recording_whose_clock_steps_by_an_hour_is_refused(tmp_path, stamps, step):
    path = load(tmp_path / "r.jtl", TEN, 3600)
    nmon = recording(tmp_path / "web1.nmon", stamps, [BUSY] * len(stamps))
    with pytest.raises(LabError, match=rf"web1\.nmon: T0092 is stamped {step} T0091"):
        joined([path], nmon, 0)


# --- disks and network


def test_the_busiest_disk_is_the_one_that_was_busiest_during_the_load(tmp_path):
    path = load(tmp_path / "r.jtl", TEN, 3600)
    stamps = every_minute(TEN - timedelta(hours=2), 300)
    during = [120 < minute <= 180 for minute in range(301)]
    busy = ("DISKBUSY,Disk %Busy web1,sdb,sda", ["0.0,60.0" if now else "95.0,1.0" for now in during])
    read = ("DISKREAD,Disk Read KB/s web1,sdb,sda", ["0.0,2048.0" if now else "9999.0,1.0" for now in during])
    found = joined([path], recording(tmp_path / "web1.nmon", stamps, [BUSY] * 301, busy, read), 0)
    assert {(row["disk_busy_pct"], row["disk_mb_per_s"]) for row in found.server} == {(60.0, 2.0)}


@pytest.mark.parametrize("loopback", ["lo", "lo0"])
def test_the_network_is_the_busiest_interface_and_never_loopback_or_a_sum(tmp_path, loopback):
    path = load(tmp_path / "r.jtl", TEN, 1200)
    names = (loopback, "eth0", "bond0", "eth1")
    heading = ",".join(f"{name}-{direction}-KB/s" for direction in ("read", "write") for name in names)
    values = "9999.0,1024.0,2048.0,1024.0,9999.0,512.0,1024.0,512.0"
    network = (f"NET,Network I/O web1,{heading}", [values] * 21)
    found = joined([path], recording(tmp_path / "web1.nmon", every_minute(TEN, 20), [BUSY] * 21, network), 0)
    assert np.unique([row["net_mb_per_s"] for row in found.server]).tolist() == [3.0]
