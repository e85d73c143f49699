"""The live figures: JMeter writes them to a real InfluxDB, and every panel of the dashboard shows what it measured."""

import json
import os
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from waiting import running, wait_for

from upload_study.live import with_listener
from uploadlab.hosts.ports import free_port, is_answered

from .conftest import JMETER, Run
from .influxdb import InfluxDB, Series, as_grafana_asks
from .stub_server import StubServer

DASHBOARD = JMETER / "grafana" / "upload-lab.json"
CHECK = JMETER / "grafana" / "check"
NODE = JMETER.parent / "node-server"
CAMPAIGN = "20261122-014231-upload.quick (b)"
ALONE, TOGETHER = "s05-local-node", "s05-local-node@5 users"
EVERY_MS = 2000
CLIENT_CLASS = "org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient"
# Of the listener; a disabled one is read with the plan, but has no client, no queue and no thread.
WORKING_PARTS = re.compile(r"org\.apache\.jmeter\.visualizers\.backend\.(influxdb\.|BackendListener\$|SamplerMetric)")


def dashboard() -> dict:
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


# The file


@pytest.fixture(scope="session")
def checked() -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """A function that holds a dashboard file against the types that Grafana publishes."""
    if not (CHECK / "node_modules" / "@grafana" / "schema" / "package.json").exists():
        subprocess.run(["npm", "ci", "--silent"], cwd=CHECK, check=True, timeout=300)
    return lambda file: subprocess.run(
        ["node", CHECK / "check.mjs", file], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.slow
def test_the_dashboard_fits_the_types_that_grafana_publishes(checked):
    done = checked(DASHBOARD)
    assert done.returncode == 0, done.stderr


# The listener


def test_enabling_the_listener_changes_nothing_else_in_a_plan():
    for plan in sorted(JMETER.glob("*.jmx")):
        before = plan.read_text()
        after = with_listener(before)
        assert len(after) == len(before) - 1
        changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
        assert [(old.replace('enabled="false"', 'enabled="true"'), new) for old, new in changed] == [
            (changed[0][1], changed[0][1])
        ]
        assert 'testclass="BackendListener"' in changed[0][1]


# Real figures


@pytest.fixture(scope="module")
def node_server(tmp_path_factory) -> Iterator[int]:
    """The lab's Node.js server; its port."""
    if not (NODE / "node_modules" / "multer").exists():
        subprocess.run(["npm", "ci", "--silent"], cwd=NODE, check=True, timeout=300)
    folder = tmp_path_factory.mktemp("server")
    port = free_port()
    places = {"UPLOAD_DIR": folder / "uploads", "RUN_DIR": folder / "run"}
    for place in places.values():
        place.mkdir()
    limits = {"MAX_FILE_BYTES": "10000000", "MAX_REQUEST_BYTES": "11000000", "IDLE_TIMEOUT_MS": "20000"}
    given = {"HOST": "127.0.0.1", "PORT": str(port), **{name: str(place) for name, place in places.items()}, **limits}
    with (
        (folder / "server.log").open("wb") as log,
        running([NODE / "bin" / "start"], env={**os.environ, **given}, stdout=log, stderr=log) as server,
    ):
        wait_for(lambda: is_answered(f"http://127.0.0.1:{port}/health"), beside=server)
        yield port


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What JMeter's request files have of each cell's measured requests, and a dashboard that looks at them."""

    database: InfluxDB
    runs: dict[str, Run]
    from_ms: int
    to_ms: int
    values: dict[str, str | list[str]] = field(
        default_factory=lambda: {"campaign": CAMPAIGN, "cell": ".*", "repeat": ".*", "request": "Upload file"}
    )

    def shown(self, query: str, **values: str | list[str]) -> list[Series]:
        """What Grafana gets for a query, its variables set."""
        asked = as_grafana_asks(query, self.values | values, from_ms=self.from_ms, to_ms=self.to_ms, every_ms=EVERY_MS)
        return self.database.ask(asked)

    def panel(self, title: str, kind: str, **values: str | list[str]) -> list[Series]:
        """What the panel of a title and a kind shows."""
        (panel,) = [one for one in dashboard()["panels"] if (one["title"], one["type"]) == (title, kind)]
        (target,) = panel["targets"]
        return self.shown(target["query"], **values)

    def by_cell(self, title: str, kind: str) -> dict[str, Series]:
        return {series.tags["cell"]: series for series in self.panel(title, kind)}

    def elapsed_ms(self, cell: str, *, success: str | None = None) -> list[int]:
        """The response times of a cell's measured requests in their order."""
        rows = self.runs[cell].measured
        return [int(row["elapsed"]) for row in rows if success is None or row["success"] == success]

    def points_of(self, status: str) -> list[tuple[int, list[dict[str, str]]]]:
        """When JMeter sent each second's figures of the cell with one user, and the rows of the requests they are of.

        With one user requests end in the order of the request file, so how many there were says which.
        """
        (counts,) = self.database.ask(
            f"SELECT \"count\" FROM jmeter WHERE \"transaction\" = 'Upload file' AND statut = '{status}' "
            f"AND cell = '{ALONE}'"
        )
        wanted = {"all": ("true", "false"), "ok": ("true",), "ko": ("false",)}[status]
        rows = iter([row for row in self.runs[ALONE].measured if row["success"] in wanted])
        points = [(at, [next(rows) for _ in range(int(count))]) for at, count in counts.points]
        assert next(rows, None) is None
        return points

    def expected(self, status: str, figure: Callable[[list[dict[str, str]]], float], together: Callable) -> list:
        """What a chart of the cell with one user shows: a figure of each second, and of seconds in one point."""
        points = defaultdict(list)
        for at, rows in self.points_of(status):
            points[at // EVERY_MS * EVERY_MS].append(figure(rows))
        return [(at, pytest.approx(together(figures))) for at, figures in sorted(points.items())]


@pytest.fixture(scope="module")
def run(run_plan) -> Callable[..., Run]:
    """A function that runs a plan against the server at a port; one in fifty files is missing."""
    sizes = [23_000] * 40 + [300_000] * 9 + [77]  # there is no file of 77 bytes
    given = {"campaign": CAMPAIGN, "repeat": "01", "lead_ms": 1000, "jvm": "-Xlog:class+load:file=classes.log"}
    return lambda port, **settings: run_plan(port, sizes, **given, **settings)


@pytest.fixture(scope="module")
def loaded(run, node_server, tmp_path_factory) -> Iterator[Loaded]:
    """One cell with one user and one with five, both written to an InfluxDB."""
    if not shutil.which("influxd"):
        pytest.skip("InfluxDB is not installed (apt-get install influxdb)")
    plan = tmp_path_factory.mktemp("plan") / "upload.jmx"
    plan.write_text(with_listener((JMETER / "upload.jmx").read_text()))
    with InfluxDB(tmp_path_factory.mktemp("influxdb")) as database:
        from_ms = int(time.time() * 1000) // EVERY_MS * EVERY_MS
        runs = {
            cell: run(node_server, plan=plan, influxdb_url=database.write_url, cell=cell, **users)
            for cell, users in {
                ALONE: {"threads": 1, "loops": 500, "think_time_ms": 10, "warmup_threads": 2, "warmup_loops": 30},
                TOGETHER: {"threads": 5, "loops": 100, "think_time_ms": 20},
            }.items()
        }
        yield Loaded(database=database, runs=runs, from_ms=from_ms, to_ms=int(time.time() * 1000) + 1)


def classes_of(run: Run) -> set[str]:
    """The classes that JMeter loaded."""
    return set(re.findall(r"\] (\S+) source:", (run.folder / "classes.log").read_text()))


@pytest.mark.slow
def test_the_listener_writes_without_a_complaint_and_only_when_it_is_enabled(loaded, run):
    for one in loaded.runs.values():
        assert not re.findall(r"^.* (?:WARN|ERROR|FATAL) .*$", one.log, re.MULTILINE)
        assert CLIENT_CLASS in {name for name in classes_of(one) if WORKING_PARTS.match(name)}
    with StubServer() as server, StubServer() as database:
        url = f"http://127.0.0.1:{database.port}/write?db=upload_lab"
        plain = run(server.port, influxdb_url=url, threads=1, loops=5)
        assert len(plain.measured) == 5
        assert database.arrivals == []
    assert not {name for name in classes_of(plain) if WORKING_PARTS.match(name)}


@pytest.mark.slow
def test_the_figures_at_the_top_are_those_of_the_request_files(loaded):
    for cell in (ALONE, TOGETHER):
        all_ms, failed_ms = loaded.elapsed_ms(cell), loaded.elapsed_ms(cell, success="false")
        assert len(failed_ms) == len(all_ms) / 50
        assert loaded.by_cell("Requests", "stat")[cell].value == len(all_ms)
        assert loaded.by_cell("Failed", "stat")[cell].value == pytest.approx(2.0)
        assert loaded.by_cell("Mean response time", "stat")[cell].value == pytest.approx(np.mean(all_ms))
        assert loaded.by_cell("Slowest", "stat")[cell].value == max(all_ms)


def elapsed(rows: list[dict[str, str]]) -> list[int]:
    return [int(row["elapsed"]) for row in rows]


def quantile(rows: list[dict[str, str]], *, q: float) -> float:
    """At place q (n + 1) of n values, as Apache Commons Math has it, which JMeter asks; NumPy calls it "weibull"."""
    return float(np.quantile(elapsed(rows), q, method="weibull"))


@pytest.mark.slow
def test_the_percentiles_are_the_worst_of_the_seconds_of_a_point(loaded):
    columns = loaded.by_cell("Percentiles of successful requests", "timeseries")[ALONE].columns
    assert list(columns) == ["p50", "p95", "p99"]
    for name, shown in columns.items():
        expected = loaded.expected("ok", partial(quantile, q=int(name[1:]) / 100), max)
        assert shown == expected, name
