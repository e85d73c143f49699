"""Revisions of a git repository, each laid out in a folder of its own, which keeps what its installation built."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import msgspec

from uploadlab.errors import LabError

SHORT = 10
DECLARATION = "sut.toml"
WORKING_TREE = "working-tree"


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    """A revision as it was asked for, its commit, and the system's folder in its own work tree."""

    name: str
    commit: str
    system: Path


class Repository:
    """The repository around a system's folder, and the place of its work trees.

    Raises LabError where the folder is in no git repository.
    """

    def __init__(self, system: Path, cache: Path) -> None:
        if not system.is_dir():
            raise LabError(f"{system}: there is no such folder; --system names the folder of a sut.toml.")
        self._top = Path(_git(system, "rev-parse", "--show-toplevel"))
        self._inside = system.resolve().relative_to(self._top.resolve())
        digest = hashlib.sha256(str(self._top.resolve()).encode()).hexdigest()[:SHORT]
        self._trees = cache / f"{self._top.name}-{digest}"

    def revision(self, name: str) -> Revision:
        """Lay out a revision, named as git names them; LabError where there is none of that name."""
        commit = self._commit(name)
        return self._laid_out(name, commit, self._trees / commit[:SHORT])

    def working_tree(self) -> Revision:
        """Lay out the files as they are now, the ones that git does not track yet included, ignored ones not."""
        commit = self._commit("HEAD")
        tree = self._trees / WORKING_TREE
        laid_out = self._laid_out(WORKING_TREE, commit, tree)
        for name in self._changed():
            _copy_as_it_is(self._top / name, tree / name)
        return laid_out

    def _commit(self, name: str) -> str:
        try:
            return _git(self._top, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        except LabError as error:
            raise LabError(f"{self._top}: git knows no revision '{name}'.") from error

    def _laid_out(self, name: str, commit: str, tree: Path) -> Revision:
        """Check a commit out; files that git ignores, as an installation builds them, stay from the last time."""
        if not (tree / ".git").exists():
            shutil.rmtree(tree, ignore_errors=True)
            tree.parent.mkdir(parents=True, exist_ok=True)
            _git(self._top, "worktree", "prune")
            _git(self._top, "worktree", "add", "--detach", "--force", str(tree), commit)
        _git(tree, "checkout", "--quiet", "--detach", "--force", commit)
        _git(tree, "clean", "--quiet", "--force", "-d")
        self._lend_declaration(tree / self._inside)
        return Revision(name=name, commit=commit, system=tree / self._inside)

    def _lend_declaration(self, system: Path) -> None:
        """Give a revision from before there was a `sut.toml` the one of today."""
        declared = self._top / self._inside / DECLARATION
        if system.is_dir() and declared.exists() and not (system / DECLARATION).exists():
            shutil.copy2(declared, system / DECLARATION)

    def _changed(self) -> list[str]:
        """Return the files that differ from HEAD, and those that are new."""
        known = _git(self._top, "diff", "--name-only", "--no-renames", "-z", "HEAD")
        new = _git(self._top, "ls-files", "--others", "--exclude-standard", "-z")
        return [name for name in f"{known}\0{new}".split("\0") if name]


def _copy_as_it_is(source: Path, target: Path) -> None:
    """Make a file of the work tree what the user's is: copied, or gone where it is gone or a folder by now."""
    is_folder = source.is_dir() and not source.is_symlink()
    if is_folder and (source / ".git").exists():
        raise LabError(
            f"{source}: it is a git repository of its own with changes that git here does not know; commit them "
            "in both, or let git ignore it."
        )
    if is_folder or not (source.is_symlink() or source.exists()):
        target.unlink(missing_ok=True)
        return
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)


def _git(folder: Path, *arguments: str) -> str:
    """Return what git printed; LabError with its own words where it failed."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise LabError("git is missing; on Debian: sudo apt-get install git") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise LabError(f"{folder}: git {arguments[0]}: {said[-1]}")
    return done.stdout.strip("\n")
