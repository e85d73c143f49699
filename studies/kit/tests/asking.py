"""A study's driver asked in the process of a test: a start of its program costs more than most of its answers."""

import io
import json
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from study_kit import program


def ask(study: program.Study, verb: str, spec: dict[str, object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Ask as the harness does, with the spec in a file; return what its program would have said, and its code."""
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = program.main(study, [verb, "--spec", str(path), "--out", str(folder)])
    return subprocess.CompletedProcess([], code, out.getvalue(), errors.getvalue())
