import csv

import campaigns
import duckdb
import pytest

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.table_file import format_value


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two samples, one run failed, one invalid; a reason with a quotation mark and a comma in it."""
    folder = tmp_path_factory.mktemp("parquet") / "campaign"
    made = campaigns.write_campaign(
        folder,
        samples=(1, 5),
        repeats=2,
        requests=600,
        invalid=[("s05-local-node", "01")],
        failed=[("s01-local-tomcat", "02")],
    )
    path = made.run("s01-local-tomcat", "02") / "run.json"
    path.write_text(path.read_text().replace("JMeter ended", 'JMeter said \\"no\\", ended'))
    write_analysis(folder)
    return folder / "analysis"


@pytest.mark.parametrize("name", ["runs", "timeline"])
def test_parquet_holds_the_rows_and_numbers_of_the_csv_file_in_order(folder, name):
    with (folder / f"{name}.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    relation = duckdb.from_parquet(str(folder / f"{name}.parquet"))
    assert relation.columns == header
    assert len(rows) > 7
    assert [[format_value(value) for value in row] for row in relation.fetchall()] == rows


def test_columns_have_types_to_compute_with(folder):
    relation = duckdb.from_parquet(str(folder / "runs.parquet"))
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    wanted = {"repeat": "VARCHAR", "sample": "BIGINT", "disk": "VARCHAR", "valid": "BOOLEAN", "requests": "BIGINT"}
    assert {name: types[name] for name in wanted} == wanted
    assert types["mean_ms"] == types["cv"] == types["cpu_pct"] == "DOUBLE"
    rows = relation.filter("valid AND system = 'node'").aggregate("count(*), avg(mean_ms)").fetchall()
    assert rows[0][0] == 3
