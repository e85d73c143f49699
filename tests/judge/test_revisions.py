"""Revisions of a real git repository, laid out beside it."""

import shutil
from pathlib import Path

import pytest
from planted_app import commit, git

from uploadlab.errors import LabError
from uploadlab.judge.revisions import Repository


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a repository with a server in a folder of it, tagged v1 and changed since."""
    folder = tmp_path / "project"
    (folder / "server").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / ".gitignore").write_text("built\n")
    (folder / "server" / "app.js").write_text("first\n")
    (folder / "server" / "old.js").write_text("goes\n")
    commit(folder, "first")
    git(folder, "tag", "v1")
    (folder / "server" / "app.js").write_text("second\n")
    commit(folder, "second")
    return folder


def test_each_revision_has_its_own_files_and_keeps_what_its_installation_built(project: Path, tmp_path: Path) -> None:
    repository = Repository(project / "server", tmp_path / "trees")
    first, second = repository.revision("v1"), repository.revision("main")
    assert (first.system / "app.js").read_text() == "first\n"
    assert (second.system / "app.js").read_text() == "second\n"
    assert first.commit == git(project, "rev-parse", "v1")
    (first.system / "built").write_text("by npm\n")
    (first.system / "left.log").write_text("by a run\n")
    again = repository.revision("v1")
    assert again == first
    assert (again.system / "built").exists()
    assert not (again.system / "left.log").exists()


def test_the_working_tree_has_what_is_changed_new_and_deleted_and_leaves_the_users_files_alone(
    project: Path, tmp_path: Path
) -> None:
    repository = Repository(project / "server", tmp_path / "trees")
    (project / "server" / "app.js").write_text("third\n")
    (project / "server" / "new.js").write_text("new\n")
    (project / "server" / "old.js").unlink()
    (project / "server" / "built").write_text("ignored\n")
    for _ in range(2):  # also where it is laid out already
        tree = repository.working_tree().system
        assert (tree / "app.js").read_text() == "third\n"
        assert sorted(path.name for path in tree.iterdir()) == ["app.js", "new.js"]
    assert git(project, "status", "--porcelain").splitlines() == [
        "M server/app.js",
        " D server/old.js",
        "?? server/new.js",
    ]
    (project / "server" / "new.js").unlink()
    assert sorted(path.name for path in repository.working_tree().system.iterdir()) == ["app.js"]


def test_in_the_working_tree_a_file_may_have_become_a_folder_and_a_folder_a_file(project: Path, tmp_path: Path) -> None:
    server = project / "server"
    (server / "lib").mkdir()
    (server / "lib" / "a.js").write_text("a\n")
    commit(project, "a folder")
    shutil.rmtree(server / "lib")
    (server / "lib").write_text("a file\n")
    (server / "app.js").unlink()
    (server / "app.js").mkdir()
    (server / "app.js" / "main.js").write_text("main\n")
    tree = Repository(server, tmp_path / "trees").working_tree().system
    assert (tree / "lib").read_text() == "a file\n"
    assert (tree / "app.js" / "main.js").read_text() == "main\n"


def test_a_repository_inside_that_git_does_not_know_is_one_sentence(project: Path, tmp_path: Path) -> None:
    inside = project / "server" / "vendored"
    inside.mkdir()
    git(inside, "init", "--quiet")
    (inside / "lib.js").write_text("lib\n")
    commit(inside, "its own")
    with pytest.raises(LabError, match=r"vendored: it is a git repository of its own with changes"):
        Repository(project / "server", tmp_path / "trees").working_tree()


def test_a_revision_from_before_there_was_a_declaration_gets_the_one_of_today(project: Path, tmp_path: Path) -> None:
    (project / "server" / "sut.toml").write_text("today's\n")
    repository = Repository(project / "server", tmp_path / "trees")
    assert (repository.revision("v1").system / "sut.toml").read_text() == "today's\n"
    (project / "server" / "sut.toml").unlink()
    assert not (repository.revision("v1").system / "sut.toml").exists()


def test_a_revision_that_git_does_not_know_and_a_folder_outside_git_are_refused(project: Path, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="git knows no revision 'v9'"):
        Repository(project / "server", tmp_path / "trees").revision("v9")
    with pytest.raises(LabError, match="not a git repository"):
        Repository(tmp_path, tmp_path / "trees")
