"""A load in turns: what is sent in a turn is answered in it, and what is not due yet waits for the next one."""

import csv
import json
import time
from itertools import pairwise
from pathlib import Path

import pytest

from .conftest import ok, schedule

TURN_MS = 200


def turns_of(folder: Path, label: str = "Upload file") -> list[tuple[int, int]]:
    """Return begin and end of each turn of a load, µs since the epoch."""
    rows = csv.DictReader((folder / "turns.csv").read_text().splitlines())
    return [(int(row["start_us"]), int(row["end_us"])) for row in rows if row["label"] == label]


def answering_late(number, client):
    """Answer the third upload after the end of its turn."""
    time.sleep(1 if number == 2 else 0)
    client.sendall(ok())


def test_open_arrivals_of_a_later_turn_are_due_as_long_after_it_begins_as_the_schedule_says(serving, run, tmp_path):
    due = schedule(tmp_path, [0, 100, 200, 1100, 1200])
    left = run(serving(answering_late).port, [10], threads=5, warmup_loops=0, schedule_csv=due, turn_ms=1000)
    first, second = turns_of(tmp_path)
    due_us = [int(row["scheduled_us"]) for row in left.measured]
    begins = [first[0]] * 3 + [second[0]] * 2
    after_ms = [(due - begin) / 1000 for due, begin in zip(sorted(due_us), begins, strict=True)]
    assert after_ms == pytest.approx([0, 100, 200, 100, 200], abs=0.002)
    answered_us = [int(row["start_us"]) + int(row["elapsed_us"]) for row in left.measured]
    assert max(answered_us[:3]) <= first[1] <= second[0], "the turn lasts until all is answered"


def test_a_closed_loop_has_all_its_time_in_its_turns_and_no_upload_between_them(serving, run, tmp_path):
    def thinking(_, client):
        time.sleep(0.01)
        client.sendall(ok())

    left = run(
        serving(thinking).port, [10], threads=3, warmup_loops=0, loops=-1, duration_s=1, turn_ms=TURN_MS, said="\n" * 9
    )
    turns = turns_of(tmp_path)
    *whole, last = turns
    assert len(whole) in (4, 5)
    assert all(end - start >= 1000 * TURN_MS for start, end in whole)
    assert last[0] <= last[1]
    assert all(end <= start for (_, end), (start, _) in pairwise(turns))
    for row in left.measured:
        began, ended = int(row["start_us"]), int(row["start_us"]) + int(row["elapsed_us"])
        assert any(start <= began and ended <= end + 1 for start, end in turns), row


def test_it_says_before_and_after_each_turn_that_the_others_may_have_theirs(serving, run, tmp_path):
    left = run(serving().port, [10], [{"label": "Second"}], threads=1, loops=2, warmup_loops=0, turn_ms=60_000)
    said = [json.loads(line) for line in left.output.splitlines()]
    assert len(turns_of(tmp_path)) == len(turns_of(tmp_path, "Second")) == 1
    assert said == [{"turn_over": True}] * 4  # before the first load and after it, before the second and after it


def test_one_that_is_alone_says_nothing_and_writes_no_turns(serving, run, tmp_path):
    assert run(serving().port, [10], threads=1, loops=2, warmup_loops=0).output == ""
    assert not (tmp_path / "turns.csv").exists()
