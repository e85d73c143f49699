"""What the tests of the groups study share."""

import fcntl

import pytest
from groups_conducting import GROUPS

from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import choose


@pytest.fixture(autouse=True, scope="session")
def built() -> None:
    """Build the members where they are not, or their sources have changed; one test process at a time."""
    with (GROUPS / "pom.xml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        set_up_systems(choose(GROUPS / "jgroups", stack, {}) for stack in ("paper-2008", "2-12", "current"))
