"""What becomes of a command whose output nobody can take: it ends, and no trace of its insides is shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = [["monitoring", "nmon", "--help"], ["workload_gen", "--help"], ["uploadlab", "conformance", "--list"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_device_is_a_sentence(command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", *command], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"Standard output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_reader_that_has_gone_is_no_failure_to_speak_of(command):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", *command], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_program_that_dies_of_its_own_error_ends_as_what_could_not_be_done_and_not_as_an_invalid_run():
    died = "import sys; from monitoring.program import run_program; sys.exit(run_program(lambda: {}['mean_ms']))"
    done = subprocess.run([sys.executable, "-c", died], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("please report it: KeyError: 'mean_ms'")
