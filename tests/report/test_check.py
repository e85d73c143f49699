"""A campaign's answer rests on the first level of a factor; the others check it."""

from dataclasses import replace

from handmade import ENGLISH, PORTUGUESE, comparison, results_by_hand, run

from uploadlab.report import facts
from uploadlab.report.sentences import answer, check

NBSP = "\u00a0"
METRICS = ("mean_ms", "p99_ms", "cv", "server_cpu_us_per_request")
NODE_WINS = {"lo": 0.4, "hi": 0.6, "verdict": "faster", "better": "node"}
TOMCAT_WINS = {"lo": 1.8, "hi": 2.2, "verdict": "slower", "better": "tomcat"}
EQUAL = {"lo": 0.98, "hi": 1.01, "verdict": "equal within 5 %"}


def results_of(folder, of_check, of_sample_5=NODE_WINS):
    """`of_check` are the comparisons on `tmpfs`, which checks sample 5; on `local` Node.js wins all unless said."""
    means_of_tomcat = {"s01-local": 2.0, "s05-local": 2.0, "s05-tmpfs": 0.5 if of_check is TOMCAT_WINS else 2.0}
    runs = [
        run(f"{scenario}-{system}", **dict.fromkeys(METRICS, mean))
        for scenario, of_tomcat in means_of_tomcat.items()
        for system, mean in (("node", 1.0), ("tomcat", of_tomcat))
    ]
    answer_rests_on = {"s01-local": NODE_WINS, "s05-local": of_sample_5}
    rows = [comparison(key, metric, 0.5, **found) for key, found in answer_rests_on.items() for metric in METRICS]
    rows += [comparison("s05-tmpfs", metric, 2.0 if of_check is TOMCAT_WINS else 0.5, **of_check) for metric in METRICS]
    levels = {"sample": [1, 5], "disk": ["local", "tmpfs"]}
    return results_by_hand(folder / "c", runs, rows, levels=levels, check_factors=["disk"])


def told(words, results):
    found = check.sentences(words, results, facts.standings(results.leading))
    return [[one.replace(NBSP, " ") for one in group] for group in (found.told, found.against)]


def test_the_answer_rests_on_the_first_level_alone(tmp_path):
    leading = results_of(tmp_path, TOMCAT_WINS).leading
    assert list(leading.scenarios) == ["s01-local", "s05-local"]
    assert answer.headline(ENGLISH, leading, facts.standings(leading)) == (
        "Node.js answers faster in both samples, is steadier in both and uses less CPU in both."
    )


def test_a_check_that_finds_the_same_agrees(tmp_path):
    said, against = told(ENGLISH, results_of(tmp_path, NODE_WINS))
    rests = "The answer rests on the disk local; tmpfs checks it in 1 scenario"
    assert said == [f"{rests}; both decide 4 comparisons, and they agree."]
    assert not against


def test_a_check_that_decides_nothing_says_so(tmp_path):
    said, against = told(ENGLISH, results_of(tmp_path, {}))
    assert said == [
        "The answer rests on the disk local; tmpfs checks it in 1 scenario; no comparison is decided by both."
    ]
    assert not against


def test_a_check_that_finds_another_winner_speaks_against_the_answer(tmp_path):
    results = results_of(tmp_path, TOMCAT_WINS)
    said, against = told(ENGLISH, results)
    assert said == ["The answer rests on the disk local; tmpfs checks it in 1 scenario."]
    (said,) = against
    assert said.startswith(
        "The check contradicts the answer: in sample 5 on tmpfs it finds that Tomcat has the lower mean response time, "
        "not Node.js."
    )
    assert said.count("The check contradicts the answer") == 4
    assert "99th percentile" in said
    assert said.endswith("the different load, or the load generator's own time and the way it writes.")
    assert told(PORTUGUESE, results)[1][0].startswith("A verificação contradiz a resposta: ")


def test_a_check_that_finds_equals_where_the_answer_finds_them_far_apart_speaks_against_it(tmp_path):
    said, (against,) = told(ENGLISH, results_of(tmp_path, EQUAL))
    assert "they agree" not in said[0]
    assert against.startswith(
        "The check contradicts the answer: in sample 5 on tmpfs it finds the same mean response time within 5 %; the "
        "answer says that Node.js's is lower, by 40 to 60 %."
    )


def test_a_check_that_finds_them_far_apart_where_the_answer_finds_equals_speaks_against_it(tmp_path):
    _, (against,) = told(ENGLISH, results_of(tmp_path, NODE_WINS, of_sample_5=EQUAL))
    assert against.startswith(
        "The check contradicts the answer: in sample 5 on tmpfs it finds that Node.js has the lower mean response "
        "time, by 40 to 60 %; the answer says that they are equal within 5 %."
    )


def test_a_difference_that_may_lie_within_the_margin_does_not_contradict_equals(tmp_path):
    less = {"lo": 0.90, "hi": 0.97, "verdict": "faster", "better": "node"}
    said, against = told(ENGLISH, results_of(tmp_path, less, of_sample_5=EQUAL))
    assert "they agree" in said[0]
    assert not against


def test_the_reason_gives_the_load_and_the_generators_own_wait_on_both_sides(tmp_path):
    results = results_of(tmp_path, TOMCAT_WINS)
    loads = {"local": (99.0, 0.1), "tmpfs": (12.0, 0.9)}
    cells, runs = [], []
    for cell in results.cells:
        busy, wait = loads[cell.scenario.partition("-")[2]]
        mean = cell.value("mean_ms")
        known = {"server_cpu_pct": str(busy), "injector_wait_ms_per_request": str(wait * mean)}
        of_cell = tuple(replace(one, row={**one.row, **known}) for one in cell.runs)
        runs += of_cell
        cells.append(replace(cell, runs=of_cell))
    _, (against,) = told(ENGLISH, replace(results, cells=tuple(cells), runs=tuple(runs)))
    assert "The server's core was 12 % busy there, 99 % where the answer was found." in against
    assert (
        "The load generator's own wait for a core was 90 % of the mean response time there, "
        "10 % where the answer was found." in against
    )
