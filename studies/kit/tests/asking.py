"""A driver asked in the process of a test, as its start costs more than most of its answers; a part that refuses."""

import io
import json
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from study_kit import program
from study_kit.conducting import PATIENCE_S, Part


def ask(study: program.Study, verb: str, spec: dict[str, object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Ask as the harness does, with the spec in a file; return what its program would have said, and its code."""
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = program.main(study, [verb, "--spec", str(path), "--out", str(folder)])
    return subprocess.CompletedProcess([], code, out.getvalue(), errors.getvalue())


def refused(part: Part, words: str = "") -> str:
    """Say words to a part that then ends with code 2, or AssertionError; return its complaint."""
    with part:
        _, complaint = part.communicate(words, timeout=PATIENCE_S)
    assert part.returncode == 2, complaint
    return complaint
