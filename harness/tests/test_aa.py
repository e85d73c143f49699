"""A server against itself: the campaigns are made and counted, and too many differences are told from chance."""

import csv
import json
import math
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import processes_that_name, running, wait_until_none

from harness.cli import main
from harness.commands.aa import most_by_chance

TINY = Path(__file__).parent / "tiny_study"


def test_of_40_intervals_of_95_percent_4_may_miss_by_chance():
    # P(more than 4 of 40) = 1 - sum of binomial(40, 0.05) up to 4 = 0.048; more than 3: 0.138
    assert most_by_chance(40) == 4
    assert math.isclose(sum(math.comb(40, k) * 0.05**k * 0.95 ** (40 - k) for k in range(5)), 0.952, abs_tol=0.0005)


def test_a_single_interval_may_miss_never_and_ten_may_miss_twice():
    # P(1 of 1) = 0.05, P(more than 1 of 10) = 0.086, P(more than 2 of 10) = 0.012
    assert most_by_chance(1) == 0
    assert most_by_chance(10) == 2


def test_one_repeat_is_refused_because_it_has_no_interval(tmp_path, capsys):
    assert main(["--study", str(TINY), "aa", "--repeats", "1", "--out", str(tmp_path)]) == 2
    assert "at least 2 repeats" in capsys.readouterr().err


MADE = "--profile one --seed 1 --repeats 3 --systems alpha --twice --load requests=20 --baseline-repeats 0"


def _make(folder: Path, told: str) -> None:
    """Make a folder look as if a campaign had been made there, as far as is looked at here."""
    (folder / "analysis").mkdir(parents=True)
    command = ["harness", "--study", str(TINY), "run", *told.split(), "--out", str(folder)]
    (folder / "campaign.json").write_text(json.dumps({"study": {"id": "tiny"}, "command": command}))
    (folder / "analysis" / "comparisons.csv").write_text(
        "metric,a,b,ratio,lo,hi,n_a,n_b\nmean_ms,a,b,1.01,0.9,1.1,3,3\n"
    )


@pytest.fixture
def made(tmp_path) -> Path:
    """Return a folder with a campaign that was made already."""
    _make(tmp_path / "aa" / "01", MADE)
    return tmp_path / "aa"


AS_MADE = {"--profile": "one", "--system": "alpha", "--load": "requests=20", "--campaigns": "1"}


@pytest.mark.parametrize(
    "other",
    [
        {"--load": "requests=30"},
        {"--profile": "quick"},
        {"--system": "beta"},
        {"--set": "greeting=hi"},
        {"--set": "cost_ms=10,15"},
        {"--repeats": "2"},
        {"--minutes": "1"},
        {"--sizes": "2"},
    ],
)
def test_a_folder_with_campaigns_of_something_else_is_refused(other, made, capsys):
    options = [word for option in (AS_MADE | other).items() for word in option]
    assert main(["--study", str(TINY), "aa", *options, "--out", str(made)]) == 2
    [said] = capsys.readouterr().err.splitlines()
    assert said.startswith(f"{made / '01'} is of `tiny: run {MADE}`, not of `tiny: run --profile ")
    assert said.endswith("; name another --out.")


def test_the_campaigns_that_were_asked_for_are_read(made, capsys):
    options = [word for option in AS_MADE.items() for word in option]
    assert main(["--study", str(TINY), "aa", *options, "--out", str(made)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "mean_ms" in printed.out


@pytest.mark.slow
def test_each_campaign_compares_the_server_with_itself_until_it_is_sure_and_is_made_once(tmp_path, capsys):
    tiny = shutil.copytree(TINY, tmp_path / "tiny")  # it is set up in its own folder
    _make(tmp_path / "aa" / "01", MADE.replace("--repeats 3", "--minutes 0.1"))
    command = [sys.executable, "-m", "harness", "--study", str(tiny), "aa", "--campaigns", "2", "--minutes", "0.1"]
    command += ["--profile", "one", "--system", "alpha", "--load", "requests=20", "--out", str(tmp_path / "aa")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    with (tmp_path / "aa" / "aa.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["campaign"] for row in rows} == {"1", "2"}
    campaign = json.loads((tmp_path / "aa" / "02" / "campaign.json").read_text())
    assert set(campaign["systems"]) == {"alpha@current,name=a", "alpha@current,name=b"}
    assert campaign["profile"]["settings"]["minutes"] == 0.1
    assert campaign["seed"] == 2
    assert (tmp_path / "aa" / "02" / "looks.jsonl").exists()
    assert "Campaign 2 of 2" in done.stderr
    assert "Campaign 1 of 2" not in done.stderr, "it was there"
    for row in rows:
        assert row["apart"] == str(not float(row["lo"]) <= 1 <= float(row["hi"])).lower()
    assert main(command[3:]) == done.returncode
    again = capsys.readouterr()
    assert "Campaign" not in again.err
    assert again.out == done.stdout


@pytest.mark.long
@pytest.mark.slow
def test_two_values_of_a_setting_make_servers_that_are_told_apart(tmp_path):
    tiny = shutil.copytree(TINY, tmp_path / "tiny")
    command = [sys.executable, "-m", "harness", "--study", str(tiny), "aa", "--campaigns", "1", "--repeats", "3"]
    command += ["--profile", "one", "--system", "alpha", "--load", "requests=12", "--out", str(tmp_path / "aa")]
    done = subprocess.run(
        [*command, "--set", "cost_ms=10,150"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "aa" / "aa.csv").open(newline="") as file:
        mean = next(row for row in csv.DictReader(file) if row["metric"] == "mean_ms")
    assert mean["apart"] == "true"
    assert float(mean["ratio"]) == pytest.approx(10 / 150, rel=0.9)
    campaign = json.loads((tmp_path / "aa" / "01" / "campaign.json").read_text())
    assert set(campaign["systems"]) == {"alpha@current,cost_ms=10", "alpha@current,cost_ms=150"}
    assert all(record["load"]["requests"] == 12 for record in _records(tmp_path / "aa" / "01"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_when_it_is_ended_or_killed_its_campaign_ends_too(tmp_path, number):
    tiny = shutil.copytree(TINY, tmp_path / "tiny")
    command = [sys.executable, "-m", "harness", "--study", str(tiny), "aa", "--campaigns", "1", "--repeats", "2"]
    command += ["--profile", "one", "--system", "alpha", "--load", "requests=100000", "--out", str(tmp_path / "aa")]
    with running(command) as lab:
        assert any("measuring" in line for line in lab.stderr)
        lab.send_signal(number)
        lab.communicate(timeout=60)
    wait_until_none(lambda: processes_that_name(tmp_path))
    assert not list(tmp_path.glob("aa/01/runs/*/*/run.json"))


def _records(campaign: Path) -> list[dict]:
    return [json.loads(path.read_text()) for path in campaign.glob("runs/*/*/run.json")]
