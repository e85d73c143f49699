"""The folder of a suite that holds whatever is temporary, so that the next one can remove what a killed one left."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from uploadlab.hosts.processes import start_ticks


@contextmanager
def own_folder() -> Iterator[None]:
    """Have temporary files made in a folder of this process, removed at the end; first remove those of killed ones."""
    before, me = tempfile.tempdir, os.getpid()
    # Pids say nothing in another container, which may have the same folder for temporary files.
    prefix = f"conformance-{Path('/proc/self/ns/pid').stat().st_ino}"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}-*"):
        named = re.fullmatch(rf"{prefix}-(\d+)-(\d+)-.*", left.name, re.ASCII)
        if named is not None and start_ticks(int(named[1])) != int(named[2]):
            _remove(left)
    folder = tempfile.mkdtemp(prefix=f"{prefix}-{me}-{start_ticks(me)}-")
    tempfile.tempdir = folder
    try:
        yield
    finally:
        tempfile.tempdir = before
        _remove(Path(folder))


def _remove(folder: Path) -> None:
    with suppress(OSError):  # somebody else's, or removed by another suite meanwhile
        for path in filter(os.path.ismount, folder.iterdir()):
            subprocess.run(["umount", "--lazy", path], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
