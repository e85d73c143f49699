"""The project's own programs, to tell whether two hosts have the same."""

import hashlib

from harness.paths import REPOSITORY

PATTERNS = ("*/src/*/**/*.py", "studies/*/src/**/*.py", "studies/*/study.toml", "*/sut.toml", "*/*.jmx", "[!.]*/bin/*")


def sources() -> dict[str, str]:
    """Map each source file of the project, relative to its folder, to its SHA-256."""
    files = {file for pattern in PATTERNS for file in REPOSITORY.glob(pattern) if file.is_file()}
    return {str(file.relative_to(REPOSITORY)): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)}
