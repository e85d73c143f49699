"""The judge step of action.yml, run as a GitHub runner runs it: bash, its expressions filled in, its variables set."""

import os
import re
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path

ACTION = Path(__file__).parents[2] / "action.yml"
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+)(?: *\|\|[^}]*)? *\}\}")


@dataclass(frozen=True, kw_only=True)
class Done:
    """What a step left."""

    code: int
    stderr: str
    summary: str
    outputs: dict[str, str]
    report: Path


def run_step(workspace: Path, runner: Path, action: Path = ACTION.parent, **inputs: str) -> Done:
    """Run the step in a checked-out repository; `action` is the folder that has `lab`, `runner` the runner's own."""
    text = ACTION.read_text()
    defaults = dict(
        re.findall(r'^  (\w+):\n    description:.*\n    required: false\n    default: "?([^"\n]*)"?$', text, re.M)
    )
    values = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
    values |= {"github.action_path": str(action), "runner.temp": str(runner)}
    step = text[text.index("- id: judge") : text.index("- if: always()")]
    variables = re.findall(r"^ {8}(\w+): (.*)$", step[: step.index("run: |")], re.M)
    script = textwrap.dedent(step[step.index("run: |\n") + len("run: |\n") :])
    runner.mkdir(parents=True, exist_ok=True)
    written = {"GITHUB_STEP_SUMMARY": runner / "summary.md", "GITHUB_OUTPUT": runner / "output"}
    for path in written.values():
        path.touch()
    (runner / "step.sh").write_text(script)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(runner / "step.sh")],
        cwd=workspace,
        env={
            **os.environ,
            **{name: EXPRESSION.sub(lambda found: values[found[1]], value) for name, value in variables},
            **{name: str(path) for name, path in written.items()},
        },
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in written["GITHUB_OUTPUT"].read_text().splitlines())
    return Done(
        code=done.returncode,
        stderr=done.stderr,
        summary=written["GITHUB_STEP_SUMMARY"].read_text(),
        outputs=outputs,
        report=runner / "upload-lab",
    )
