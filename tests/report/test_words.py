import re
import string
from dataclasses import replace

import pytest
from handmade import ENGLISH, PORTUGUESE, comparison, results_by_hand, run

from uploadlab.report import facts, grids, who
from uploadlab.report.sentences import answer, captions
from uploadlab.report.setup import setup
from uploadlab.statistics.correlations import Correlation


def plain(text):
    """Return a text with plain spaces where lines may not break."""
    return text.replace("\u00a0", " ")


def places(phrase):
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


@pytest.mark.parametrize("phrase", sorted(ENGLISH.phrases))
def test_a_phrase_has_the_same_places_in_every_language(phrase):
    assert places(ENGLISH.phrases[phrase]) == places(PORTUGUESE.phrases[phrase])


@pytest.fixture
def four(tmp_path):
    """Node is faster in samples 1, 2 and 3; sample 10 is open. Node is steadier in all, CPU is the same in sample 1."""
    cells = {1: (80, 100), 2: (70, 100), 3: (60, 100), 10: (95, 100)}
    runs, rows = [], []
    for sample, (node, tomcat) in cells.items():
        scenario = f"s{sample:02d}-local"
        for system, mean in (("node", node), ("tomcat", tomcat)):
            figures = {"mean_ms": mean, "cv": 0.5 if system == "node" else 1, "server_cpu_us_per_request": 400}
            runs += [run(f"{scenario}-{system}", repeat, **figures) for repeat in ("01", "02")]
        ratio = node / tomcat
        if sample == 10:
            rows.append(comparison(scenario, "mean_ms", ratio, lo=0.8, hi=1.2, more_repeats=6))
        else:
            more = {"lo": ratio - 0.05, "hi": ratio + 0.05, "verdict": "faster", "better": "node"}
            rows.append(comparison(scenario, "mean_ms", ratio, **more))
        rows.append(comparison(scenario, "cv", 0.5, lo=0.4, hi=0.6, verdict="steadier", better="node"))
        equal = {"lo": 0.99, "hi": 1.01, "verdict": "equal within 5 %"}
        rows.append(comparison(scenario, "server_cpu_us_per_request", 1.0, **equal))
    return results_by_hand(tmp_path / "four", runs, rows)


def test_the_headline_names_the_winner_of_each_question_and_counts_the_samples(four):
    standings = facts.standings(four)
    assert answer.headline(ENGLISH, four, standings) == (
        "Node.js answers faster in 3 of 4 samples and is steadier in all 4; Node.js and Tomcat use the same amount of "
        "CPU."
    )
    assert answer.headline(PORTUGUESE, four, standings) == (
        "Node.js responde mais rápido em 3 de 4 amostras e é mais estável em todas as 4; "
        "Node.js e Tomcat gastam a mesma CPU."
    )


def test_the_answer_gives_figures_with_intervals(four):
    standings = facts.standings(four)
    text = plain(answer.answer(ENGLISH, four, "mean_ms", standings["mean_ms"]))
    assert text == (
        "Node.js answers faster in samples 1 to 3: its mean response time is 20 to 40 % lower than Tomcat's "
        "(95 % intervals within 15 to 45 %)."
    )
    equal = plain(answer.answer(ENGLISH, four, facts.CPU_COST, standings[facts.CPU_COST]))
    assert equal == "In all 4 samples, Node.js and Tomcat have the same server CPU time per upload within 5 %."


def test_what_stays_open_is_one_line_with_how_far_apart_the_systems_are_at_most(four):
    standings = facts.standings(four)
    said = plain(answer.still_open(ENGLISH, four, standings))
    assert said == (
        "Still open: mean response time in sample 10 (at most 25 % apart). "
        "About 6 more repeats of each would decide it."
    )
    assert plain(answer.still_open(PORTUGUESE, four, standings)).startswith(
        "Ainda em aberto: tempo médio de resposta na amostra 10 (diferem no máximo 25 %). "
    )
    decided = {"cv": standings["cv"]}
    assert answer.still_open(ENGLISH, four, decided) == ""
    (unbounded,) = [one for one in standings["mean_ms"] if one.decision == "undecided"]
    opened = {"mean_ms": [replace(unbounded, low=None, more_repeats=None)], "cv": [replace(unbounded, metric="cv")]}
    assert plain(answer.still_open(ENGLISH, four, opened)) == (
        "Still open: mean response time in sample 10 and coefficient of variation in sample 10 (at most 25 % apart)."
    )


