"""A campaign that is explained: a profiled run of each cell, which counts nowhere."""

import json
from pathlib import Path

import pytest
from finished import copy_of_upload_study, make_campaign, open_gates, read_table

TINY = ["--profile", "smoke", "--baseline-repeats", "0", "--load", "warmup_loops=20", "--load", "loops=60"]
PLACES = ("kernel", "garbage collection", "runtime", "library", "own code")


@pytest.mark.slow
@pytest.mark.alone
def test_both_servers_are_profiled_as_they_are_and_the_report_says_where_their_cpu_time_goes(tmp_path: Path) -> None:
    options = ["--systems", "node,tomcat,docs/template-server", "--generator", "lean", "--explain"]
    study = copy_of_upload_study(tmp_path / "study", open_gates)
    campaign = make_campaign(tmp_path / "out", *TINY, *options, study=study)
    summary = json.loads((campaign / "analysis" / "summary.json").read_text())
    (grid,) = [one for one in summary["grids"] if one["id"] == "explain"]
    found = {row[1]: dict(zip(grid["columns"], row, strict=True)) for row in grid["rows"]}
    profilers = {name: row["profiler"] for name, row in found.items()}
    assert (profilers["Node.js"], profilers["Apache Tomcat"]) == ("V8's profiler", "async-profiler")
    for name in ("Node.js", "Apache Tomcat"):
        shares = [int(found[name][place].partition("%")[0]) for place in PLACES]
        assert 98 <= sum(shares) <= 102
        assert shares[0] > 5  # the kernel takes what arrives, and writes it
        assert shares[3] > 0  # multer, commons-fileupload
    (slow,) = [one for one in summary["grids"] if one["id"] == "slow"]
    told = {row[1]: dict(zip(slow["columns"], row, strict=True)) for row in slow["rows"]}
    assert set(told) == set(found)
    for row in told.values():
        of_slow, of_all = (float(value.replace(",", "")) for value in row["response time, ms"].strip(")").split(" ("))
        assert of_slow > of_all > 0
    assert told["Node.js"]["event loop late, ms"] != "–"
    assert told["Apache Tomcat"]["garbage collection, %"] != "–"
    flames = (campaign / "report" / "flames.html").read_text()
    assert flames.count("<svg") >= 2
    assert "busboy" in flames
    assert "org/apache/" in flames
    assert len(read_table(campaign, "runs")) == 3
