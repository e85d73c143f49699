"""What the tests of the groups study share."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

GROUPS = Path(__file__).resolve().parents[1]
STACKS = ("paper-2008", "2.12", "current")


@pytest.fixture(autouse=True, scope="session")
def built() -> None:
    """Build the members where they are not, or are older than their sources; one test process at a time."""
    with (GROUPS / "pom.xml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_built():
            subprocess.run(["mvn", "-q", "-B", "package"], cwd=GROUPS, check=True)


def _is_built() -> bool:
    sources = [*GROUPS.glob("**/*.java"), *GROUPS.glob("**/src/main/resources/**/*"), *GROUPS.glob("**/pom.xml")]
    newest = max(path.stat().st_mtime for path in sources if "target" not in path.parts)
    jars = [GROUPS / "jgroups" / stack / "target/lib" for stack in STACKS]
    classes = GROUPS / "member/target/classes/uploadlab/groups/Part.class"
    return all(path.is_dir() for path in jars) and classes.exists() and classes.stat().st_mtime > newest
