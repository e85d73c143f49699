"""A judgement from comparisons written by hand, and its three forms."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from uploadlab.judge import output
from uploadlab.judge.verdict import Ratio, Row, overall
from uploadlab.requirements import Verdict as Met
from uploadlab.tables.answer import Verdict


def row(
    metric: str,
    verdict: Verdict,
    *,
    decides: bool = True,
    size_bytes: int = 23_000,
    change: tuple[float, float, float] = (1.07, 1.02, 1.12),
) -> Row:
    ratio = Ratio(ratio=change[0], lo=change[1], hi=change[2])
    noise = Ratio(ratio=1.0, lo=0.98, hi=1.02)
    return Row(
        size_bytes=size_bytes,
        load=50,
        metric=metric,
        base=100.0,
        head=107.0,
        change=ratio,
        noise=noise,
        verdict=verdict,
        decides=decides,
    )


def judged(rows: list[Row], required: Sequence[Met] = ()) -> output.Judged:
    return output.Judged(
        requirements=[
            output.Required(text="p99_ms < 5", verdict=one, sentence=f"It is so: {one}.") for one in required
        ],
        verdict=overall(rows),
        base="main",
        base_commit="a" * 40,
        head="working-tree",
        head_commit="b" * 40,
        margin_pct=5.0,
        blocks=6,
        minutes=9.6,
        rows=rows,
        report="report/index.html",
    )


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["equal", "equal"], "equal"),
        (["equal", "better"], "better"),
        (["better", "worse"], "worse"),
        (["worse", "undecided"], "worse"),
        (["better", "undecided"], "undecided"),
        ([], "undecided"),
    ],
)
def test_a_change_is_worse_where_one_comparison_is_and_equal_only_where_all_are(
    verdicts: list[Verdict], whole: Verdict
) -> None:
    assert overall([row("p99_ms", verdict) for verdict in verdicts]) == whole


def test_what_only_informs_decides_nothing() -> None:
    assert overall([row("p99_ms", "equal"), row("median_ms", "worse", decides=False)]) == "equal"


def test_the_markdown_has_at_most_twenty_lines_and_says_what_it_leaves_out() -> None:
    rows = [row("p99_ms", "worse", size_bytes=size) for size in range(1000, 31_000, 1000)]
    lines = output.markdown(judged(rows)).splitlines()
    assert len(lines) <= output.MOST_LINES
    assert lines[0] == "### working-tree against main: worse"
    assert lines[6] == (
        "| p99_ms, 1.0 KB, 50% of capacity | 100 | 107 | 1.07 (1.02–1.12) | 1.00 (0.98–1.02) | **worse** |"
    )
    assert lines[-1].startswith("| 17 more in the report |")


def test_junit_has_a_case_for_each_comparison_that_decides() -> None:
    rows = [row("p99_ms", "worse"), row("capacity_per_s", "undecided"), row("median_ms", "worse", decides=False)]
    assert 'tests="2" failures="1" skipped="1"' in output.junit(judged(rows))


def test_requirements_stand_below_the_table_and_are_cases_of_junit() -> None:
    one = judged([row("p99_ms", "equal", size_bytes=size) for size in range(1000, 31_000, 1000)], ["pass", "fail"] * 4)
    lines = output.markdown(one).splitlines()
    assert len(lines) <= output.MOST_LINES
    assert lines[-5:] == ["- **fail**: It is so: fail."] * 4 + ["- 4 more in judge.json"]
    assert 'tests="38" failures="4"' in output.junit(one)


@pytest.mark.parametrize(
    ("rows", "required", "sentence"),
    [
        ([row("p99_ms", "equal")], [], "working-tree is equal to main."),
        ([row("p99_ms", "better")], ["pass"], "working-tree is better than main."),
        (
            [row("p99_ms", "worse"), row("capacity_per_s", "equal")],
            [],
            "working-tree is worse than main: p99_ms, 23 KB, 50% of capacity: 1.07 (1.02–1.12).",
        ),
        ([row("p99_ms", "worse")], ["fail"], "It is so: fail."),
        ([row("p99_ms", "equal")], ["undecided"], "It is so: undecided."),
        (
            [
                row("p99_ms", "undecided", change=(1.1, 0.9, 1.35)),
                row("capacity_per_s", "undecided", change=(1, 0.5, 2)),
            ],
            [],
            "The data can't tell: p99_ms, 23 KB, 50% of capacity: 1.10 (0.90–1.35); capacity_per_s, 23 KB, 50% of "
            "capacity: 1.00 (0.50–2.00). If ratio and scatter stay the same, --minutes 45 would decide p99_ms, 23 KB, "
            "50% of capacity.",
        ),
        ([], [], "The data can't tell: too few valid blocks. More --minutes or a wider --margin may tell."),
    ],
)
def test_one_sentence_says_why(rows: list[Row], required: Sequence[Met], sentence: str) -> None:
    assert output.reason(judged(rows, required)) == sentence


def test_the_minutes_that_would_tell_are_those_after_which_the_interval_excludes_1_or_fits_the_margin() -> None:
    one = judged([])
    # A half width of ln 2 at 9.6 minutes. 1.3 is ln 1.3 away: 9.6 (0.693 / 0.262)^2 = 67.0; 1 fits 5% only after 1,937.
    assert output.minutes_that_tell(row("p99_ms", "undecided", change=(1.3, 0.65, 2.6)), one) == 70
    assert output.minutes_that_tell(row("p99_ms", "undecided", change=(1.0, 0.5, 2.0)), one) is None
    # ln 1.1 at a ratio of 1: 9.6 (0.0953 / 0.0488)^2 = 36.6
    assert output.minutes_that_tell(row("p99_ms", "undecided", change=(1.0, 1 / 1.1, 1.1)), one) == 40


def test_the_three_files_are_written(tmp_path: Path) -> None:
    output.write(tmp_path, judged([row("p99_ms", "better")]))
    kept = json.loads((tmp_path / "judge.json").read_text())
    assert (kept["verdict"], kept["version"], kept["rows"][0]["change"]["hi"]) == ("better", 1, 1.12)
    assert (tmp_path / "judge.md").is_file()
    assert ElementTree.parse(tmp_path / "judge.junit.xml").getroot().tag == "testsuite"
