"""The findings on a study's page are those of the campaigns kept beside it, to the digits that are printed there."""

import re
import tomllib
from collections import Counter

import pytest

from uploadlab.paths import STUDIES
from uploadlab.table_file import read_table

RATE, CPU = "delivered_per_s", "cpu_us_per_operation"
Where = dict[str, str]


def ratio(scenario: str, metric: str, a: str, b: str) -> Where:
    return {"scenario": scenario, "metric": metric, "system_a": a, "system_b": b}


def envelope(scenario: str) -> Where:
    return ratio(f"{scenario}-ethernet-100", RATE, "jgroups", "envelope")


def thin(scenario: str) -> Where:
    return ratio(f"{scenario}-ethernet-100", RATE, "jgroups", "thin-pull")


def in_2008(row: Where) -> Where:
    return {**row, "system_a": f"{row['system_a']}@paper-2008", "system_b": f"{row['system_b']}@paper-2008"}


def of_queues(scenario: str, metric: str) -> Where:
    return ratio(scenario, metric, "rabbitmq", "simplified")


BROKER = "broker_cpu_us_per_operation"
QUEUES = [
    ("closed", "closed-b100"),
    ("closed, acknowledged", "closed-b100-each"),
    ("as fast as it goes, acknowledged", "saturate-b100-each"),
    ("as fast as it goes", "saturate-b100"),
    ("1,000 a second", "open-r1000-b100"),
    ("1,000 a second, acknowledged", "open-r1000-b100-each"),
    ("5,000 a second", "open-r5000-b100"),
]
RATIOS = [
    ("sockets", "… Berkeley over ZeroMQ", "corrected", ratio("b10240-ping_pong", "mean_ms", "berkeley", "zeromq")),
    ("sockets", "… Berkeley over nanomsg", "corrected", ratio("b10240-ping_pong", "mean_ms", "berkeley", "nanomsg")),
    ("sockets", "… ZeroMQ over nanomsg", "corrected", ratio("b10240-ping_pong", "mean_ms", "zeromq", "nanomsg")),
    (
        "sockets",
        "… by `quick`: Berkeley over ZeroMQ",
        "quick",
        ratio("b10240-ping_pong", "mean_ms", "berkeley", "zeromq"),
    ),
    (
        "sockets",
        "… by `quick`: ZeroMQ over nanomsg",
        "quick",
        ratio("b10240-ping_pong", "mean_ms", "zeromq", "nanomsg"),
    ),
    ("sockets", "… by `quick`, one way", "quick", ratio("b102400-saturate", RATE, "berkeley", "nanomsg")),
    ("sockets", "CPU of both sides for 10 KB", "corrected", ratio("b10240-ping_pong", CPU, "berkeley", "zeromq")),
    ("sockets", "round trip of 100 KB, mean", "corrected", ratio("b102400-ping_pong", "mean_ms", "berkeley", "zeromq")),
    ("sockets", "… nanomsg over nng", "saturate", ratio("b102400-saturate", RATE, "nanomsg", "nng")),
    ("sockets", "… Berkeley over nanomsg, one way", "saturate", ratio("b102400-saturate", RATE, "berkeley", "nanomsg")),
    ("groups", "envelope stand-in, 100 bytes", "quick", envelope("n4-b100-udp")),
    ("groups", "envelope stand-in, 100 bytes", "quick", envelope("n4-b100-tcp")),
    ("groups", "envelope stand-in, 10,000 bytes", "quick", envelope("n4-b10000-udp")),
    ("groups", "envelope stand-in, 10,000 bytes", "quick", envelope("n4-b10000-tcp")),
    ("groups", "thin stand-in, 100 bytes", "quick", thin("n4-b100-udp")),
    ("groups", "thin stand-in, 100 bytes", "quick", thin("n4-b100-tcp")),
    ("groups", "envelope stand-in, 100 bytes", "paper-2008", in_2008(envelope("n4-b100-udp"))),
    ("groups", "envelope stand-in, 100 bytes", "paper-2008", in_2008(envelope("n4-b100-tcp_without_fc"))),
    ("groups", "envelope stand-in, 10,000 bytes", "paper-2008", in_2008(envelope("n4-b10000-udp"))),
    ("groups", "envelope stand-in, 10,000 bytes", "paper-2008", in_2008(envelope("n4-b10000-tcp_without_fc"))),
    ("groups", "thin stand-in, 100 bytes", "paper-2008", in_2008(thin("n4-b100-udp"))),
    ("groups", "thin stand-in, 100 bytes", "paper-2008", in_2008(thin("n4-b100-tcp_without_fc"))),
]
INVERTED = [
    ("sockets", "100 KB one way, messages a second", "saturate", ratio("b102400-saturate", RATE, "zeromq", "nanomsg")),
    *(
        ("queues", label, "corrected", of_queues(scenario, metric))
        for label, scenario in QUEUES
        for metric in ("mean_ms", BROKER, *([] if scenario.startswith("open") else [RATE]))
    ),
    *(
        ("queues", f"`quick`, {label}", "quick", of_queues(scenario, metric))
        for label, scenario in [QUEUES[0], QUEUES[4], QUEUES[3]]
        for metric in ("mean_ms", BROKER, *([] if scenario.startswith("open") else [RATE]))
    ),
    ("queues", "as in the slides, 10,000 messages", "published", of_queues("published-m10000-b19", "mean_ms")),
    ("queues", "as in the slides, 200,000 messages", "published", of_queues("published-m200000-b19", "mean_ms")),
]
VALUES = [
    ("sockets", "round trip of 10 KB, mean", "corrected", "b10240-ping_pong", "berkeley", "mean_ms", 1000),
    ("sockets", "… ZeroMQ, nanomsg, nng", "corrected", "b10240-ping_pong", "zeromq", "mean_ms", 1000),
    ("sockets", "… ZeroMQ, nanomsg, nng", "corrected", "b10240-ping_pong", "nanomsg", "mean_ms", 1000),
    ("sockets", "… ZeroMQ, nanomsg, nng", "corrected", "b10240-ping_pong", "nng", "mean_ms", 1000),
    ("groups", "JGroups itself, 100 bytes", "quick", "n4-b100-udp-ethernet-100", "jgroups", RATE, 1),
    ("groups", "JGroups itself, 100 bytes", "quick", "n4-b100-tcp-ethernet-100", "jgroups", RATE, 1),
    ("groups", "JGroups itself, 100 bytes", "paper-2008", "n4-b100-udp-ethernet-100", "jgroups", RATE, 1),
    ("groups", "JGroups itself, 100 bytes", "paper-2008", "n4-b100-tcp_without_fc-ethernet-100", "jgroups", RATE, 1),
]
STORES = [f"simplified@current,store={store}" for store in ("mutex_slice", "lock_free", "mutex_ring")]
LAYERS = [
    ("padding", ratio("n4-b100-udp-loopback", RATE, "envelope", "padding")),
    ("serialised", ratio("n4-b100-udp-loopback", RATE, "envelope", "serialised")),
]
UNDECIDED = [
    ("sockets", "… ZeroMQ over nanomsg", "corrected", ratio("b10240-ping_pong", "mean_ms", "zeromq", "nanomsg")),
    ("sockets", "… Berkeley over nanomsg, one way", "saturate", ratio("b102400-saturate", RATE, "berkeley", "nanomsg")),
    ("rpc", "a string of one byte would", "corrected", ratio("loopback-string1", "mean_ms", "grpc", "avro")),
    ("groups", "more repeats on UDP", "quick", thin("n4-b100-udp")),
    ("groups", "more on TCP", "quick", thin("n4-b100-tcp")),
    ("queues", "the mutex would take", "store", ratio("published-m10000-b19", "mean_ms", STORES[0], STORES[1])),
    ("queues", "garbage about", "store", ratio("published-m10000-b19", "mean_ms", STORES[0], STORES[2])),
]
SUMS = [
    ("as published, the paper's versions", "published", "paper-2018", "r2-four-times"),
    ("as published, today's versions", "published", "current", "r2-four-times"),
    ("warm JVMs, today's versions", "corrected", "current", "r2-four-times"),
    ("warm JVMs, 176 ms apart, today's versions", "corrected", "current", "r10-avro-best-overall"),
    ("as published, 176 ms apart, the paper's versions", "published-far", "paper-2018", "r10-avro-best-overall"),
    ("as published, 176 ms apart, today's versions", "published-far", "current", "r10-avro-best-overall"),
]
VERDICTS = [
    ("groups", "quick", "current", {"holds": 6, "fails": 6, "undecided": 10}),
    ("groups", "paper-2008", "paper-2008", {"holds": 6, "fails": 8, "undecided": 8}),
    ("queues", "published", "current", {"holds": 3, "fails": 8, "undecided": 4}),
    ("sockets", "corrected", "current", {"holds": 1, "fails": 4, "undecided": 1, "not measured": 7}),
    ("sockets", "quick", "current", {"holds": 1, "fails": 5, "not measured": 7}),
    ("rpc", "corrected", "current", {"holds": 3, "fails": 7, "undecided": 1}),
    ("rpc", "published-far", "current", {"fails": 6, "undecided": 1, "not measured": 4}),
    ("rpc", "published-far", "paper-2018", {"fails": 5, "undecided": 2, "not measured": 4}),
]


