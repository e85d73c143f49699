"""Options of a run from a file."""

from pathlib import Path

import pytest

from uploadlab.commands.plan_file import with_plan
from uploadlab.errors import LabError


def test_a_plan_stands_for_its_options_and_what_follows_comes_after_them(tmp_path: Path) -> None:
    plan = tmp_path / "my.toml"
    plan.write_text(
        'minutes = 10\nsamples = [1, 5]\nset = ["node.backlog=100", "as_shipped"]\ndry-run = true\ncapture = false\n'
    )
    assert with_plan(["run", "--plan", str(plan), "--minutes", "5"]) == [
        "run", "--minutes", "10", "--samples", "1,5", "--set", "node.backlog=100", "--set", "as_shipped",
        "--dry-run", "--minutes", "5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("minutes 10", "my.toml: not valid TOML"),
        ("[load]\nthreads = 5", "my.toml: load: expected a text, a number, true, false or a list"),
    ],
)
def test_a_plan_that_no_option_can_have_is_refused_with_its_name(tmp_path: Path, text: str, sentence: str) -> None:
    plan = tmp_path / "my.toml"
    plan.write_text(text)
    with pytest.raises(LabError, match=sentence):
        with_plan(["run", "--plan", str(plan)])


def test_a_plan_needs_its_file() -> None:
    with pytest.raises(LabError, match="expected a file after it"):
        with_plan(["run", "--plan"])
