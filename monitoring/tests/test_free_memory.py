"""Whether the hypervisor takes free memory, and what keeps it here."""

import contextlib
import mmap
import re
from pathlib import Path

import pytest

from monitoring import free_memory

MEMORY_BYTES = 64 << 20


def _resident_bytes() -> int:
    return 1024 * int(re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())[1])


@pytest.mark.parametrize(
    ("features", "goes"), [("0110010110000000", True), ("0110000110000000", False), ("011", False), (None, False)]
)
def test_the_hypervisor_takes_free_memory_where_the_balloon_reports_it(features, goes, tmp_path, monkeypatch):
    monkeypatch.setattr(free_memory, "BALLOONS", tmp_path)
    if features:
        (tmp_path / "virtio0").mkdir()
        (tmp_path / "virtio0" / "features").write_text(f"{features}\n")
    assert free_memory.goes_to_host() is goes


def test_of_memory_that_is_kept_a_page_in_each_mb_stays_in_use_until_it_is_closed():
    before = _resident_bytes()
    with contextlib.closing(free_memory.keep(MEMORY_BYTES)) as held:
        assert len(held) == MEMORY_BYTES
        assert _resident_bytes() - before < MEMORY_BYTES / 8
        touched = [place for place in range(0, MEMORY_BYTES, mmap.PAGESIZE) if held[place]]
        assert touched == list(range(0, MEMORY_BYTES, 1 << 20))


def test_at_most_half_of_the_memory_that_is_available_is_touched(monkeypatch):
    monkeypatch.setattr(free_memory, "memory_bytes", lambda _: 10 << 20)
    with contextlib.closing(free_memory.keep(MEMORY_BYTES)) as held:
        assert len(held) == 5 << 20
    monkeypatch.setattr(free_memory, "memory_bytes", lambda _: None)
    assert free_memory.keep(MEMORY_BYTES) is None