def printed(value: float) -> str:
    """Return a value to three digits, as the pages have it."""
    return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def row_of(study: str, label: str) -> str:
    """Return the row of the page's tables that begins so."""
    rows = (STUDIES / study / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = (row for row in rows if row.startswith(f"| {label}") and row[len(label) + 2] in " :")
    return row


def found(study: str, campaign: str, table: str, where: Where) -> Where:
    rows = read_table(STUDIES / study / "example" / campaign / "analysis" / f"{table}.csv")
    (row,) = (row for row in rows if where.items() <= row.items())
    return row


@pytest.mark.parametrize(
    ("study", "label", "campaign", "where", "inverted"),
    [(*one, False) for one in RATIOS] + [(*one, True) for one in INVERTED],
)
def test_a_ratio_on_the_page_is_that_of_the_kept_comparison(study, label, campaign, where, inverted):
    row = found(study, campaign, "comparisons", where)
    names = ("ratio", "hi", "lo") if inverted else ("ratio", "lo", "hi")
    middle, lo, hi = (printed(1 / float(row[name]) if inverted else float(row[name])) for name in names)
    assert f"{middle} ({lo}–{hi})" in row_of(study, label)


@pytest.mark.parametrize(("layer", "where"), LAYERS)
def test_what_a_part_of_the_envelope_costs_on_the_page_of_groups_is_that_of_the_kept_comparison(layer, where):
    row, page = (
        found("groups", "both-links", "comparisons", where),
        (STUDIES / "groups" / "README.md").read_text("utf-8"),
    )
    middle, lo, hi = (printed(float(row[name])) for name in ("ratio", "lo", "hi"))
    assert re.search(rf"{middle} times as many as the \w+ alone \({lo}–{hi}", page), layer


@pytest.mark.parametrize(("study", "words", "campaign", "where"), UNDECIDED)
def test_what_is_undecided_says_how_many_more_repeats_it_would_take(study, words, campaign, where):
    (line,) = (
        line for line in (STUDIES / study / "README.md").read_text(encoding="utf-8").splitlines() if words in line
    )
    assert f"about {found(study, campaign, 'comparisons', where)['more_repeats']} " in f"{line} "


@pytest.mark.parametrize(("study", "label", "campaign", "scenario", "system", "column", "times"), VALUES)
def test_a_value_on_the_page_is_that_of_the_kept_cell(study, label, campaign, scenario, system, column, times):
    row = found(study, campaign, "cells", {"scenario": scenario, "system": system})
    assert printed(times * float(row[column])) in row_of(study, label)


@pytest.mark.parametrize(("label", "campaign", "stack", "claim"), SUMS)
def test_a_ratio_of_sums_on_the_page_of_rpc_is_what_decided_the_kept_claim(label, campaign, stack, claim):
    why = found("rpc", campaign, "claims", {"claim": claim, "stack": stack})["why"]
    (middle, lo, hi), *_ = re.findall(r"(?:ratio|=) (\d[\d.]*),? (?:95 % interval |\()(\d[\d.]*) to (\d\.\d+|1)", why)
    assert f"{middle} ({lo}–{printed(float(hi))})" in row_of("rpc", label)


@pytest.mark.parametrize(("study", "campaign", "stack", "counts"), VERDICTS)
def test_the_kept_campaigns_decided_as_many_claims_as_the_page_says(study, campaign, stack, counts):
    rows = read_table(STUDIES / study / "example" / campaign / "analysis" / "claims.csv")
    assert Counter(row["verdict"] for row in rows if row["stack"] == stack) == counts


@pytest.mark.parametrize("study", ["sockets", "queues", "rpc", "groups"])
def test_a_page_has_each_profile_of_its_study_and_at_most_110_lines(study):
    page = (STUDIES / study / "README.md").read_text(encoding="utf-8")
    profiles = tomllib.loads((STUDIES / study / "study.toml").read_text(encoding="utf-8"))["profiles"]
    assert all(f"\n| `{name}`" in page for name in profiles)
    assert len(page.splitlines()) <= 110