@pytest.mark.parametrize(
    ("busy_pct", "told", "said"),
    [
        ((12.0, 15.0), {}, "Under this load the servers used 12 to 15 % of their cores"),
        ((12.0, 99.0), {}, ""),
        ((12.0, 15.0), {"rig": {"server_cpu_limit_pct": 15}}, ""),
        ((12.0, 15.0), {"capacity_factor": "disk"}, ""),
        ((24.0, 30.0), {"rig": {"roles": {"server": {"cores": [0, 1]}}}}, "used 12 to 15 % of their cores"),
    ],
)
def test_a_load_that_leaves_the_servers_time_to_spare_is_said_to_unless_that_is_told_elsewhere(
    tmp_path, busy_pct, told, said
):
    keys = ("s05-local-node", "s05-local-tomcat")
    cells = [{"cell": key, "server_cpu_pct": pct} for key, pct in zip(keys, busy_pct, strict=True)]
    results = results_by_hand(tmp_path / "c", [run(key) for key in keys], tables={"cells": cells}, **told)
    text = plain(answer.below_capacity(ENGLISH, results, setup(results)))
    assert said in text if said else text == ""


@pytest.mark.parametrize(
    ("busy_pct", "told", "said"),
    [
        ((96.04, 99.9), {}, "The load kept the servers' cores 96 to 100 % busy"),
        ((89.0, 99.9), {}, ""),
        ((99.0, 99.9), {"rig": {"server_cpu_limit_pct": 15}}, ""),
        ((180.0, 198.0), {"rig": {"roles": {"server": {"cores": [0, 1]}}}}, "cores 90 to 99 % busy"),
    ],
)
def test_of_a_load_that_leaves_no_time_to_spare_it_is_said_that_the_order_can_be_another_below(
    tmp_path, busy_pct, told, said
):
    keys = ("s05-local-node", "s05-local-tomcat")
    cells = [{"cell": key, "server_cpu_pct": pct} for key, pct in zip(keys, busy_pct, strict=True)]
    results = results_by_hand(tmp_path / "c", [run(key) for key in keys], tables={"cells": cells}, **told)
    text = plain(" ".join(answer.doubts(ENGLISH, facts.doubts(results))))
    assert said in text if said else "The load kept" not in text


def test_a_single_system_is_described_and_not_compared(tmp_path):
    runs = [run(f"s{sample}-local-node", mean_ms=ms, p99_ms=2 * ms, cv=0.5) for sample, ms in (("01", 10), ("05", 30))]
    results = results_by_hand(tmp_path / "c", runs, names={"node": "Node.js"})
    standings = facts.standings(results)
    assert answer.headline(ENGLISH, results, standings).startswith("Node.js was measured alone")
    text = plain(answer.answer(ENGLISH, results, "mean_ms", standings["mean_ms"]))
    assert text == "Node.js's mean response time lies between 10.0 ms (sample 1) and 30.0 ms (sample 5)."
    tail = plain(answer.answer(ENGLISH, results, "p99_ms", standings["p99_ms"]))
    assert tail.endswith("lies between 20.0 ms (sample 1) and 60.0 ms (sample 5).")


def test_without_a_valid_run_the_headline_says_so_and_no_figure_is_given(tmp_path):
    results = results_by_hand(tmp_path / "c", [run("s05-local-node", valid="false", mean_ms=3)])
    standings = facts.standings(results)
    assert answer.headline(ENGLISH, results, standings).startswith("No run of this campaign counts")
    assert answer.answer(ENGLISH, results, "mean_ms", standings["mean_ms"]) == ""


def test_two_repeats_one_machine_and_an_unmeasured_generator_are_held_against_the_answer(four):
    text = " ".join(answer.doubts(ENGLISH, facts.doubts(four)))
    assert "rest on 2 valid repeats a cell" in text
    assert "The load generator's own part of the response time is not known" in text
    assert "steal" not in text


