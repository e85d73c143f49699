"""The reader of the sampler's files, and every kind of damage."""

import numpy as np
import pytest

from monitoring.errors import RecordingError
from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from monitoring.samples_reader import Samples, read_samples

FIRST_NS = 1_795_000_000_123_456_789


def row(number: int, **cells: object) -> str:
    values = dict.fromkeys(SAMPLE_COLUMNS, number * 10) | {"time_ns": FIRST_NS + number * 100_000_000} | cells
    return ",".join(str(values[name]) for name in SAMPLE_COLUMNS) + "\n"


HEADER = ",".join(SAMPLE_COLUMNS) + "\n"
SOUND = HEADER + row(1) + row(2) + row(3)


@pytest.fixture
def read(tmp_path):
    def write_and_read(text: str) -> Samples:
        path = tmp_path / "a.samples.csv"
        path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        return read_samples(path)

    return write_and_read


def test_times_are_exact_to_the_nanosecond_and_an_empty_cell_is_missing(read):
    samples = read(HEADER + row(1) + row(2, role_wait_ns="") + row(3))
    assert samples["time_ns"].tolist() == [FIRST_NS + number * 100_000_000 for number in (1, 2, 3)]
    assert samples["ctxt"].tolist() == [10, 20, 30]
    np.testing.assert_array_equal(samples["role_wait_ns"], [10, np.nan, 30])
    assert samples.damages == ()


@pytest.mark.parametrize(
    ("sentence", "text", "line"),
    [
        ("has no line end", SOUND[:-1], 4),
        ("has no line end", SOUND[:-20], 4),
        ("cells for", HEADER + row(1) + row(2).replace(",", "", 1) + row(3), 3),
        ("cells for", HEADER + row(1) + "\n" + row(3), 3),
        ("has no time", HEADER + row(1) + row(2, time_ns="") + row(3), 3),
        ("has no time", HEADER + row(1) + row(2, time_ns="-5") + row(3), 3),
        ("has no time", HEADER + row(1) + row(2, time_ns="9" * 19) + row(3), 3),
        ("earlier than", HEADER + row(1) + row(2, time_ns=5) + row(3), 3),
        ("ctxt is '1_0', not", HEADER + row(1) + row(2, ctxt="1_0") + row(3), 3),
        ("ctxt is 'nan', not", HEADER + row(1) + row(2, ctxt="nan") + row(3), 3),
        ("ctxt is '٣', not", HEADER + row(1) + row(2, ctxt="٣") + row(3), 3),
        ("ctxt is '2\ufffd', not", HEADER + row(1) + row(2, ctxt="2\udcff") + row(3), 3),
        ("ctxt is smaller", HEADER + row(1) + row(2, ctxt=9) + row(3), 3),
        ("ctxt is smaller", HEADER + row(1) + row(2, ctxt="") + row(3, ctxt=9), 4),
    ],
)
def test_each_damage_is_reported_once_with_its_line(read, sentence, text, line):
    (damage,) = read(text).damages
    assert sentence in damage.sentence
    assert damage.line == line


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
