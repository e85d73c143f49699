"""The driver says what a campaign takes, and refuses each run in which a message did not arrive as it should."""

import json
import subprocess

import pytest
from asking import ask
from keeping import keep_recorded
from queue_parts import FAULTS, QUEUES, broker, conduct

from queues_study.__main__ import STUDY
from uploadlab.cli import main

LOAD = {"payload": "bytes", "duration_s": 0.3, "drain_s": 0.5}
OPEN = {"loop": "open", "rate_per_s": 1000, "message_bytes": 100}
GATES = {"lost": 0, "duplicated": 0, "out_of_order": 0, "wrong": 0, "own_cost_pct": 1000.0}


pytestmark = pytest.mark.usefixtures("programs")


def checked(folder, port, *, every=100, **known):
    """Conduct a run and leave its files as the lab does; return what was seen and what the driver says of it."""
    with broker("known", port, KNOWN_MEAN_US="0", KNOWN_EVERY=str(every), **known):
        outcome = conduct(folder, port, LOOP="open", RATE_PER_S="1000", DURATION_S="0.3", DRAIN_S="5")
    keep_recorded(folder)
    return outcome, judged(folder)


def judged(folder):
    done = ask(STUDY, "check", {"seed": 1, "gates": GATES, "factors": OPEN, "load": LOAD}, folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_in_which_all_arrived_passes_every_gate(memory, port):
    outcome, reply = checked(memory, port)
    wanted = {"lost", "duplicated", "out_of_order", "wrong", "left", "records"}
    assert {gate["name"] for gate in reply["gates"]} >= wanted
    assert [gate for gate in reply["gates"] if not gate["passed"]] == []
    assert reply["counts"]["requests"] == outcome.counters("producer")["sent"]
    assert reply["counts"]["errors"] == 0
    command = [QUEUES / "driver", "check", "--spec", memory / "spec.json", "--out", memory]
    assert json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) == reply


@pytest.mark.parametrize(
    ("fault", "gate"),
    [
        ("drop", "lost"),
        ("double", "duplicated"),
        ("swap", "out_of_order"),
        ("cut", "wrong"),
        ("corrupt", "wrong"),
    ],
)
def test_a_fault_moves_the_counter_of_its_kind_and_fails_its_gate_and_no_other(fault, gate, memory, port):
    outcome, reply = checked(memory, port, KNOWN_FAULT=fault)
    assert [one["name"] for one in reply["gates"] if not one["passed"]] == [gate]
    seen, sent = outcome.counters("consumer"), outcome.counters("producer")["sent"]
    counted = {name: seen[name] for name in FAULTS if seen[name]} | {"lost": sent - seen["different"] - seen["wrong"]}
    assert [name for name, count in counted.items() if count] == [gate]
    assert counted[gate] in (sent // 100, sent // 100 - (fault == "swap"))  # the last may have nothing to follow


def test_of_messages_damaged_in_their_middle_those_compared_whole_are_counted_and_the_gate_says_so(memory, port):
    _, reply = checked(memory, port, every=1, KNOWN_FAULT="corrupt_middle")
    (failed,) = [one for one in reply["gates"] if not one["passed"]]
    assert (failed["name"], failed["figure"]) == ("wrong", 1)
    assert failed["sentence"].endswith("last bytes of each message, and all bytes of every thousandth.")


def test_what_a_campaign_takes_follows_from_its_loops(tmp_path):
    published = {"loop": "published", "messages": 10000, "message_bytes": 19}
    scenarios = [
        {"factors": published, "load": {"payload": "digits", "rounds": 30, "round_pause_s": 1}},
        {"factors": OPEN, "load": LOAD},
    ]
    done = ask(STUDY, "needs", {"seed": 1, "scenarios": scenarios}, tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["scenarios"]
    assert first["requests"] == 300_000
    assert first["records"] == 901_000
    assert first["fixed_seconds"] == 60
    assert second["fixed_seconds"] == 0.3


@pytest.mark.parametrize(
    ("factors", "load", "sentence"),
    [
        ({"loop": "open"}, LOAD, "The loop 'open' needs a rate above 0 (--rates)."),
        ({"loop": "published"}, LOAD, "The loop 'published' needs a number of messages above 0 (--messages)."),
        ({"loop": "closed"}, {}, "The loop 'closed' needs a duration_s above 0, not 0."),
        ({"loop": "closed"}, {**LOAD, "payload": "digits"}, "The payload 'digits' needs --delivery pull --acks none."),
    ],
)
def test_a_scenario_that_cannot_be_is_refused_with_a_sentence(factors, load, sentence, tmp_path):
    done = ask(STUDY, "needs", {"seed": 1, "scenarios": [{"factors": factors, "load": load}]}, tmp_path)
    assert (done.returncode, done.stderr.strip()) == (2, sentence)


PUBLISHED = ["--study", "queues", "run", "--profile", "published", "--dry-run"]


def test_as_published_there_is_no_floor_as_a_relay_keeps_nothing_that_could_be_asked_for(capsys):
    assert main([*PUBLISHED, "--baseline-repeats", "1"]) == 0
    plan = capsys.readouterr().out
    assert "published-m10000-b19-simplified" in plan
    assert "relay" not in plan
    assert main([*PUBLISHED, "--systems", "relay"]) == 2
    assert "leaves relay out of every scenario asked for; name other systems or levels." in capsys.readouterr().err


def test_as_published_no_acknowledgements_can_be_asked_for(capsys):
    assert main([*PUBLISHED, "--acks", "each"]) == 2
    assert "leaves out every scenario asked for" in capsys.readouterr().err
