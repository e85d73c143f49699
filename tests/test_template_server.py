"""The server that docs/guides/your-server.md begins with."""

import shutil
import subprocess
import sys

from uploadlab.paths import REPOSITORY

TEMPLATE = REPOSITORY / "docs" / "template-server"


def test_a_copy_of_it_elsewhere_keeps_every_must_of_the_group_good(tmp_path):
    copy = tmp_path / "my-server"
    shutil.copytree(TEMPLATE, copy)
    (copy / "sut.toml").write_text((copy / "sut.toml").read_text().replace('id = "mine"', 'id = "other"'))
    command = [sys.executable, "-m", "uploadlab", "conformance", copy, "--only", "good/*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
