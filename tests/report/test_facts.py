import pytest
from handmade import ENGLISH, comparison, results_by_hand, run

from uploadlab.report import facts, grids
from uploadlab.report.grids import paper_tables
from uploadlab.words.language import consecutive


def results_of(tmp_path, means, comparisons=(), metric="mean_ms"):
    runs = [run(f"s05-local-{system}", **{metric: value}) for system, value in means.items()]
    names = {system: system for system in means}
    return results_by_hand(tmp_path / "c", runs, comparisons, names=names)


def standing(results):
    return facts.standing(results, results.scenarios["s05-local"], "mean_ms")


def test_the_best_is_the_one_that_the_comparison_decides(tmp_path):
    rows = [comparison("s05-local", "mean_ms", 0.8, lo=0.7, hi=0.9, better="node", verdict="faster")]
    one = standing(results_of(tmp_path, {"node": 80, "tomcat": 100}, rows))
    assert (one.decision, one.best, one.rival) == ("better", "node", "tomcat")
    assert (one.ratio, one.low, one.high, one.n) == (0.8, 0.7, 0.9, (4, 4))


def test_a_comparison_is_turned_round_when_the_second_system_is_the_best(tmp_path):
    rows = [comparison("s05-local", "mean_ms", 1.25, lo=1.0, hi=2.0, n_a=3, n_b=5, better="tomcat", verdict="slower")]
    one = standing(results_of(tmp_path, {"node": 125, "tomcat": 100}, rows))
    assert (one.decision, one.best, one.rival) == ("better", "tomcat", "node")
    assert (one.ratio, one.low, one.high, one.n) == (0.8, 0.5, 1.0, (5, 3))


def test_who_wins_within_blocks_is_the_best_though_a_run_without_counterpart_makes_its_mean_the_higher_one(tmp_path):
    rows = [comparison("s05-local", "mean_ms", 1.1, lo=1.05, hi=1.15, better="tomcat", verdict="slower")]
    one = standing(results_of(tmp_path, {"node": 99, "tomcat": 100}, rows))
    assert (one.decision, one.best, one.beaten) == ("better", "tomcat", ("node",))
    assert one.ratio == pytest.approx(1 / 1.1)
    rows = [comparison("s05-local", "mean_ms", 1.1, lo=0.9, hi=1.3)]
    one = standing(results_of(tmp_path / "open", {"node": 99, "tomcat": 100}, rows))
    assert (one.decision, one.best) == ("undecided", "tomcat")


def test_a_lower_mean_without_a_decided_comparison_is_undecided(tmp_path):
    rows = [comparison("s05-local", "mean_ms", 0.8, lo=0.5, hi=1.3, more_repeats=6)]
    one = standing(results_of(tmp_path, {"node": 80, "tomcat": 100}, rows))
    assert (one.decision, one.best, one.more_repeats) == ("undecided", "node", 6)


def test_without_comparisons_nothing_is_decided(tmp_path):
    one = standing(results_of(tmp_path, {"node": 80, "tomcat": 100}))
    assert (one.decision, one.ratio, one.low) == ("undecided", 0.8, None)


def test_two_systems_within_the_margin_are_equal(tmp_path):
    rows = [comparison("s05-local", "mean_ms", 0.99, lo=0.97, hi=1.01, verdict="equal within 5 %")]
    assert standing(results_of(tmp_path, {"node": 99, "tomcat": 100}, rows)).decision == "equal"


def test_of_three_systems_two_can_be_equal_and_the_third_beaten(tmp_path):
    rows = [
        comparison("s05-local", "mean_ms", 0.99, system_b="go", verdict="equal within 5 %"),
        comparison("s05-local", "mean_ms", 0.5, system_b="tomcat", verdict="faster", better="node"),
        comparison("s05-local", "mean_ms", 0.5, system_a="go", system_b="tomcat", verdict="faster", better="go"),
    ]
    one = standing(results_of(tmp_path, {"node": 99, "tomcat": 200, "go": 100}, rows))
    assert (one.decision, one.contenders, one.beaten) == ("equal", ("node", "go"), ("tomcat",))


def test_a_beaten_third_system_that_cannot_be_compared_does_not_matter_to_the_two_that_differ(tmp_path):
    rows = [
        comparison("s05-local", "mean_ms", 0.5, system_b="go", verdict="faster", better="node"),
        comparison("s05-local", "mean_ms", 0.4, system_b="tomcat", verdict="faster", better="node"),
    ]
    one = standing(results_of(tmp_path, {"node": 80, "tomcat": 200, "go": 160}, rows))
    assert (one.decision, one.best, one.rival) == ("better", "node", "go")


def test_a_run_that_is_invalid_or_failed_never_counts(tmp_path):
    node, invalid = run("s05-local-node", mean_ms=80), {"mean_ms": 100, "valid": "false"}
    beside = results_by_hand(tmp_path / "a", [node, run("s05-local-tomcat", **invalid)])
    assert standing(beside).decision == "alone"
    alone = results_by_hand(tmp_path / "b", [run("s05-local-node", **invalid)])
    assert standing(alone).decision == "nothing"
    failed_and_marked_valid = results_by_hand(tmp_path / "c", [{**node, "status": "failed"}])
    assert failed_and_marked_valid.valid_runs == ()


