"""The GitHub action's own step, with a lab that only writes down how it was called."""

import json
from pathlib import Path

import pytest
from github import run_step

LAB = """\
#!/usr/bin/env bash
printf '%s\\n' "$@" >"$(dirname "$0")/called"
while [[ $1 != --out ]]; do shift; done
[[ {code} == 2 ]] || {{
  mkdir -p "$2"
  printf '{{\\n  "verdict": "{verdict}",\\n  "rows": [{{"verdict": "better"}}]\\n}}\\n' >"$2/judge.json"
  printf '### HEAD against main: {verdict}\\n' >"$2/judge.md"
}}
exit {code}
"""


def with_lab(folder: Path, code: int, verdict: str) -> Path:
    folder.mkdir()
    lab = folder / "lab"
    lab.write_text(LAB.format(code=code, verdict=verdict))
    lab.chmod(0o755)
    return folder


@pytest.mark.parametrize(("code", "verdict"), [(0, "equal"), (1, "worse"), (3, "undecided")])
def test_the_job_ends_as_the_judgement_does_and_has_its_table_and_verdict(tmp_path: Path, code: int, verdict: str):
    action = with_lab(tmp_path / "an action", code, verdict)
    done = run_step(tmp_path, tmp_path / "a runner", action, system="server", base="main")
    assert (done.code, done.outputs) == (code, {"verdict": verdict})
    assert done.summary == f"### HEAD against main: {verdict}\n"
    assert json.loads((done.report / "judge.json").read_text())["verdict"] == verdict


def test_what_could_not_be_done_fails_the_job_and_leaves_no_verdict(tmp_path: Path):
    done = run_step(tmp_path, tmp_path / "runner", with_lab(tmp_path / "action", 2, ""), base="main")
    assert (done.code, done.outputs, done.summary) == (2, {}, "")


def test_each_input_is_an_option_of_the_lab(tmp_path: Path):
    action = with_lab(tmp_path / "action", 0, "equal")
    run_step(tmp_path, tmp_path / "runner", action, base="v1", head="v2", options="--samples 1,5", unsure="fail")
    called = (action / "called").read_text().splitlines()
    out = str(tmp_path / "runner" / "upload-lab")
    assert called == [
        *("judge", "v1", "v2", "--system", ".", "--minutes", "10", "--margin", "5", "--unsure", "fail", "--out", out),
        *("--samples", "1,5"),
    ]
    run_step(tmp_path, tmp_path / "again", action, base="v1")
    assert (action / "called").read_text().splitlines()[:4] == ["judge", "v1", "--system", "."]
