import shutil
import socket
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for what tests share


@pytest.fixture
def memory():
    """Return a folder on a memory file system, as records have it."""
    folder = Path(tempfile.mkdtemp(prefix="upload-lab-", dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