def test_doubts_count_what_is_left_out(tmp_path):
    runs = [
        run("s05-local-node", "01", mean_ms=10, injector_wait_ms_per_request=1, injector_cpu_pct=50, error_pct=0.5),
        run("s05-local-node", "02", mean_ms=10, valid="false"),
        run("s05-local-node", "03", status="failed", valid="false"),
    ]
    rig = {"roles": {"server": {"host": "one"}, "injector": {"host": "one"}}}
    machine = {"cpu": {"cores": [0, 1]}, "virtual_machine": "none"}
    doubts = facts.doubts(results_by_hand(tmp_path / "c", runs, rig=rig, machine=machine))
    assert (doubts.runs, doubts.valid, doubts.invalid, doubts.failed, doubts.missing) == (3, 1, 1, 1, 0)
    assert (doubts.requests, doubts.setup.same_host) == (1000, True)
    assert (doubts.setup.cores, doubts.setup.virtual_machine) == (2, "")
    assert doubts.generator_wait_pct == (10, 10)
    assert doubts.error_pct == 0.5


def test_two_hosts_are_not_one_machine(tmp_path):
    rig = {"roles": {"server": {"host": "one"}, "injector": {"host": "two"}}}
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], rig=rig)
    assert not facts.doubts(results).setup.same_host


def test_the_widest_gap_is_the_largest_ratio_of_two_systems(tmp_path):
    means = {"s01-local-node": 10, "s01-local-tomcat": 12, "s05-local-node": 40, "s05-local-tomcat": 20}
    runs = [run(cell, mean_ms=mean) for cell, mean in means.items()]
    gap = facts.widest_gap(results_by_hand(tmp_path / "c", runs), "mean_ms")
    assert (gap.scenario.key, gap.more, gap.less, gap.ratio) == ("s05-local", "node", "tomcat", 2)


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["1", "2", "3", "5", "10"], [["1", "2", "3"], ["5"], ["10"]]),
        (["ssd", "hdd"], [["ssd"], ["hdd"]]),
        ([], []),
    ],
)
def test_whole_numbers_that_follow_each_other_are_grouped(names, groups):
    assert consecutive(names) == groups


def test_table_6_names_the_systems_whose_difference_a_row_is_of(tmp_path):
    rows = [{"series": series, "pearson": 0.5, "n": 3} for series in ("node", "node - tomcat", "differences")]
    runs = [run("s05-local-node"), run("s05-local-tomcat")]
    results = results_by_hand(tmp_path / "c", runs, tables={"tables/table6": rows})
    (table,) = paper_tables(results, ENGLISH)
    assert [row[0].text for row in table.rows] == ["Node.js", "Node.js − Tomcat", "the differences"]


def test_in_the_papers_table_of_cvs_one_stands_without_the_clock_only_where_that_changes_it(tmp_path):
    rows = [
        {"sample": 1, "node": 0.713, "node_without_clock": 0.713, "tomcat": 0.5, "tomcat_without_clock": 0.25},
    ]
    runs = [run("s01-local-node"), run("s01-local-tomcat")]
    results = results_by_hand(tmp_path / "c", runs, tables={"tables/table4": rows})
    (table,) = paper_tables(results, ENGLISH)
    assert [figure.after for figure in table.rows[0]] == ["", "", "without the clock 0.250"]


def test_what_is_held_against_the_answer_is_of_the_runs_that_it_rests_on(tmp_path):
    busy = {"local": (10, 0.1), "tmpfs": (70, 3.0)}
    runs = [
        run(f"s05-{disk}-node", f"{repeat:02}", mean_ms=10, injector_cpu_pct=pct, injector_wait_ms_per_request=wait_ms)
        for disk, (pct, wait_ms) in busy.items()
        for repeat in range(1, 6 if disk == "local" else 2)
    ]
    levels = {"disk": ["local", "tmpfs"]}
    results = results_by_hand(tmp_path / "c", runs, levels=levels, check_factors=["disk"])
    found = facts.doubts(results)
    assert (found.repeats, found.repeats_of_answer) == ((1, 5), (5, 5))
    assert (found.generator_cpu_pct, found.generator_wait_pct) == ((10, 10), (1, 1))
    assert found.valid == 6


@pytest.mark.parametrize(
    ("cv", "without", "mean_ms", "said"), [(0.5, 0.25, 3, 0.25), (0.5, 0.5, 3, None), (0.5, 0.25, 30, None)]
)
def test_a_cv_has_one_without_the_clock_beside_it_only_where_a_clock_of_whole_milliseconds_adds_to_it(
    tmp_path, cv, without, mean_ms, said
):
    runs = [run("s05-local-node", mean_ms=mean_ms, cv=cv, cv_without_clock=without)]
    results = results_by_hand(tmp_path / "c", runs)
    (cell,) = results.cells
    assert facts.without_clock(cell) == facts.without_clock(cell.runs[0]) == said
    row, *_ = grids.cells(results, ENGLISH).rows
    assert any("without the clock" in figure.after for figure in row) is (said is not None)
    raw, *_ = grids.raw(results, ENGLISH).rows
    assert any("without the clock" in figure.after for figure in raw) is (said is not None)


def test_an_undecided_standing_is_set_against_the_system_that_it_cannot_be_told_from(tmp_path):
    rows = [
        comparison("s05-local", "mean_ms", 0.8, system_b="go", lo=0.7, hi=0.9, verdict="faster", better="node"),
        comparison("s05-local", "mean_ms", 0.7, system_b="tomcat", lo=0.4, hi=1.2, n_b=3),
        comparison("s05-local", "mean_ms", 0.9, system_a="go", system_b="tomcat", lo=0.5, hi=1.3),
    ]
    one = standing(results_of(tmp_path, {"node": 70, "go": 90, "tomcat": 100}, rows))
    assert (one.decision, one.beaten) == ("undecided", ("go",))
    assert (one.rival, one.ratio, one.low, one.high, one.n) == ("tomcat", 0.7, 0.4, 1.2, (4, 3))
