"""What `--require` understands, and when it passes, fails or can't tell."""

import pytest

from uploadlab.errors import LabError
from uploadlab.requirements import Requirement, exit_code, judge, junit_xml, parse
from uploadlab.tables.answer import Cell, Estimate, Load


def cell(load: Load, size_bytes: int, system: str, **values: tuple[float, float, float]) -> Cell:
    return Cell(
        scenario=f"s-{size_bytes}-{load}",
        row=f"{size_bytes} B",
        size_bytes=size_bytes,
        load=load,
        system=system,
        factors={},
        runs=4,
        valid_runs=4,
        values={name: Estimate(value=value, lo=lo, hi=hi, n=4) for name, (value, lo, hi) in values.items()},
    )


CELLS = (
    cell("saturated", 96838, "node", capacity_per_s=(1000, 950, 1050), p99_ms=(300, 280, 330)),
    cell("saturated", 96838, "tomcat", capacity_per_s=(1300, 1200, 1400), p99_ms=(300, 280, 330)),
    cell(50, 96838, "node", p99_ms=(40, 30, 49)),
    cell(50, 96838, "tomcat", p99_ms=(60, 45, 70)),
    cell(80, 96838, "node", p99_ms=(90, 80, 100)),
    cell(50, 4, "node", p99_ms=(10, 9, 11)),
)


def verdicts(text: str) -> list[str]:
    return [outcome.verdict for outcome in judge([parse(text)], CELLS)]


def test_a_requirement_is_read_word_by_word():
    assert parse("capacity > 1000 at 97KB") == Requirement(
        text="capacity > 1000 at 97KB", metric="capacity_per_s", operator=">", bound=1000, size_bytes=97000
    )
    found = parse("p99_ms<=49.5 at 50% at 4B of node@older")
    assert (found.operator, found.bound, found.load, found.size_bytes, found.system) == (
        "<=",
        49.5,
        50,
        4,
        "node@older",
    )
    assert parse("p99_ms < 1 at saturated").load == "saturated"
    assert parse('p99_ms < 1 of "Upload file"').system == "Upload file"


@pytest.mark.parametrize(
    ("text", "position", "wanted"),
    [
        ("p99_ms", 7, "one of < <= > >=, found its end"),
        ("p99_ms = 50", 8, "one of < <= > >=, found '='"),
        ("p99_ms < fast", 10, "a number, found 'fast'"),
        ("< 50", 1, "the name of a metric, found '<'"),
        ("p99_ms < 50 in 97KB", 13, "at SIZE, at LOAD or of SYSTEM, found 'in'"),
        ("p99_ms < 50 at 97", 16, "a size as 97KB, a share as 50%, or saturated, found '97'"),
        ("p99_ms < 50 at 0KB", 16, "a size above 0, found '0KB'"),
        ("p99_ms < 50 of", 15, "the key of a system, found its end"),
    ],
)
def test_what_is_not_understood_is_named_with_its_position(text, position, wanted):
    with pytest.raises(LabError) as raised:
        parse(text)
    assert f"--require '{text}', position {position}: expected {wanted}." in str(raised.value)


def test_the_interval_decides_and_the_half_load_is_meant_where_none_is_named():
    assert verdicts("p99_ms < 50") == ["pass", "undecided", "pass"]
    assert verdicts("p99_ms < 50 at 97KB") == ["pass", "undecided"]
    assert verdicts("p99_ms < 45 at 97KB of tomcat") == ["fail"]
    assert verdicts("p99_ms <= 45 at 97KB of tomcat") == ["undecided"]
    assert verdicts("p99_ms < 50 at 80%") == ["fail"]
    assert verdicts("capacity > 1000") == ["undecided", "pass"]
    assert verdicts("capacity >= 1400 of tomcat") == ["undecided"]
    assert verdicts("capacity > 1400 of tomcat") == ["fail"]


def test_a_cell_without_an_interval_cannot_be_told():
    assert Requirement(text="", metric="p99_ms", operator="<", bound=5).met_by(None) == "undecided"
    one_run = Estimate(value=1, lo=None, hi=None, n=1)
    assert Requirement(text="", metric="p99_ms", operator="<", bound=5).met_by(one_run) == "undecided"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("speed < 50", "there is no metric speed; expected capacity_per_s, p99_ms."),
        ("p99_ms < 50 of apache", "there is no system apache; expected node, tomcat."),
        ("p99_ms < 50 at 1MB", "there is no size of 1e+06 bytes; expected 4 bytes, 96838 bytes."),
        ("p99_ms < 50 at 20%", "there is no load 20; expected 50, 80, saturated."),
    ],
)
def test_what_the_campaign_has_not_is_named_with_what_it_has(text, sentence):
    with pytest.raises(LabError) as raised:
        verdicts(text)
    assert str(raised.value) == f"--require '{text}': {sentence}"


def test_a_failure_gives_1_and_what_cannot_be_told_3():
    passed, undecided, failed = (judge([parse(text)], CELLS) for text in ("p99_ms < 99", "p99_ms < 50", "p99_ms < 8"))
    assert [exit_code(outcomes) for outcomes in (passed, undecided, failed, (*undecided, *failed), ())] == [
        0,
        3,
        1,
        1,
        0,
    ]


def test_junit_has_a_test_for_each_cell_with_its_sentence():
    text = junit_xml(judge([parse("p99_ms < 50"), parse("p99_ms < 8 at 4B")], CELLS))
    assert 'tests="4" failures="1" skipped="1"' in text
    assert "p99_ms &lt; 8 at 4B does not hold in s-4-50 for node: p99_ms is 10 (9–11)." in text
