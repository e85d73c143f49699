"""Each recorder writes the file that every recorder must write, and one that can be read whatever happens to it."""

import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from waiting import running

RECORDER = Path(__file__).parents[1]
VECTOR = RECORDER / "vectors/rows.csv"
KEPT = RECORDER / "vectors/rows.records"
ROW = [
    ("time_ns", "<i8"), ("seq", "<u4"), ("bytes", "<u4"), ("stream", "<u2"), ("op", "<u2"), ("kind", "|u1"),
    ("status", "|u1"), ("spare", "<u2"),
]  # fmt: skip


def build_c(program: Path) -> None:
    sources = [RECORDER / "tests/write_rows.c", RECORDER / "c/recorder.c"]
    options = ["-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    subprocess.run(["cc", *options, "-I", RECORDER / "c", "-o", program, *sources], check=True)


def build_go(program: Path) -> None:
    subprocess.run(["go", "build", "-o", program, "./write_rows"], cwd=RECORDER / "go", check=True)


def build_java(program: Path) -> None:
    classes = program.parent / "classes"
    sources = [*(RECORDER / "java/src/uploadlab/recorder").iterdir(), RECORDER / "tests/WriteRows.java"]
    subprocess.run(["javac", "-Xlint:all", "-Werror", "--release", "17", "-d", classes, *sources], check=True)
    program.write_text(f'#!/bin/sh\nexec java -cp {classes} WriteRows "$@"\n')
    program.chmod(0o755)


@pytest.fixture(scope="module")
def java(tmp_path_factory) -> Path:
    program = tmp_path_factory.mktemp("java") / "write_rows"
    build_java(program)
    return program


@pytest.fixture(scope="module", params=["c", "go", "java"])
def program(request, tmp_path_factory) -> Path:
    if request.param == "java":
        return request.getfixturevalue("java")
    program = tmp_path_factory.mktemp(request.param) / "write_rows"
    (build_c if request.param == "c" else build_go)(program)
    return program


def write_rows(*command: str | Path, **how: bool) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, input=VECTOR.read_text(), capture_output=True, text=True, **how)


def record(program: Path, path: Path, capacity: int) -> int:
    """Record the vector's rows; returns how many found no room."""
    return int(write_rows(program, path, str(capacity), check=True).stdout)


def expected_rows() -> np.ndarray:
    given = np.genfromtxt(VECTOR, delimiter=",", dtype=object, skip_header=1, converters=dict.fromkeys(range(7), int))
    return np.array([(*row, 0) for row in given], dtype=ROW)


def test_the_kept_file_has_the_rows_of_the_vector_as_numpy_opens_it():
    rows = np.load(KEPT)
    assert rows.dtype == np.dtype(ROW)
    np.testing.assert_array_equal(rows, expected_rows())


def test_every_recorder_makes_of_the_vector_the_kept_file_byte_for_byte(program, tmp_path):
    assert record(program, tmp_path / "rows.records", 100) == 0
    assert (tmp_path / "rows.records").read_bytes() == KEPT.read_bytes()


def test_rows_that_find_the_file_full_are_counted(program, tmp_path):
    assert record(program, tmp_path / "rows.records", 3) == len(expected_rows()) - 3
    np.testing.assert_array_equal(np.load(tmp_path / "rows.records"), expected_rows()[:3])


def test_a_recorder_that_is_killed_leaves_a_file_with_all_that_it_had_recorded(program, tmp_path):
    path = tmp_path / "rows.records"
    with running([program, path, "5000000", "endless"], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "recording\n"
        process.kill()
    rows = np.load(path, mmap_mode="r")
    assert len(rows) == 5_000_000
    written = rows[: np.count_nonzero(rows["kind"])]
    assert len(written) > 1000
    assert written["kind"].min() == 2
    np.testing.assert_array_equal(written["seq"], np.arange(len(written)))
    np.testing.assert_array_equal(written["bytes"], ~written["seq"])
    assert (np.diff(written["time_ns"]) >= 0).all()


def test_threads_that_share_a_recorder_of_java_leave_every_row_whole_and_once_or_count_it_as_lost(java, tmp_path):
    path = tmp_path / "rows.records"
    threads, numbers, places = 4, 200_000, 700_000
    said = subprocess.run([java, path, str(places), "threads"], capture_output=True, text=True, check=True).stdout
    assert int(said) == threads * numbers - places
    rows = np.load(path)
    assert len(rows) == places
    np.testing.assert_array_equal(rows["bytes"], ~rows["seq"])
    for stream in range(threads):
        mine = rows[rows["stream"] == stream]
        np.testing.assert_array_equal(mine["seq"], np.arange(len(mine)))
        assert (np.diff(mine["time_ns"]) >= 0).all()
    assert {*rows["kind"]} == {4}


def test_a_file_that_is_there_already_is_not_written_over(program, tmp_path):
    path = tmp_path / "rows.records"
    path.write_text("somebody's")
    done = write_rows(program, path, "10")
    assert done.returncode == 1
    assert "file exists" in done.stderr.lower()
    assert path.read_text() == "somebody's"


def test_a_file_that_there_is_no_room_for_is_a_sentence_and_not_left_behind(program, tmp_path):
    path = tmp_path / "rows.records"
    done = write_rows("prlimit", "--fsize=1000000", program, path, "100000", restore_signals=False)
    assert done.returncode not in (0, -signal.SIGXFSZ)
    assert str(path) in done.stderr
    assert "file too large" in done.stderr.lower()
    assert not path.exists()
