"""What the tests of the plans share: JMeter, assembled once, and a way to run a plan."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from finished import read_rows

JMETER = Path(__file__).resolve().parent.parent
HOME = JMETER / "target" / "apache-jmeter-5.6.3"
# Short runs: a small heap, and code that is loaded as it is and compiled soon rather than well.
SOON = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
QUICK_START = {**os.environ, "JMETER_HEAP": "128m", "JVM_ARGS": SOON, "MAVEN_OPTS": SOON}


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run left: its folder, the rows of its request file, and its log."""

    folder: Path
    rows: list[dict[str, str]]
    log: str

    def labelled(self, label: str) -> list[dict[str, str]]:
        return [row for row in self.rows if row["label"] == label]

    @property
    def measured(self) -> list[dict[str, str]]:
        return self.labelled("Upload file")


def lab_jmeter(*words: str | Path, cwd: Path, jvm: str = "") -> None:
    """Run JMeter with the lab's settings, to an end without an error."""
    done = subprocess.run(
        [JMETER / "bin" / "lab-jmeter", *words],
        cwd=cwd,
        env={**QUICK_START, "JVM_ARGS": f"{SOON} {jvm}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout


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
    """A function that runs a plan to its end: the server's port, the list of sizes, what Java is told, and settings."""

    def run(port: int, sizes: list[int], *, plan: str | Path = "upload.jmx", extra=(), jvm="", **settings) -> Run:
        folder = tmp_path_factory.mktemp("run")
        sizes_csv = folder / "sizes.csv"
        sizes_csv.write_text("".join(f"{size}\n" for size in sizes))
        given = {"host": "127.0.0.1", "port": port, "sizes_csv": sizes_csv, "payload_dir": payloads}
        given |= {"lead_ms": 100, **settings}
        words = ["-n", "-t", JMETER / plan, "-l", "requests.jtl", "-j", "jmeter.log"]
        lab_jmeter(*words, *(f"-Jlab.{name}={value}" for name, value in given.items()), *extra, cwd=folder, jvm=jvm)
        log = (folder / "jmeter.log").read_text()
        return Run(folder=folder, rows=read_rows(folder / "requests.jtl"), log=log)

    return run
