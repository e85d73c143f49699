import math
import re
from dataclasses import replace
from pathlib import Path

import campaigns
import pytest
import recomputation
from scipy import stats

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.claims.claims import TESTS, check_arguments, read_claim, stacks_of
from uploadlab.claims.ground import Ground, Scene, ground_of_printed, ground_of_runs
from uploadlab.errors import InputError
from uploadlab.results.campaign import read_campaign
from uploadlab.results.declarations import declarations
from uploadlab.tables.comparisons import Terms
from uploadlab.tables.published import printed_rows

CLAIMS = campaigns.study_claims()
UPLOADS = declarations({"study": {"id": "upload"}})
NAMES = {"node": "Node.js", "tomcat": "Tomcat"}
PAPER = ground_of_printed(printed_rows(Path("nowhere"), UPLOADS), UPLOADS, NAMES)
PAIR = {"metric": "mean_ms", "system": "node", "than": "tomcat"}
LOWER = {**PAIR, "along": "sample"}
TREND = {"metric": "cpu_pct", "system": "node", "along": "sample"}


def measured(scenes, samples=(), **more):
    """Build ground from what was measured of each system in each scenario, its sample and its disk, by block."""
    made = [
        Scene(
            levels={"sample": sample, "disk": disk},
            rows={
                system: [{"valid": True, "block": n, metric: value} for n, value in values.items()]
                for system, (metric, values) in systems.items()
            },
        )
        for (sample, disk), systems in scenes.items()
    ]
    meant = {"sample": tuple(samples)} if samples else {}
    return Ground(scenes=made, declared=UPLOADS, names=NAMES, printed=False, meant=meant, **more)


def by_block(values, first=1):
    """Return values by block: as they are given, or those of the blocks from the first one on."""
    return values if isinstance(values, dict) else dict(enumerate(values, first))


def repeats(metric, node, tomcat, samples=(), **more):
    """Build ground of one metric: for each sample the repeats of Node.js and of Tomcat; listed, they share no block."""
    scenes = {
        (sample, "local"): {"node": (metric, by_block(node[sample])), "tomcat": (metric, by_block(tomcat[sample], 101))}
        for sample in node
    }
    return measured(scenes, samples, **more)


def claim_rows(made):
    """Analyse a campaign and return what it says of the claims."""
    write_analysis(made.folder)
    return recomputation.read_csv(made.folder / "analysis" / "claims.csv")


def near(value):
    return [0.99 * value, value, 1.01 * value]


def ratio_over_disks(blocks_of_node, blocks_of_tomcat, **more):
    """Return the ratio of systems that each ran on one disk, in the blocks named, by whole ms."""
    node = {"node": ("mean_ms", {n: 100 + n for n in blocks_of_node})}
    tomcat = {"tomcat": ("mean_ms", {n: 200 + n for n in blocks_of_tomcat})}
    asked = measured({(5, "hdd"): node, (5, "ssd"): tomcat}, **more)
    return asked.ratio("mean_ms", (asked.scenes[0], "node"), (asked.scenes[1], "tomcat"))


def test_runs_of_two_scenarios_are_held_to_every_look_where_a_campaign_stopped_when_sure():
    assert ratio_over_disks((1, 2, 3, 4), (1, 2, 3, 4), most_blocks=12).method == "sequential"
    assert ratio_over_disks((1, 2, 3, 4), (1, 2, 3, 4)).method == "t"


def test_runs_of_two_scenarios_without_a_common_block_have_a_ratio_and_no_interval():
    apart = ratio_over_disks((1, 2, 3), (4, 5, 6), most_blocks=12)
    assert (apart.estimate, apart.lo, apart.method) == (102 / 205, None, "none")


def test_runs_of_another_stack_are_never_judged_as_the_one_that_is_asked_for():
    runs = [
        {"valid": True, "system": "node", "stack": stack, "sample": 5, "block": 1, "mean_ms": value}
        for stack, value in (("current", 4.0), ("paper-2016", 9.0))
    ]
    ground = ground_of_runs(
        runs,
        ["sample"],
        {},
        PAPER,
        stacks={"node": "paper-2016"},
        terms=Terms(margin=0.05, most_blocks=None),
        seed=1,
    )
    assert ground.values(ground.scenes[0], "node", "mean_ms") == [9.0]


