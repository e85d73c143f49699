"""After many uploads were deleted, the next campaign on that disk is warned."""

import argparse
import contextlib
import json
import time
from pathlib import Path

import pytest
import tiny
from crashed_lab import as_if_it_had_ended

from uploadlab.campaigns import calibrate
from uploadlab.commands import calibrate as calibrate_command
from uploadlab.commands import run as run_command
from uploadlab.hosts import deletions
from uploadlab.hosts.processes import REMOVING, Processes, clean_up_after_crash
from uploadlab.planning.placement import Placement


def _noted(state: Path, seconds_ago: float, folder: Path) -> None:
    (folder / "upload").touch()
    deletions.note(state, [folder])
    kept = json.loads((state / deletions.RECORD).read_text())
    (state / deletions.RECORD).write_text(json.dumps(kept | {"time_s": time.time() - seconds_ago}))


def test_a_campaign_soon_after_a_deletion_on_the_same_disk_is_warned_with_the_time_to_wait(tmp_path):
    _noted(tmp_path, 100, tmp_path)
    sentence = deletions.warning(tmp_path, [tmp_path])
    assert "deleted 100 s ago" in sentence
    assert "wait 200 s" in sentence


def _left_by_a_crash(state: Path, folder: Path) -> None:
    Processes(state).temporary(folder)
    as_if_it_had_ended(state)


def test_what_an_interrupted_campaign_stored_is_removed_with_a_word_before_and_a_warning_after(tmp_path, capsys):
    state, stored = tmp_path / "state", tmp_path / "stored"
    _left_by_a_crash(state, stored)
    (stored / "upload").touch()
    said: list[str] = []
    with pytest.MonkeyPatch.context() as watched:
        watched.setattr("shutil.rmtree", lambda *_, **__: said.append(capsys.readouterr().err))
        clean_up_after_crash(state)
    assert said == [f"{REMOVING}\n"]
    assert "deleted 0 s ago" in deletions.warning(state, [tmp_path])


def test_a_campaign_soon_after_a_calibration_on_the_same_disk_is_warned(tmp_path, monkeypatch):
    campaign = tiny.campaign(tmp_path / "campaign", "open", levels={"size": [1], "disk": ["local"]})
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setattr(calibrate_command, "STATE", state)
    monkeypatch.setattr(run_command, "placed", lambda _: contextlib.closing(campaign.place))
    monkeypatch.setattr(run_command, "new_campaign", lambda *_: campaign)
    monkeypatch.setattr(Placement, "set_up", lambda *_: None)
    monkeypatch.setattr(calibrate, "calibrate", lambda *_: None)
    asked = argparse.Namespace(profile="open", file=tmp_path / "rates.json", missing=False)
    assert calibrate_command.run(campaign.study, asked) == 0
    assert "deleted 0 s ago" in deletions.warning(state, [tmp_path])
