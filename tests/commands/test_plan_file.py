"""Options of a run from a file."""

import json
from pathlib import Path

import pytest
from tiny import copy_of_tiny, lab_here, refused

from uploadlab.commands import run
from uploadlab.commands.run import parse_options
from uploadlab.paths import STUDIES
from uploadlab.planning.study import load_study


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


def test_a_plan_stands_for_its_options_and_what_follows_comes_after_them(plan: Path) -> None:
    plan.write_text(
        'minutes = 10\nsamples = [1, 5]\nset = ["node.backlog=100", "as_shipped"]\ndry-run = true\ncapture = false\n'
    )
    told = ["--seed", "3", "--plan", str(plan), "--minutes", "5", "--set", "tomcat.accept_count=1"]
    asked = parse_options(load_study(STUDIES / "upload"), told)
    assert (asked.seed, asked.minutes, asked.factor_sample) == (3, 5, ["1", "5"])
    assert asked.settings == ["node.backlog=100", "as_shipped", "tomcat.accept_count=1"]
    assert (asked.dry_run, asked.capture) == (True, False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("minutes 10", "my.toml: not valid TOML"),
        ("[load]\nthreads = 5", "my.toml: load: expected a text, a number, true, false or a list"),
        ('plan = "my.toml"', "my.toml: plan: a plan takes no options from another one"),
        ("minuets = 10", "error: unrecognized arguments: --minuets 10"),
        ("minutes = 10", "--repeats and --minutes: a campaign has a number of repeats or a time"),
    ],
)
def test_a_plan_that_no_option_can_have_is_refused(plan: Path, text: str, sentence: str) -> None:
    plan.write_text(text)
    assert sentence in refused("upload", "run", "--plan", str(plan), "--repeats", "2", "--dry-run")


def test_a_plan_needs_its_file() -> None:
    assert "argument --plan: expected one argument" in refused("upload", "run", "--plan")


@pytest.mark.parametrize("written", [["--plan={}"], ["--plan", "{}"]])
def test_however_the_option_is_written_its_file_is_read(plan: Path, written: list[str]) -> None:
    plan.write_text("sizes = [2]\n")
    options = [word.format(plan) for word in written]
    said = lab_here(copy_of_tiny(plan.parent), "run", *options, "--dry-run", expect=0).stdout
    assert "z2-local-alpha" in said
    assert "z1-local-alpha" not in said


def test_a_campaign_on_the_rig_of_a_plan_is_continued_on_it(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = plan.parent / "out"
    plan.write_text('rig = "local"\nprofile = "one"\n')
    monkeypatch.setattr(run, "execute", lambda *_, **__: (True, 0))
    monkeypatch.setattr("sys.argv", ["lab", "run"])
    lab_here(copy_of_tiny(plan.parent), "run", "--plan", str(plan), "--out", str(out), expect=0)
    assert json.loads((out / "campaign.json").read_text())["continue_with"] == "./lab run --rig local --resume"