def run_of(system, stack, **figures):
    return {"valid": True, "system": system, "stack": stack, **figures}


def test_each_variant_of_a_system_is_judged_beside_the_others_as_they_are():
    variants = [run_of("tomcat", f"current,heap_mb={size}") for size in (1200, 512)]
    assert stacks_of([run_of("node", "current"), *variants], whole_keys=False) == {
        "current,tomcat.heap_mb=1200": {"node": "current", "tomcat": "current,heap_mb=1200"},
        "current,tomcat.heap_mb=512": {"node": "current", "tomcat": "current,heap_mb=512"},
    }
    beside = [run_of("node", "current"), run_of("tomcat", "current"), *variants]
    assert list(stacks_of(beside, whole_keys=False)) == ["current"]
    assert list(stacks_of(variants, whole_keys=True)) == ["current"]
    both = [run_of("node", f"current,backlog={n}") for n in (1, 2)] + variants
    assert len(stacks_of(both, whole_keys=False)) == 4
    assert list(stacks_of([run_of("node", "paper"), run_of("node", None)], whole_keys=False)) == ["current", "paper"]


@pytest.mark.parametrize(
    ("systems", "stacks"),
    [
        (
            ("node", "tomcat@current,heap_mb=512", "tomcat@current,heap_mb=1200"),
            ["current,tomcat.heap_mb=512", "current,tomcat.heap_mb=1200"],
        ),
        (("node", "tomcat", "node@paper-2016", "tomcat@paper-2016"), ["current", "paper-2016"]),
    ],
)
def test_claims_over_variants_and_stacks_name_them_and_are_judged_on_each_by_itself(tmp_path, systems, stacks):
    made = campaigns.write_campaign(
        tmp_path / "c", samples=(5,), systems=systems, repeats=2, requests=300, claims=CLAIMS[:1]
    )
    rows = claim_rows(made)
    assert [row["stack"] for row in rows] == stacks
    assert [row["n"] for row in rows] == ["1", "1"]


def test_of_several_disks_the_one_that_the_paper_puts_first_is_judged():
    scenes = {(5, disk): {"node": ("mean_ms", {1: 1.0})} for disk in ("hdd", "local", "ssd")}
    assert measured(scenes).at("sample", 5).levels["disk"] == "ssd"
    assert measured({key: of for key, of in scenes.items() if key[1] != "ssd"}).at("sample", 5).levels["disk"] == "hdd"


def test_sums_over_samples_pair_the_systems_and_not_the_samples_whose_blocks_were_repeated_unequally_often():
    blocks = {1: (1, 2, 3), 2: (1, 4, 5, 6)}
    node = {sample: {n: 100 + 10 * n + sample for n in of} for sample, of in blocks.items()}
    tomcat = {sample: {n: 2 * value for n, value in of.items()} for sample, of in node.items()}
    found = TESTS["lower_overall"](repeats("mean_ms", node, tomcat, most_blocks=12), **LOWER, by=0.5)
    assert (found.verdict, found.figure, found.lo, found.hi) == ("holds", *[pytest.approx(0.5)] * 3)


def test_a_sample_that_is_not_in_the_sum_is_said_to_have_fewer_than_three_blocks_of_both_however_often_it_was_run():
    node = {sample: {1: 101, 2: 102, 3: 103} for sample in (1, 2, 3)}
    tomcat = {1: {1: 201, 2: 202, 3: 203}, 2: {1: 201}, 3: {1: 201, 2: 202, 3: 203}}
    found = TESTS["lower_overall"](repeats("mean_ms", node, tomcat, most_blocks=12), **LOWER)
    assert found.why.endswith(" Sample 2, with fewer than three blocks of both systems, is not in the sum.")