@pytest.mark.parametrize(("slowest_ms", "said"), [(6.0, True), (4.3, False), (None, False)])
def test_a_core_whose_own_speed_changed_between_the_runs_is_held_against_them(tmp_path, slowest_ms, said):
    runs = [run("s05-local-node", core_work_ms=4), run("s05-local-node", "02", core_work_ms=slowest_ms)]
    runs.append(run("s05-local-node", "03", core_work_ms=9, valid="false"))
    results = results_by_hand(tmp_path / "c", runs)
    text = plain(" ".join(answer.doubts(ENGLISH, facts.doubts(results))))
    assert ("took 4.0 to 6.0 ms of CPU time, 1.5 times as much at its slowest" in text) is said
    assert ("same piece of work" in text) is said


def test_the_page_of_an_emulated_rig_says_first_that_nothing_on_it_is_a_result(tmp_path):
    runs = [run("s05-local-node", valid="false", mean_ms=3)]
    results = results_by_hand(tmp_path / "c", runs, rig={"emulated": True})
    first, *_ = answer.doubts(ENGLISH, facts.doubts(results))
    assert first == "The hosts' processors were emulated: none of these runs is a valid result."
    results = results_by_hand(tmp_path / "d", runs, rig={"emulated": False})
    assert "emulated" not in " ".join(answer.doubts(ENGLISH, facts.doubts(results)))


def test_samples_that_do_not_follow_each_other_are_listed_one_by_one(four):
    every = list(four.scenarios.values())
    assert ENGLISH.where([every[0], every[2], every[3]], every) == "in samples 1, 3 and 10"
    assert ENGLISH.where(every[:2], every) == "in samples 1 and 2"
    assert PORTUGUESE.where(every, every) == "em todas as 4 amostras"
    assert ENGLISH.where(every[:2], every[:2]) == "in both samples"


def test_a_scenario_with_two_disks_is_named_with_its_disk(tmp_path):
    runs = [run(cell) for cell in ("s05-ssd-node", "s05-hdd-node", "s06-ssd-node")]
    results = results_by_hand(tmp_path / "c", runs)
    assert [ENGLISH.scenario(one) for one in results.scenarios.values()] == [
        "sample 5 on hdd",
        "sample 5 on ssd",
        "sample 6 on ssd",
    ]
    assert ENGLISH.scenario_short(results.scenarios["s05-ssd"]) == "5 ssd"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.2, "20"), (0.0049, "0.5"), (0.00001, "0"), (0.985, "98"), (0.9912, "99"), (-0.2, "−20")],
)
def test_percentages_are_whole_and_small_ones_keep_a_digit(share, text):
    assert ENGLISH.percent(share) == text


@pytest.mark.parametrize(
    ("share", "text", "text_pt"),
    [
        (0.9984, "99.84", "99,84"),
        (0.9997, "99.97", "99,97"),
        (0.99968412, "99.968", "99,968"),
        (-0.995, "−99.5", "−99,5"),
        (0.994, "99", "99"),
        (1.003, "100.3", "100,3"),
        (1.006, "101", "101"),
        (1.0, "100", "100"),
        (1 - 1e-15, "100", "100"),
    ],
)
def test_a_difference_that_is_not_100_percent_never_reads_as_100(share, text, text_pt):
    assert (ENGLISH.percent(share), PORTUGUESE.percent(share)) == (text, text_pt)


def test_the_ends_of_an_interval_close_to_100_percent_are_told_apart():
    assert ENGLISH.apart((0.0003, 0.0016)) == "99.84 to 99.97\u00a0%"
    assert PORTUGUESE.apart((0.0003, 0.0016)) == "99,84 a 99,97\u00a0%"
    assert ENGLISH.change(0.0003) == "−99.97"


