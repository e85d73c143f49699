import pytest

from uploadlab.errors import LabError
from uploadlab.table_file import format_number, read_table, write_table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1234567.0, "1234567"),
        (1234567.8, "1234570"),
        (123.4567, "123.457"),
        (0.000123456789, "0.000123457"),
        (1e-9, "0.000000001"),
        (-2.50001, "-2.50001"),
        (2.675, "2.675"),
        (142.8235, "142.824"),  # the binary fraction lies below: 142.82349999...
        (142.8225, "142.822"),  # a true half goes to the even digit
        (0.1 + 0.2, "0.3"),
        (1e20, "100000000000000000000"),
        (float("nan"), ""),
        (float("inf"), ""),
    ],
)
def test_numbers_have_six_digits_and_no_exponent(value, text):
    assert format_number(value) == text


def test_a_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "deep" / "t.csv"
    write_table(path, ["a", "b"], [{"a": 1.5, "b": 'say "hi", then\ngo'}, {"b": None}])
    assert read_table(path) == [{"a": "1.5", "b": 'say "hi", then\ngo'}, {"a": "", "b": ""}]
    assert [child.name for child in path.parent.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    "content", ["sistema\nvazão\n".encode("latin-1"), b"a\n" + b"1" * 200_000 + b"\n"], ids=["Latin-1", "endless"]
)
def test_a_table_that_is_no_csv_file_in_utf_8_is_refused_by_name(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(LabError, match=r"t\.csv: expected a CSV file in UTF-8: .*\.$"):
        read_table(tmp_path / "t.csv")


def test_a_writer_that_fails_leaves_the_old_table_and_nothing_else(tmp_path):
    write_table(tmp_path / "t.csv", ["a"], [{"a": 1}])

    def rows():
        yield {"a": 2}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_table(tmp_path / "t.csv", ["a"], rows())
    assert read_table(tmp_path / "t.csv") == [{"a": "1"}]
    assert [child.name for child in tmp_path.iterdir()] == ["t.csv"]