@pytest.mark.parametrize(
    ("claim", "verdict", "figure"),
    [
        ("mean-lower-everywhere", "holds", 10),
        ("mean-23-percent-lower", "holds", 1 - 7306 / 9528),
        ("cv-lower-but-sample-10", "holds", 10),
        ("cv-lower-overall", "holds", 0.443),
        ("cv-1.54-against-2.76", "holds", 0.443),
        ("hdd-beats-ssd", "holds", 887 / 1048),
        ("cpu-more-to-sample-6", "fails", 9),  # in sample 10 Node.js prints 4 % and Tomcat 2 %
        ("cpu-node-falls", "holds", -0.985),
        ("cpu-tomcat-rises", "undecided", 0.292),
        ("pswitch-lower-with-cv", "holds", 10),
        ("correlation-node", "undecided", 0.755),  # without sample 10 it is -0.63
        ("correlation-tomcat", "holds", 0.806),
        ("correlation-differences", "holds", 0.791),
        ("errors-tomcat-grow", "holds", 0.939),
        ("throughput-tomcat-decays", "undecided", None),  # printed as a picture only
    ],
)
def test_each_claim_of_the_paper_gets_its_verdict_on_the_papers_own_numbers(claim, verdict, figure):
    declared = read_claim(1, next(entry for entry in CLAIMS if entry["id"] == claim))
    finding = declared.decide(PAPER)
    assert finding.verdict == verdict
    assert finding.figure == (None if figure is None else pytest.approx(figure, abs=0.001))
    assert finding.why.endswith(".")


def test_every_claim_of_the_study_is_in_the_table_above():
    marks = test_each_claim_of_the_paper_gets_its_verdict_on_the_papers_own_numbers.pytestmark[0]
    assert {case[0] for case in marks.args[1]} == {entry["id"] for entry in CLAIMS}


def test_lower_everywhere_needs_every_interval_to_say_so():
    test = TESTS["lower_or_higher"]
    arguments = LOWER | {"lower_in": [1, 2]}
    clear = repeats("mean_ms", {1: near(100), 2: near(100)}, {1: near(150), 2: near(150)})
    unclear = repeats("mean_ms", {1: near(100), 2: [80, 100, 120]}, {1: near(150), 2: [90, 105, 120]})
    contrary = repeats("mean_ms", {1: near(100), 2: near(200)}, {1: near(150), 2: near(150)})
    partly = repeats("mean_ms", {1: near(100)}, {1: near(150)}, samples=(1, 2))
    assert test(clear, **arguments).verdict == "holds"
    found = test(unclear, **arguments)
    assert (found.verdict, found.figure, found.lo, found.hi) == ("undecided", 2, 1, 2)
    assert "not decided by the interval in sample 2" in found.why
    found = test(contrary, **arguments)
    assert (found.verdict, found.figure, found.hi) == ("fails", 1, 1)
    assert "the opposite in sample 2 (200 against 150)" in found.why
    found = test(partly, **arguments)
    assert (found.verdict, found.n) == ("undecided", 1)
    assert "sample 2 not measured" in found.why


def test_where_a_difference_is_claimed_to_be_surely_within_the_margin_of_equal_is_the_contrary():
    lower = LOWER | {"lower_in": [1]}
    same = {1: [99.0, 100.0, 101.0]}
    found = TESTS["lower_or_higher"](repeats("mean_ms", same, same, margin=0.1), **lower)
    assert (found.verdict, found.figure, found.hi) == ("fails", 0, 0)
    assert "the opposite in sample 1 (100 against 100: equal within 10 %)" in found.why
    assert TESTS["lower_or_higher"](repeats("mean_ms", same, same), **lower).verdict == "undecided"


def test_surely_lower_but_within_the_margin_is_equal_in_each_test_of_a_difference():
    ours, theirs = ({1: near(level), 2: near(level)} for level in (95, 100))
    wide, narrow = (repeats("mean_ms", ours, theirs, samples=(1, 2), margin=margin) for margin in (0.1, 0.0))
    for test, more in (
        ("lower_or_higher", {"along": "sample", "lower_in": [1]}),
        ("lower_overall", {"along": "sample", "levels": [1, 2]}),
        ("lower_elsewhere", {"where": {"sample": 1}, "than_where": {"sample": 2}}),
    ):
        assert TESTS[test](narrow, **PAIR, **more).verdict == "holds"
        assert TESTS[test](wide, **PAIR, **more).verdict == "fails", test


