"""What the tests of the studies share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from study_kit.conducting import memory_folder
from uploadlab.hosts.ports import free_port


@pytest.fixture
def memory() -> Iterator[Path]:
    """Return a folder on a memory file system, as records have it."""
    with memory_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def quick_to_start() -> Iterator[None]:
    """Have Java compile each method once, simply: what ends within a second spends more on compiling than it gains."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")
        yield


@pytest.fixture
def heard_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take those options back: Java tells of them beside what a test holds a part to have said."""
    monkeypatch.delenv("JDK_JAVA_OPTIONS", raising=False)


@pytest.fixture
def port() -> int:
    """Return a port that nobody listens on."""
    return free_port()
