import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from harness.hosts.ports import free_port

sys.path.insert(0, str(Path(__file__).parent))  # for what tests share


@pytest.fixture
def memory():
    """Return a folder on a memory file system, as records have it."""
    folder = Path(tempfile.mkdtemp(prefix="upload-lab-", dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def port() -> int:
    return free_port()
