"""Call a study's driver: an executable with five verbs that speaks JSON."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.errors import LabError
from harness.processes import Processes, pinned
from harness.study import Study

GATE_FAILED = 1
POLL_S = 0.25


class GateFailed(LabError):
    """The driver found that a run cannot be valid."""


def ask(
    study: Study, verb: str, spec: dict[str, Any], folder: Path, *, cores: list[int] | None = None
) -> dict[str, Any]:
    """Run a verb to its end and return the JSON object it printed; its messages for people pass through.

    Raises GateFailed or LabError with the driver's own sentence.
    """
    command = [str(study.driver), verb, "--spec", str(_write_spec(folder, verb, spec))]
    if verb == "check":
        command += ["--out", str(folder)]
    if cores:
        command = pinned(command, cores)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(f"{study.driver}: could not be started: {error.strerror}.") from error
    if done.returncode == GATE_FAILED:
        raise GateFailed(_sentence(done.stderr))
    if done.returncode:
        raise LabError(_sentence(done.stderr))
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise LabError(f"{study.driver} {verb}: printed no JSON: {done.stdout[:80]!r}.") from error
    if not isinstance(result, dict):
        raise LabError(f"{study.driver} {verb}: printed no JSON object.")
    return result


class Load:
    """A running load: the driver's verb `load`, whose lines of JSON are followed while it runs."""

    def __init__(
        self, processes: Processes, study: Study, spec: dict[str, Any], folder: Path, cores: list[int]
    ) -> None:
        self._processes = processes
        self._log = folder / "load.log"
        command = [str(study.driver), "load", "--spec", str(_write_spec(folder, "load", spec)), "--out", str(folder)]
        with self._log.open("ab") as errors:
            self.process = processes.start(
                "load",
                pinned(command, cores),
                env=dict(os.environ),
                cwd=study.folder,
                output=subprocess.PIPE,
                errors=errors,
            )

    def follow(self, watch: Callable[[], None]) -> Iterator[dict[str, Any]]:
        """Yield each message of the load until it ends; call `watch` a few times a second meanwhile.

        Raises LabError with the driver's sentence when the load ends with another code than 0.
        """
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            pending = b""
            while True:
                watch()
                if not selector.select(POLL_S):
                    continue
                chunk = os.read(self.process.stdout.fileno(), 65536)
                if not chunk:
                    break
                *lines, pending = (pending + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line.strip())
        code = self._processes.stop(self.process, timeout_s=30)
        if code:
            raise LabError(
                f"The load generator ended with code {code}: {_sentence(self._log.read_text(errors='replace'))}"
            )


def _write_spec(folder: Path, verb: str, spec: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{verb}.spec.json"
    path.write_text(json.dumps(spec, indent=1), encoding="utf-8")
    return path


def _sentence(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else f"the driver gave no reason (at {time.strftime('%H:%M:%S')})."
