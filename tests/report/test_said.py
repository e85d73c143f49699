"""What page and terminal say of a summary: the answer first, for two systems and for sixteen, within its bounds."""

import re
import shlex
from pathlib import Path

import msgspec
import pytest
from summaries import plausible

from monitoring.pages.render import render, write
from uploadlab.report.answer_table import MEANS, AnswerTable
from uploadlab.report.campaign_page import campaign_page
from uploadlab.report.numbers import number, ratio
from uploadlab.report.sentence import answer
from uploadlab.report.summary import Claim, Warning
from uploadlab.report.terminal import lines

SCREEN = {"width": 1280, "height": 900}


@pytest.mark.parametrize(
    ("value", "said"), [(16530.4, "16,530"), (7.214, "7.21"), (0.0421, "0.0421"), (99.96, "100"), (None, "–")]
)
def test_a_number_has_three_digits_and_those_of_whole_numbers_stay(value, said):
    assert number(value) == said


def test_a_ratio_has_its_interval_beside_it():
    assert ratio(0.421, 0.35, 0.498) == "0.42 (0.35–0.50)"


def test_the_sentence_names_the_load_the_sizes_and_by_how_much():
    said = plausible().answer
    assert re.match(
        r"At half load Tomcat answers 99 of 100 uploads in 0\.\d\d–0\.\d\d of Node\.js's time, from 4 B to 410 KB; "
        r"Node\.js needs 0\.\d\d–0\.\d\d of Tomcat's CPU\. "
        r"Saturated, Node\.js can store 1\.\d\d–1\.\d\d times as many a second at 4 B, 790 B, 23 KB and 410 KB\.",
        said,
    )


@pytest.mark.parametrize(
    ("open_at", "named"),
    [(("790 B", "97 KB"), "4 B, 23 KB and 410 KB"), (("790 B", "23 KB", "97 KB"), "4 B and 410 KB")],
)
def test_sizes_with_a_gap_between_them_are_named(open_at, named):
    summary = plausible()
    compared = [
        msgspec.structs.replace(one, verdict="undecided") if one.row in open_at else one for one in summary.comparisons
    ]
    said = answer(AnswerTable(msgspec.structs.replace(summary, comparisons=compared)))
    assert re.match(rf"At half load Tomcat answers .* of Node\.js's time at {named}; ", said)


def test_where_nothing_is_decided_the_sentence_says_so():
    summary = plausible()
    undecided = [msgspec.structs.replace(one, verdict="undecided") for one in summary.comparisons]
    changed = msgspec.structs.replace(summary, comparisons=undecided)
    assert answer(AnswerTable(changed)) == "This campaign can't tell which system is better: no difference is decided."


def test_where_none_of_many_is_best_the_pairs_that_are_told_apart_are_counted():
    summary = plausible(4)
    ranks = [msgspec.structs.replace(one, best=1, worst=4) for one in summary.ranks]
    compared = [one for one in summary.comparisons if one.decided]
    apart = sum(one.verdict != "undecided" for one in compared)
    said = answer(AnswerTable(msgspec.structs.replace(summary, ranks=ranks)))
    assert apart > 0
    assert said == f"This campaign can't tell which system is best: {apart} of {len(compared)} pairs are told apart."


def test_a_long_name_of_a_row_stands_whole_above_its_values():
    summary = plausible()
    row = "23 KB, the disk of the results folder"
    renamed = {
        part: [msgspec.structs.replace(one, row=row) if one.row == "23 KB" else one for one in getattr(summary, part)]
        for part in ("cells", "comparisons")
    }
    said = list(lines(msgspec.structs.replace(summary, **renamed)))
    assert max(map(len, said)) <= 80
    assert sum(row in line for line in said) == sum("97 KB" in line for line in said) > 0


def test_of_three_systems_the_two_that_cannot_be_told_apart_are_named_as_better_than_the_third():
    summary = plausible(3)
    places = {"s0": (1, 2), "s1": (1, 2), "s2": (3, 3)}
    ranks = [
        msgspec.structs.replace(one, best=places[one.system][0], worst=places[one.system][1]) for one in summary.ranks
    ]
    said = answer(AnswerTable(msgspec.structs.replace(summary, ranks=ranks)))
    assert said.startswith("At half load best p99: Node.js and Tomcat tied in 5 of 5 rows, from 4 B to 410 KB; ")


@pytest.mark.parametrize(("off", "said_once"), [(1.05, False), (1.2, True)])
def test_a_ratio_that_is_far_from_that_of_the_values_beside_it_is_explained(off, said_once):
    summary = plausible()
    first, *others = [one for one in summary.comparisons if one.metric == "p99_ms" and one.load == 50]
    changed = msgspec.structs.replace(first, ratio=off * first.a / first.b)
    summary = msgspec.structs.replace(summary, comparisons=[changed, *others])
    assert (MEANS in " ".join(lines(summary))) == said_once
    (table,) = campaign_page(summary).sections[0].blocks[:1]
    assert (MEANS in table.note) == said_once


