import csv
import itertools
import math
from itertools import product

import numpy as np
import pytest

from uploadlab.statistics.intervals import interval_of_ratio, t_quantile
from uploadlab.statistics.prior_variance import DEGREES
from uploadlab.statistics.sequential import (
    FAMILIES,
    FIRST_LOOK,
    KEPT,
    MOST_KEPT_BLOCKS,
    Blocks,
    critical_value,
    critical_values,
    interval_of_paired_ratio,
    more_blocks,
    simulated_critical_values,
    simulated_statistics,
    spent_by,
)


def test_the_paired_interval_of_three_blocks_by_hand():
    # ratios 2, 2 e^0.1, 2 e^-0.1: the mean of the logs is ln 2, their standard deviation 0.1, t of 2 degrees 4.3027
    interval = interval_of_paired_ratio([2, 2 * math.exp(0.1), 2 * math.exp(-0.1)], [1, 1, 1], None)
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert interval.estimate == pytest.approx(2)
    assert (interval.lo, interval.hi) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)), rel=1e-6)
    assert interval.method == "paired t"


KINDS = [*product(DEGREES, [False]), (0, True)]
KEYS = [
    (most, *kind, family)
    for most, kind, family in product(range(FIRST_LOOK + 1, MOST_KEPT_BLOCKS + 1), KINDS, FAMILIES)
]
PRINTED = 1e-5  # six digits are kept


@pytest.mark.parametrize(
    ("most_blocks", "degrees", "twice"), [(6, 2, False), (7, 0, True), (8, 16, False), (MOST_KEPT_BLOCKS, 0, False)]
)
def test_the_critical_values_that_are_kept_are_those_of_the_simulation(most_blocks, degrees, twice):
    for family, simulated in simulated_critical_values(most_blocks, degrees, measured_twice=twice).items():
        kept = critical_values(most_blocks, degrees, family, measured_twice=twice)
        assert kept == pytest.approx(simulated, rel=PRINTED)


@pytest.mark.long
@pytest.mark.parametrize("degrees", DEGREES)
def test_so_are_those_of_every_number_of_blocks_which_spend_differently_along_the_same_courses(degrees):
    statistics = list(simulated_statistics(MOST_KEPT_BLOCKS, degrees))
    for most_blocks in range(FIRST_LOOK + 1, MOST_KEPT_BLOCKS + 1):
        looks = statistics[: most_blocks - FIRST_LOOK + 1]
        assert critical_values(most_blocks, degrees) == pytest.approx(spent_by(looks, most_blocks), rel=PRINTED)


def test_every_number_of_blocks_to_twelve_and_every_prior_has_its_critical_values():
    with KEPT.open(newline="", encoding="utf-8") as file:
        found = [
            tuple(int(row[name]) for name in ("most_blocks", "prior_degrees", "measured_twice", "family", "blocks"))
            for row in csv.DictReader(file)
        ]
    assert found == [(*key, n) for key in KEYS for n in range(FIRST_LOOK, key[0] + 1)]


def test_the_more_comparisons_share_the_error_the_wider_is_each_also_beyond_the_simulated_ones():
    widths = [critical_values(6, 4, family) for family in (1, 7, 15, 45, 100, 1000)]
    assert all(np.less(narrow, wide).all() for narrow, wide in itertools.pairwise(widths))
    assert critical_values(6, 4, 7) == critical_values(6, 4, 8)


def test_the_only_look_has_student_s_critical_value_whether_planned_or_because_the_campaign_ended_before_its_first():
    assert critical_values(FIRST_LOOK, 2, 60) == (t_quantile(6, 60),)
    a, ones = [1.2, 1.5, 1.3, 1.1], [1.0] * 4
    before, planned = interval_of_paired_ratio(a, ones, 12, family=9), interval_of_paired_ratio(a, ones, 4, family=9)
    # three degrees of freedom and 5 % divided by nine: 7.185
    half = 7.185 * np.std(np.log(a), ddof=1) / 2
    assert (before.lo, before.hi) == (planned.lo, planned.hi)
    assert math.log(before.hi / before.lo) == pytest.approx(2 * half, rel=1e-3)


