"""What the upload paper claims, decided on its own numbers, and on figures made by hand."""

import math
from dataclasses import replace

import campaigns
import pytest
from finished import read_table
from scipy import stats

from studies.upload import over_samples as tests
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.claims import Evidence, Scene
from uploadlab.claims.judge import load_claims, printed_evidence
from uploadlab.paths import STUDIES
from uploadlab.results.campaign import read_campaign
from uploadlab.results.declarations import declarations, declared_profile, published_files

OF_STUDY = load_claims(STUDIES / "upload")
CLAIMS = {claim.id: claim for claim in OF_STUDY.claims}
RECORD = {"study": {"id": "upload"}}
UPLOADS = declarations(RECORD)
PAPER = printed_evidence(published_files(RECORD), UPLOADS, OF_STUDY.conventions)
LOWER = ("mean_ms", "node", "tomcat")
TREND = ("cpu_pct", "node")


def measured(scenes, samples=(), **more):
    """Build evidence from what was measured of each system in each scenario, its sample and its disk, by block."""
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
    return Evidence(scenes=made, declared=UPLOADS, conventions=OF_STUDY.conventions, meant=meant, **more)


def by_block(values, first=1):
    """Return values by block: as they are given, or those of the blocks from the first one on."""
    return values if isinstance(values, dict) else dict(enumerate(values, first))


def repeats(metric, node, tomcat, samples=(), **more):
    """Build evidence of one metric: by sample the repeats of Node.js and of Tomcat; listed, they share no block."""
    scenes = {
        (sample, "local"): {"node": (metric, by_block(node[sample])), "tomcat": (metric, by_block(tomcat[sample], 101))}
        for sample in node
    }
    return measured(scenes, samples, **more)


def claim_rows(made):
    """Analyse a campaign and return what it says of the claims."""
    write_analysis(made.folder)
    return read_table(made.folder, "claims")


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
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), systems=systems, repeats=2, requests=300)
    rows = [row for row in claim_rows(made) if row["claim"] == "mean-lower-everywhere"]
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
    found = tests.lower_overall(repeats("mean_ms", node, tomcat, most_blocks=12), *LOWER, by=0.5)
    assert (found.verdict, found.figure, found.lo, found.hi) == ("holds", *[pytest.approx(0.5)] * 3)


def test_a_sample_that_is_not_in_the_sum_is_said_to_have_fewer_than_three_blocks_of_both_however_often_it_was_run():
    node = {sample: {1: 101, 2: 102, 3: 103} for sample in (1, 2, 3)}
    tomcat = {1: {1: 201, 2: 202, 3: 203}, 2: {1: 201}, 3: {1: 201, 2: 202, 3: 203}}
    found = tests.lower_overall(repeats("mean_ms", node, tomcat, most_blocks=12), *LOWER)
    assert found.why.startswith("not in the sums, with fewer than three blocks of both: 2; ratio of the sums: 0.5")


@pytest.mark.parametrize(
    ("claim", "verdict", "figure"),
    [
        ("mean-lower-everywhere", "holds", 10),
        ("mean-23-percent-lower", "holds", 1 - 7306 / 9528),
        ("cv-lower-but-sample-10", "holds", 10),
        ("cv-lower-overall", "holds", 0.443),
        ("cv-1-54-against-2-76", "holds", 0.443),
        ("hdd-beats-ssd", "holds", 887 / 1048),
        ("cpu-more-to-sample-6", "fails", 9),  # in sample 10 Node.js prints 4 % and Tomcat 2 %
        ("cpu-node-falls", "holds", -0.985),
        ("cpu-tomcat-rises", "undecided", 0.292),
        ("pswitch-lower-with-cv", "holds", 10),
        ("correlation-node", "undecided", 0.755),  # without sample 10 it is -0.63
        ("correlation-tomcat", "holds", 0.806),
        ("correlation-differences", "holds", 0.791),
        ("errors-tomcat-grow", "holds", 0.939),
        ("throughput-tomcat-decays", "not measured", None),  # printed as a picture only
    ],
)
def test_each_claim_of_the_paper_gets_its_verdict_on_the_papers_own_numbers(claim, verdict, figure):
    found = CLAIMS[claim].decide(PAPER)
    assert found.verdict == verdict
    assert found.figure == (None if figure is None else pytest.approx(figure, abs=0.001))


