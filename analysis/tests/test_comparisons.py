import math
import re

import numpy as np
import pytest

from analysis.declarations import declarations
from analysis.statistics.intervals import t_quantile
from analysis.tables.comparisons import METRICS, Figures, Terms, cohen_d, compare, more_repeats
from analysis.words.languages import EveryLanguage

METRIC = {metric.column: metric for metric in METRICS}
GENERATOR = np.random.default_rng(1)
TERMS = Terms(margin=0.05, most_blocks=None)
WORDS = EveryLanguage.of(declarations({}))


def verdict(column, a, b):
    return compare(METRIC[column], Figures(a=a, b=b, pairs=[]), ("Node.js", "Tomcat"), TERMS, GENERATOR, WORDS)


def test_a_clearly_lower_mean_is_faster():
    row = verdict("mean_ms", [98, 100, 102], [129, 130, 131])
    assert (row["verdict"], row["better"]) == ("faster", "a")
    assert row["sentence"].startswith(
        "Node.js is faster than Tomcat: mean response time 100 ms against 130 ms (ratio 0.769, 95 % interval "
    )
    assert row["sentence"].endswith("3 repeats each).")
    assert row["sentence_pt"].startswith(
        "Node.js é mais rápido que Tomcat: tempo médio de resposta 100 ms contra 130 ms (razão 0,769, intervalo de 95 "
    )


@pytest.mark.parametrize(
    ("column", "word", "better"),
    [
        ("mean_ms", "slower", "b"),
        ("p99_ms", "slower", "b"),
        ("cv", "less steady", "b"),
        ("server_cpu_us_per_request", "dearer", "b"),
        ("throughput_rps", "higher", "a"),
    ],
)
def test_each_metric_has_its_own_word_and_knows_which_end_is_better(column, word, better):
    row = verdict(column, [129, 130, 131], [98, 100, 102])
    assert (row["verdict"], row["better"]) == (word, better)


def test_a_ratio_whose_interval_lies_within_5_percent_is_equal_even_when_it_excludes_1():
    row = verdict("mean_ms", [100.0, 100.1, 99.9], [101.0, 101.1, 100.9])
    assert row["hi"] < 1
    assert (row["verdict"], row["better"]) == ("equal within 5 %", "")


def test_an_interval_that_decides_nothing_says_how_many_more_repeats_would():
    row = verdict("mean_ms", [90, 100, 110], [100, 115, 125])
    assert row["verdict"] == "can't tell"
    assert row["more_repeats"] >= 1
    assert f"About {row['more_repeats']} more repeat" in row["sentence"]


def test_two_repeats_say_so_in_the_sentence():
    row = verdict("mean_ms", [90.0, 110.0], [100.0, 125.0])
    assert row["verdict"] == "can't tell"
    assert "With so few repeats little can be decided." in row["sentence"]


def test_one_repeat_can_tell_nothing_and_asks_for_one_more():
    row = verdict("mean_ms", [100.0], [200.0, 210.0])
    assert row["verdict"] == "can't tell"
    assert "more_repeats" not in row  # nothing is known of the scatter between repeats
    assert row["ratio"] == pytest.approx(100 / 205)
    assert "one repeat has no interval" in row["sentence"]


def test_a_system_without_a_valid_run_is_named():
    row = verdict("mean_ms", [100.0], [])
    assert row["sentence"] == "Can't tell: no valid run of Tomcat has this figure."
    assert verdict("mean_ms", [], [])["sentence"].count("Node.js and Tomcat") == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([98, 100, 102], [129, 130, 131]),
        ([100.0, 100.1, 99.9], [101.0, 101.1, 100.9]),
        ([90, 100, 110], [100, 115, 125]),
        ([50.0, 150.0, 100.0, 104.0], [60.0, 160.0, 100.0, 107.0]),
        ([100.0], [200.0, 210.0]),
        ([0.0, 0.0], [0.1, 0.2]),
    ],
)
def test_a_sentence_has_the_same_figures_in_both_languages(a, b):
    row = verdict("mean_ms", a, b)
    english, portuguese = (re.findall(r"\d+(?:[.,]\d+)?", row[name]) for name in ("sentence", "sentence_pt"))
    assert english == [figure.replace(",", ".") for figure in portuguese]


def test_a_figure_of_0_has_no_ratio():
    assert "of 0 has no ratio" in verdict("cv", [0.0, 0.0], [0.1, 0.2])["sentence"]


def test_the_number_of_further_repeats_is_the_smallest_that_would_decide():
    a, b = [90.0, 100.0, 110.0], [100.0, 115.0, 125.0]
    more = more_repeats(a, b, 0.05)
    spread = np.var(a, ddof=1) / np.mean(a) ** 2 + np.var(b, ddof=1) / np.mean(b) ** 2
    distance = math.log(np.mean(b) / np.mean(a))

    def half(n):
        return t_quantile(2 * n - 2) * math.sqrt(spread / n)

    assert half(3 + more) < distance <= half(3 + more - 1)


def test_a_hopeless_number_of_repeats_is_not_named():
    row = verdict("mean_ms", [50.0, 150.0, 100.0, 104.0], [60.0, 160.0, 100.0, 107.0])
    assert row["more_repeats"] is None
    assert "Not even 100 repeats" in row["sentence"]


def test_cohens_d_of_the_logs_by_hand():
    a, b = [1.0, math.e], [math.e**2, math.e**3]  # logs 0, 1 and 2, 3: means differ by 2, pooled sd is sqrt(0.5)
    assert cohen_d(a, b) == pytest.approx(-2 / math.sqrt(0.5))
    assert cohen_d([1.0, 1.0], [2.0, 2.0]) is None
    assert cohen_d([1.0], [2.0, 2.0]) is None
