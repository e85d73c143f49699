"""The lines that a user sees while a campaign is measured."""

from types import SimpleNamespace

import pytest

from uploadlab.campaigns.progress import Progress


@pytest.mark.parametrize("cell", ["s05-local-node", "s05-local-lean-saturated-a-system-of-a-very-long-name"])
def test_each_line_keeps_to_80_columns_and_cuts_no_number(cell, capsys):
    progress = Progress(60, 10.0, counted="uploads")
    progress.count_time(900, lambda: 660)
    progress.runs_started([SimpleNamespace(cell=cell, repeat="03")])
    progress.live({"phase": "measuring", "requests": 123456, "per_s": 12345.6, "errors": 1234})
    gate = {"name": "injector_cpu", "passed": False, "sentence": "The load generator used 91 % of its core. " * 3}
    counts = {"requests": 123456, "errors": 1234}
    record = {"cell": cell, "repeat": "03", "status": "complete", "valid": False, "counts": counts, "gates": [gate]}
    progress.run_ended(record | {"windows": []})
    said = capsys.readouterr().err.splitlines()
    assert max(map(len, said)) <= 80
    assert said[1].endswith("/03  measuring  123,456  12,346/s  1,234 errors  ≤ 11 min left")
