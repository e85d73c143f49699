import gzip
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from workload_gen import WorkloadError
from workload_gen.lists.measured_sizes import read_sizes

DATA = Path(__file__).resolve().parents[1] / "data"


def written(tmp_path, content, name="sizes.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "10\n20\n10\n",
        "10\r\n20\r\n10",
        "\n10\n\n  20  \n10\n\n",
        "# a comment\n10\n# another\n20\n10\n",
        '"10"\n"20"\n"10"\n',
        "10,\n20,\n10,\n",
        "10.0\n2e1\n+10\n",
        "\ufeff10\n20\n10\n",  # as a spreadsheet saves it
        "\ufeffsize\n10\n20\n10\n",
    ],
)
def test_a_list_is_read_however_it_is_written(tmp_path, content):
    assert read_sizes(written(tmp_path, content)).sizes.tolist() == [10, 20, 10]


def test_a_damaged_packed_list_is_refused_wherever_it_is_damaged(tmp_path):
    packed = gzip.compress("\n".join(map(str, np.random.default_rng(1).integers(1, 10**6, 5_000))).encode())
    for place in range(20, len(packed) - 20, len(packed) // 40):
        damaged = packed[:place] + bytes(8) + packed[place + 8 :]
        with pytest.raises(WorkloadError, match=r"sizes\.txt\.gz: "):
            read_sizes(written(tmp_path, damaged, "sizes.txt.gz"))


def test_a_column_of_a_csv_file_is_read(tmp_path):
    path = written(tmp_path, '# of mine\n\nname,bytes,when\n"a, b",10,x\nc,20,y\n')
    assert read_sizes(path, column="bytes").sizes.tolist() == [10, 20]
    with pytest.raises(WorkloadError, match="no column 'size'; its columns are: name, bytes, when"):
        read_sizes(path, column="size")
    with pytest.raises(WorkloadError, match="line 4: 'x' is not a number"):
        read_sizes(path, column="when")
    short = written(tmp_path, "name,bytes\na,1\nb\n")
    with pytest.raises(WorkloadError, match="line 3: has 1 columns"):
        read_sizes(short, column="bytes")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("-5", "'-5' is not a size"),
        ("nan", "'nan' is not a size"),
        ("1.5", "'1.5' is not a size"),
        ("9007199254740993", "is not a size"),
        ("1_000", "'1_000' is not a number"),
        ("12 34", "'12 34' is not a number"),
        ("12;34", "is not a number"),
    ],
)
def test_what_is_no_size_is_refused_with_file_and_line(tmp_path, line, sentence):
    with pytest.raises(WorkloadError, match=rf"sizes\.csv, line 3: .*{sentence}.*whole number"):
        read_sizes(written(tmp_path, f"10\n20\n{line}\n30\n"))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        *(("sizes.csv", content, "there are no sizes in it") for content in ("", "\n\n", "# nothing\n")),
        *(("sizes.csv", content, r"sizes\.csv") for content in (b"\xff\xfe\x00\x01\n12\n", b"10\n\x00\n")),
        *(
            ("sizes.gz", content, r"sizes\.gz")
            for content in (gzip.compress(b"10\n" * 10_000, mtime=0)[:34], b"10\n20\n")
        ),
    ],
)
def test_an_empty_a_binary_and_a_damaged_packed_list_are_refused(tmp_path, name, content, sentence):
    with pytest.raises(WorkloadError, match=sentence):
        read_sizes(written(tmp_path, content, name))


def test_a_folders_regular_files_are_measured_and_nothing_else(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 10)
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "below" / "deeper" / "b").write_bytes(b"x" * 20)
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    measured = read_sizes(tmp_path)
    assert measured.sizes.tolist() == [10, 20]
    assert measured.notes == ("Empty files left out: 1.",)


@pytest.fixture
def as_nobody():
    """Root may read everything; the test must not be root while it reads."""
    before = os.geteuid()
    os.seteuid(65534 if before == 0 else before)
    yield
    os.seteuid(before)


def test_a_folder_that_may_not_be_read_is_refused_by_name(as_nobody):
    with tempfile.TemporaryDirectory() as name:
        closed = Path(name) / "closed"
        closed.mkdir(mode=0o000)
        with pytest.raises(WorkloadError, match=f"^{closed}: cannot be read: Permission denied.$"):
            read_sizes(Path(name))


def test_the_committed_real_lists_are_whole():
    packages = read_sizes(DATA / "debian-12-packages.txt.gz")
    assert (packages.sizes.size, int(packages.sizes.sum())) == (63_664, 120_995_055_092)
    files = read_sizes(DATA / "debian-12-doc-icons.txt.gz")
    assert (files.sizes.size, int(files.sizes.sum())) == (9_995, 138_983_740)
