"""The tables and the page of charts, as files and as a browser shows them."""

import csv
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from monitoring.__main__ import main
from monitoring.errors import MonitoringError
from monitoring.nmon_reader import read_nmon
from monitoring.nmon_report.charts import chart
from monitoring.nmon_report.panels import MAX_POINTS, Style, make_panels
from monitoring.nmon_report.summary import figures
from monitoring.nmon_report.write import write_report

DATA = Path(__file__).parent / "data" / "nmon"
RECORDINGS = sorted(DATA.glob("*.nmon"))


def recording_of(folder: Path, seconds: list[int]):
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
    path = folder / "a.nmon"
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


def test_the_figures_leave_out_the_placeholder_of_the_first_switch_rate(tmp_path):
    found = {figure.name: figure for figure in figures(recording_of(tmp_path, [0, 1, 2]))}
    assert (found["switches"].mean, found["switches"].largest) == (250.0, 300.0)
    assert (found["CPU"].mean, found["CPU"].largest) == (4.0, 5.0)
    assert (found["disk read"].mean, found["disk read"].device) == (2.0, "sda")


def test_no_line_is_drawn_over_time_that_was_not_recorded(tmp_path):
    panels = {panel.key: panel for panel in make_panels(recording_of(tmp_path, [0, 1, 2, 9, 10]))}
    panel = panels["cpu"]
    assert panel.segment.tolist() == [0, 0, 0, 1, 1]
    assert panel.time_ms.tolist() == [1577836800000 + second * 1000 for second in (0, 1, 2, 9, 10)]
    user, system = ([row for row in chart(panel, "cpu").rows if row["series"] == name] for name in ("user", "system"))
    assert [(row["part"], row["value"]) for row in user] == [(0, 1.0), (0, 2.0), (0, 3.0), (1, 4.0), (1, 5.0)]
    assert [(row["value_from"], row["value"]) for row in system][:2] == [(1.0, 3.0), (2.0, 4.0)]
    queue = panels["queue"]
    runnable = [row["value"] for row in chart(queue, "queue").rows if row["series"] == "runnable"]
    assert runnable == [1.0, 1.0, 1.0, None, 1.0, 1.0]


def test_a_long_recording_is_drawn_as_means_that_do_not_reach_over_a_gap(tmp_path):
    seconds = [*range(MAX_POINTS + 1), *range(MAX_POINTS + 100, 2 * MAX_POINTS + 100)]  # 601 and 600 snapshots
    panels = {panel.key: panel for panel in make_panels(recording_of(tmp_path, seconds))}
    disk = panels["disk-read"]
    assert disk.joined == 3
    assert disk.series["sda"][:2].tolist() == [2.0, 5.0]  # of 1, 2, 3 and of 4, 5, 6
    last_before_gap = 601 // 3
    assert disk.series["sda"][last_before_gap] == 601.0  # alone
    assert disk.series["sda"][last_before_gap + 1] == 603.0  # of 602, 603, 604
    assert disk.segment[last_before_gap : last_before_gap + 2].tolist() == [0, 1]
    assert "sda1" not in disk.series


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
    ("content", "sentence"), [(b"", "is empty; expected an nmon recording"), (None, "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_written(tmp_path, capsys, content, sentence):
    path = tmp_path / "a.nmon"
    if content is not None:
        path.write_bytes(content)
    assert main(["nmon", str(RECORDINGS[0]), str(path), "--out", str(tmp_path / "out")]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert str(path) in said
    assert sentence in said
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("precious")
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path)]) == 2
    assert "holds files that are not an earlier page's: choose another folder with --out" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path / "thesis.txt")]) == 2
    with pytest.raises(MonitoringError, match="is a file; the page needs a folder"):
        write_report([], tmp_path / "thesis.txt")


def test_another_programs_page_that_is_no_utf_8_text_is_left_alone(tmp_path, capsys):
    (tmp_path / "index.html").write_bytes("<title>café</title>".encode("latin-1"))
    assert main(["nmon", str(RECORDINGS[0]), "--out", str(tmp_path)]) == 2
    assert "holds files that are not an earlier page's" in capsys.readouterr().err


def test_two_recordings_in_one_file_get_a_folder_each_and_are_said_to_be_two(tmp_path, capsys):
    path = tmp_path / "a.nmon"
    path.write_bytes(RECORDINGS[1].read_bytes() + RECORDINGS[2].read_bytes())
    assert main(["nmon", str(path), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    line = RECORDINGS[1].read_bytes().count(b"\n") + 1
    assert "a.nmon (1 of 2)\n" in said
    assert f"a.nmon (2 of 2)\n  begins on line {line} of a file that holds 2 recordings\n" in said
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == ["a", "a-2", "index.html"]


# --- the page, in a browser


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_every_chart_is_drawn_offline_and_fits_the_window(drawn_page, page_of_all, width):
    page = drawn_page(page_of_all, width)
    drawn = page.locator(".drawing svg").count()
    assert drawn == page.locator("figure.chart").count() > 40
    assert {style for path in RECORDINGS for style in (panel.style for panel in make_panels(read_nmon(path)))} == set(
        Style
    )
    assert page.locator("h2").all_inner_texts() == [path.name for path in RECORDINGS]


@pytest.mark.slow
def test_names_from_a_recording_are_shown_as_text(drawn_page, tmp_path):
    page = drawn_page(write_report([recording_of(tmp_path, [0, 1, 2])], tmp_path / "out"))
    assert "</script><b>host" in page.inner_text("main")
    assert "<i>b" in page.inner_html("#chart-0-disk-read").replace("&lt;", "<").replace("&gt;", ">")
