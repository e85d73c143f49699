"""A server that is overloaded in one run of two comes out as what it is: slow, by the law of its queue, and valid."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .reference import DRIVER, driver_spec, read_answers, reference_server

pytestmark = [pytest.mark.slow, pytest.mark.alone]

RATE_PER_S, SECONDS, SETTLING_S = 60, 4, 1
WORK_S = 0.05
"""Of CPU for each upload, one after the other: 20 a second at most."""
HALF = {"windows": [{"load": 50, "rate_per_s": RATE_PER_S}], "share_s": SECONDS, "settling_s": SETTLING_S}
LIMITS = {"pacing_pct": 10.0, "injector_delay_pct": 10.0}


def _window(folder: Path, load: dict[str, Any], **settings: float | str) -> dict[str, Any]:
    """Make a load on a server of these settings, and return what the driver says of its only window."""
    with reference_server(folder / "truth.csv", **settings) as port:
        load = {"threads": 20, "warmup_threads": 1, "warmup_loops": 20} | load
        path = driver_spec(folder, port, load, "lean")
        spec = json.loads(path.read_text()) | {"gates": LIMITS}
        path.write_text(json.dumps(spec))
        told = ["--spec", path, "--out", folder]
        subprocess.run([DRIVER, "load", *told], stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
        done = subprocess.run([DRIVER, "check", *told], capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    (window,) = found["windows"]
    return window | {"failed": [gate["name"] for gate in found["gates"] + window["gates"] if not gate["passed"]]}


def test_a_run_in_which_the_server_cannot_keep_up_is_valid_and_shows_its_queue(tmp_path):
    usual = {"LAW": "constant", "MEAN_MS": 50}
    slow = {"CPU_US": WORK_S * 1e6}
    runs = [_window(tmp_path / str(number), HALF, **settings) for number, settings in enumerate((usual, slow))]
    assert runs[1]["failed"] == []
    assert {name for run in runs for name in run["failed"]} <= {"pacing"}  # of the other on a busy machine, by right
    assert [run["held"] for run in runs] == [True, False]
    assert runs[1]["counts"]["errors"] == 0
    # Who comes t seconds after the first waits for t * (60 / 20 - 1), from when it was due.
    middle_s = (SETTLING_S + SECONDS) / 2
    assert runs[1]["mean_ms"] >= 0.9 * 1000 * (RATE_PER_S * WORK_S - 1) * middle_s
    assert runs[0]["mean_ms"] < runs[1]["mean_ms"] / 10


def test_the_capacity_of_a_closed_loop_is_what_the_server_wrote_down_and_at_most_what_its_law_allows(tmp_path):
    saturated = {"windows": [{"load": "saturated"}], "saturated_s": 4, "settling_s": 1}
    window = _window(tmp_path / "one", saturated, LAW="constant", MEAN_MS=100)
    start_us, end_us = window["start_ns"] / 1000, window["end_ns"] / 1000
    answered = [row["answered_us"] for row in read_answers(tmp_path / "one" / "truth.csv")]
    answered_in_it = sum(start_us < answer_us <= end_us for answer_us in answered)
    assert window["counts"]["ended_ok"] == pytest.approx(answered_in_it, rel=0.02, abs=20)  # those on their way
    assert window["counts"]["ended_ok"] <= 1.02 * 20 / 0.1 * (end_us - start_us) / 1e6  # 20 users, 100 ms each