def test_every_claim_of_the_study_is_in_the_table_above():
    marks = test_each_claim_of_the_paper_gets_its_verdict_on_the_papers_own_numbers.pytestmark[0]
    assert {case[0] for case in marks.args[1]} == set(CLAIMS)


def test_lower_everywhere_needs_every_interval_to_say_so():
    def found(node, tomcat, **more):
        return tests.lower_or_higher(repeats("mean_ms", node, tomcat, **more), *LOWER, lower_in=[1, 2])

    assert found({1: near(100), 2: near(100)}, {1: near(150), 2: near(150)}).verdict == "holds"
    unclear = found({1: near(100), 2: [80, 100, 120]}, {1: near(150), 2: [90, 105, 120]})
    assert (unclear.verdict, unclear.figure, unclear.lo, unclear.hi) == ("undecided", 2, 1, 2)
    assert unclear.numbers[0].of == "sample 2", "what is not decided comes first"
    contrary = found({1: near(100), 2: near(200)}, {1: near(150), 2: near(150)})
    assert (contrary.verdict, contrary.figure, contrary.hi) == ("fails", 1, 1)
    assert contrary.why.startswith("sample 2: 200 / 150 = 1.33 (")
    partly = found({1: near(100)}, {1: near(150)}, samples=(1, 2))
    assert (partly.verdict, partly.n, partly.missing) == ("undecided", 1, [2])


def test_where_a_difference_is_claimed_to_be_surely_within_the_margin_of_equal_is_the_contrary():
    same = {1: [99.0, 100.0, 101.0]}
    found = tests.lower_or_higher(repeats("mean_ms", same, same, margin=0.1), *LOWER, lower_in=[1])
    assert (found.verdict, found.figure, found.hi) == ("fails", 0, 0)
    assert tests.lower_or_higher(repeats("mean_ms", same, same), *LOWER, lower_in=[1]).verdict == "undecided"


def test_surely_lower_but_within_the_margin_is_equal_in_each_test_of_a_difference():
    ours, theirs = ({1: near(level), 2: near(level)} for level in (95, 100))
    wide, narrow = (repeats("mean_ms", ours, theirs, samples=(1, 2), margin=margin) for margin in (0.1, 0.0))
    for test, more in (
        (tests.lower_or_higher, {"lower_in": [1]}),
        (tests.lower_overall, {}),
        (tests.lower_elsewhere, {"where": {"sample": 1}, "than_where": {"sample": 2}}),
    ):
        assert test(narrow, *LOWER, **more).verdict == "holds"
        assert test(wide, *LOWER, **more).verdict == "fails", test
    equal = tests.lower_or_higher(wide, *LOWER, lower_in=[1, 2])
    assert (equal.figure, equal.lo, equal.hi) == (0, 0, 0), "what is surely equal is not as claimed by its estimate"


def test_fewer_switches_are_claimed_of_the_steadier_system_and_equally_many_are_the_contrary():
    made = repeats("cv", {1: near(1)}, {1: near(2)}, margin=0.1)
    column = made.column("context_switches_per_s")
    for rows in made.scenes[0].rows.values():
        for row, value in zip(rows, near(500), strict=True):
            row[column] = value

    def verdict(evidence):
        return tests.goes_with(evidence, "cv", "context_switches_per_s", systems=("node", "tomcat")).verdict

    assert verdict(made) == "fails"
    assert verdict(replace(made, margin=0.0)) == "undecided"


@pytest.mark.parametrize(
    ("measured_in", "verdict"),
    [((1, 3, 5), "holds"), ((1, 5), "undecided"), ((1, 2, 3, 4), "undecided")],
    ids=["the ends and a half", "too few", "one end missing"],
)
def test_a_claim_about_all_samples_together_is_judged_on_those_that_span_them(measured_in, verdict):
    some = repeats("mean_ms", dict.fromkeys(measured_in, near(10)), dict.fromkeys(measured_in, near(20)), range(1, 6))
    found = tests.lower_overall(some, *LOWER)
    assert (found.verdict, found.figure) == (verdict, pytest.approx(0.5))
    assert found.missing == [sample for sample in range(1, 6) if sample not in measured_in]


