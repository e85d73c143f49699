"""The search for the largest load that leaves a server a part of its CPU, on costs reckoned by hand."""

import json

import numpy as np
import pytest

from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from uploadlab.campaigns.calibration import (
    RESOLUTION,
    CellCalibration,
    CpuShare,
    Found,
    Probe,
    cpu_share,
    keep,
    kept_up,
    read_file,
    search,
    share_of_run,
    why_not,
)
from uploadlab.errors import LabError

S = 10**9


def _probe(rate_per_s, pct, *, half=0.5, kept_up=True, answered=True):
    return Probe(
        rate_per_s=rate_per_s,
        share=CpuShare(pct=pct, lo=pct - half, hi=pct + half),
        failed_gates=[] if kept_up else ["JMeter was late."],
        generator_kept_up=kept_up,
        answered=answered,
        folder="",
    )


def _calibration(**holds_for):
    found = Found(rate_per_s=100.0, share=CpuShare(pct=78, lo=77, hi=79), limited_by="server", probes=[])
    return CellCalibration(
        found=found, saturation_per_s=130, saturation_pct=99, holds_for=holds_for, measured_ns=1, seconds=100
    )


def test_the_share_is_the_cost_of_a_request_times_the_rate_however_many_came():
    # 2 ms a request in every second: at 100 a second that is 0.2 s, 40 % of half a core, known for certain.
    requests = np.array([90.0, 110.0, 100.0, 120.0])
    share = cpu_share(0.002 * requests, requests, 100, allowed_s=0.5)
    assert (share.pct, share.lo, share.hi) == (pytest.approx(40), pytest.approx(40), pytest.approx(40))


def test_the_interval_of_the_share_is_that_of_the_regression_on_the_requests():
    # 0.1 s + 1 ms a request, 0.01 s above or below in each pair: the slope stays 1 ms, the residuals are 0.01 s, so
    # s = sqrt(6e-4 / 4) = 0.01225; at 110 a second, the mean, 0.21 s +- s / sqrt(6) * 2.776 = 0.01388 (t of 4 degrees);
    # at 120 a second the error is that of s * sqrt(1 / 6 + 10**2 / 400) = 0.00791, times 2.776.
    requests = np.array([100.0, 100.0, 110.0, 110.0, 120.0, 120.0])
    cpu_s = 0.1 + 0.001 * requests + np.array([-0.01, 0.01, 0.01, -0.01, -0.01, 0.01])
    at_mean, above = (cpu_share(cpu_s, requests, rate, allowed_s=1) for rate in (110, 120))
    assert (at_mean.pct, above.pct) == (pytest.approx(21), pytest.approx(22))
    assert (at_mean.hi - at_mean.lo) / 2 == pytest.approx(1.388, rel=0.01)
    assert (above.hi - above.lo) / 2 == pytest.approx(2.195, rel=0.01)


