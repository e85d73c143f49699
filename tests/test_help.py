"""What `--help` prints: commands that can be typed, and no names that only the program knows."""

import re
from pathlib import Path

import pytest

from uploadlab import cli

STUDIES = sorted(path.parent.name for path in (Path(__file__).parents[1] / "studies").glob("*/study.toml"))


def _help(program, capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        program.main([*arguments, "--help"])
    assert ended.value.code == 0
    return re.sub(r"\s+", " ", capsys.readouterr().out)


@pytest.mark.parametrize("study", STUDIES)
def test_the_help_of_a_study_says_what_an_option_takes_and_no_internal_name(study, capsys):
    for command in ("run", "engines", "aa"):
        said = _help(cli, capsys, "--study", study, command)
        assert not re.search(r"FACTOR_|OPTION_|SETTINGS\b", said)
