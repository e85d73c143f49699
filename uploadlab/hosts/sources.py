"""The project's own programs, to tell whether two hosts have the same."""

import hashlib
from collections.abc import Mapping

from uploadlab.paths import REPOSITORY

# What a run is made of, in any language, and what it is built from; no tests, which not every host is given.
PATTERNS = (
    "uploadlab/**/*",
    "*/src/**/*",
    "*/*/src/**/*",
    "studies/kit/*/src/**/*",
    "studies/kit/recorder/*/**/*",
    "studies/*/study.toml",
    "*/sut.toml",
    "studies/kit/*/sut.toml",
    "*/*.jmx",
    "*/pom.xml",
    "*/*/pom.xml",
    "*/package-lock.json",
    "*/*/package-lock.json",
    "*/bin/*",
    "*-server/*.js",
    "*-server/paper-2016/*.js",
    "*-server/conf/*",
    "servers/*/*",
)
NOT_OURS = frozenset({"__pycache__", "node_modules", "target", "results", "docs", "provisioning", "tests", "test"})


def sources() -> dict[str, str]:
    """Map each source file of the project, relative to its folder, to its SHA-256."""
    found = {file.relative_to(REPOSITORY) for pattern in PATTERNS for file in REPOSITORY.glob(pattern)}
    hidden = {file for file in found if any(part in NOT_OURS or part.startswith(".") for part in file.parts)}
    ours = sorted(file for file in found - hidden if (REPOSITORY / file).is_file())
    return {str(file): hashlib.sha256((REPOSITORY / file).read_bytes()).hexdigest() for file in ours}


def difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first file that two hosts do not have alike, and what is the matter with it; None: all are alike."""
    for file in sorted(ours.keys() | theirs.keys()):
        if file not in theirs:
            return file, "is missing there"
        if file not in ours:
            return file, "exists there but not here"
        if ours[file] != theirs[file]:
            return file, "differs from the one here"
    return None