def test_a_campaign_that_ends_has_the_critical_value_of_its_last_look_or_before_the_first_student_s():
    assert critical_value(FIRST_LOOK - 1, 12, 2, 9) == t_quantile(5, 9)  # two of the prior and three of four blocks
    assert critical_value(FIRST_LOOK - 1, 12, 0, 9, measured_twice=True) == t_quantile(6, 9)
    looks = critical_values(12, 2, 9)
    assert (critical_value(FIRST_LOOK, 12, 2, 9), critical_value(12, 12, 2, 9)) == (looks[0], looks[-1])


def test_looks_are_dearer_than_one_look_and_after_the_first_cheaper_the_more_blocks_there_are():
    values = critical_values(12)
    assert len(values) == 8
    assert all(value > t_quantile(n - 1) for n, value in enumerate(values, FIRST_LOOK))
    assert list(values[1:]) == sorted(values[1:], reverse=True)
    assert values[0] < values[1]  # it spends at once what looks after three and four blocks would have spent


def test_the_blocks_that_would_decide_are_those_after_which_the_interval_leaves_out_1():
    a, b = [1.1, 1.3, 1.2], [1.0, 1.0, 1.0]
    logs = [math.log(value) for value in a]
    distance, scatter = sum(logs) / 3, np.std(logs, ddof=1)
    decided = [
        total
        for total, critical in enumerate(critical_values(12), FIRST_LOOK)
        if critical * scatter / math.sqrt(total) < distance
    ]
    assert more_blocks(Blocks.of(a, b), 12, 0.1) == decided[0] - 3 > 0


def test_the_interval_of_one_that_was_measured_twice_by_hand():
    a, b, again = [2, 2, 2], [1, math.exp(0.2), math.exp(-0.2)], [1, math.exp(-0.2), math.exp(0.2)]
    interval = interval_of_paired_ratio(a, b, 3, again=again)
    # a to the mean of the others is 2 in each block; the others come apart by 0, 0.4 and -0.4, a variance of 0.16, of
    # which three quarters are 0.12; pooled with none of the same weight 0.06; t of four degrees is 2.7764.
    half = 2.776445 * math.sqrt(0.06 / 3)
    assert (interval.lo, interval.hi) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)), rel=1e-6)
    planned = interval_of_paired_ratio(a, b, 10, again=again)  # it ended before it looked
    assert (planned.lo, planned.hi) == (interval.lo, interval.hi)


@pytest.mark.slow
@pytest.mark.parametrize(("most", "change"), [(4, 1.2), (12, 1.06)])
def test_judgements_of_no_change_name_one_in_at_most_one_of_twenty_though_processes_are_of_two_kinds(most, change):
    generator = np.random.default_rng(24)
    alarms, found, found_without = 0, 0, 0
    for _ in range(1000):
        kinds = generator.random((3, most)) < 0.3
        arms = np.exp(generator.normal(0, 0.03, (3, most)) + 0.15 * kinds)
        alarms += is_ended(arms[0], arms[1], arms[2])
        found += is_ended(change * arms[0], arms[1], arms[2])
        found_without += is_ended(change * arms[0], arms[1], ())
    assert alarms <= 0.05 * 1000 + 2 * math.sqrt(1000 * 0.05 * 0.95)
    assert found > 1.1 * found_without


def is_ended(head, base, again):
    """Whether a judgement that looks after each block finds a difference at any."""
    blocks = range(min(FIRST_LOOK, len(head)), len(head) + 1)
    looks = [interval_of_paired_ratio(head[:n], base[:n], len(head), again=again[:n]) for n in blocks]
    return any(look.lo > 1 or look.hi < 1 for look in looks)


