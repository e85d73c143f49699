"""The load: one process on its own core that sends ready requests straight from a file."""

import subprocess
from pathlib import Path
from typing import IO

from conformance import message
from harness.errors import LabError
from harness.install import carry_out
from harness.paths import STAMPS
from harness.processes import Processes, pinned
from harness.system import Step
from server_bench.contestant import COMPONENT

FOLDER = COMPONENT / "generator"
COMPILE = Step(
    command=["javac", "-d", "target", "Generator.java"], inputs=["Generator.java"], outputs=["target/Generator.class"]
)
COMMAND = ["java", "-Xms64m", "-Xmx64m", "-cp", "target", "Generator"]


class Request:
    """An upload of one file of random bytes, written to a file as it is sent."""

    def __init__(self, folder: Path, file_bytes: int) -> None:
        """Write the request for a file of so many bytes."""
        self.content = message.sample(file_bytes)
        self.body = message.form(message.file(self.content))
        self.path = folder / f"request-{file_bytes}"
        self.path.write_bytes(message.request(self.body))


class Generator:
    """The generator's process; it keeps running so that its code is compiled when it counts."""

    def __init__(self, processes: Processes, core: int) -> None:
        """Compile and start it on a core."""
        carry_out(COMPILE, FOLDER, STAMPS)
        self._process = subprocess.Popen(
            pinned(COMMAND, [core]),
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        processes.adopt(self._process.pid, self._end)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def send(self, port: int, request: Request, uploads: int, connections: int) -> float:
        """Send so many uploads to a port of the loopback, one after the other on each connection; return seconds."""
        orders, answers, complaints = self._streams()
        try:
            orders.write(f"{port} {request.path} {uploads} {connections}\n".encode())
            orders.flush()
        except BrokenPipeError:
            pass
        answer = answers.readline()
        if not answer:
            reason = complaints.read().decode(errors="replace").strip().splitlines()
            raise LabError(reason[0] if reason else "The load generator ended without a word.")
        return int(answer) / 1e9

    def _streams(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in self._streams():
            stream.close()
