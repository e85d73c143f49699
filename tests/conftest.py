"""What tests on two hosts share: to make these takes seconds."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import two_hosts

SMALL_BYTES = 700_000_000


@pytest.fixture(scope="session")
def small_disk(tmp_path_factory) -> Iterator[Path]:
    """A disk that is soon full; the hosts see it because it was there before them."""
    folder = tmp_path_factory.mktemp("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_BYTES}", "small", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(scope="session")
def hosts(tmp_path_factory, small_disk) -> Iterator[two_hosts.TwoHosts]:
    """The two hosts; who uses them leaves nothing running or stored there."""
    with two_hosts.two_hosts(tmp_path_factory.mktemp("hosts")) as hosts:
        yield hosts
