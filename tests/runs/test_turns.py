"""Runs that take turns: whose turn it is, what becomes of the others when one fails, and a whole campaign of them."""

import csv
import itertools
import json
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from campaigns_of_parts import ECHO
from finished import (
    copy_of_upload_study,
    make_campaign,
    read_rows,
    read_table,
    runs_of,
    without_extra_repeats,
)
from tiny import lab_here, refused
from waiting import PATIENCE_S, processes_that_name, running, wait_for

from uploadlab.errors import Interrupted
from uploadlab.hosts import throttled_disk
from uploadlab.paths import REPOSITORY
from uploadlab.runs.turns import Steps, StoppedBeside, in_turns

IN_TURNS = ["--profile", "quick", "--repeats", "1", "--samples", "5", "--turn-ms", "500", "--load", "warmup_loops=5"]
IN_TURNS += ["--load", "saturated_s=2", "--load", "share_s=2", "--load", "settling_s=1", "--load", "lead_in_s=0"]
Said = list[str]
LATE_NS = 200_000_000
"""So long after a turn a busy machine may take to suspend its server."""


def planned(*options: str) -> str:
    """Return all that a dry run says."""
    done = lab_here("upload", "run", *options, "--dry-run", expect=0)
    return done.stderr + done.stdout


def run_of(name: str, said: Said, steps: int = 2, fails_in: int = 0) -> Steps:
    """Make a run of some steps, as `steps_of_run` does, that says what it does."""
    record = {"cell": name, "status": "failed", "reason": ""}
    try:
        for number in range(1, steps + 1):
            said.append(f"{name}{number}")
            if number == fails_in:
                raise StoppedBeside("the server ended")
            yield number == steps
        record["status"] = "complete"
    except StoppedBeside as error:
        record["reason"] = str(error)
    finally:
        said.append(f"{name} ends")
    return record


def test_each_run_makes_a_step_in_turn_and_ends_when_nothing_of_any_is_alive():
    said: Said = []
    records = in_turns([run_of("a", said), run_of("b", said, steps=4)])
    assert said[:2] == ["a1", "b1"]
    assert sorted(said[2:4]) == ["a2", "b2"]
    assert said[4:6] == ["b3", "b4"]
    assert sorted(said[6:]) == ["a ends", "b ends"]
    assert [record["status"] for record in records] == ["complete", "complete"]


def test_a_run_that_fails_stops_those_beside_it_and_is_named_as_the_reason():
    said: Said = []
    a, b, c = in_turns([run_of("a", said), run_of("b", said, fails_in=2), run_of("c", said)])
    assert said[:3] == ["a1", "b1", "c1"]
    assert sorted(said[-3:]) == ["a ends", "b ends", "c ends"]
    assert (a["status"], b["reason"], c["status"]) == ("failed", "the server ended", "failed")
    assert a["reason"] == c["reason"] == "b, with which it took turns, failed: the server ended"


def test_a_run_that_has_not_begun_when_another_fails_leaves_no_record():
    said: Said = []
    (only,) = in_turns([run_of("a", said, fails_in=1), run_of("b", said)])
    assert (only["cell"], said) == ("a", ["a1", "a ends"])


def test_an_interruption_ends_all_of_them():
    said: Said = []

    def interrupted() -> Steps:
        yield False
        raise Interrupted("SIGINT")

    with pytest.raises(Interrupted):
        in_turns([run_of("a", said, steps=3), interrupted(), run_of("c", said, steps=3)])
    assert said[:2] == ["a1", "c1"]
    assert sorted(said[-2:]) == ["a ends", "c ends"]


def test_the_order_is_another_one_from_round_to_round_and_that_of_the_seed():
    def told(seed: int) -> Said:
        said: Said = []
        in_turns([run_of(name, said, steps=20) for name in "abc"], seed=seed)
        return said

    rounds = {tuple(step[0] for step in told(1)[begin : begin + 3]) for begin in range(0, 60, 3)}
    assert all(sorted(one) == ["a", "b", "c"] for one in rounds)
    assert len(rounds) > 3
    assert told(1) == told(1) != told(2)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turns")
    study = copy_of_upload_study(folder / "study", without_extra_repeats)
    return make_campaign(folder / "campaign", *IN_TURNS, study=study)


def _turns(run: Path, label: str) -> list[tuple[int, int]]:
    rows = csv.DictReader((run / "turns.csv").read_text().splitlines())
    return [(int(row["start_us"]), int(row["end_us"])) for row in rows if row["label"] == label]


@pytest.mark.slow
@pytest.mark.xdist_group("turns")
def test_no_two_servers_have_a_turn_at_a_time_and_every_upload_lies_in_one_of_its_own(campaign: Path) -> None:
    runs = runs_of(campaign)
    assert [record["status"] for _, record in runs] == ["complete"] * 2
    every = sorted(turn for run, record in runs for of in record["windows"] for turn in _turns(run, of["label"]))
    assert len(every) >= 2 * 2 * 2000 / 500
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(every))
    for run, record in runs:
        for window in record["windows"]:
            turns = _turns(run, window["label"])
            measured = [turn for turn in turns if 1000 * turn[0] >= window["start_ns"]]
            assert window["active_ns"] == 1000 * sum(end - start for start, end in measured)
            rows = csv.DictReader((run / "requests.jtl").read_text().splitlines())
            for row in (row for row in rows if row["label"] == window["label"]):
                began, ended = int(row["start_us"]), int(row["start_us"]) + int(row["elapsed_us"])
                assert any(start <= began and ended <= end + 1 for start, end in turns), row


