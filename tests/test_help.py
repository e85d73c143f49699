"""What `--help` prints: commands that can be typed, and no names that only the program knows."""

import re
from pathlib import Path

import pytest

import monitoring.__main__ as monitoring_program
import uploadlab.analysis.__main__ as analysis_program
from uploadlab import cli
from workload_gen import cli as sizes_program

STUDIES = sorted(path.parent.name for path in (Path(__file__).parents[1] / "studies").glob("*/study.toml"))
PROGRAMS = [
    (analysis_program, ["report"], "./lab report"),
    (analysis_program, ["compare"], "./lab compare"),
    (analysis_program, ["studies"], "./lab studies"),
    (analysis_program, ["jtl"], "./lab jtl"),
    (analysis_program, ["decisions"], "python -m uploadlab.analysis decisions"),
    (monitoring_program, ["nmon"], "./lab nmon"),
    (sizes_program, ["generate"], "./lab sizes generate"),
    (cli, ["conformance"], "./lab conformance"),
]


def _help(program, capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        program.main([*arguments, "--help"])
    assert ended.value.code == 0
    return re.sub(r"\s+", " ", capsys.readouterr().out)


@pytest.mark.parametrize("study", STUDIES)
def test_the_help_of_a_study_says_what_an_option_takes_and_no_internal_name(study, capsys):
    for command in ("run", "engines", "aa", *(["calibrate"] if study == "upload" else [])):
        said = _help(cli, capsys, "--study", study, command)
        assert not re.search(r"FACTOR_|OPTION_|SETTINGS\b", said)


def test_a_factor_takes_its_levels_with_commas_between_them(capsys):
    assert "--samples LEVEL,..." in _help(cli, capsys, "run")


@pytest.mark.parametrize("study", STUDIES)
def test_the_first_sentence_of_the_help_ends_before_the_question_begins(study, capsys):
    assert ". Which is faster, steadier, cheaper on CPU, and why?" in _help(cli, capsys, "--study", study)


@pytest.mark.parametrize(("program", "arguments", "typed"), PROGRAMS, ids=[typed for _, _, typed in PROGRAMS])
def test_the_usage_names_a_command_that_can_be_typed(program, arguments, typed, capsys):
    assert _help(program, capsys, *arguments).startswith(f"usage: {typed} [-h]")
