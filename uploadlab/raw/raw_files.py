"""Are the raw files of a run still those that its ``run.json`` recorded?"""

import functools
import hashlib
from pathlib import Path

from uploadlab.errors import LabError
from uploadlab.records import File
from uploadlab.results.campaign import Run


def recorded_file(run: Run, name: str) -> Path:
    """Return the path of a raw file after holding it to the size and SHA-256 in ``run.json``, where it has them.

    Raises LabError when the file is missing or is not the one that was recorded.
    """
    path = run.folder / name
    if not path.is_file():
        raise LabError(f"{path} is missing.")
    recorded = run.record.files.get(name, File())
    state = path.stat()
    size = state.st_size
    if recorded.bytes is not None and recorded.bytes != size:
        how = "it was cut off, or is another file" if size < recorded.bytes else "it was changed, or is another file"
        raise LabError(f"{path} has {size} bytes, run.json recorded {recorded.bytes}: {how}.")
    if recorded.sha256 is not None and recorded.sha256 != _sha256(path, size, state.st_mtime_ns):
        raise LabError(f"{path} is not the file that run.json recorded: its SHA-256 differs.")
    return path


@functools.lru_cache(maxsize=256)
def _sha256(path: Path, _size: int, _changed_ns: int) -> str:
    """Return the digest of a file in that state: what is read several times, once for each round, is hashed once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
