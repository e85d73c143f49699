"""What the tests of the studies share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hosts.ports import free_port
from study_kit.conducting import memory_folder


@pytest.fixture
def memory() -> Iterator[Path]:
    """Return a folder on a memory file system, as records have it."""
    with memory_folder() as folder:
        yield folder


@pytest.fixture
def port() -> int:
    """Return a port that nobody listens on."""
    return free_port()
