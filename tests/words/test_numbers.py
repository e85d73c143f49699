import pytest

from uploadlab.words.numbers import Figures

ENGLISH = Figures(decimal=".", group=",")
PORTUGUESE = Figures(decimal=",", group=".")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12.3456, "12.3"),
        (1234.5, "1,234"),
        (0.0123456, "0.0123"),
        (99.96, "100"),
        (-0.75, "−0.750"),
        (2_000_000, "2,000,000"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_a_figure_keeps_three_significant_digits_and_what_is_no_number_is_a_dash(value, text):
    assert ENGLISH.short(value) == text


def test_portuguese_swaps_the_separators():
    assert PORTUGUESE.exact(1234567.5, 1) == "1.234.567,5"


def test_a_negative_figure_that_rounds_to_zero_has_no_sign():
    assert ENGLISH.exact(-0.001, 2) == "0.00"


@pytest.mark.parametrize(
    ("size", "text"),
    [(4, "4\u00a0B"), (999, "999\u00a0B"), (22857, "22.9\u00a0KB"), (410243, "410\u00a0KB"), (None, "–")],
)
def test_file_sizes_are_in_decimal_units(size, text):
    assert ENGLISH.size(size) == text


def test_a_span_whose_ends_read_the_same_is_written_once():
    assert ENGLISH.span(1.234, 1.2341, " to ") == "1.23"
    assert ENGLISH.span(1.2, 3.4, " to ") == "1.20 to 3.40"


def test_whole_numbers_stay_whole():
    assert ENGLISH.plain(10.0) == "10"
    assert ENGLISH.plain(0.2310) == "0.231"