def test_how_many_published_claims_hold_is_said_for_each_of_several_versions():
    told = {"id": "c", "text": "It is so.", "place": "Table 1", "n": 3, "at_scale": False, "why": "", "paper_why": ""}
    open_ = {"figure": None, "lo": None, "hi": None, "paper_verdict": "holds"}
    verdicts = {"current": ["holds", "fails", "fails"], "paper-2016": ["undecided", "holds", "not measured"]}
    claims = [Claim(**told, **open_, stack=stack, verdict=one) for stack, of in verdicts.items() for one in of]
    of_both = "current: 1 hold, 2 fail; paper-2016: 1 hold, 1 undecided, 1 not measured"
    for shown, counted in ((claims[:3], "1 hold, 2 fail"), (claims, of_both)):
        summary = msgspec.structs.replace(plausible(), claims=shown)
        assert f"Published claims: {counted}; the report has each." in " ".join(lines(summary))
        assert f"Published claims: {counted}" in [section.title for section in campaign_page(summary).sections]


@pytest.mark.parametrize("systems", [1, 2, 3, 16])
def test_the_terminal_keeps_to_80_columns_and_cuts_no_number(systems):
    summary = plausible(systems)
    said = list(lines(summary))
    assert max(map(len, said)) <= 80
    for metric in ("capacity_per_s", "p99_ms"):
        load = "saturated" if metric == "capacity_per_s" else 50
        for cell in summary.cells:
            if cell.load == load:
                assert any(number(cell.values[metric].value) in line.split() for line in said), (cell, metric)


def test_a_long_command_is_broken_into_lines_that_a_shell_takes_for_one():
    options = "--capacity 20,50,80 --load settling_s=10 --load saturated_s=14 --load share_s=16"
    command = f"./lab run --systems '/srv/my server,node' {options}"
    warned = msgspec.structs.replace(plausible(), warnings=[Warning(text="Too short.", command=command)], left_out=[])
    *_, text, first, second = lines(warned)
    assert (text, first[-2:]) == ("! Too short.", " \\")
    assert max(len(first), len(second)) <= 80
    assert shlex.split(first[:-1] + second) == shlex.split(command)


def test_ties_are_shown_as_ranges_of_ranks_and_the_best_comes_first():
    summary = plausible(16)
    table = AnswerTable(summary)
    measure = next(one for one in table.measures if one.metric.id == "p99_ms")
    ranks = table.ranks("4 B", measure)
    assert len(ranks) == 16
    assert ranks[0].text == "1"
    assert any(rank.best < rank.worst for rank in ranks), "neighbours that are not decided share places"
    values = [table.value("4 B", measure, rank.system).value for rank in ranks]
    assert values[0] == min(values)


def test_the_page_is_one_file_that_names_no_other():
    html = render(campaign_page(plausible()))
    assert not re.search(r'(src|href)="', html)


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "width", "scheme"), [(2, 1280, "light"), (2, 390, "dark"), (16, 1280, "light")])
def test_the_page_draws_offline_within_its_bounds(tmp_path, drawn_page, systems, width, scheme):
    path = tmp_path / "index.html"
    path.write_text(render(campaign_page(plausible(systems))), encoding="utf-8")
    page = drawn_page(path, width, scheme, unfolded=False)
    words = "document.querySelector('main').innerText.split(/\\s+/).length"
    assert page.locator(".drawing svg").count() >= 1
    if (systems, width) == (2, SCREEN["width"]):
        assert page.evaluate(
            "[...document.querySelectorAll('.scroll')].every((it) => it.scrollWidth <= it.clientWidth)"
        )
    if width == SCREEN["width"]:
        assert page.evaluate(words) <= 1200
        assert page.evaluate("document.documentElement.scrollHeight") <= 5 * SCREEN["height"]
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.wait_for_function("[...document.querySelectorAll('.drawing')].every((one) => one.dataset.drawn)")
    assert page.evaluate(words) <= 4000


@pytest.mark.slow
def test_a_chart_gives_its_rows_as_csv(tmp_path, drawn_page):
    page = drawn_page(write(campaign_page(plausible()), tmp_path / "index.html"))
    with page.expect_download() as given:
        page.locator("button.csv").first.click()
    heading, *rows = Path(given.value.path()).read_text(encoding="utf-8").splitlines()
    assert "system" in heading.split(",")
    assert len(rows) > 2
    assert {row.count(",") for row in rows} == {heading.count(",")}


def test_a_command_that_resolves_two_warnings_stands_below_the_second():
    summary = plausible()
    longer = [Warning(text=text, command="./lab run --minutes 30") for text in ("One.", "Two.")]
    several = [*longer, Warning(text="Three.", command="./lab doctor")]
    said = list(lines(msgspec.structs.replace(summary, warnings=several, left_out=[])))
    expected = ["! One.", "! Two.", "  ./lab run --minutes 30", "! Three.", "  ./lab doctor"]
    assert said[said.index("! One.") :] == expected
