"""The tables and the page of charts, as files and as a browser shows them."""

import csv
import gzip
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import altair as alt
import numpy as np
import pytest

from monitoring.__main__ import main
from monitoring.errors import MonitoringError
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_report.charts import specification
from monitoring.nmon_report.panels import MAX_POINTS, Style, busiest_disks, is_partition, make_panels
from monitoring.nmon_report.summary import describe_machine, figures, format_figure, format_offset
from monitoring.nmon_report.write import write_report

from .conftest import cpu_seconds

DATA = Path(__file__).parent / "data" / "nmon"
RECORDINGS = sorted(DATA.glob("*.nmon"))


def recording_of(folder: Path, seconds: list[int], name: str = "a.nmon"):
    """Make a recording with a snapshot at each second, its CPU and disk figures following from the number alone."""
    lines = [
        "AAA,progname,nmon",
        "AAA,OS,Linux,6.1,x,x86_64",
        "AAA,interval,1",
        "AAA,host,</script><b>host",
        "CPU_ALL,CPU Total,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs",
        "PROC,Processes,Runnable,Blocked,pswitch",
        "DISKREAD,Disk Read KB/s,sda,sda1,<i>b",
    ]
    for number, second in enumerate(seconds, 1):
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        lines.append(f"ZZZZ,T{number:04d},{clock},01-JAN-2020")
        lines.append(f"CPU_ALL,T{number:04d},{number % 50}.0,2.0,0.0,50.0,0.0,,4")
        lines.append(f"PROC,T{number:04d},1,0,{0 if number == 1 else number * 100}.0")
        lines.append(f"DISKREAD,T{number:04d},{number * 1024}.0,7.0,1.0")
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return read_nmon(path)


@pytest.fixture(scope="module")
def page_of_all(tmp_path_factory):
    return write_report([read_nmon(path) for path in RECORDINGS], tmp_path_factory.mktemp("report"))


# --- tables


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_the_tables_hold_exactly_what_the_reader_read(path, page_of_all):
    recording, folder = read_nmon(path), page_of_all.parent / path.stem
    for section, table in recording.tables.items():
        with (folder / f"{section}.csv").open(newline="") as file:
            header, *rows = csv.reader(file)
        assert header == ["snapshot", "time", *table.columns, *table.texts]
        assert [int(row[0]) for row in rows] == table.snapshots.tolist()
        for place, values in enumerate(table.columns.values(), 2):
            written = [float(row[place]) if row[place] else math.nan for row in rows]
            np.testing.assert_array_equal(written, values)
    with (folder / "damages.csv").open(newline="") as file:
        assert len(list(csv.reader(file))) == 1 + len(recording.damages)


def test_times_are_the_hosts_clock_with_its_offset_where_that_is_known(page_of_all, tmp_path):
    write_report([read_nmon(DATA / "linux-13g-1s-120.nmon")], tmp_path, utc_offset_s=-5 * 3600)
    known, unknown = (page_of_all.parent / name for name in ("linux-16g-2s-overwritten", "linux-13g-1s-120"))
    first_of = [
        (folder / "PROC.csv").read_text().splitlines()[1].split(",")[1]
        for folder in (known, unknown, tmp_path / "linux-13g-1s-120")
    ]
    assert first_of == ["2020-02-02T11:38:24+05:30", "2012-12-07T13:18:32", "2012-12-07T13:18:32-05:00"]


# --- panels and figures, by hand


def test_the_busiest_disk_is_the_one_that_was_busy_for_longest_not_the_one_that_moved_the_most(tmp_path):
    lines = ["AAA,progname,nmon", "DISKBUSY,Disk %Busy,sda,sdb", "DISKREAD,Disk Read KB/s,sda,sdb"]
    lines += ["ZZZZ,T0001,00:00:00,01-JAN-2020", "DISKBUSY,T0001,10.0,90.0", "DISKREAD,T0001,5000.0,1.0"]
    path = tmp_path / "a.nmon"
    path.write_text("\n".join(lines) + "\n")
    recording = read_nmon(path)
    assert busiest_disks(recording) == ["sdb", "sda"]
    busy = figures(recording)[0]
    assert (busy.name, busy.device, busy.mean) == ("disk busy", "sdb", 90.0)
    del recording.tables["DISKBUSY"]
    assert busiest_disks(recording) == ["sda", "sdb"]


def test_the_processors_of_aix_are_those_online_not_those_there_could_be():
    assert "32 logical processors" in describe_machine(read_nmon(DATA / "aix-6.1.6-5s-dupnetsize.nmon"))
    assert "4 cores" in describe_machine(read_nmon(DATA / "linux-15h-30s-danglingzzzz.nmon"))


