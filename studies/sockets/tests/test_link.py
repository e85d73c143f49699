"""The lab conducts the parts over a network of 100 Mb/s, which a message cannot cross faster than its bytes allow."""

import subprocess

import pytest
from conducting import SOCKETS

from uploadlab.hosts import link
from uploadlab.table_file import read_table

LAB = [SOCKETS.parents[1] / "lab", "--study", "sockets", "run", "--profile", "smoke"]


@pytest.mark.slow
@pytest.mark.long
def test_a_round_trip_takes_what_its_bytes_take_both_ways(able_to_link, tmp_path):
    out = tmp_path / "campaign"
    command = [*LAB, "--systems", "berkeley,zeromq", "--links", "ethernet-100", "--baseline-repeats", "0", "--out", out]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    rows = {row["system"]: row for row in read_table(out / "analysis/runs.csv") if row["status"] == "complete"}
    assert set(rows) == {"berkeley", "zeromq"}, said.stdout + said.stderr
    for row in rows.values():
        assert row["link"] == "ethernet-100"
        # The first frames of a burst pass at once: a message of 10 KB has seven.
        assert float(row["mean_ms"]) > 1e3 * 2 * (10240 - link.BURST_BYTES) * 8 / link.BITS_PER_S
        assert float(row["wire_bytes_per_operation"]) > 2 * 10240
