"""A lab that is killed leaves no memory taken: the records of its parts, here in C, have no name by then.

Of parts in Go and Java the tests of the queues and rpc studies show the same.
"""

from pathlib import Path

import pytest
from running_lab import kill_in_phase

pytestmark = [pytest.mark.slow, pytest.mark.long]

LAB = Path(__file__).parents[1] / "lab"


def test_records_go_with_the_processes_that_had_them_open(tmp_path):
    command = [LAB, "--study", "sockets", "run", "--profile", "smoke", "--systems", "berkeley"]
    command += ["--baseline-repeats", "0"]
    kill_in_phase(lambda lab: lab.told("requester", '"measure"'), command, tmp_path / "campaign")