def test_the_share_of_a_run_leaves_its_opening_out(tmp_path):
    # All of half a core for two seconds, then 0.1 s in each of five: 20 % of half a core, known for certain.
    cpu_s = [0, 0.5, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    rows = [
        dict.fromkeys(SAMPLE_COLUMNS, 0) | {"time_ns": n * S, "role_cpu_ns": round(used * S)}
        for n, used in enumerate(cpu_s)
    ]
    lines = [",".join(SAMPLE_COLUMNS)] + [",".join(str(row[name]) for name in SAMPLE_COLUMNS) for row in rows]
    (tmp_path / "server.samples.csv").write_text("\n".join(lines) + "\n")
    record = {"phases": {"measure_start_ns": 0}, "counts": {"ended_per_s": [300, 300, 100, 100, 100, 100, 100]}}
    share = share_of_run(tmp_path, record, 100, allowed_s=0.5)
    assert (share.pct, share.lo, share.hi) == (pytest.approx(20), pytest.approx(20), pytest.approx(20))
    record["counts"]["ended_per_s"].pop()
    with pytest.raises(LabError, match="the load was too short to see the server's CPU"):
        share_of_run(tmp_path, record, 100, allowed_s=0.5)


@pytest.mark.parametrize(
    ("requests", "failed", "kept"),
    [(1000, [], True), (1000, ["pacing"], True), (900, [], True), (899, [], False), (1000, ["injector_cpu"], False)],
)
def test_a_generator_keeps_up_when_it_sends_nine_tenths_of_the_rate_and_has_cpu_left(requests, failed, kept):
    gates = [{"name": name, "passed": name not in failed} for name in ("pacing", "injector_cpu", "injector_heap")]
    phases = {"measure_start_ns": 5 * S, "measure_end_ns": 15 * S}
    record = {"phases": phases, "counts": {"requests": requests}, "gates": gates}
    assert kept_up(record, 100) is kept


@pytest.mark.parametrize("first_per_s", [100.0, 380.0, 480.0])
def test_the_largest_rate_that_passes_is_found_and_confirmed_whatever_the_first_guess(first_per_s):
    # CPU grows by 0.2 % a request: with the half width of 0.5 % it passes up to 397.5 a second.
    found = search(lambda rate: _probe(rate, 0.2 * rate), 500, first_per_s, lambda: True)
    assert 397.5 * (1 - RESOLUTION) <= found.rate_per_s <= 397.5
    assert found.probes[-1].rate_per_s == found.rate_per_s
    assert sum(one.rate_per_s == found.rate_per_s for one in found.probes) == 2
    assert found.limited_by == "server"


def test_a_rate_that_the_generator_cannot_keep_is_not_taken_and_the_generator_is_named():
    found = search(lambda rate: _probe(rate, 0.1 * rate, kept_up=rate < 300), 500, 400, lambda: True)
    assert 300 * (1 - RESOLUTION) <= found.rate_per_s < 300
    assert found.limited_by == "load generator"


def test_a_rate_that_passes_once_but_not_again_is_given_up_for_a_lower_one():
    seen = []

    def probe(rate):
        seen.append(rate)
        return _probe(rate, 90.0 if seen.count(rate) > 1 and rate > 390 else 0.2 * rate)

    found = search(probe, 500, 380, lambda: True)
    assert 390 * (1 - RESOLUTION) <= found.rate_per_s <= 390


def test_two_runs_at_a_rate_are_judged_together():
    # 74 and 78.2, each +- 4: together 76.1 +- 2.8, below 80, though the second alone reaches 82.2.
    shares = iter([74.0, 85.0, 78.2])
    found = search(lambda rate: _probe(rate, next(shares), half=4), 146, 136, lambda: True)
    assert found.rate_per_s == 136
    assert (found.share.pct, found.share.hi) == (pytest.approx(76.1), pytest.approx(76.1 + 2.828, abs=0.01))


def test_a_rate_at_which_the_server_refuses_requests_does_not_pass_however_cheap_that_is():
    found = search(lambda rate: _probe(rate, min(0.1 * rate, 60), answered=rate < 400), 1000, 900, lambda: True)
    assert 400 * (1 - RESOLUTION) <= found.rate_per_s < 400
    assert found.limited_by == "server"


def test_a_calibration_is_refused_elsewhere_with_what_differs(tmp_path):
    path = tmp_path / "calibration.json"
    keep(path, "s05-local-node", _calibration(machine="A", version="24"))
    file = read_file(path)
    assert why_not(file, "s05-local-node", {"machine": "A", "version": "24"}) is None
    assert why_not(file, "s05-local-tomcat", {}) == "s05-local-tomcat has not been calibrated"
    assert (
        why_not(file, "s05-local-node", {"machine": "B", "version": "24"})
        == "s05-local-node was calibrated with another machine (A then, B now)"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"cells": {"a": {}}}, "not a calibration of this lab"),
        ({"target_cpu_pct": 50}, "a calibration of another version"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused_by_name(tmp_path, content, sentence):
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(content))
    with pytest.raises(LabError, match=rf"calibration\.json: .*{sentence}"):
        read_file(path)
