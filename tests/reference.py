"""The reference server and the study's driver, for tests that hold a load to what the server wrote down."""

import json
import os
import subprocess
import tomllib
from contextlib import contextmanager
from pathlib import Path

from finished import read_rows
from waiting import PATIENCE_S, wait_for

from uploadlab.hosts.ports import free_port, is_answered
from uploadlab.paths import REPOSITORY

REFERENCE = REPOSITORY / "studies" / "kit" / "reference-server"
DRIVER = REPOSITORY / "studies" / "upload" / "driver"
SUT = tomllib.loads((REFERENCE / "sut.toml").read_text())


@contextmanager
def reference_server(truth: Path, **settings):
    """Run the reference server, its settings as environment; gives its port."""
    if not (REFERENCE / "target/uploadlab/reference/ReferenceServer.class").exists():
        for step in SUT["stacks"]["current"]["install"]:
            subprocess.run(step["command"], cwd=REFERENCE, check=True)
    truth.parent.mkdir(parents=True, exist_ok=True)
    port = free_port()
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    server = subprocess.Popen(
        SUT["stacks"]["current"]["start"]["command"],
        cwd=REFERENCE,
        env={**environment, "PORT": str(port), "RUNTIME_METRICS_FILE": str(truth)},
    )
    try:
        wait_for(lambda: is_answered(f"http://127.0.0.1:{port}/health"), beside=server)
        yield port
    finally:
        server.terminate()
        assert server.wait(PATIENCE_S) == 0


def driver_spec(folder: Path, port: int, load: dict, generator: str = "jmeter") -> Path:
    """Write what the driver is told of a load; gives the file."""
    (folder / "up").mkdir(parents=True)
    spec = {
        "seed": 1,
        "repeat": "01",
        "factors": {"sample": 1, "disk": "local", "generator": generator},
        "load": {"rows": 100, "warmup_threads": 20, "warmup_loops": 100, "background_s": 0} | load,
        "server": {"host": "127.0.0.1", "port": port, "upload": {"path": "/getimages", "field": "avatar"}},
        "stored_in": None,
    }
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    return path


def start_load(folder: Path, port: int, load: dict, generator: str) -> subprocess.Popen:
    """Start the study's driver on a load, as the harness does."""
    spec = driver_spec(folder, port, load, generator)
    return subprocess.Popen(
        [DRIVER, "load", "--spec", spec, "--out", folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


def read_answers(truth: Path) -> list[dict[str, int]]:
    """What the server logged of each upload, in the order of their first bytes."""
    rows = [{name: int(value) for name, value in row.items()} for row in read_rows(truth)]
    return sorted(rows, key=lambda row: row["first_byte_us"])


def measured_truth(run: Path) -> list[float]:
    """Return the response times of the measured uploads as the server wrote them down, ms, sorted."""
    record = json.loads((run / "run.json").read_text())
    start_us, end_us = (record["phases"][f"measure_{edge}_ns"] / 1000 for edge in ("start", "end"))
    rows = read_answers(run / "server.truth.csv")
    inside = [row for row in rows if start_us - 2000 <= row["first_byte_us"] and row["answered_us"] <= end_us + 2000]
    return sorted((row["answered_us"] - row["first_byte_us"]) / 1000 for row in inside)