def test_the_correlation_says_its_interval_its_n_and_what_one_sample_does_to_it(four):
    one = Correlation(
        n=10,
        pearson=0.755,
        lo=0.24,
        hi=0.94,
        spearman=-0.05,
        loo_min=-0.63,
        loo_max=0.8,
        loo_min_without="sample 10",
        loo_max_without="sample 3",
    )
    text = plain(captions.switches(ENGLISH, four, {"node": one}))
    assert text == (
        "For Node.js Pearson's r is 0.76 (95 % interval 0.24 to 0.94, n = 10), Spearman's −0.05; "
        "leaving out one scenario moves r to between −0.63 and 0.80."
    )


def test_correlations_without_an_interval_share_one_sentence(four):
    few = {"lo": None, "hi": None, "spearman": 0.5, "loo_min": None, "loo_max": None}
    few |= {"loo_min_without": "", "loo_max_without": "", "n": 3}
    found = {
        series: Correlation(pearson=pearson, **few)
        for series, pearson in (("node", -0.29), ("tomcat", 0.89), ("differences", 0.5))
    }
    assert plain(captions.switches(ENGLISH, four, found)) == (
        "Too few samples for an interval: Pearson's r is −0.29 for Node.js (n = 3), 0.89 for Tomcat (n = 3) and "
        "0.50 for the differences (n = 3)."
    )


def indicator(system, level, **more):
    row = {"level": level, "system": system, "y": "cv", "indicator": "server_wait_ms_per_request", "n": 10}
    row |= {"pearson": 0.9, "lo": 0.6, "hi": 0.98, "loo_min": 0.8, "loo_max": 0.95, "rank": 1, "top_share": 0.9}
    return row | more


def test_the_indicator_to_watch_is_named_with_how_sure_that_is_and_where_it_fails(tmp_path):
    rows = [
        indicator("node", "cells"),
        indicator("node", "cells", indicator="cpu_pct", pearson=0.3, rank=2),
        indicator("tomcat", "cells", lo=-0.1, top_share=0.31, loo_min=-0.2),
        indicator(
            "node", "seconds", y="mean_ms", indicator="switches_per_s", lo="", hi="", n=1, loo_min="", loo_max=""
        ),
    ]
    runs = [run("s05-local-node"), run("s05-local-tomcat")]
    results = results_by_hand(tmp_path / "c", runs, tables={"indicators": rows})
    found = facts.first_indicators(results)
    text = plain(" ".join(captions.indicators(ENGLISH, results, found)))
    assert text == (
        "Across samples Node.js's CV follows “server's queue wait per upload, ms” most closely (r = 0.90, 95 % "
        "interval 0.60 to 0.98, n = 10): reliable, because it ranks first in 90 % of the resamples, and with any one "
        "left out. "
        "Across samples Tomcat's CV follows “server's queue wait per upload, ms” most closely (r = 0.90, 95 % "
        "interval −0.10 to 0.98, n = 10): not reliable, because the interval includes 0, it ranks first in only 31 % "
        "of the resamples and with one left out r lies between −0.20 and 0.95. "
        "Within runs, second by second, Node.js's mean response time follows “switches/s” most closely (r = 0.90, "
        "1 run): not reliable, because there are too few for an interval."
    )
    assert "Entre amostras o CV de Node.js acompanha melhor" in captions.indicators(PORTUGUESE, results, found)[0]


def of_three(tmp_path, *rows):
    names = {"node": "Node.js", "go": "Go", "tomcat": "Tomcat"}
    runs = [run(f"s05-local-{system}", mean_ms=mean) for system, mean in (("node", 90), ("go", 100), ("tomcat", 900))]
    results = results_by_hand(tmp_path / "three", runs, rows, names=names)
    return replace(results, declared=replace(results.declared, named=True))


WORST = [
    comparison("s05-local", "mean_ms", 0.9, system_b="go", lo=0.7, hi=1.2),
    comparison("s05-local", "mean_ms", 0.1, system_b="tomcat", lo=0.05, hi=0.2, verdict="faster", better="node"),
]


