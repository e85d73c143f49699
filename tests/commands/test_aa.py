"""A server against itself: the campaigns are made and counted, and too many differences are told from chance."""

import json
import subprocess
from pathlib import Path

import pytest
from finished import read_rows
from tiny import LAB, TINY, copy_of_tiny, lab_here, refused

from uploadlab.commands.aa import most_by_chance


@pytest.mark.parametrize(
    ("intervals", "most"),
    [
        (40, 4),  # P(more than 4) = 1 - sum of binomial(40, 0.05) up to 4 = 0.048; more than 3: 0.138
        (10, 2),  # more than 1: 0.086; more than 2: 0.012
        (1, 0),  # P(1 of 1) = 0.05
    ],
)
def test_of_some_intervals_of_95_percent_so_many_may_miss_by_chance(intervals, most):
    assert most_by_chance(intervals) == most


def test_one_repeat_is_refused_because_it_has_no_interval(tmp_path):
    assert "whole number of at least 2, not '1'" in refused(TINY, "aa", "--repeats", "1", "--out", str(tmp_path))


MADE = "--profile one --seed 1 --repeats 3 --systems alpha --twice --load requests=20 --baseline-repeats 0"


def _make(folder: Path, told: str) -> None:
    """Make a folder look as if a campaign had been made there, as far as is looked at here."""
    (folder / "analysis").mkdir(parents=True)
    command = ["uploadlab", "--study", str(TINY), "run", *told.split(), "--out", str(folder)]
    (folder / "campaign.json").write_text(json.dumps({"study": {"id": "tiny"}, "command": command}))
    (folder / "analysis" / "comparisons.csv").write_text(
        "metric,a,b,ratio,lo,hi,n_a,n_b\nmean_ms,a,b,1.01,0.9,1.1,3,3\n"
    )


def test_of_comparisons_that_hold_together_a_campaign_counts_once(tmp_path):
    heading = "metric,a,b,ratio,lo,hi,n_a,n_b,headline\n"
    rows = {
        1: ["capacity_per_s,1,2,0.5,0.4,0.6,3,3,true", "p99_ms,1,2,0.5,0.4,0.6,3,3,true"],
        2: ["p50_ms,1,2,0.5,0.4,0.6,3,3,false", "p99_ms,1,1,1,0.9,1.1,3,3,true"],
    }
    for number, of_campaign in rows.items():
        folder = tmp_path / "aa" / f"{number:02}"
        _make(folder, MADE.replace("--seed 1", f"--seed {number}"))
        (folder / "analysis" / "comparisons.csv").write_text(heading + "\n".join(of_campaign) + "\n")
    done = lab_here(TINY, *_asked(tmp_path, "requests=20"), "--campaigns", "2", expect=1)
    told = {line.rsplit(maxsplit=3)[0]: line.split()[-3:] for line in done.stdout.splitlines() if "/" not in line}
    assert told["any headline comparison"] == ["2", "1", "1"]
    assert told["p99_ms"] == ["2", "1", "1"]
    assert told["capacity_per_s"] == ["1", "1", "0"]
    assert "More intervals exclude equality" in done.stderr


@pytest.fixture
def made(tmp_path) -> Path:
    """Return a folder with a campaign that was made already."""
    _make(tmp_path / "aa" / "01", MADE)
    return tmp_path / "aa"


def _asked(folder: Path, load: str) -> list[str]:
    return ["aa", "--profile", "one", "--system", "alpha", "--load", load, "--out", str(folder / "aa")]


@pytest.mark.slow
def test_each_campaign_compares_the_server_with_itself_until_it_is_sure_and_is_made_once(tmp_path):
    tiny = copy_of_tiny(tmp_path)  # it is set up in its own folder
    _make(tmp_path / "aa" / "01", MADE.replace("--repeats 3", "--minutes 0.1"))
    asked = [*_asked(tmp_path, "requests=20"), "--campaigns", "2", "--minutes", "0.1"]
    done = subprocess.run([*LAB, tiny, *asked], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    rows = read_rows(tmp_path / "aa" / "aa.csv")
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
    again = lab_here(tiny, *asked, expect=done.returncode)
    assert "Campaign" not in again.stderr
    assert again.stdout == done.stdout