def test_fewer_switches_are_claimed_of_the_steadier_system_and_equally_many_are_the_contrary():
    both = {"metric": "cv", "other": "context_switches_per_s", "system": "node", "than": "tomcat", "along": "sample"}
    made = repeats("cv", {1: near(1)}, {1: near(2)}, margin=0.1)
    column = made.column("context_switches_per_s")
    for rows in made.scenes[0].rows.values():
        for row, value in zip(rows, near(500), strict=True):
            row[column] = value
    assert TESTS["goes_with"](made, **both).verdict == "fails"
    assert TESTS["goes_with"](replace(made, margin=0.0), **both).verdict == "undecided"


@pytest.mark.parametrize(
    ("measured_in", "verdict"),
    [((1, 3, 5), "holds"), ((1, 5), "undecided"), ((1, 2, 3, 4), "undecided")],
    ids=["the ends and a half", "too few", "one end missing"],
)
def test_a_claim_about_all_samples_together_is_judged_on_those_that_span_them(measured_in, verdict):
    some = repeats("mean_ms", dict.fromkeys(measured_in, near(10)), dict.fromkeys(measured_in, near(20)), range(1, 6))
    found = TESTS["lower_overall"](some, **LOWER)
    assert (found.verdict, found.figure) == (verdict, pytest.approx(0.5))
    assert "not measured" in found.why


def test_a_claim_without_any_data_is_undecided_in_words():
    nothing = measured({}, samples=range(1, 11))
    for entry in CLAIMS:
        finding = read_claim(1, entry).decide(nothing)
        assert finding.verdict == "undecided"
        assert finding.why


def test_one_repeat_decides_nothing():
    found = TESTS["lower_overall"](repeats("mean_ms", {1: [100.0]}, {1: [200.0]}), **LOWER)
    assert (found.verdict, found.lo) == ("undecided", None)


@pytest.mark.parametrize(
    ("node", "verdict"), [(77, "holds"), (60, "fails"), (100, "fails")], ids=["as claimed", "much lower", "not lower"]
)
def test_a_claimed_number_holds_within_its_tolerance_and_fails_outside(node, verdict):
    ours, theirs = [node - 0.1, node, node + 0.1], [99.9, 100, 100.1]
    found = TESTS["lower_overall"](repeats("mean_ms", {1: ours, 2: ours}, {1: theirs, 2: theirs}), **LOWER, by=0.23)
    assert found.verdict == verdict
    assert found.figure == pytest.approx(1 - node / 100)


def test_the_interval_of_a_ratio_of_sums_by_hand():
    found = TESTS["lower_overall"](repeats("mean_ms", {1: [90.0, 110.0]}, {1: [190.0, 210.0]}), **LOWER)
    # relative variances of the means: 200 / 2 / 100^2 = 0.01 and 200 / 2 / 200^2 = 0.0025; Welch: 1.4706 degrees
    total, degrees = 0.0125, 0.0125**2 / (0.01**2 + 0.0025**2)
    factor = math.exp(stats.t.ppf(0.975, degrees) * total**0.5)
    assert found.lo == pytest.approx(1 - 0.5 * factor)
    assert found.hi == pytest.approx(1 - 0.5 / factor)


def test_a_perfect_trend_of_few_samples_is_not_taken_as_certain():
    rising = repeats("cpu_pct", {n: near(n) for n in range(1, 5)}, {n: near(n) for n in range(1, 5)})
    found = TESTS["rank_trend"](rising, **TREND, direction="rises")
    assert found.figure == 1
    assert found.lo < 0
    assert found.verdict == "undecided"


def test_a_trend_over_ten_samples_holds_or_fails_by_its_direction():
    rising = repeats("cpu_pct", {n: near(n) for n in range(1, 11)}, {n: near(n) for n in range(1, 11)})
    assert TESTS["rank_trend"](rising, **TREND, direction="rises").verdict == "holds"
    assert TESTS["rank_trend"](rising, **TREND, direction="falls").verdict == "fails"


def test_what_is_equal_in_all_samples_neither_rises_nor_falls():
    level = {1: near(95), 3: near(94), 5: near(96), 7: near(95.5), 10: near(94.5)}
    for direction in ("rises", "falls"):
        made = repeats("cpu_pct", level, level, range(1, 11), margin=0.1)
        found = TESTS["rank_trend"](made, **TREND, direction=direction)
        assert found.verdict == "fails"
        assert "In every sample it is within 10 % of the first: it neither rises nor falls." in found.why
    falling = level | {10: near(80)}
    for known, margin in ((falling, 0.1), (level, 0.02)):
        found = TESTS["rank_trend"](repeats("cpu_pct", known, known, margin=margin), **TREND, direction="falls")
        assert found.verdict == "undecided"


