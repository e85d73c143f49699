"""A lab that has ended without cleaning up, as the next one sees it."""

import json
from pathlib import Path


def as_if_it_had_ended(state: Path, **other: object) -> Path:
    """Make the one state file in a folder that of a lab that has ended here, or runs where `other` says; return it."""
    [path] = state.glob("*.json")
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"lab": told["lab"] | {"start_ticks": 1} | other}))
    return path
