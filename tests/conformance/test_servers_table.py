"""The page of what conformance found in the servers has the tables of the kept results."""

import runpy
from pathlib import Path

HERE = Path(__file__).parent / "servers"


def test_the_page_of_the_servers_has_the_tables_of_the_kept_results():
    table = runpy.run_path(str(HERE / "table.py"))
    text = table["DOCUMENT"].read_text(encoding="utf-8")
    assert text == table["document"](), "renew it with: .venv/bin/python tests/conformance/servers/table.py --write"
