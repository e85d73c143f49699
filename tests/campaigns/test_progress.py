"""The lines that a user sees while a campaign is measured."""

from types import SimpleNamespace

import pytest

from uploadlab.campaigns.progress import Progress


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ({"stamp_every": 10}, "valid  4,808 messages recorded, one in 10, 0 errors"),
        ({"stamp_every": 1}, "valid  4,808 messages, 0 errors"),
        ({}, "valid  4,808 messages, 0 errors"),
    ],
)
def test_a_runs_line_says_where_not_every_message_is_recorded(load, said, capsys):
    progress = Progress(1, 1.0, counted="messages")
    progress.run_started(SimpleNamespace(cell="saturate-b100-relay", repeat="01"))
    progress.run_ended({"status": "complete", "valid": True, "load": load, "counts": {"requests": 4808, "errors": 0}})
    assert " ".join(capsys.readouterr().err.split()).endswith(" ".join(said.split()))


@pytest.mark.parametrize(("left_s", "said"), [(600, "at most 10 min left"), (0, "starting, 2 min left")])
def test_when_the_time_is_over_before_the_planned_blocks_are_made_what_they_take_is_said(left_s, said, capsys):
    progress = Progress(3, 40.0)
    progress.count_time(900, lambda: left_s)
    progress.run_started(SimpleNamespace(cell="s01-local-lean-node", repeat="01"))
    assert capsys.readouterr().err.endswith(f"{said}\n")


@pytest.mark.parametrize("cell", ["s05-local-node", "s05-local-lean-saturated-a-system-of-a-very-long-name"])
def test_each_line_keeps_to_80_columns_and_cuts_no_number(cell, capsys):
    progress = Progress(60, 10.0, counted="uploads")
    progress.count_time(900, lambda: 660)
    progress.run_started(SimpleNamespace(cell=cell, repeat="03"))
    progress.live({"phase": "measuring", "requests": 123456, "per_s": 12345.6, "errors": 1234})
    gate = {"name": "injector_cpu", "passed": False, "sentence": "The load generator used 91 % of its core. " * 3}
    counts = {"requests": 123456, "errors": 1234}
    progress.run_ended({"status": "complete", "valid": False, "counts": counts, "gates": [gate], "windows": []})
    said = capsys.readouterr().err.splitlines()
    assert max(map(len, said)) <= 80
    assert said[1].endswith("/03  measuring  123,456  12,346/s  1,234 errors  ≤ 11 min left")