def test_a_claim_without_any_data_is_not_measured():
    nothing = measured({}, samples=range(1, 11))
    assert {claim.decide(nothing).verdict for claim in CLAIMS.values()} == {"not measured"}


def test_one_repeat_decides_nothing():
    found = tests.lower_overall(repeats("mean_ms", {1: [100.0]}, {1: [200.0]}), *LOWER)
    assert (found.verdict, found.lo) == ("undecided", None)


@pytest.mark.parametrize(
    ("node", "verdict"), [(77, "holds"), (60, "fails"), (100, "fails")], ids=["as claimed", "much lower", "not lower"]
)
def test_a_claimed_number_holds_within_its_tolerance_and_fails_outside(node, verdict):
    ours, theirs = [node - 0.1, node, node + 0.1], [99.9, 100, 100.1]
    found = tests.lower_overall(repeats("mean_ms", {1: ours, 2: ours}, {1: theirs, 2: theirs}), *LOWER, by=0.23)
    assert found.verdict == verdict
    assert found.figure == pytest.approx(1 - node / 100)


def test_the_interval_of_a_ratio_of_sums_by_hand():
    found = tests.lower_overall(repeats("mean_ms", {1: [90.0, 110.0]}, {1: [190.0, 210.0]}), *LOWER)
    # relative variances of the means: 200 / 2 / 100^2 = 0.01 and 200 / 2 / 200^2 = 0.0025; Welch: 1.4706 degrees
    total, degrees = 0.0125, 0.0125**2 / (0.01**2 + 0.0025**2)
    factor = math.exp(stats.t.ppf(0.975, degrees) * total**0.5)
    assert found.lo == pytest.approx(1 - 0.5 * factor)
    assert found.hi == pytest.approx(1 - 0.5 / factor)


def test_a_perfect_trend_of_few_samples_is_not_taken_as_certain():
    rising = repeats("cpu_pct", {n: near(n) for n in range(1, 5)}, {n: near(n) for n in range(1, 5)})
    found = tests.rank_trend(rising, *TREND, "rises")
    assert found.figure == 1
    assert found.lo < 0
    assert found.verdict == "undecided"


def test_a_trend_over_ten_samples_holds_or_fails_by_its_direction():
    rising = repeats("cpu_pct", {n: near(n) for n in range(1, 11)}, {n: near(n) for n in range(1, 11)})
    assert tests.rank_trend(rising, *TREND, "rises").verdict == "holds"
    assert tests.rank_trend(rising, *TREND, "falls").verdict == "fails"


def test_what_is_equal_in_all_samples_neither_rises_nor_falls():
    level = {1: near(95), 3: near(94), 5: near(96), 7: near(95.5), 10: near(94.5)}
    for direction in ("rises", "falls"):
        made = repeats("cpu_pct", level, level, range(1, 11), margin=0.1)
        found = tests.rank_trend(made, *TREND, direction)
        assert found.verdict == "fails"
        assert found.reason == "at every level equal to the first within the margin"
    falling = level | {10: near(80)}
    for known, margin in ((falling, 0.1), (level, 0.02)):
        found = tests.rank_trend(repeats("cpu_pct", known, known, margin=margin), *TREND, "falls")
        assert found.verdict == "undecided"


def test_levels_that_differ_by_less_than_the_margin_are_level_also_where_some_were_measured_once():
    def falls(known):
        scenes = {(sample, "local"): {"node": ("cpu_pct", by_block(values))} for sample, values in known.items()}
        return tests.rank_trend(measured(scenes, most_blocks=12, margin=0.1), *TREND, "falls")

    # Sample 10 is surely higher, by half a percent; samples 2, 4 and 6 have one block.
    known = {1: near(95), 2: [95.3], 3: near(95.2), 4: [94.8], 5: near(94.9), 6: [95.2], 7: near(95.1), 10: near(95.5)}
    assert falls(known).verdict == "fails"
    assert falls(known | {2: [120.0]}).verdict == "undecided"


