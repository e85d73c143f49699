"""A lab that is killed leaves no memory taken: the records of its parts, in C, Go and Java, have no name by then."""

from pathlib import Path

import pytest
from running_lab import kill_in_phase

pytestmark = [pytest.mark.slow, pytest.mark.long]

LAB = Path(__file__).parents[1] / "lab"
SENDERS = {"sockets": ("berkeley", "requester"), "queues": ("simplified", "producer"), "rpc": ("plain", "client")}


@pytest.mark.parametrize("study", SENDERS)
def test_records_go_with_the_processes_that_had_them_open(study, tmp_path):
    system, sender = SENDERS[study]
    command = [LAB, "--study", study, "run", "--profile", "smoke", "--systems", system, "--baseline-repeats", "0"]
    kill_in_phase(lambda lab: lab.told(sender, '"measure"'), command, tmp_path / "campaign")