def test_the_figures_leave_out_the_placeholder_of_the_first_switch_rate(tmp_path):
    found = {figure.name: figure for figure in figures(recording_of(tmp_path, [0, 1, 2]))}
    assert (found["switches"].mean, found["switches"].largest) == (250.0, 300.0)
    assert (found["CPU"].mean, found["CPU"].largest) == (4.0, 5.0)
    assert (found["disk read"].mean, found["disk read"].device) == (2.0, "sda")


def test_every_chart_is_one_that_the_schema_of_vega_lite_allows():
    panels = {panel.style: panel for path in RECORDINGS for panel in make_panels(read_nmon(path))}
    assert panels.keys() == set(Style)
    for panel in panels.values():
        alt.Root.validate(specification(panel))


def test_no_line_is_drawn_over_time_that_was_not_recorded(tmp_path):
    panel = make_panels(recording_of(tmp_path, [0, 1, 2, 9, 10]))[0]
    assert panel.segment.tolist() == [0, 0, 0, 1, 1]
    assert panel.time_ms.tolist() == [1577836800000 + second * 1000 for second in (0, 1, 2, 9, 10)]


def test_a_long_recording_is_drawn_as_means_that_do_not_reach_over_a_gap(tmp_path):
    seconds = [*range(MAX_POINTS + 1), *range(MAX_POINTS + 100, 2 * MAX_POINTS + 100)]  # 1501 and 1500 snapshots
    panels = {panel.key: panel for panel in make_panels(recording_of(tmp_path, seconds))}
    disk = panels["disk-read"]
    assert disk.joined == 3
    assert disk.series["sda"][:2].tolist() == [2.0, 5.0]  # of 1, 2, 3 and of 4, 5, 6
    last_before_gap = 1501 // 3
    assert disk.series["sda"][last_before_gap] == 1501.0  # alone
    assert disk.series["sda"][last_before_gap + 1] == 1503.0  # of 1502, 1503, 1504
    assert disk.segment[last_before_gap : last_before_gap + 2].tolist() == [0, 1]
    assert "sda1" not in disk.series


def test_snapshots_that_all_come_late_are_drawn_about_as_fast_as_those_on_time(tmp_path):
    on_time = recording_of(tmp_path, list(range(7000)))
    late = recording_of(tmp_path, list(range(0, 63_000, 9)), "late.nmon")
    assert len(make_panels(late)[0].time_ms) == 7000  # no line joins them
    spent = {
        name: min(cpu_seconds(lambda recording=recording: make_panels(recording)) for _ in range(3))
        for name, recording in {"on time": on_time, "late": late}.items()
    }
    assert spent["late"] < 10 * spent["on time"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sda1", True), ("nvme0n1p2", True), ("sdb1", False), ("dm-0", False), ("sda", False), ("nvme0n1", False)],
)
def test_a_partition_is_one_only_beside_its_disk(name, expected):
    assert is_partition(name, frozenset({"sda", "nvme0n1", "dm-0"})) is expected


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (12345.6, "12\u202f346"), (99.94, "99.9"), (0.01234, "0.012"), (100, "100")]
)
def test_figures_are_short(value, text):
    assert format_figure(value) == text


def test_offsets_are_signed():
    assert [format_offset(seconds) for seconds in (0, 19800, -3600 * 5)] == ["+00:00", "+05:30", "-05:00"]


# --- the command


def test_the_command_writes_the_page_and_says_where(tmp_path):
    command = [sys.executable, "-m", "monitoring", "nmon", *RECORDINGS[:2]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "nmon-charts/index.html"
    assert (tmp_path / "nmon-charts" / "index.html").is_file()
    assert done.stderr == ""
    assert "switches" in done.stdout
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path / "nmon-charts")]) == 0  # an earlier report


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty; expected an nmon recording"),
        (b"\x00\x01\x02", "is not an nmon recording"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_written(tmp_path, capsys, content, sentence):
    path = tmp_path / "a.nmon"
    if content is not None:
        path.write_bytes(content)
    assert main(["nmon", str(RECORDINGS[0]), str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert str(path) in said
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("precious")
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path)]) == 2
    assert "holds files that are not an earlier report's; choose another folder with --out" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path / "thesis.txt")]) == 2
    with pytest.raises(MonitoringError, match="is a file; the report needs a folder"):
        write_report([], tmp_path / "thesis.txt")


def test_an_offset_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["nmon", str(RECORDINGS[0]), "--utc-offset", "5.5"])
    assert ended.value.code == 2
    assert "expected an offset such as +05:30, got '5.5'" in capsys.readouterr().err