def test_where_only_the_worst_is_decided_the_answer_says_who_that_is_and_by_how_much(tmp_path):
    beaten = comparison("s05-local", "mean_ms", 0.11, system_a="go", lo=0.06, hi=0.2, verdict="faster", better="go")
    results = of_three(tmp_path, *WORST, beaten)
    standings = facts.standings(results)
    assert answer.headline(ENGLISH, results, standings) == (
        "Node.js and Go beat Tomcat on mean response time in sample 5."
    )
    assert plain(answer.answer(ENGLISH, results, "mean_ms", standings["mean_ms"])) == (
        "In sample 5, Node.js and Go beat Tomcat: their mean response time is 89 to 90 % lower; which of them is best "
        "stays open."
    )


def test_who_cannot_be_told_from_the_best_is_not_said_to_beat_whom_only_the_best_beats(tmp_path):
    open_too = comparison("s05-local", "mean_ms", 0.11, system_a="go", lo=0.06, hi=1.2)
    results = of_three(tmp_path, *WORST, open_too)
    standings = facts.standings(results)
    assert answer.headline(ENGLISH, results, standings) == "This campaign can't tell which system is best."
    assert answer.answer(ENGLISH, results, "mean_ms", standings["mean_ms"]) == ""


def equal_in(tmp_path, *scenarios):
    """CPU is the same in these samples of five, and open in the others; nothing else was measured."""
    runs, rows = [], []
    for sample in range(1, 6):
        scenario = f"s{sample:02d}-local"
        runs += [run(f"{scenario}-{system}", server_cpu_us_per_request=400) for system in ("node", "tomcat")]
        found = {"lo": 0.99, "hi": 1.01, "verdict": "equal within 5 %"} if sample in scenarios else {"more_repeats": 1}
        rows.append(comparison(scenario, "server_cpu_us_per_request", 1.0, **({"lo": 0.9, "hi": 1.1} | found)))
    return results_by_hand(tmp_path / "c", runs, rows)


def test_one_open_sample_does_not_make_the_headline_call_the_equals_undecided(tmp_path):
    results = equal_in(tmp_path, 1, 2, 3, 4)
    standings = facts.standings(results)
    assert answer.headline(ENGLISH, results, standings) == (
        "Node.js and Tomcat use the same amount of CPU in 4 of 5 samples."
    )
    assert answer.headline(PORTUGUESE, results, standings) == "Node.js e Tomcat gastam a mesma CPU em 4 de 5 amostras."
    open_in_portuguese = plain(answer.still_open(PORTUGUESE, results, standings))
    assert open_in_portuguese.endswith("Bastaria cerca de 1 repetição a mais de cada um para decidir.")


def test_the_headline_calls_equal_only_systems_that_are_equal_together(tmp_path):
    names = {"node": "Node.js", "go": "Go", "tomcat": "Tomcat"}
    equal = {"verdict": "equal within 5 %", "lo": 0.98, "hi": 1.02}
    runs, rows = [], []
    for sample, worst in ((1, "tomcat"), (2, "tomcat"), (3, "go")):
        scenario, (other,) = f"s{sample:02d}-local", {"go", "tomcat"} - {worst}
        runs += [run(f"{scenario}-{key}", mean_ms=100 if key == worst else 50) for key in names]
        rows.append(comparison(scenario, "mean_ms", 1.0, system_b=other, **equal))
        for one in ("node", other):
            rows.append(
                comparison(scenario, "mean_ms", 0.5, system_a=one, system_b=worst, verdict="faster", better=one)
            )
    results = results_by_hand(tmp_path / "c", runs, rows, names=names)
    assert answer.headline(ENGLISH, results, facts.standings(results)) == (
        "Node.js and Go answer equally fast in 2 of 3 samples."
    )


def test_where_and_who_are_kept_apart_by_a_comma(tmp_path):
    results = equal_in(tmp_path, 1)
    standings = facts.standings(results)["server_cpu_us_per_request"]
    said = [answer.answer(words, results, facts.CPU_COST, standings[:1]) for words in (ENGLISH, PORTUGUESE)]
    assert said[0].startswith("In sample 1, Node.js and Tomcat have the same server CPU time")
    assert said[1].startswith("Na amostra 1, Node.js e Tomcat têm o mesmo tempo de CPU")
    for phrase in ("alone_there", "nothing_there"):
        assert all(words.say(phrase, where="here").startswith("here, ") for words in (ENGLISH, PORTUGUESE))


