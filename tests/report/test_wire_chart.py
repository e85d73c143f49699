"""The chart of where the response time is spent: there when packets were captured, its shares those of the cells."""

import pytest
from handmade import ENGLISH, results_by_hand, run

from uploadlab.report.charts import wire

PARTS = {"client_mean_ms": 2, "connect_mean_ms": 0, "wire_receive_ms": 3, "wire_answer_ms": 5}


def _results(folder, **variance):
    cell = {"cell": "s05-local-node", "valid_runs": 1, **PARTS, **variance}
    return results_by_hand(folder, [run("s05-local-node", mean_ms=10)], tables={"cells": [cell]})


def test_the_shares_of_a_cell_are_those_of_its_mean_response_time(tmp_path):
    data = wire.data(_results(tmp_path / "c"))
    shares = {row["part"]: row["share_pct"] for row in data.rows}
    assert shares == pytest.approx(
        {"client_mean_ms": 20, "connect_mean_ms": 0, "wire_receive_ms": 30, "wire_answer_ms": 50}
    )


def test_the_sentence_says_what_is_the_generators(tmp_path):
    results = _results(tmp_path / "c", client_variance_pct=35)
    chart = wire.chart(results, wire.data(results), ENGLISH)
    assert chart.sentence == (
        "With Node.js, 20\u00a0% of the mean response time and 35\u00a0% of its variance are due to the load generator."
    )


def test_what_is_one_load_generators_is_not_told_together_with_what_is_anothers(tmp_path):
    cells = [
        {"cell": "s05-lean-node", "valid_runs": 1, **PARTS, "client_mean_ms": 0, "client_variance_pct": 0},
        {"cell": "s05-jmeter-node", "valid_runs": 1, **PARTS, "client_mean_ms": 90, "client_variance_pct": 95},
    ]
    runs = [run(str(cell["cell"]), mean_ms=10) for cell in cells]
    levels = {"disk": ["lean", "jmeter"]}  # stands for the factor of load generators
    results = results_by_hand(tmp_path / "c", runs, tables={"cells": cells}, levels=levels, check_factors=["disk"])
    said = wire.chart(results, wire.data(results), ENGLISH).sentence.replace("\u00a0", " ")
    assert "With Node.js (lean), 0 % of the mean response time and 0 % of its variance" in said
    assert "With Node.js (jmeter), 92 % of the mean response time and 95 % of its variance" in said


def test_without_captured_packets_there_is_no_chart(tmp_path):
    results = results_by_hand(tmp_path / "c", [run("s05-local-node", mean_ms=10)])
    assert wire.chart(results, wire.data(results), ENGLISH) is None