def test_throughput_that_falls_in_every_repeat_decays():
    def found(*late_over_early):
        made = measured({(7, "local"): {"tomcat": ("steady_late_over_early", by_block(late_over_early))}})
        return tests.throughput_decays(made, "tomcat", sample=7)

    falling = found(0.7, 0.702, 0.698)
    assert (falling.verdict, falling.figure, falling.n) == ("holds", pytest.approx(0.7, abs=0.01), 3)
    assert found(1.0, 1.01, 0.99).verdict == "fails"
    assert found(None).verdict == "not measured"


@pytest.mark.slow
def test_under_a_cpu_limit_shares_of_cpu_decide_nothing_and_the_rest_does(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=range(1, 11), repeats=3, requests=200)
    verdicts = {}
    for limit in (None, 25):
        with campaigns.edited(made.folder / "campaign.json") as record:
            record["rig"]["server_cpu_limit_pct"] = limit
        verdicts[limit] = {row["claim"]: (row["verdict"], row["why"]) for row in claim_rows(made)}
        indicators = read_table(made.folder, "indicators")
        assert ("cpu_pct" in {row["indicator"] for row in indicators}) == (limit is None)
    shares = {"cpu-more-to-sample-6", "cpu-node-falls", "cpu-tomcat-rises"}
    assert {verdicts[None][claim][0] for claim in shares} != {"undecided"}
    for claim, (verdict, why) in verdicts[25].items():
        if claim in shares:
            assert verdict == "undecided"
            assert why.startswith("the server was held to 25 % of its cores")
        else:
            assert (verdict, why) == verdicts[None][claim]


def test_a_limit_that_only_the_runs_record_counts_too(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=1, requests=300)
    with campaigns.edited(made.run("s05-local-node", "01") / "run.json") as record:
        record["processes"]["server"]["cpu_limit_pct"] = 50
    assert read_campaign(made.folder).server_cpu_limit_pct == 50


def test_a_correlation_fails_where_its_interval_lies_below_the_one_claimed():
    # Ten points of r = 0: Fisher's interval is tanh(+-1.96 / sqrt(7)), up to 0.63.
    scenes = [
        Scene(
            levels={"sample": sample, "disk": "local"},
            rows={"node": [{"valid": True, "block": 1, "pswitch_per_s": 1000 + (sample - 5.5) ** 2, "cv": sample}]},
        )
        for sample in range(1, 11)
    ]
    evidence = Evidence(scenes=scenes, declared=UPLOADS)
    pair = ("pswitch_per_s", "cv", "node")
    found = tests.correlation(evidence, *pair, r=0.64)
    assert found.verdict == "fails"
    assert found.hi == pytest.approx(0.63, abs=0.005)
    assert tests.correlation(evidence, *pair, r=0.62).verdict == "undecided"
    assert tests.correlation(evidence, *pair).verdict == "undecided"


def test_a_campaign_counts_as_measured_at_the_papers_scale_where_it_has_all_of_the_published_profile(tmp_path):
    made = campaigns.write_campaign(
        tmp_path / "c", samples=range(1, 11), repeats=4, requests=100, profile="published", systems=("node", "tomcat")
    )
    assert {row["at_scale"] for row in claim_rows(made)} == {"false"}, "its load is not the profile's"
    with campaigns.edited(made.folder / "campaign.json") as record:
        declared = declared_profile(record, "published")
        record["profile"]["settings"] = {
            **record["profile"].get("settings", {}),
            "repeats": 4,
            "load": declared["load"],
        }
        record["levels"] = {"sample": list(range(1, 11)), "disk": ["local"]}
    at_scale = {row["claim"]: row["at_scale"] for row in claim_rows(made)}
    assert at_scale["mean-23-percent-lower"] == "true"
    assert at_scale["cpu-node-falls"] == "false", "nmon has no snapshot within two samples' short runs"
    assert at_scale["hdd-beats-ssd"] == "false", "one disk was measured"
