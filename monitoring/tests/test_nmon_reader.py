"""The nmon reader against real recordings with known figures, and against every kind of damage."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from monitoring.errors import RecordingError
from monitoring.nmon_reader import read_nmon, read_nmon_recordings
from monitoring.nmon_recording import DamageKind, NmonRecording

DATA = Path(__file__).parent / "data" / "nmon"

LINUX = """\
AAA,progname,nmon
AAA,version,16n
AAA,OS,Linux,6.1.0,#1 SMP,x86_64
AAA,interval,1
AAA,boottime,05:17 PM 28-Jan-2020
BBBP,001,/proc/stat,"btime 1580212023"
CPU001,CPU 1 host,User%,Sys%,Wait%,Idle%,Steal%
CPU_ALL,CPU Total host,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs
MEM,Memory MB host,memtotal,hightotal,memfree
PROC,Processes host,Runnable,Blocked,pswitch,syscall,fork
NET,Network I/O host,lo-read-KB/s,eth0-read-KB/s,lo-write-KB/s,eth0-write-KB/s,
DISKBUSY,Disk %Busy host,sda,sdb
JFSFILE,JFS Filespace %Used host,/,/run
ZZZZ,T0001,23:59:59,31-DEC-2019
CPU001,T0001,10.0,5.0,1.0,84.0,0.0
CPU_ALL,T0001,10.0,5.0,1.0,84.0,0.0,,1
MEM,T0001,1000.0,-0.0,500.0
PROC,T0001,1,0,0.0,-1.0,0.0
NET,T0001,1.0,2.0,3.0,4.0,
DISKBUSY,T0001,0.0,50.0
JFSFILE,T0001,8.3,-nan
ZZZZ,T0002,00:00:00,01-JAN-2020
CPU001,T0002,20.0,5.0,1.0,74.0,0.0
CPU_ALL,T0002,20.0,5.0,1.0,74.0,0.0,,1
MEM,T0002,1000.0,-0.0,400.0
PROC,T0002,2,1,1234.5,-1.0,3.0
NET,T0002,5.0,6.0,7.0,8.0,
DISKBUSY,T0002,0.0,60.0
JFSFILE,T0002,8.4,0.1
"""

AGAIN = "ZZZZ,T0002,00:00:09,01-JAN-2020"
NEXT = "ZZZZ,T0003,00:00:01,01-JAN-2020"

Read = Callable[[str], NmonRecording]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write_and_read(text: str) -> NmonRecording:
        path = tmp_path / "a.nmon"
        path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        return read_nmon(path)

    return write_and_read


def damages_of(recording: NmonRecording, kind: DamageKind) -> list[tuple[int, str]]:
    return [(damage.line, damage.section) for damage in recording.damages if damage.kind == kind]


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.startswith(start))


# --- real recordings


@pytest.mark.parametrize(
    ("name", "snapshots", "user", "system", "wait", "pswitch", "pswitch_since_2", "pswitch_max"),
    [
        ("linux-13g-1s-120", 120, 9.5675, 5.3958, 10.0442, 8618.1050, 8690.5261, 191180.6),
        ("linux-14g-10s-killed-pair", 13, 1.1692, 1.3308, 0.0, 21985.2385, 23817.3417, 24337.4),
        ("linux-15h-30s-danglingzzzz", 47, 24.0234, 4.9489, 3.1532, 8018.7106, 8193.0304, 16991.3),
        ("aix-6.1.6-5s-dupnetsize", 30, 8.7833, 11.8233, 0.5733, 7763.7667, 7970.2069, 22471.0),
    ],
)
def test_the_means_of_a_real_recording_agree_to_four_decimals(
    name, snapshots, user, system, wait, pswitch, pswitch_since_2, pswitch_max
):
    recording = read_nmon(DATA / f"{name}.nmon")
    cpu, processes = recording.table("CPU_ALL"), recording.table("PROC")
    assert len(cpu) == len(processes) == snapshots
    means = [round(float(cpu[name].mean()), 4) for name in ("User%", "Sys%", "Wait%")]
    assert means == [user, system, wait]
    assert round(float(processes["pswitch"].mean()), 4) == pswitch
    assert round(float(processes.since_snapshot(2)["pswitch"].mean()), 4) == pswitch_since_2
    assert processes["pswitch"].max() == pswitch_max


def test_the_overwritten_recording_keeps_what_has_a_time_and_reports_the_rest():
    recording = read_nmon(DATA / "linux-16g-2s-overwritten.nmon")
    assert len(recording.snapshots) == len(recording.table("CPU_ALL")) == 26
    assert 25 not in recording.snapshots
    # The row of T0025 that is left out stands in the file; with it the means are those of all 27 rows.
    left_out = {"User%": 1.4, "Sys%": 0.8, "Wait%": 0.0}
    for (column, value), mean in zip(left_out.items(), (0.7593, 0.3704, 0.4852), strict=True):
        assert round((float(recording.table("CPU_ALL")[column].sum()) + value) / 27, 4) == mean
    assert damages_of(recording, DamageKind.FRAGMENT) == [(1528, "")]
    assert len(damages_of(recording, DamageKind.NO_TIMESTAMP)) == 20
    assert damages_of(recording, DamageKind.TIME_STEPS_BACK) == [(1549, "ZZZZ")]
    assert damages_of(recording, DamageKind.MISSING_SNAPSHOT) == [(1549, "ZZZZ")]
    assert int(np.diff(recording.time_ns).min()) == -4_000_000_000
    assert recording.inferred_utc_offset_s == 5.5 * 3600


def test_a_stall_of_the_13g_recording_is_reported_and_its_absent_values_are_missing():
    recording = read_nmon(DATA / "linux-13g-1s-120.nmon")
    assert len(damages_of(recording, DamageKind.GAP)) == 2
    assert int(np.diff(recording.time_ns).max()) == 4_000_000_000
    assert np.isnan(recording.table("PROC")["Swap-in"]).all()
    unmounted = recording.table("JFSFILE")["/run/rpc_pipefs"]
    assert len(unmounted) == 120
    assert np.isnan(unmounted).all()
    assert "DGBUSY" not in recording.tables
    assert "Steal%" not in recording.table("CPU_ALL").columns
    impossible = {section for _, section in damages_of(recording, DamageKind.IMPOSSIBLE_VALUE)}
    assert impossible == {"VM"}  # counters that stepped back


def test_doubled_rows_of_the_aix_recording_count_once_and_its_first_switch_rate_is_real():
    recording = read_nmon(DATA / "aix-6.1.6-5s-dupnetsize.nmon")
    doubled = damages_of(recording, DamageKind.DUPLICATE_ROW)
    assert len(doubled) == 30
    assert {section for _, section in doubled} == {"NETSIZE"}
    assert len(recording.table("NETSIZE")) == 30
    assert recording.system == "AIX"
    assert not recording.first_switch_rate_is_placeholder
    assert recording.table("PROC")["pswitch"][0] == 1777
    assert read_nmon(DATA / "linux-14g-10s-killed-pair.nmon").first_switch_rate_is_placeholder


def test_two_real_recordings_in_one_file_are_read_apart_and_never_as_one(tmp_path):
    first, second = DATA / "linux-13g-1s-120.nmon", DATA / "linux-14g-10s-killed-pair.nmon"
    path = tmp_path / "a.nmon"
    path.write_bytes(first.read_bytes() + second.read_bytes())
    start = first.read_bytes().count(b"\n")
    one, other = read_nmon_recordings(path)
    for recording, alone, before in ((one, read_nmon(first), 0), (other, read_nmon(second), start)):
        assert_same(recording, alone)
        assert [damage.line - before for damage in recording.damages] == [damage.line for damage in alone.damages]
    assert (one.name, other.name, other.first_line) == ("a.nmon (1 of 2)", "a.nmon (2 of 2)", start + 1)
    with pytest.raises(RecordingError, match=rf"a\.nmon:{start + 1}: holds 2 recordings, the second from here on"):
        read_nmon(path)


# --- a healthy recording, by hand


def test_a_healthy_recording_has_no_damage_and_exact_values(read):
    recording = read(LINUX)
    assert recording.damages == ()
    assert recording.snapshots.tolist() == [1, 2]
    assert recording.time_ns.tolist() == [1577836799 * 10**9, 1577836800 * 10**9]  # over midnight and New Year
    assert recording.table("PROC")["pswitch"].tolist() == [0.0, 1234.5]
    assert recording.table("NET")["eth0-write-KB/s"].tolist() == [4.0, 8.0]
    assert recording.cores()[0]["User%"].tolist() == [10.0, 20.0]
    assert recording.interval_s == 1.0
    assert recording.about["version"] == "16n"


def test_absent_values_are_missing_and_never_zero(read):
    recording = read(LINUX)
    assert np.isnan(recording.table("PROC")["syscall"]).all()  # -1.0
    assert np.isnan(recording.table("MEM")["hightotal"]).all()  # -0.0
    assert np.isnan(recording.table("CPU_ALL")["Busy"]).all()  # empty
    assert np.isnan(recording.table("JFSFILE")["/run"]).tolist() == [True, False]  # -nan


@pytest.mark.parametrize(
    ("boot", "uptime", "first", "second", "offset_s"),
    [
        ("09", "", "10:00:00,31-JAN-2024", "10:00:01,31-JAN-2024", 3600),
        ("09", "", "10:00:00,01-JUL-2024", "10:00:01,01-JUL-2024", None),  # in Berlin two hours by now, in Lagos one
        ("08", "09:59:59 up 163 days,  1:59", "10:00:00,01-JUL-2024", "10:00:01,01-JUL-2024", 0),  # not London's summer
        ("08", "10:59:59 up 163 days,  1:59", "11:00:00,01-JUL-2024", "11:00:01,01-JUL-2024", 3600),  # London's
        ("08", "23:59:59 up 163 days, 15:59", "00:00:00,02-JUL-2024", "00:00:01,02-JUL-2024", 0),
        ("08", "08:05:01 up 163 days, 5 min", "08:05:02,01-JUL-2024", "08:05:03,01-JUL-2024", 0),
        ("08", "10:59:59 up 163 days,  1:59", "11:00:00,01-JUL-2024", "11:00:01,01-DEC-2024", None),
        ("08", "10:20:59 up 163 days,  1:59", "10:21:00,01-JUL-2024", "10:21:01,01-JUL-2024", None),  # none has 20 min
    ],
)
def test_the_offset_of_the_boot_time_or_of_uptime_counts_while_no_zone_that_had_it_has_another(
    read, boot, uptime, first, second, offset_s
):
    text = LINUX.replace("05:17 PM 28-Jan-2020", f"{boot}:00 AM 20-Jan-2024").replace("1580212023", "1705737600")
    text = text.replace("23:59:59,31-DEC-2019", first).replace("00:00:00,01-JAN-2020", second)
    said = f'BBBP,002,uptime," {uptime},  1 user,  load average: 0.05, 0.07, 0.01"\n' if uptime else ""
    assert read(text.replace("CPU001,CPU 1", f"{said}CPU001,CPU 1")).inferred_utc_offset_s == offset_s


def assert_same(one: NmonRecording, other: NmonRecording) -> None:
    assert one.tables.keys() == other.tables.keys()
    for section, table in one.tables.items():
        assert (table.time_ns == other.tables[section].time_ns).all()
        for name, values in table.columns.items():
            np.testing.assert_array_equal(values, other.tables[section][name])


@pytest.mark.parametrize(
    "content",
    [
        LINUX.replace("\n", "\r\n").encode(),
        LINUX.replace("\n", "\r").encode(),
        LINUX.replace("\n", "\r\n", 12).encode(),
        f"\ufeff{LINUX}".encode(),
        gzip.compress(LINUX.encode()),
    ],
    ids=["as on Windows", "as on an old Mac", "mixed", "with a byte order mark", "compressed"],
)
def test_a_recording_that_is_written_otherwise_reads_the_same(tmp_path, read, content):
    path = tmp_path / "b.nmon"
    path.write_bytes(content)
    assert_same(read_nmon(path), read(LINUX))
    assert read_nmon(path).damages == ()


def test_a_disk_that_was_busy_for_longer_than_the_interval_was_busy_all_the_time(read):
    busy = read(LINUX.replace("0.0,60.0", "0.0,101.00")).table("DISKBUSY")
    assert busy["sdb"].tolist() == [50.0, 100.0]
    # 17.12 without the eleven samples of 101.00, which are a seventh of all its busy time
    assert np.mean(read_nmon(DATA / "linux-13g-1s-120.nmon").table("DISKBUSY")["sde"]) == pytest.approx(24.715)


@pytest.mark.parametrize("value", ["18446744073709551615.0", str(2**63), str(2**53)])
def test_a_counter_that_stepped_back_is_no_rate(read, value):
    recording = read(LINUX.replace("5.0,6.0,7.0,8.0,", f"5.0,{value},7.0,8.0,"))
    assert np.isnan(recording.table("NET")["eth0-read-KB/s"]).tolist() == [False, True]
    assert damages_of(recording, DamageKind.IMPOSSIBLE_VALUE) == [(line_of(LINUX, "NET,T0002"), "NET")]


def test_one_bad_cell_among_thousands_of_rows_is_the_only_one_that_is_lost(tmp_path):
    path = tmp_path / "wide.nmon"
    write_wide_recording(path, snapshots=1200, disks=151)
    sound = read_nmon(path).table("DISKREAD")
    row = next(line for line in path.read_text().splitlines() if line.startswith("DISKREAD,T0777,"))
    path.write_text(path.read_text().replace(row, f"{row.rpartition(',')[0]},x"))
    damaged = read_nmon(path).table("DISKREAD")
    lost = [(name, place) for name in sound.columns for place in np.flatnonzero(sound[name] != damaged[name])]
    assert lost == [("sd149", 776)]


def test_disks_beyond_150_join_into_one_wide_table(read):
    more = "DISKBUSY1,Disk %Busy host,sdc\nDISKBUSY1,T0001,1.0\nDISKBUSY1,T0002,2.0\n"
    wide = read(LINUX + more).wide_table("DISKBUSY")
    assert list(wide.columns) == ["sda", "sdb", "sdc"]
    assert wide["sdc"].tolist() == [1.0, 2.0]
    assert wide["sdb"].tolist() == [50.0, 60.0]


# --- damage that is survived: (kind, what breaks, line or None, section, what is left)


@pytest.mark.parametrize(
    ("kind", "old", "new", "line_start", "section"),
    [
        (DamageKind.FRAGMENT, "ZZZZ,T0002", "5,11:39:04,02-FEB-2020\nZZZZ,T0002", "5,", ""),
        (DamageKind.FRAGMENT, "ZZZZ,T0002", "\x00\x00\x00\nZZZZ,T0002", "\x00", ""),
        (DamageKind.FRAGMENT, "ZZZZ,T0002", "TOP,nonsense\nZZZZ,T0002", "TOP", "TOP"),
        (DamageKind.UNDECODABLE, "eth0-read", "eth\udcff-read", "NET", ""),
        (DamageKind.RECORDER_ERROR, "ZZZZ,T0002", "ERROR,T0001,sleep interrupted\nZZZZ,T0002", "ERROR", "ERROR"),
        (DamageKind.BAD_TIMESTAMP, "00:00:00,01-JAN-2020", "00:00:00,41-JAN-2020", "ZZZZ,T0002", "ZZZZ"),
        (DamageKind.BAD_TIMESTAMP, "00:00:00,01-JAN-2020", "24:00:00,01-JAN-2020", "ZZZZ,T0002", "ZZZZ"),
        (DamageKind.BAD_TIMESTAMP, "00:00:00,01-JAN-2020", "00:00:00,01-JAN-2920", "ZZZZ,T0002", "ZZZZ"),
        (DamageKind.BAD_TIMESTAMP, "00:00:00,01-JAN-2020", "00:00:00,01-JA", "ZZZZ,T0002", "ZZZZ"),
        (DamageKind.NO_HEADER, "DISKBUSY,Disk %Busy host,sda,sdb\n", "", "DISKBUSY,T0001", "DISKBUSY"),
        (DamageKind.HEADER_CHANGED, "ZZZZ,T0002", "DISKBUSY,Disk,sda,sdc\nZZZZ,T0002", "DISKBUSY,Disk,", "DISKBUSY"),
        (DamageKind.HEADER_MISMATCH, "host,sda,sdb", "host,sda,sdb,sdc,sdd", "DISKBUSY,Disk", "DISKBUSY"),
        (DamageKind.EMPTY_NAMES, "host,sda,sdb", "host,,sdb", "DISKBUSY,Disk", "DISKBUSY"),
        (DamageKind.DUPLICATE_NAME, "host,sda,sdb", "host,sda,sda", "DISKBUSY,Disk", "DISKBUSY"),
        (DamageKind.WRONG_LENGTH, "DISKBUSY,T0002,0.0,60.0", "DISKBUSY,T0002,0.0", "DISKBUSY,T0002", "DISKBUSY"),
        (DamageKind.WRONG_LENGTH, "JFSFILE,T0002,8.4,", "JFSFILE,T0002,8.4,1.0,", "JFSFILE,T0002", "JFSFILE"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,12x4.5", "PROC,T0002", "PROC"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,1_234.5", "PROC,T0002", "PROC"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,1.2.5", "PROC,T0002", "PROC"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,٣", "PROC,T0002", "PROC"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,inf", "PROC,T0002", "PROC"),
        (DamageKind.NOT_A_NUMBER, "PROC,T0002,2,1,1234.5", "PROC,T0002,2,1,1e9", "PROC,T0002", "PROC"),
        (DamageKind.IMPOSSIBLE_VALUE, "1234.5", "-1234.5", "PROC,T0002", "PROC"),
        (DamageKind.IMPOSSIBLE_VALUE, "1234.5", "9" * 400, "PROC,T0002", "PROC"),
        (DamageKind.ABOVE_100, "0.0,60.0", "0.0,101.00", "DISKBUSY,T0002", "DISKBUSY"),
        (DamageKind.IMPOSSIBLE_VALUE, "ALL,T0002,20.0,5.0,1.0,74.0", "ALL,T0002,0,0,0,0", "CPU_ALL,T0002", "CPU_ALL"),
        (DamageKind.IMPOSSIBLE_VALUE, "CPU_ALL,T0002,20.0", "CPU_ALL,T0002,80.0", "CPU_ALL,T0002", "CPU_ALL"),
        (DamageKind.MISSING_ROW, "PROC,T0002,2,1,1234.5,-1.0,3.0\n", "", "PROC,T0001", "PROC"),
        (DamageKind.DUPLICATE_ROW, "NET,T0002", "PROC,T0002,9,9,9.0,-1.0,9.0\nNET,T0002", "PROC,T0002,9", "PROC"),
        (DamageKind.DUPLICATE_SNAPSHOT, "NET,T0002", f"{AGAIN}\nNET,T0002", AGAIN, "ZZZZ"),
        (DamageKind.EMPTY_SNAPSHOT, "NET,T0002", f"{NEXT}\nNET,T0002", NEXT, "ZZZZ"),
        (DamageKind.TIME_STEPS_BACK, "00:00:00,01-JAN-2020", "23:59:58,31-DEC-2019", "ZZZZ,T0002", "ZZZZ"),
        (DamageKind.GAP, "00:00:00,01-JAN-2020", "00:00:03,01-JAN-2020", "ZZZZ,T0002", "ZZZZ"),
    ],
)  # fmt: skip
def test_each_damage_is_reported_once_with_its_line(read, kind, old, new, line_start, section):
    assert LINUX.count(old) == 1, "the test must break exactly one place"
    broken = LINUX.replace(old, new)
    recording = read(broken)
    assert damages_of(recording, kind) == [(line_of(broken, line_start), section)]


# --- what cannot be read


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", r"a\.nmon: is empty; expected an nmon recording"),
        (b"\x7fELF\x00\x01\x02", r"a\.nmon:1: is not an nmon recording \(expected lines such as AAA,progname,nmon"),
        (b"timeStamp,elapsed,label\n1,2,x\n", r"a\.nmon:1: is not an nmon recording"),
        (b"AAA,progname,nmon\nAAA,version,16n\n", r"a\.nmon:2: has no snapshot .*ended before its first"),
        (b"AAA,progname,nmon\nZZZZ,T0001,00:00:00,01-JAN-2020\n", r"a\.nmon:1: has snapshots but no readable row"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_its_place(tmp_path, content, sentence):
    path = tmp_path / "a.nmon"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=sentence):
        read_nmon(path)


def test_decimal_commas_are_refused_in_a_sentence_and_never_read_as_more_columns(tmp_path):
    path = tmp_path / "a.nmon"
    first = LINUX.index("CPU001,T0001")
    path.write_text(LINUX[:first] + LINUX[first:].replace(".", ","))
    with pytest.raises(RecordingError, match=rf":{line_of(LINUX, 'CPU001,T0001')}: CPU001 has .* with LC_ALL=C$"):
        read_nmon(path)


def write_wide_recording(path: Path, *, snapshots: int, disks: int) -> None:
    sections = ("DISKBUSY", "DISKREAD", "DISKWRITE", "DISKXFER", "DISKBSIZE")
    parts = [("", range(150)), ("1", range(150, disks))]
    lines = ["AAA,progname,nmon", "AAA,OS,Linux,6.1,x,x86_64", "AAA,interval,1"]
    for section in sections:
        lines += [f"{section}{suffix},{section} host,{','.join(f'sd{d}' for d in part)}" for suffix, part in parts]
    for t in range(1, snapshots + 1):
        lines.append(f"ZZZZ,T{t:04d},{t // 3600:02d}:{t // 60 % 60:02d}:{t % 60:02d},01-JAN-2020")
        for section in sections:
            for suffix, part in parts:
                lines.append(f"{section}{suffix},T{t:04d},{','.join(f'{(t * 7 + d) % 1000 / 10:.1f}' for d in part)}")
    path.write_text("\n".join(lines) + "\n")
