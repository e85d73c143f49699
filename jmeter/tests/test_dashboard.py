"""JMeter's own HTML dashboard, from a request file of the lab."""

import json
import subprocess

import pytest

from .conftest import JMETER, QUICK_START
from .stub_server import Answer, StubServer


@pytest.mark.slow
def test_the_dashboard_of_a_run_counts_its_requests_and_errors(run_plan, tmp_path):
    with StubServer(lambda number: Answer(status=500 if number == 30 else 200)) as stub:
        run = run_plan(stub.port, [10, 20], threads=2, loops=20, warmup_threads=2, warmup_loops=3)
    said = subprocess.run(
        [JMETER / "bin/lab-jmeter", "-g", run.folder / "requests.jtl", "-o", "dashboard", "-j", "jmeter.log"],
        cwd=tmp_path,
        env=QUICK_START,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert said.returncode == 0, said.stdout
    assert (tmp_path / "dashboard" / "index.html").stat().st_size > 1000
    statistics = json.loads((tmp_path / "dashboard" / "statistics.json").read_text())
    assert statistics["Upload file"]["sampleCount"] == 40
    assert statistics["Upload file"]["errorCount"] == 1
    assert statistics["Warm-up upload"]["sampleCount"] == 6
