"""After many uploads were deleted, the next campaign on that disk is warned."""

import json
import time
from pathlib import Path

import pytest

from harness.campaigns import deletions

MEMORY = Path("/dev/shm")


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


def test_nothing_is_said_minutes_later_without_a_deletion_or_of_a_damaged_note(tmp_path):
    assert deletions.warning(tmp_path, [tmp_path]) is None
    _noted(tmp_path, 301, tmp_path)
    assert deletions.warning(tmp_path, [tmp_path]) is None
    (tmp_path / deletions.RECORD).write_text("{")
    assert deletions.warning(tmp_path, [tmp_path]) is None


@pytest.mark.skipif(not MEMORY.is_dir(), reason="no /dev/shm")
def test_memory_has_no_aftermath(tmp_path):
    assert deletions.devices_of([MEMORY]) == []
    _noted(tmp_path, 1, tmp_path)
    assert deletions.warning(tmp_path, [MEMORY]) is None


def test_an_empty_folder_leaves_no_trace(tmp_path):
    (tmp_path / "uploads").mkdir()
    deletions.note(tmp_path, [tmp_path / "uploads", tmp_path / "absent"])
    assert not (tmp_path / deletions.RECORD).exists()
