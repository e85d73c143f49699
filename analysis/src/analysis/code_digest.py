"""Which code made something: a digest of the source of this package and of the readers it uses."""

import hashlib
from functools import cache
from pathlib import Path

import monitoring

SOURCE = (".py", ".j2", ".css", ".js", ".toml", ".csv")


@cache
def code_digest(*, subfolders: bool = True) -> str:
    """Return a digest of the source files; without ``subfolders`` those that analyse, not those that report."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parent, Path(str(monitoring.__file__)).parent):
        for path in sorted(package.rglob("*") if subfolders else package.glob("*")):
            if path.suffix in SOURCE:
                digest.update(path.read_bytes())
    return digest.hexdigest()