def test_equals_are_decided_where_the_interval_fits_into_the_margin_and_never_where_it_cannot():
    a, b = [1.04, 0.96, 1.0, 1.01], [1.0, 1.0, 1.0, 1.0]
    few, more = more_blocks(Blocks.of(a, b), 12, 0.2), more_blocks(Blocks.of(a, b), 12, 0.05)
    assert few < more
    assert more_blocks(Blocks.of(a, b), 12, 0.001) is None


def test_what_was_decided_stays_decided():
    logs = [0.3, 0.31, 0.29, 0.3, 0.3, 0.0, -0.4, 1.3]  # clear after five blocks, then a mess about the same mean
    a = [math.exp(log) for log in logs]
    early = interval_of_paired_ratio(a[:5], [1.0] * 5, 12)
    late = interval_of_paired_ratio(a, [1.0] * 8, 12)
    assert early.lo > 1
    assert late.lo >= early.lo
    assert late.hi <= early.hi


def test_an_estimate_that_left_the_interval_of_an_early_look_has_that_of_the_last():
    logs = [0.3, 0.31, 0.29, 0.3, 0.3, 0.0, -0.4, 0.5]
    found = interval_of_paired_ratio([math.exp(log) for log in logs], [1.0] * 8, 12)
    half = critical_values(12)[3] * np.std(logs, ddof=1) / math.sqrt(8)
    assert found.estimate == pytest.approx(math.exp(0.2))
    assert (found.lo, found.hi) == pytest.approx((math.exp(0.2 - half), math.exp(0.2 + half)))


def stopped(logs):
    """Return what a campaign would say that stops as soon as it can, and after how many blocks."""
    ones = [1.0] * len(logs)
    for n in range(FIRST_LOOK, len(logs) + 1):
        interval = interval_of_paired_ratio(np.exp(logs[:n]), ones[:n], len(logs))
        if interval.lo > 1 / 1.1 and interval.hi < 1.1:
            return "equal", n
        if interval.lo > 1 or interval.hi < 1:
            return "different", n
    return "open", len(logs)


@pytest.mark.slow
def test_of_a_thousand_campaigns_of_equals_that_stop_when_sure_at_most_one_in_twenty_finds_a_difference():
    generator = np.random.default_rng(20)
    found = [stopped(logs)[0] for logs in generator.normal(0, 0.07, (1000, 12))]
    assert found.count("different") <= 0.05 * 1000 + 2 * math.sqrt(1000 * 0.05 * 0.95)
    assert found.count("equal") > 700


@pytest.mark.slow
def test_a_tenth_of_difference_is_found_in_seven_blocks_or_so():
    generator = np.random.default_rng(22)
    outcomes = [stopped(logs) for logs in generator.normal(0.1, 0.06, (300, 12))]
    assert [verdict for verdict, _ in outcomes].count("different") > 0.9 * 300
    assert np.median([blocks for _, blocks in outcomes]) <= 8


def drifting(generator):
    """Return of a campaign on a host that drifts: does the interval within blocks hold the true ratio, does that of
    unrelated runs, and the logarithms of how wide they are."""
    drift = np.exp(np.cumsum(generator.normal(0, 0.15, 8)))  # the host's own speed, block by block
    a, b = (level * drift * np.exp(generator.normal(0, 0.04, 8)) for level in (1.0, 1.2))
    paired, unpaired = interval_of_paired_ratio(a, b, None), interval_of_ratio(a, b, generator)
    held = (one.lo < 1 / 1.2 < one.hi for one in (paired, unpaired))
    return *held, *(math.log(one.hi / one.lo) for one in (paired, unpaired))


@pytest.mark.slow
def test_on_a_host_that_drifts_paired_intervals_hold_the_ratio_and_are_far_narrower():
    generator = np.random.default_rng(23)
    found = [drifting(generator) for _ in range(500)]
    assert 0.93 * 500 <= sum(held for held, *_ in found) <= 0.98 * 500
    assert np.median([paired / unpaired for *_, paired, unpaired in found]) < 0.4
