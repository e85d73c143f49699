import pytest
from handmade import comparison, results_by_hand, run, write_results

from uploadlab.errors import InputError
from uploadlab.report.results import read_results
from uploadlab.tables.table_file import number


@pytest.mark.parametrize(
    ("text", "value"), [("1.5", 1.5), ("", None), (None, None), ("nan", None), ("inf", None), ("x", None)]
)
def test_only_finite_numbers_are_numbers(text, value):
    assert number(text) == value


def test_a_cell_belongs_to_the_system_and_the_scenario_its_name_is_made_of(tmp_path):
    runs = [run("s05-ssd-node@paper-2016"), run("s10-ssd-node@paper-2016")]
    results = results_by_hand(tmp_path / "c", runs)
    assert [cell.system for cell in results.cells] == ["node@paper-2016", "node@paper-2016"]
    assert list(results.scenarios) == ["s05-ssd", "s10-ssd"]
    assert results.scenarios["s05-ssd"].varying == ("sample",)


def test_scenarios_are_in_the_order_of_their_numbers(tmp_path):
    cells = [f"s{sample:02d}-local-node" for sample in (10, 2, 1)]
    assert list(results_by_hand(tmp_path / "c", [run(cell) for cell in cells]).scenarios) == [
        "s01-local",
        "s02-local",
        "s10-local",
    ]


def test_a_planned_run_without_a_row_is_missing(tmp_path):
    plan = {"cell": "s05-local-node", "system": "node", "stack": "current", "factors": {"sample": 5, "disk": "local"}}
    planned = [{**plan, "repeat": "01"}, {**plan, "repeat": "02"}]
    results = results_by_hand(tmp_path / "c", [run("s05-local-node", "01")], runs=planned)
    assert results.missing == ("s05-local-node/02",)


def test_a_cells_figure_without_a_column_of_its_own_is_the_mean_of_its_valid_runs(tmp_path):
    runs = [
        run("s05-local-node", "01", mean_ms=10),
        run("s05-local-node", "02", mean_ms=20),
        run("s05-local-node", "03", mean_ms=1000, valid="false", reason="The generator was busy."),
    ]
    [cell] = results_by_hand(tmp_path / "c", runs).cells
    assert cell.value("mean_ms") == 15
    assert cell.interval("mean_ms") is None


def test_the_comparison_says_whether_it_is_decided(tmp_path):
    rows = [
        comparison("s05-local", "mean_ms", 0.8, verdict="faster", better="node"),
        comparison("s05-local", "cv", 1.01, verdict="equal within 5 %"),
        comparison("s05-local", "p99_ms", 0.9, more_repeats=6),
    ]
    runs = [run("s05-local-node"), run("s05-local-tomcat")]
    first, second, third = results_by_hand(tmp_path / "c", runs, rows).comparisons
    assert (first.better, first.equal) == ("node", False)
    assert (second.better, second.equal) == ("", True)
    assert (third.better, third.equal, third.more_repeats) == ("", False, 6)


def test_a_folder_that_is_no_campaign_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"campaign\.json: not found; .* is not a campaign's results folder\.$"):
        read_results(tmp_path)


def test_a_campaign_that_was_not_analysed_is_refused_in_one_sentence(tmp_path):
    folder = write_results(tmp_path / "c", [run("s05-local-node")])
    (folder / "analysis" / "runs.csv").unlink()
    with pytest.raises(InputError, match=r"runs\.csv: not found; the analysis writes it before the report\.$"):
        read_results(folder)


@pytest.mark.parametrize("text", ["{", "[]", ""])
def test_a_damaged_campaign_json_is_refused_by_name(tmp_path, text):
    folder = write_results(tmp_path / "c", [run("s05-local-node")])
    (folder / "campaign.json").write_text(text)
    with pytest.raises(InputError, match=r"campaign\.json(, line 1: not JSON|: expected a JSON object)"):
        read_results(folder)


def test_published_numbers_with_a_byte_order_mark_are_of_the_system_they_name(tmp_path):
    folder = write_results(tmp_path / "c", [run("s05-local-node")])
    (folder / "published").mkdir()
    (folder / "published" / "t.csv").write_text("system,mean_ms\nnode,7\n", encoding="utf-8-sig")
    assert list(read_results(folder).printed("t.csv")) == [{"system": "node", "mean_ms": "7"}]
