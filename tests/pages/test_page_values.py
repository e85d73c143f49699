"""Measured values on pages are those of the campaigns that the pages name."""

import re
from pathlib import Path

import msgspec
import pytest
import renew
from page_values import WrongMark, renewed, without_values
from study_values import study_page
from summaries import plausible

from uploadlab.report.summary import Summary

MEASURED = re.compile(r"\d (ms|µs)\b|uploads/s|\d uploads a second")
"""What only a campaign can say."""


@pytest.mark.parametrize(("path", "text"), renew.computed(), ids=lambda of: of.name if isinstance(of, Path) else "")
def test_a_page_says_what_its_campaigns_say(path, text):
    is_renewed = path.read_text(encoding="utf-8") == text  # of two whole pages a difference takes minutes to be drawn
    assert is_renewed, "renew it with: .venv/bin/python tests/pages/renew.py"


@pytest.mark.parametrize("page", renew.pages(), ids=lambda page: page.name)
def test_no_measured_value_of_a_page_was_typed(page):
    prose = without_values(page.read_text(encoding="utf-8"))
    prose = re.sub(r"^```.*?^```", "", prose, flags=re.DOTALL | re.MULTILINE)
    assert MEASURED.findall(prose) == []


@pytest.fixture
def kept(tmp_path) -> str:
    """Give the path of a kept campaign."""
    path = tmp_path / "summary.json"
    path.write_bytes(msgspec.json.encode(plausible()))
    return str(path)


def _filled(kept: str, mark: str) -> str:
    page = f"<!-- from {kept} -->\nIt is {mark}old<!-- / -->.\n"
    return renewed(page).partition("\n")[2]


def test_a_value_stands_in_a_sentence_as_everywhere_else(kept):
    mark = "<!-- value p99_ms, 23 KB, 50, s1 -->"
    assert re.fullmatch(rf"It is {mark}[\d.,]+<!-- / -->\.\n", _filled(kept, mark))


def test_a_ratio_can_be_read_from_either_system(kept):
    there, back = (
        float(re.findall(r"-->([\d.]+) \(", _filled(kept, f"<!-- ratio p99_ms, 4 B, 50, {pair} -->"))[0])
        for pair in ("s0/s1", "s1/s0")
    )
    assert there * back == pytest.approx(1, abs=0.02)


def test_a_command_is_shown_without_the_folder_that_it_was_kept_in(tmp_path):
    summary = plausible()
    asked = msgspec.structs.replace(summary.campaign, command="./lab run --samples 5 --out /tmp/kept --seed 2")
    path = tmp_path / "summary.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(summary, campaign=asked)))
    assert _filled(str(path), "<!-- command -->").endswith("-->`./lab run --samples 5 --seed 2`<!-- / -->.\n")


@pytest.mark.parametrize(
    "grid",
    [
        "table",
        "rows p99_ms/50",
        "winners",
        "by_load p99_ms",
        "by_system 4 B, p99_ms/50, capacity_per_s/saturated",
        "ranks p99_ms, 50",
        "pairs p99_ms, 50",
        "curve 4 B, p99_ms",
    ],
)
def test_a_table_has_as_many_fields_in_each_row(kept, grid):
    lines = [line for line in _filled(kept, f"<!-- {grid} -->").splitlines() if line.startswith("|")]
    assert len(lines) > 2
    assert len({line.count("|") for line in lines}) == 1


def test_two_campaigns_agree_where_both_rank_a_pair_the_same_way(tmp_path):
    """Here s0, s1 and s2 are 1, 2 and 3; there s1 has surely changed places with s0, and s2 may be any."""
    places = {"here": {"s0": (1, 1), "s1": (2, 2), "s2": (3, 3)}, "there": {"s0": (2, 3), "s1": (1, 1), "s2": (2, 3)}}
    named = ""
    for name, of in places.items():
        summary = plausible(3)
        first = summary.ranks[0]
        ranks = [msgspec.structs.replace(first, system=key, best=a, worst=b) for key, (a, b) in of.items()]
        (tmp_path / name).write_bytes(msgspec.json.encode(msgspec.structs.replace(summary, ranks=ranks)))
        named += f"<!-- from {tmp_path / name} -->"
    grid = renewed(f"{named}\n\n<!-- agreement --><!-- / -->\n")
    rows = [line.split("|")[2:-1] for line in grid.splitlines() if line.startswith("|")][2:]
    counts = [[int(cell) for cell in row] for row in rows]
    assert [3, 2, 1, 1] in counts
    assert counts.count([0, 0, 0, 0]) == len(counts) - 1