def test_the_largest_share_of_the_variance_is_named_as_its_chart_names_it(four):
    largest = {"node": ("within_pct", 47.4, 97.7), "tomcat": ("size_pct", 60.0, 60.0)}
    assert plain(captions.variance(ENGLISH, four, largest)) == (
        "With Node.js the largest share is “within a second” (47.4 to 97.7 %); "
        "with Tomcat the largest share is “size of the file” (60.0 %)."
    )
    assert captions.variance(PORTUGUESE, four, largest).startswith(
        "Com Node.js, a maior parcela é “dentro de um segundo” (47,4 a 97,7"
    )


@pytest.mark.parametrize("words", [ENGLISH, PORTUGUESE], ids=["en", "pt"])
def test_every_sentence_about_an_indicator_quotes_its_name(words):
    said = [text for name, text in words.phrases.items() if "{indicator}" in text]
    assert len(said) == 3
    assert all("“{indicator}”" in text for text in said)


def test_the_note_under_the_first_table_holds_where_higher_is_better():
    assert "− lower, + higher" in ENGLISH["who_note"]
    assert "− menor, + maior" in PORTUGUESE["who_note"]
    assert not re.search("lower than|menor que", ENGLISH["who_note"] + PORTUGUESE["who_note"])


def test_a_scenario_of_two_factors_stands_in_the_tables_as_sentences_name_it(tmp_path, four):
    runs = [run(f"s05-{disk}-{system}", mean_ms=5) for disk in ("hdd", "ssd") for system in ("node", "tomcat")]
    runs += [run("s06-ssd-node", mean_ms=5)]
    rig = {"disks": {"hdd": {"label": "emulated HDD"}}}
    rows = [comparison("s05-hdd", "mean_ms", 1.0)]
    results = results_by_hand(tmp_path / "c", runs, rows, rig=rig)
    names = ["Sample 5 on emulated HDD", "Sample 5 on ssd", "Sample 6 on ssd"]
    assert [name for name, *_ in who.matrix(results, ENGLISH, facts.standings(results))] == names
    assert list(dict.fromkeys(row[1].text for row in grids.cells(results, ENGLISH).rows)) == names
    assert [name for name, *_ in who.matrix(four, ENGLISH, facts.standings(four))] == ["1", "2", "3", "10"]


def test_a_bar_is_as_long_for_the_same_ratio_in_every_column(tmp_path):
    runs = [run(f"s05-local-{system}", mean_ms=mean, cv=mean) for system, mean in (("node", 80), ("tomcat", 100))]
    won = {"verdict": "better", "better": "node"}
    rows = [
        comparison("s05-local", "mean_ms", 0.8, lo=0.75, hi=0.9, **won),
        comparison("s05-local", "cv", 0.8, lo=0.4, hi=0.9, **won),
    ]
    results = results_by_hand(tmp_path / "c", runs, rows)
    ((_, _, entries),) = who.matrix(results, ENGLISH, facts.standings(results))
    bars = [entry.bar for entry in entries if entry.bar]
    assert len(bars) == 2
    assert (bars[0].at, bars[0].high) == (bars[1].at, bars[1].high)


@pytest.mark.parametrize(
    ("repeats", "said", "said_pt"),
    [(1, "1 valid run", "1 execução válida"), (2, "2 valid runs", "2 execuções válidas")],
)
def test_one_valid_run_is_not_called_runs(tmp_path, repeats, said, said_pt):
    runs = [run("s05-local-node", f"{repeat:02}", mean_ms=5) for repeat in range(repeats)]
    doubts = facts.doubts(results_by_hand(tmp_path / "c", runs))
    told = {"log": False, "invalid": 0, "intervals": False, "clocked": False}
    note, note_pt = (captions.by_scenario_note(words, doubts, **told) for words in (ENGLISH, PORTUGUESE))
    assert plain(note).endswith(f"n = {said} a cell, of 1,000 requests each.")
    assert plain(note_pt).endswith(f"n = {said_pt} por célula, de 1.000 requisições cada.")
