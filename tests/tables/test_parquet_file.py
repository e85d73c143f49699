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
