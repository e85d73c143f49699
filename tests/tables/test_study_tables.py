"""What belongs into a table of a study, beside the paper's number."""

import pytest

from uploadlab.errors import LabError
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import belongs
from uploadlab.tables.study_tables import Measured, _levels, beside_paper


def test_a_system_is_meant_on_each_of_its_stacks_unless_one_is_said():
    any_stack, one_stack = {"system": ["grpc"]}, {"system": ["grpc@paper-2018"]}
    assert belongs({"system": "grpc"}, any_stack)
    assert belongs({"system": "grpc@paper-2018"}, any_stack)
    assert not belongs({"system": "avro@paper-2018"}, any_stack)
    assert belongs({"system": "grpc@paper-2018"}, one_stack)
    assert not belongs({"system": "grpc"}, one_stack)


def test_level_0_is_a_level_like_any_other():
    assert _levels({"system": "a", "stack": "current", "rate_per_s": 0, "size": None}, ["rate_per_s", "size"]) == {
        "system": "a", "stack": "current", "rate_per_s": "0", "size": "",
    }  # fmt: skip
    assert not belongs({"rate_per_s": "0"}, {"rate_per_s": ["30"]})
    assert belongs({"rate_per_s": ""}, {"rate_per_s": ["30"]}), "what does not say its rate is not told apart by it"


def test_a_table_of_one_rate_leaves_out_the_runs_at_rate_0(tmp_path):
    record = {
        "study": {"id": "here", "metrics": {"response": {"column": "mean_ms"}}},
        "systems": {"a": {}},
        "runs": [{"cell": f"r{rate}-a", "repeat": "01", "factors": {"rate_per_s": rate}} for rate in (0, 30)],
    }
    campaign = Campaign(folder=tmp_path, record=record, runs=(), damaged=())
    runs = [
        {"system": "a", "stack": "current", "valid": True, "rate_per_s": rate, "mean_ms": mean}
        for rate, mean in ((0, 1.0), (30, 5.0))
    ]
    measured = Measured(campaign=campaign, runs=runs, replicates=runs)
    _, rows = beside_paper(measured, ["response"], rows=["system"], where={"rate_per_s": 30})
    assert [row["response"] for row in rows] == [5]


def test_a_published_file_that_is_missing_is_named(tmp_path):
    campaign = Campaign(folder=tmp_path, record={"study": {"folder": str(tmp_path)}}, runs=(), damaged=())
    with pytest.raises(LabError, match=r"tables\.py: there is no published/table1\.csv\."):
        Measured(campaign=campaign, runs=(), replicates=()).printed("table1.csv")
