"""`.ci/from-bare`: what it brings into the bare root and starts there; making and entering one are stood in for."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "from-bare"
STAND_INS = {
    "mmdebstrap": 'for root in "$@"; do [[ $root != */bare ]] || mkdir -p "$root"/usr/sbin "$root"/srv; done',
    "chroot": "",
    "unshare": 'printf "%s\\n" "${@: -2}"',
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes and enters a root")
def test_the_last_commit_is_tested_whoever_the_repository_belongs_to(tmp_path):
    project, programs, bare = tmp_path / "project", tmp_path / "programs", tmp_path / "bare"
    (project / ".ci").mkdir(parents=True)
    (project / ".ci" / "from-bare").write_bytes(SCRIPT.read_bytes())
    programs.mkdir()
    for name, body in STAND_INS.items():
        (programs / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (programs / name).chmod(0o755)
    (project / "lab").write_text("committed")
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for command in (["init", "--quiet"], ["add", "lab"], [*identity, "commit", "--quiet", "-m", "first"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    (project / "lab").write_text("changed since")
    for path in (project, *project.rglob("*")):
        os.chown(path, 65534, 65534)
    done = subprocess.run(
        ["bash", project / ".ci" / "from-bare", bare, "--fast"],
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(bare), "--fast"]
    assert (bare / "srv" / "upload-lab" / "lab").read_text() == "committed"