def test_levels_that_differ_by_less_than_the_margin_are_level_also_where_some_were_measured_once():
    def falls(known):
        scenes = {(sample, "local"): {"node": ("cpu_pct", by_block(values))} for sample, values in known.items()}
        return TESTS["rank_trend"](measured(scenes, most_blocks=12, margin=0.1), **TREND, direction="falls")

    # Sample 10 is surely higher, by half a percent; samples 2, 4 and 6 have one block.
    known = {1: near(95), 2: [95.3], 3: near(95.2), 4: [94.8], 5: near(94.9), 6: [95.2], 7: near(95.1), 10: near(95.5)}
    assert falls(known).verdict == "fails"
    assert "within 10 % of the first" in falls(known).why
    assert falls(known | {2: [120.0]}).verdict == "undecided"


def test_throughput_that_falls_in_every_repeat_decays():
    def found(*late_over_early):
        made = measured({(7, "local"): {"tomcat": ("steady_late_over_early", by_block(late_over_early))}})
        return TESTS["throughput_decays"](made, along="sample", system="tomcat", level=7)

    falling = found(0.7, 0.702, 0.698)
    assert (falling.verdict, falling.figure, falling.n) == ("holds", pytest.approx(0.7, abs=0.01), 3)
    assert found(1.0, 1.01, 0.99).verdict == "fails"
    assert found(None).verdict == "undecided"


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("fastest", {}, "there is no test 'fastest'; there are: lower, "),
        ("rank_trend", {"metric": "cv", "system": "node", "along": "sample"}, "needs direction"),
        ("rank_trend", {"metric": "cv", "system": "node", "direction": "up"}, "takes rises or falls as direction"),
        ("rank_trend", {"metric": "cv", "system": "node", "colour": 1}, "takes no colour"),
        ("lower_or_higher", {"metric": "cv", "system": "node", "than": "tomcat", "lower_in": 3}, "a list of levels"),
        ("throughput_decays", {"system": "node", "level": 7.5}, "takes a level as level, not 7.5"),
        ("lower", {"metric": "cv", "system": "node", "than": "tomcat", "by": ["a"]}, "takes a list of numbers as by"),
    ],
)
def test_a_claim_that_cannot_be_tested_is_said_to_be_so(name, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        check_arguments(name, arguments)


def test_claims_csv_holds_every_claim_and_a_broken_one_costs_only_itself(tmp_path):
    broken = {"id": "odd", "text": "Odd.", "test": {"name": "fastest"}}
    wrong_way = {
        "id": "way",
        "text": "Way.",
        "test": {"name": "rank_trend", "metric": "cv", "system": "node", "direction": "up", "along": "sample"},
    }
    made = campaigns.write_campaign(
        tmp_path / "c", samples=(1, 5), repeats=3, requests=300, claims=[*CLAIMS, broken, wrong_way]
    )
    rows = {row["claim"]: row for row in claim_rows(made)}
    assert len(rows) == len(CLAIMS) + 2
    assert rows["odd"]["verdict"] == "undecided"
    assert "there is no test 'fastest'" in rows["odd"]["why"]
    assert rows["way"]["verdict"] == "undecided"
    assert rows["mean-lower-everywhere"]["n"] == "2"
    assert rows["cpu-more-to-sample-6"]["paper_verdict"] == "fails"


ENGLISH_ONLY = re.compile(r"\b(the|and|with|samples?|against|over|measured|lower|without|interval)\b", re.IGNORECASE)


def test_a_claim_that_cannot_be_read_says_so_in_english_only(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=1, requests=300, claims=[{"id": "broken"}])
    [row] = claim_rows(made)
    assert row["why"]


@pytest.mark.slow
def test_under_a_cpu_limit_shares_of_cpu_decide_nothing_and_the_rest_does(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=range(1, 11), repeats=3, requests=200, claims=CLAIMS)
    verdicts = {}
    for limit in (None, 25):
        with campaigns.edited(made.folder / "campaign.json") as record:
            record["rig"]["server_cpu_limit_pct"] = limit
        verdicts[limit] = {row["claim"]: (row["verdict"], row["why"]) for row in claim_rows(made)}
        indicators = recomputation.read_csv(made.folder / "analysis" / "indicators.csv")
        assert ("cpu_pct" in {row["indicator"] for row in indicators}) == (limit is None)
    shares = {"cpu-more-to-sample-6", "cpu-node-falls", "cpu-tomcat-rises"}
    assert {verdicts[None][claim][0] for claim in shares} != {"undecided"}
    for claim, (verdict, why) in verdicts[25].items():
        if claim in shares:
            assert verdict == "undecided"
            assert why.startswith("The server was held to 25 % of its cores")
        else:
            assert (verdict, why) == verdicts[None][claim]


def test_a_limit_that_only_the_runs_record_counts_too(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=1, requests=300)
    with campaigns.edited(made.run("s05-local-node", "01") / "run.json") as record:
        record["processes"]["server"]["cpu_limit_pct"] = 50
    assert read_campaign(made.folder).server_cpu_limit_pct == 50


def test_a_cv_of_a_small_mean_is_not_named_without_what_it_is_without_the_clock():
    figures = {"valid": True, "mean_ms": 4.0, "sd_ms": 0.5, "cv": 0.125}
    scene = Scene(levels={"sample": 10, "disk": "ssd"}, rows={name: [figures] for name in NAMES})
    claim = read_claim(1, next(entry for entry in CLAIMS if entry["id"] == "cv-lower-but-sample-10"))
    why = claim.decide(Ground(scenes=[scene], declared=UPLOADS, names=NAMES, printed=True)).why
    assert "without it: Node.js in sample 10 0.0722 instead of 0.125" in why  # sqrt(1/4 - 1/6) / 4


def test_a_claim_that_an_older_lab_wrote_is_tested_as_the_study_says_today(tmp_path):
    then = {"name": "lower_overall", **PAIR, "by": 0.23, "samples": [5]}
    kept = next(entry for entry in CLAIMS if entry["id"] == "mean-23-percent-lower")
    rows = {}
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=2, requests=300)
    for name, claim in (
        ("now", kept),
        ("then", {**kept, "test": then}),
        ("other", {**kept, "test": then, "text": "?"}),
    ):
        with campaigns.edited(made.folder / "campaign.json") as record:
            record["study"]["claims"] = [claim]
        [rows[name]] = claim_rows(made)
    assert rows["then"] == rows["now"]
    assert "takes no samples" in rows["other"]["why"]


