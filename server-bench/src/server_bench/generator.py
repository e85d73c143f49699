"""The load: the lab's own light generator, one process on its own core, which makes one load after the other."""

import csv
import subprocess
from pathlib import Path
from typing import IO

from conformance import message
from uploadlab.errors import LabError
from uploadlab.hosts.processes import Processes, pinned
from uploadlab.paths import REPOSITORY, STAMPS
from uploadlab.planning.install import carry_out
from uploadlab.planning.study import Study

FOLDER = REPOSITORY / "workload-gen" / "lean"
COMMAND = ["java", "-Xms128m", "-Xmx128m", "-cp", "target", "uploadlab.lean.LeanGenerator"]


class Request:
    """An upload of one file of random bytes: its folder has the list and the file that the generator reads."""

    def __init__(self, folder: Path, file_bytes: int) -> None:
        """Write the file of so many bytes, and the list."""
        self.content = message.sample(file_bytes)
        self.folder = folder / f"request-{file_bytes}"
        self.folder.mkdir()
        (self.folder / f"{file_bytes}.split").write_bytes(self.content)
        (self.folder / "sizes.csv").write_text(f"{file_bytes}\n", encoding="ascii")


class Generator:
    """The generator's process; it keeps running so that its code is compiled when it counts."""

    def __init__(self, processes: Processes, study: Study, core: int) -> None:
        """Compile and start it on a core."""
        for step in study.file.install:
            if step.folder and (study.folder / step.folder).resolve() == FOLDER:
                carry_out(step, study.folder, STAMPS)
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
        """Send so many uploads, shared by the connections, to a port of the loopback; return seconds.

        A file goes out in one write, as cheaply as a server can get it.
        """
        orders, answers, complaints = self._streams()
        rows = request.folder / "requests.jtl"
        settings = {
            "port": port,
            "sizes_csv": request.folder / "sizes.csv",
            "payload_dir": request.folder,
            "threads": connections,
            "loops": uploads // connections,
            "lead_ms": 0,
            "write_bytes": 0,
            "requests": rows,
            "log": request.folder / "lean.log",
        }
        try:
            orders.write(("\t".join(f"{name}={value}" for name, value in settings.items()) + "\n").encode())
            orders.flush()
        except BrokenPipeError:
            pass
        answer = answers.readline()
        if not answer:
            reason = complaints.read().decode(errors="replace").strip().splitlines()
            raise LabError(reason[0] if reason else "The load generator ended without giving a reason.")
        _check_answers(rows)
        return int(answer) / 1e9

    def _streams(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()


def _check_answers(rows: Path) -> None:
    with rows.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["success"] != "true":
                said = row["failureMessage"] or row["responseMessage"]
                raise LabError(f"An upload of the load was answered with {row['responseCode']}: {said}.")
