"""The lean generator through the study's driver: what it shows of a server that knows the truth, and how it ends."""

import csv
import json
import math
import signal
import statistics
import subprocess
import time
from contextlib import ExitStack
from itertools import islice

import pytest

from .reference import DRIVER, REPOSITORY, driver_spec, measured_truth, reference_server

# On a quiet machine 1 % or 0.2 ms (lean-generator/bench/compare.py); here other work may wake either side late.
TOLERANCE, TOLERANCE_MS = 0.05, 0.5


def _valid_run(campaign):
    """Return the figures of the valid run and its folder; skips where the machine was too noisy for one."""
    with (campaign / "analysis" / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    row = next((row for row in rows if row["valid"] == "true"), None)
    if row is None:
        pytest.skip(f"no run was valid on this machine now: {rows[-1]['reason']}")
    return row, campaign / "runs" / row["cell"] / row["repeat"]


@pytest.mark.slow
@pytest.mark.alone
def test_mean_median_and_p99_are_those_of_the_servers_own_log(tmp_path):
    command = ["./lab", "run", "--profile", "smoke", "--generator", "lean", "--systems", "reference"]
    command += ["--set", "reference.law=exponential", "--set", "reference.mean_ms=5", "--disks", "tmpfs"]
    command += ["--repeats", "1", "--baseline-repeats", "0", "--server-cpu", "100", "--out", str(tmp_path / "out")]
    for setting in ("threads=4", "loops=1000", "warmup_threads=20", "warmup_loops=200"):
        command += ["--load", setting]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    row, folder = _valid_run(tmp_path / "out")
    logged_ms = measured_truth(folder)
    assert len(logged_ms) == int(row["requests"])
    true = [statistics.fmean(logged_ms), *(logged_ms[math.ceil(q * len(logged_ms)) - 1] for q in (0.5, 0.99))]
    measured = [float(row[name]) for name in ("mean_ms", "p50_ms", "p99_ms")]
    print(f"measured {measured}, logged {true}")
    for seen, wanted in zip(measured, true, strict=True):
        assert seen == pytest.approx(wanted, rel=TOLERANCE, abs=TOLERANCE_MS)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_generator_ends_with_its_driver(number, tmp_path):
    with reference_server(tmp_path / "truth.csv") as port:
        spec = driver_spec(tmp_path, port, {"threads": 2, "loops": 10_000_000, "warmup_loops": 0}, generator="lean")
        command = [DRIVER, "load", "--spec", spec, "--out", tmp_path]
        with ExitStack() as opened:
            driver = opened.enter_context(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            )
            opened.callback(driver.kill)  # should the test fail
            told = list(islice(map(json.loads, driver.stdout), 4))
            pid = told[0]["process"]["pid"]
            assert {"warmed_up": True} in told
            assert told[-1]["progress"]["phase"] == "measuring"
            driver.send_signal(number)
            assert driver.wait(20) != 0
            deadline = time.monotonic() + 60
            while _runs(pid):
                assert time.monotonic() < deadline
                time.sleep(0.05)
    with (tmp_path / "requests.jtl").open(newline="") as file:
        assert next(csv.DictReader(file))["label"] == "Upload file"
