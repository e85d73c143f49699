"""The lean generator through the study's driver: what it shows of a server that knows the truth, and how it ends."""

import csv
import json
import math
import signal
import statistics
import subprocess
import time
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path

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


def _cpu_ns(pid):
    """Return the CPU time of each thread of a process, by its number and name; nothing when it has ended."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):
            name = (thread / "comm").read_text().strip()
            found[thread.name, name] = int((thread / "schedstat").read_text().split()[0])
    return found


@pytest.mark.slow
def test_its_java_compiles_next_to_nothing_while_it_is_measured(tmp_path):
    """A compiler's thread would take the core from the load, and its CPU time would pass for the load's."""
    with reference_server(tmp_path / "truth.csv") as port:
        load = {"threads": 50, "loops": 1200, "warmup_threads": 20, "warmup_loops": 1000}
        spec = driver_spec(tmp_path, port, load, generator="lean")
        command = [DRIVER, "load", "--spec", spec, "--out", tmp_path]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as driver:
            pid = json.loads(driver.stdout.readline())["process"]["pid"]
            log = tmp_path / "lean.log"
            while not log.exists() or "The warm-up is over." not in log.read_text():
                assert driver.poll() is None
                time.sleep(0.01)
            before = last = _cpu_ns(pid)
            while driver.poll() is None:
                last = _cpu_ns(pid) or last
                time.sleep(0.01)
    assert driver.returncode == 0
    used_ns = {thread: ns - before.get(thread, 0) for thread, ns in last.items()}
    compiled_ns = sum(ns for (_, name), ns in used_ns.items() if "Compiler" in name)
    print(f"compilers {compiled_ns / 1e6:.1f} ms of {sum(used_ns.values()) / 1e6:.1f} ms")
    assert compiled_ns <= 0.05 * sum(used_ns.values())


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


def _processes_of(folder):
    """Return the commands of the processes that name a folder, or work in it, or were told of it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if str(folder).encode() in told or (process / "cwd").readlink().is_relative_to(folder):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_generator_and_its_server_end_with_the_lab(number, tmp_path):
    command = ["./lab", "run", "--profile", "smoke", "--generator", "lean", "--systems", "reference", "--samples", "1"]
    command += ["--disks", "tmpfs", "--repeats", "1", "--baseline-repeats", "0", "--load", "loops=100000"]
    command += ["--out", str(tmp_path / "out")]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with ExitStack() as opened:
        lab = opened.enter_context(subprocess.Popen(command, cwd=REPOSITORY, text=True, **pipes))
        opened.callback(lab.kill)  # should the test fail
        assert any("measuring" in line for line in lab.stderr)
        running = _processes_of(tmp_path)
        assert any("LeanGenerator" in process for process in running)
        assert any("ReferenceServer" in process for process in running)
        lab.send_signal(number)
        said = lab.communicate(timeout=60)[1]
    assert lab.returncode == (130 if number == signal.SIGINT else -number)
    deadline = time.monotonic() + 60
    while left := _processes_of(tmp_path):
        assert number == signal.SIGKILL, left  # then the kernel is still at it
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    if number == signal.SIGINT:
        assert said.strip().splitlines()[-1] == "Interrupted; nothing was left running."
    requests = next((tmp_path / "out" / "runs").glob("*/*/requests.jtl"))
    assert b"Upload file" in requests.read_bytes()
    assert not list((tmp_path / "out" / "runs").glob("*/*/run.json"))