def test_recordings_of_one_name_get_a_folder_each(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    recordings = [recording_of(tmp_path / name, [0, 1]) for name in ("one", "two")]
    write_report(recordings, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a", "a-2", "index.html"]


def test_two_recordings_in_one_file_are_shown_apart_and_said_to_be_two(tmp_path, capsys):
    path = tmp_path / "a.nmon"
    path.write_bytes(RECORDINGS[1].read_bytes() + RECORDINGS[2].read_bytes())
    assert main(["nmon", str(path), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    line = RECORDINGS[1].read_bytes().count(b"\n") + 1
    assert "a.nmon (1 of 2)\n" in said
    assert f"a.nmon (2 of 2)\n  begins on line {line} of a file that holds 2 recordings\n" in said
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == ["a", "a-2", "index.html"]


def test_a_compressed_recording_and_one_with_a_name_that_is_no_text_get_a_page(tmp_path, capsys):
    compressed, odd = tmp_path / "a.nmon.gz", tmp_path / os.fsdecode(b"caf\xe9.nmon")
    compressed.write_bytes(gzip.compress(RECORDINGS[1].read_bytes()))
    odd.write_bytes(RECORDINGS[1].read_bytes())
    write_report([read_nmon(compressed), read_nmon(odd)], tmp_path / "out")
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == ["a", "caf\ufffd", "index.html"]


# --- what becomes of its output


def command_on(path: Path, folder: Path) -> list[str]:
    return [sys.executable, "-m", "monitoring", "nmon", str(path), "--out", str(folder)]


def test_a_reader_that_goes_away_ends_the_command_without_a_word(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        command_on(RECORDINGS[1], tmp_path / "out"), stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
    assert (tmp_path / "out" / "index.html").is_file()


def test_a_terminal_without_utf_8_is_written_to_in_its_own_letters(tmp_path):
    odd = tmp_path / os.fsdecode(b"caf\xe9.nmon")
    odd.write_bytes(RECORDINGS[1].read_bytes())
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command_on(odd, tmp_path / "out"), env=ascii_only, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"cores - nmon 13g" in done.stdout
    assert done.stdout.isascii()


# --- the page, in a browser


@pytest.fixture
def show(browser):
    """Open a page without a network; whatever it asks for or complains about fails the test at its end."""
    troubles = []
    contexts = []

    def open_page(path: Path, width: int = 1400):
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
        page.on("request", lambda asked: troubles.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto(path.as_uri())
        page.wait_for_function("[...document.querySelectorAll('article')].every((one) => one.dataset.drawn)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 400])
def test_every_chart_is_drawn_offline_and_fits_the_window(show, page_of_all, width):
    page = show(page_of_all, width)
    drawn = page.locator("figure canvas").count()
    assert drawn == page.locator("figure").count() > 40
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    narrowest = page.evaluate("Math.min(...[...document.querySelectorAll('canvas')].map((one) => one.clientWidth))")
    assert narrowest > 0.8 * min(width, 1184)
    assert page.locator("h1").all_inner_texts() == [path.name for path in RECORDINGS]


@pytest.mark.slow
def test_a_chart_reads_out_the_mean_the_moment_and_the_stretch_that_was_dragged(show, tmp_path):
    seconds = list(range(100))
    page = show(write_report([recording_of(tmp_path, seconds)], tmp_path / "out"))
    figure = page.locator("figure[id$='switches']")
    reading = figure.locator("output").first
    assert reading.inner_text() == "5\u202f100"  # of 200, 300 ... 10000
    plot = figure.locator("canvas").bounding_box()
    page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 40)
    page.wait_for_function("document.querySelector('.when').textContent.startsWith('2020')")
    moment = int(re.search(r":(\d\d)$", page.locator(".when").inner_text())[1])
    assert 40 < moment < 60
    assert reading.inner_text().replace("\u202f", "") == str((moment + 1) * 100)

    marked = figure.locator("canvas").screenshot()
    page.mouse.move(5, 5)
    page.wait_for_function("document.querySelector('.when').textContent.startsWith('Means')")
    assert figure.locator("canvas").screenshot() != marked  # the rule at the moment is gone

    page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 40)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.75, plot["y"] + 40)
    page.mouse.up()
    page.mouse.move(5, 5)
    assert page.locator(".whole").is_visible()
    assert 6000 < int(reading.inner_text().replace("\u202f", "")) < 7000
    page.locator(".whole").click()
    page.mouse.move(5, 5)
    assert reading.inner_text() == "5\u202f100"
    assert not page.locator(".whole").is_visible()


@pytest.mark.slow
def test_names_from_a_recording_are_shown_as_text(show, tmp_path):
    page = show(write_report([recording_of(tmp_path, [0, 1, 2])], tmp_path / "out"))
    assert "</script><b>host" in page.locator(".machine").inner_text()
    assert "<i>b" in page.locator("figure[id$='disk-read'] .legend").inner_text()