@pytest.mark.slow
@pytest.mark.xdist_group("turns")
def test_every_server_is_up_before_the_first_is_loaded(campaign: Path) -> None:
    phases = [record["phases"] for _, record in runs_of(campaign)]
    assert len(phases) == 2
    assert max(run["verified_ns"] for run in phases) < min(run["load_start_ns"] for run in phases)


@pytest.mark.slow
@pytest.mark.xdist_group("turns")
def test_a_server_uses_no_cpu_while_the_others_have_their_turns(campaign: Path) -> None:
    for run, record in runs_of(campaign):
        shares = []
        rows = read_rows(run / "server.samples.csv")
        samples = [(int(row["time_ns"]), int(row["role_cpu_ns"])) for row in rows]
        for window in record["windows"]:
            for (_, end), (start, _) in itertools.pairwise(_turns(run, window["label"])):
                within = [one for one in samples if 1000 * end + LATE_NS < one[0] < 1000 * start]
                if len(within) > 1:
                    shares.append((within[-1][1] - within[0][1]) / (within[-1][0] - within[0][0]))
        # A busy machine may suspend it even later, though not in most gaps.
        assert np.quantile(shares, 0.25) < 0.05, "not suspended, Tomcat used a third"


@pytest.mark.slow
@pytest.mark.xdist_group("turns")
def test_rates_count_the_time_of_the_turns_and_nothing_is_said_of_a_host_that_others_shared(campaign: Path) -> None:
    rows = [row for row in read_table(campaign, "runs") if row["load"] == "saturated"]
    assert {row["system"] for row in rows} == {"node", "tomcat"}
    for row in rows:
        run = campaign / "runs" / f"s05-local-lean-{row['system']}" / row["repeat"]
        window = json.loads((run / "run.json").read_text())["windows"][0]
        per_s = window["counts"]["ended_ok"] / (window["active_ns"] / 1e9)
        assert float(row["capacity_per_s"]) == pytest.approx(per_s, rel=1e-5)
        assert row["cpu_pct"] == row["dirty_mb_max"] == ""
        assert float(row["server_cpu_us_per_request"]) > 0


@pytest.mark.slow
@pytest.mark.xdist_group("turns")
def test_ctrl_c_in_a_turn_leaves_nothing_running_and_nothing_had_to_be_set_up_again(
    campaign: Path, tmp_path: Path
) -> None:
    command = ["./lab", "run", *IN_TURNS, "--load", "share_s=600", "--out", str(tmp_path / "c")]
    with running(command, cwd=REPOSITORY) as lab:
        wait_for(
            lambda: sum(len(path.read_text().splitlines()) > 2 for path in tmp_path.glob("c/runs/*/*/turns.csv")) == 2,
            beside=lab,
        )
        begun = processes_that_name(tmp_path)
        assert len(begun) >= 4, "two servers and two load generators"
        assert any("LeanGenerator" in process for process in begun)
        lab.send_signal(signal.SIGINT)
        said = lab.communicate(timeout=PATIENCE_S)[1]
    assert lab.returncode == 130
    assert "Setting up" not in said
    assert "Making" not in said
    assert said.strip().splitlines()[-1] == "Interrupted; nothing was left running."
    assert processes_that_name(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--generator", "jmeter"], "only loads of --capacity that share a run are made in turns"),
        (["--capacity", "50,105"], "at 105 % of the capacity a server's queue outlasts its turn"),
        (
            ["--server-cpu", "50"],
            "servers that take turns have the whole core in theirs, not the share of --server-cpu",
        ),
        pytest.param(
            ["--disks", "local,hdd"],
            "what one server stored would still be on its way to the disk 'hdd' in the turn of the other",
            marks=pytest.mark.skipif(bool(throttled_disk.why_not()), reason=str(throttled_disk.why_not())),
        ),
        (["--systems", "node", "--observer"], "what records a server would be there in the turns of the other"),
        (
            ["--set", "node.backlog=101,102,103,104,105,106,107,108,109"],
            "each server would wait 4.5 s for its turn, and end connections meanwhile",
        ),
    ],
)
def test_servers_that_can_take_no_turns_run_one_after_the_other_and_are_refused_where_turns_were_asked_for(
    options: list[str], reason: str
) -> None:
    assert refused("upload", "run", *options, "--turn-ms", "500", "--dry-run") == (
        f"--turn-ms: {reason}; leave --turn-ms out."
    )
    said = planned(*options)
    assert f"The servers run one after the other, not in turns: {reason}." in said
    assert "take turns of" not in said


def test_a_profile_with_turns_of_a_study_without_loads_is_run_without_them(tmp_path: Path) -> None:
    study = Path(shutil.copytree(ECHO, tmp_path / "echo"))
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("repeats = 3", "repeats = 3\nturn_ms = 500"))
    (study / "driver").write_text((study / "driver").read_text().replace("../../.venv/bin/python", sys.executable))
    said = lab_here(study, "run", "--dry-run", expect=0)
    why = "the study 'echo' has no factor of loads, within which turns are taken"
    assert f"The servers run one after the other, not in turns: {why}." in said.stderr
    assert "take turns of" not in said.stdout


def test_servers_of_the_default_campaign_take_turns_and_one_server_has_nobody_to() -> None:
    assert "The servers of a block take turns of 500 ms on the core." in planned()
    alone = planned("--systems", "node")
    assert "take turns" not in alone
    assert "not in turns" not in alone