def _beside(mark: str, *summaries: Summary, folder: Path) -> list[list[str]]:
    """Return the fields of the rows of a page that names these campaigns, the first of them twice."""
    paths = [folder / f"{place}.json" for place in range(len(summaries))]
    for path, summary in zip(paths, summaries, strict=True):
        path.write_bytes(msgspec.json.encode(summary))
    named = "".join(f"<!-- from {path} -->" for path in (*paths, paths[0]))
    lines = renewed(f"{named}\n\n<!-- {mark} --><!-- / -->\n").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]


def test_campaigns_that_a_page_names_and_that_have_a_row_stand_below_each_other(tmp_path):
    one = plausible()
    small = msgspec.structs.replace(one, cells=[cell for cell in one.cells if cell.row == "4 B"])
    mark = "p99_ms/50, capacity_per_s/saturated"
    heading, _, *rows = _beside(f"each 4 B, {mark}", small, one, folder=tmp_path)
    assert heading == ["4 B: Node.js, Tomcat", "p99 at half load, ms", "capacity, uploads/s"]
    assert [row[0] for row in rows] == ["1", "2"]
    assert rows[0][1:] == rows[1][1:]
    _, _, *rows = _beside(f"each 790 B, {mark}", small, one, folder=tmp_path)
    assert [row[0] for row in rows] == ["2"]


def test_ranks_of_campaigns_stand_beside_each_other_in_the_order_of_the_last(tmp_path):
    mark = "each_ranks 4 B, p99_ms/50, capacity_per_s/saturated"
    heading, _, *rows = _beside(mark, plausible(3), plausible(3, seed=5), folder=tmp_path)
    assert heading == ["4 B", "p99 at half load, ms: 1", "2", "capacity, uploads/s: 1", "2"]
    alone = _filled(str(tmp_path / "1.json"), "<!-- ranks p99_ms, 50 -->")
    last = [line.strip("| ").split(" | ")[:2] for line in alone.splitlines() if line.startswith("|")][2:]
    assert [[row[0], row[2]] for row in rows] == last


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<!-- runs --><!-- / -->", "no campaign is named before it"),
        ("<!-- from nowhere.json -->", "No such file"),
        ("<!-- from KEPT -->\n<!-- value p99_ms, 1 GB, 50, s0 --><!-- / -->", "has no such value"),
        ("<!-- from KEPT -->\n<!-- value p98_ms, 4 B, 50, s0 --><!-- / -->", "has no such value"),
        ("<!-- from KEPT -->\n<!-- pie --><!-- / -->", "has no such value"),
    ],
)
def test_a_mark_that_no_campaign_answers_is_named(kept, page, said):
    with pytest.raises(WrongMark, match=said):
        renewed(page.replace("KEPT", kept))


@pytest.fixture
def study(tmp_path) -> Path:
    """Give the page of a study with a kept campaign."""
    tables = tmp_path / "example" / "quick" / "analysis"
    tables.mkdir(parents=True)
    rows = "scenario,metric,system_a,system_b,ratio,lo,hi,more_repeats\none,mean_ms,a,b@old,0.5,0.25,0.8,17\n"
    (tables / "comparisons.csv").write_text(rows)
    (tables / "cells.csv").write_text("scenario,system,mean_ms,delivered_per_s\none,a,0.0229,57312.4\n")
    return tmp_path / "README.md"


@pytest.mark.parametrize(
    ("mark", "value"),
    [
        ("ratio quick, one, mean_ms, a/b@old", "0.500 (0.250–0.800)"),
        ("ratio quick, one, mean_ms, b@old/a", "2.00 (1.25–4.00)"),
        ("more quick, one, mean_ms, b@old/a", "17"),
        ("value quick, one, mean_us, a", "22.9"),
        ("value quick, one, delivered_per_s, a", "57,300"),
    ],
)
def test_a_value_on_the_page_of_a_study_is_that_of_its_kept_tables_to_three_digits(study, mark, value):
    study.write_text(f"It is <!-- {mark} -->old<!-- / -->.")
    assert study_page(study) == f"It is <!-- {mark} -->{value}<!-- / -->."


@pytest.mark.parametrize("mark", ["ratio quick, one, mean_ms, a/c", "value slow, one, mean_ms, a", "pie quick, one"])
def test_a_mark_that_no_kept_table_of_a_study_answers_is_named(study, mark):
    study.write_text(f"<!-- {mark} --><!-- / -->")
    with pytest.raises(WrongMark, match=rf"<!-- {mark} -->: no kept campaign has such a value"):
        study_page(study)
