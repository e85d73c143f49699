"""Parts that are conducted without the lab."""

import signal

import pytest

from study_kit.conducting import PartFailed, conduct, start


def test_a_part_ends_with_its_block_and_its_pipes_are_closed_where_the_block_fails(tmp_path):
    with pytest.raises(AssertionError), start(["sleep", "600"], "sleeper", tmp_path, {}) as part:
        raise AssertionError
    assert part.returncode == -signal.SIGKILL
    assert part.stdin.closed
    assert part.stdout.closed
    assert part.stderr.closed


def test_where_a_part_fails_every_part_of_the_run_ends_and_its_pipes_are_closed(tmp_path):
    begun = []

    def begin(script):
        begun.append(start(["sh", "-c", script], "any", tmp_path, {}))
        return begun[-1]

    scripts = {"first": "echo ready; exec sleep 600", "second": "echo no network >&2"}
    with pytest.raises(PartFailed, match="no network"):
        conduct(tmp_path, {role: lambda script=script: begin(script) for role, script in scripts.items()})
    assert begun[0].returncode == -signal.SIGKILL
    assert len(begun) == 2
    assert all(pipe.closed for part in begun for pipe in (part.stdin, part.stdout, part.stderr))
