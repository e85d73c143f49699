"""The reference server refuses a law that it could not keep, before anything is sent to it."""

import os
import subprocess
from pathlib import Path

import pytest
from waiting import PATIENCE_S

from .reference import REFERENCE, SUT


@pytest.fixture(scope="module")
def classes(tmp_path_factory) -> Path:
    """Return the folder of the compiled server."""
    folder = tmp_path_factory.mktemp("classes")
    [step] = SUT["stacks"]["current"]["install"]
    command = [str(folder) if word == "target" else word for word in step["command"]]
    subprocess.run(command, cwd=REFERENCE, check=True, timeout=PATIENCE_S)
    return folder


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"LAW": "stalls", "STALL_EVERY_MS": "0"}, "STALL_EVERY_MS must be above STALL_MS, 2000.0, it is 0.0."),
        (
            {"LAW": "stalls", "STALL_EVERY_MS": "30", "STALL_MS": "30"},
            "STALL_EVERY_MS must be above STALL_MS, 30.0, it is 30.0.",
        ),
        ({"LAW": "bimodal", "CV": "3"}, "CV must be at most 1 with the law bimodal, it is 3.0."),
        ({"LAW": "sometimes"}, "LAW must be none, constant"),
    ],
)
def test_a_law_that_cannot_be_kept_is_refused_in_a_sentence(classes, settings, sentence):
    settings = {"PORT": "0", "MEAN_MS": "10", **settings}
    done = subprocess.run(
        ["java", "-cp", classes, "uploadlab.reference.ReferenceServer"],
        cwd=REFERENCE,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
