"""What `./lab conformance SYSTEM` found last, kept beside the system; it is true only of the code that was tested."""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uploadlab.planning.system import Sut

FILE = ".conformance.json"


def keep(sut: Sut, versions: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Keep a result, in place of an older one."""
    kept = {"digest": _digest(sut, versions), **result}
    (sut.folder / FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def kept_result(sut: Sut, versions: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the kept result; None where there is none of this code on these versions."""
    try:
        kept: dict[str, Any] = json.loads((sut.folder / FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return kept if kept["digest"] == _digest(sut, versions) else None


def kept_summary(sut: Sut, versions: Mapping[str, Any]) -> str:
    """Return the line that sums up the kept result; empty where there is none."""
    kept = kept_result(sut, versions)
    return str(kept["summary"]).removesuffix(", 0 skipped") if kept else ""


def _digest(sut: Sut, versions: Mapping[str, Any]) -> str:
    """Hash a system's versions, its settings, and the files of its folder but those that git ignores and documents."""
    digest = hashlib.sha256(json.dumps([sut.stack_name, sut.settings, versions], sort_keys=True).encode())
    for name in _files(sut.folder):
        digest.update(f"{name}\0".encode() + (sut.folder / name).read_bytes())
    return digest.hexdigest()


def _files(folder: Path) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    everything = (str(path.relative_to(folder)) for path in folder.rglob("*"))
    names = listed.stdout.split("\0") if listed.stdout else everything
    return sorted({name for name in names if name and not name.endswith((FILE, ".md")) and (folder / name).is_file()})