def test_a_correlation_fails_where_its_interval_lies_below_the_one_claimed():
    # Ten points of r = 0: Fisher's interval is tanh(+-1.96 / sqrt(7)), up to 0.63.
    scenes = [
        Scene(
            levels={"sample": sample, "disk": "local"},
            rows={"node": [{"valid": True, "block": 1, "pswitch_per_s": 1000 + (sample - 5.5) ** 2, "cv": sample}]},
        )
        for sample in range(1, 11)
    ]
    ground = Ground(scenes=scenes, declared=UPLOADS, names=NAMES, printed=False)
    correlation = {"x": "pswitch_per_s", "y": "cv", "system": "node", "along": "sample"}
    found = TESTS["correlation"](ground, **correlation, r=0.64)
    assert found.verdict == "fails"
    assert found.hi == pytest.approx(0.63, abs=0.005)
    assert found.why.endswith("An r as high as the claimed 0.64 is excluded.")
    assert TESTS["correlation"](ground, **correlation, r=0.62).verdict == "undecided"
    assert TESTS["correlation"](ground, **correlation).verdict == "undecided"


def test_a_sum_that_is_higher_has_an_interval_of_how_much_higher_with_its_lower_bound_first():
    found = TESTS["lower_overall"](repeats("mean_ms", {1: near(20)}, {1: near(10)}), **LOWER)
    said = re.search(r"100 % higher over 1 sample \(20 against 10; 95 % interval ([\d.]+) % to ([\d.]+) %\)", found.why)
    assert said is not None, found.why
    assert 0 < float(said[1]) < 100 < float(said[2])
