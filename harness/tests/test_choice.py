"""What the command line chooses, and what it is refused."""

from pathlib import Path

import pytest
from tiny import TINY

from harness import cli
from harness.commands import choice
from harness.planning.study import load_study

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def set_up(monkeypatch) -> list[str]:
    """Note which systems are set up, and do nothing."""
    keys: list[str] = []
    monkeypatch.setattr(choice, "set_up_load", lambda study: None)
    monkeypatch.setattr(choice, "set_up_systems", lambda suts: keys.extend(sut.key for sut in suts))
    return keys


def test_setup_makes_the_baseline_too_and_other_stacks_when_they_are_named(set_up):
    assert cli.main(["setup"]) == 0
    assert set_up == ["node", "tomcat", "reference"]
    set_up.clear()
    assert cli.main(["setup", "--stacks", "current,paper-2016"]) == 0
    assert set_up == ["node", "tomcat", "node@paper-2016", "tomcat@paper-2016", "reference"]


def test_setup_of_a_study_without_a_baseline_makes_its_systems(set_up):
    choice.set_up_everything(load_study(TINY))
    assert set_up == ["alpha", "beta"]
