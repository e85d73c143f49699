"""The windows of a run: each is a run of its own to everything that follows, by laws that are known."""

import pytest
from finished import read_table
from windowed_campaigns import Server, write_windowed_campaign

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.results.campaign import read_campaign

NODE = Server(capacity_per_s=500, cpu_us=400, median_ms=2, per_upload_kb=200)
TOMCAT = Server(capacity_per_s=700, cpu_us=300, median_ms=1, per_upload_kb=900, idle_mb=150)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("windows") / "c"
    failed = [("s01-local-node", "02", "saturated")]
    write_windowed_campaign(folder, {"node": NODE, "tomcat": TOMCAT}, failed_gates=failed, host_drift=0.0)
    return folder, write_analysis(folder)


def rows(folder, table, **wanted):
    found = read_table(folder, table)
    return [row for row in found if all(row[name] == value for name, value in wanted.items())]


def test_each_window_of_each_run_is_a_row_with_the_load_as_a_factor(analysed):
    folder, _ = analysed
    runs = rows(folder, "runs")
    assert len(runs) == 2 * 2 * 2 * 4
    assert {row["scenario"] for row in runs} == {
        "s01-local-saturated", "s01-local-50pct", "s05-local-saturated", "s05-local-50pct",
    }  # fmt: skip
    assert {(row["load"], row["threads"]) for row in runs} == {("saturated", "50"), ("50", "")}


def test_a_gate_that_one_window_failed_leaves_the_other_valid(analysed):
    folder, _ = analysed
    of_run = {row["load"]: row for row in rows(folder, "runs", repeat="02", system="node", sample="1")}
    assert [of_run[load]["valid"] for load in ("saturated", "50")] == ["false", "true"]
    assert ["The generator was busy." in of_run[load]["reason"] for load in ("saturated", "50")] == [True, False]


def test_capacity_cpu_and_memory_are_those_of_the_law(analysed):
    folder, _ = analysed
    for system, server in (("node", NODE), ("tomcat", TOMCAT)):
        saturated = rows(folder, "cells", scenario="s05-local-saturated", system=system)[0]
        half = rows(folder, "cells", scenario="s05-local-50pct", system=system)[0]
        assert float(saturated["capacity_per_s"]) == pytest.approx(server.capacity_per_s, rel=0.03)
        assert float(saturated["in_flight"]) == pytest.approx(50, rel=0.02)
        assert float(saturated["memory_per_upload_kb"]) == pytest.approx(server.per_upload_kb, rel=0.02)
        peak_mb = server.idle_mb + 50 * server.per_upload_kb / 1000
        for cell in (saturated, half):
            assert float(cell["memory_peak_mb"]) == pytest.approx(peak_mb, rel=0.02)
            assert float(cell["server_cpu_us_per_request"]) == pytest.approx(server.cpu_us, rel=0.04)
        assert half["capacity_per_s"] == half["memory_per_upload_kb"] == ""
        assert float(half["rate_per_s"]) == pytest.approx(server.capacity_per_s / 2)


def test_times_count_from_when_an_upload_was_due_and_what_was_sent_before_the_window_is_left_out(analysed):
    folder, _ = analysed
    for row in rows(folder, "runs", scenario="s05-local-50pct"):
        assert float(row["scheduled_p50_ms"]) == pytest.approx(float(row["p50_ms"]) + 0.1, abs=0.002)
        assert float(row["max_ms"]) < 900, "the settling took 900 ms each"


def test_loads_that_have_a_run_each_are_the_same_cells(tmp_path):
    write_windowed_campaign(tmp_path / "c", {"node": NODE, "tomcat": TOMCAT}, samples=(5,), repeats=3, apart=True)
    write_analysis(tmp_path / "c")
    assert {row["cell"] for row in rows(tmp_path / "c", "runs")} == {
        "s05-local-saturated-node", "s05-local-50pct-node", "s05-local-saturated-tomcat", "s05-local-50pct-tomcat",
    }  # fmt: skip
    assert not read_campaign(tmp_path / "c").missing


def test_a_run_that_is_missing_or_damaged_is_so_in_each_of_its_windows(tmp_path):
    folder = write_windowed_campaign(tmp_path / "c", {"node": NODE}, samples=(5,), repeats=3)
    (folder / "runs" / "s05-local-node" / "01" / "run.json").unlink()
    (folder / "runs" / "s05-local-node" / "02" / "run.json").write_text("{")
    campaign = read_campaign(folder)
    cells = {"s05-local-saturated-node", "s05-local-50pct-node"}
    assert set(campaign.missing) == {(cell, "01") for cell in cells}
    assert {(one.cell, one.repeat) for one in campaign.damaged} == {(cell, "02") for cell in cells}
