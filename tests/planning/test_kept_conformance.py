import shutil
import subprocess

import pytest

from uploadlab.paths import REPOSITORY
from uploadlab.planning.kept_conformance import FILE, keep, kept_summary
from uploadlab.planning.system import choose

RESULT = {"summary": "must 344 of 344, should 150 of 155, 0 skipped"}


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(REPOSITORY / "docs" / "template-server", tmp_path / "server")


def sut_in(folder):
    return choose(folder, "current", {})


def test_a_kept_result_is_true_of_the_code_and_the_versions_that_were_tested(folder):
    keep(sut_in(folder), {"python": "3.11"}, RESULT)
    assert kept_summary(sut_in(folder), {"python": "3.11"}) == "must 344 of 344, should 150 of 155"
    (folder / "README.md").write_text("Another document changes nothing.")
    assert kept_summary(sut_in(folder), {"python": "3.11"})
    assert kept_summary(sut_in(folder), {"python": "3.12"}) == ""
    with (folder / "server.py").open("a") as code:
        code.write("# changed\n")
    assert kept_summary(sut_in(folder), {"python": "3.11"}) == ""


def test_what_git_ignores_is_not_the_systems_code(folder):
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".gitignore").write_text(f"node_modules\n{FILE}\n")
    keep(sut_in(folder), {}, RESULT)
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "installed.js").touch()
    assert kept_summary(sut_in(folder), {})
    (folder / "added.py").touch()
    assert not kept_summary(sut_in(folder), {})


def test_without_a_result_nothing_is_known(folder):
    assert kept_summary(sut_in(folder), {}) == ""
    (folder / FILE).write_text("cut of")
    assert kept_summary(sut_in(folder), {}) == ""
