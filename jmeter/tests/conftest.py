"""What the tests of the plans share: JMeter, assembled once, and a way to run a plan."""

import csv
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

JMETER = Path(__file__).resolve().parent.parent
HOME = JMETER / "target" / "apache-jmeter-5.6.3"
# Short runs: a small heap, and code that is loaded as it is and compiled soon rather than well.
SOON = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
QUICK_START = {**os.environ, "JMETER_HEAP": "128m", "JVM_ARGS": SOON, "MAVEN_OPTS": SOON}


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run left: the rows of its request file, its log, and what it printed."""

    folder: Path
    rows: list[dict[str, str]]
    header: str
    log: str
    output: str

    @classmethod
    def left_in(cls, folder: Path, output: str) -> Self:
        """Read what a run left in its folder."""
        lines = (folder / "requests.jtl").read_text()
        return cls(
            folder=folder,
            rows=list(csv.DictReader(lines.splitlines(keepends=True))),
            header=lines.partition("\n")[0],
            log=(folder / "jmeter.log").read_text(),
            output=output,
        )

    def labelled(self, label: str) -> list[dict[str, str]]:
        return [row for row in self.rows if row["label"] == label]

    @property
    def measured(self) -> list[dict[str, str]]:
        return self.labelled("Upload file")


@pytest.fixture(scope="session")
def home() -> Path:
    if not (HOME / "bin" / "ApacheJMeter.jar").exists():
        subprocess.run(["mvn", "-q", "-B", "package"], cwd=JMETER, check=True, timeout=500)
    return HOME


@pytest.fixture(scope="session")
def payloads(tmp_path_factory) -> Path:
    """A folder of payloads, named by size, each of different bytes."""
    folder = tmp_path_factory.mktemp("payloads")
    for size in (0, 1, 4, 10, 20, 30, 40, 50, 8192, 23000, 300_000):
        (folder / f"{size}.split").write_bytes(bytes((7 * i + size) % 256 for i in range(size)))
    return folder


@pytest.fixture(scope="session")
def run_plan(home, payloads, tmp_path_factory):
    """A function that runs a plan against a stub to its end. Sizes are the list; the rest are the plan's settings."""

    def run(stub, sizes: list[int], *, plan: str = "upload.jmx", extra: tuple[str, ...] = (), **settings) -> Run:
        folder = tmp_path_factory.mktemp("run")
        sizes_csv = folder / "sizes.csv"
        sizes_csv.write_text("".join(f"{size}\n" for size in sizes))
        given = {"host": "127.0.0.1", "port": stub.port, "sizes_csv": sizes_csv, "payload_dir": payloads}
        given |= {"lead_ms": 100, **settings}
        done = subprocess.run(
            [JMETER / "bin" / "lab-jmeter", "-n", "-t", JMETER / plan, "-l", "requests.jtl", "-j", "jmeter.log"]
            + [f"-Jlab.{name}={value}" for name, value in given.items()]
            + list(extra),
            cwd=folder,
            env=QUICK_START,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return Run.left_in(folder, done.stdout)

    return run
