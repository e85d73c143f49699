"""The reader of the sampler's files, and every kind of damage."""

import numpy as np
import pytest

from monitoring.errors import RecordingError
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from monitoring.samples_reader import read_samples

FIRST_NS = 1_795_000_000_123_456_789


def row(number: int, **cells: object) -> str:
    values = dict.fromkeys(SAMPLE_COLUMNS, number * 10) | {"time_ns": FIRST_NS + number * 100_000_000} | cells
    return ",".join(str(values[name]) for name in SAMPLE_COLUMNS) + "\n"


HEADER = ",".join(SAMPLE_COLUMNS) + "\n"
SOUND = HEADER + row(1) + row(2) + row(3)


@pytest.fixture
def read(tmp_path):
    def write_and_read(text: str) -> dict[str, np.ndarray]:
        path = tmp_path / "a.samples.csv"
        path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        return read_samples(path)

    return write_and_read


def test_times_are_exact_to_the_nanosecond_and_an_empty_cell_is_missing(read):
    samples = read(HEADER + row(1) + row(2, role_wait_ns="") + row(3))
    assert samples["time_ns"].tolist() == [FIRST_NS + number * 100_000_000 for number in (1, 2, 3)]
    assert samples["ctxt"].tolist() == [10, 20, 30]
    np.testing.assert_array_equal(samples["role_wait_ns"], [10, np.nan, 30])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (SOUND[:-1], [10, 20]),  # no line end: it may be cut off
        (SOUND[:-20], [10, 20]),
        (HEADER + row(1) + row(2).replace(",", "", 1) + row(3), [10, 30]),
        (HEADER + row(1) + "\n" + row(3), [10, 30]),
        (HEADER + row(1) + row(2, time_ns="") + row(3), [10, 30]),
        (HEADER + row(1) + row(2, time_ns="-5") + row(3), [10, 30]),
        (HEADER + row(1) + row(2, time_ns="9" * 19) + row(3), [10, 30]),
        (HEADER + row(1) + row(2, time_ns="9" * 40) + row(3), [10, 30]),
    ],
)
def test_a_row_that_is_cut_off_or_has_no_time_is_left_out(read, text, left):
    assert read(text)["ctxt"].tolist() == left


@pytest.mark.parametrize("cell", ["1_0", "nan", "-1", "1.5", "٣", "2\udcff"])
def test_a_cell_that_is_no_whole_number_is_missing_and_the_rest_of_its_row_counts(read, cell):
    samples = read(HEADER + row(1) + row(2, ctxt=cell) + row(3))
    np.testing.assert_array_equal(samples["ctxt"], [10, np.nan, 30])
    assert samples["role_cpu_ns"].tolist() == [10, 20, 30]


def test_steps_back_of_the_time_and_of_a_counter_are_kept_as_they_are(read):
    samples = read(HEADER + row(1) + row(2, time_ns=5, ctxt=9) + row(3))
    assert samples["time_ns"][1] == 5
    assert samples["ctxt"].tolist() == [10, 9, 30]


def test_a_column_that_the_file_lacks_is_missing_in_every_row_and_an_unknown_one_comes_with_the_others(read):
    samples = read("time_ns,other\r\n1,2\r\n3,4\r\n")
    assert samples["other"].tolist() == [2, 4]
    assert np.isnan(samples["ctxt"]).tolist() == [True, True]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"a\.samples\.csv:1: is no samples file"),
        ("timeStamp,elapsed\n1,2\n", r"a\.samples\.csv:1: is no samples file \(expected a header with time_ns"),
        ("time_ns,ctxt,ctxt\n1,2,3\n", r"a\.samples\.csv:1: names a column twice"),
        (HEADER + row(1)[:-1], r"a\.samples\.csv:2: has no complete row"),
    ],
)
def test_a_file_that_is_no_samples_file_is_refused_with_its_place(read, text, sentence):
    with pytest.raises(RecordingError, match=sentence):
        read(text)
