"""Which code made something: a digest of the source of this package and of the readers it uses."""

import hashlib
from functools import cache
from pathlib import Path

import monitoring

SOURCE = (".py", ".j2", ".css", ".js", ".toml", ".csv")
REPORTING = frozenset({"report", "jtl", "nmon_report", "pages"})
"""Folders of what only reports."""


@cache
def code_digest(*, reporting: bool = True) -> str:
    """Return a digest of the source files; without ``reporting`` of those that no page or sentence is made by."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parents[1], Path(str(monitoring.__file__)).parent):
        for path in sorted(package.rglob("*")):
            left_out = not reporting and not REPORTING.isdisjoint(path.relative_to(package).parts)
            if path.suffix in SOURCE and not left_out:
                digest.update(path.read_bytes())
    return digest.hexdigest()
