"""The live figures: JMeter writes them to a real InfluxDB, and every panel of the dashboard shows what it measured."""

import json
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from upload_study.live import with_listener

from .conftest import JMETER, Run
from .influxdb import InfluxDB, as_grafana_asks
from .stub_server import StubServer

DASHBOARD = JMETER / "grafana" / "upload-lab.json"
CHECK = JMETER / "grafana" / "check"
CAMPAIGN = "20261122-014231-upload.quick (b)"
ALONE, TOGETHER = "s05-local-node", "s05-local-node@5 users"
EVERY_MS = 2000
CLIENT_CLASS = "org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient"
# Of the listener; a disabled one is read with the plan, but has no client, no queue and no thread.
WORKING_PARTS = re.compile(r"org\.apache\.jmeter\.visualizers\.backend\.(influxdb\.|BackendListener\$|SamplerMetric)")


@pytest.mark.slow
def test_the_dashboard_fits_the_types_that_grafana_publishes():
    if not (CHECK / "node_modules" / "@grafana" / "schema" / "package.json").exists():
        subprocess.run(["npm", "ci", "--silent"], cwd=CHECK, check=True, timeout=300)
    check = ["node", CHECK / "check.mjs", DASHBOARD]
    done = subprocess.run(check, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


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


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What JMeter's request files have of each cell's measured requests, and a dashboard that looks at them."""

    database: InfluxDB
    runs: dict[str, Run]
    from_ms: int
    to_ms: int

    def by_cell(self, title: str, kind: str) -> dict[str, list[list[Any]]]:
        """What Grafana gets for the panel of a title and a kind: the rows of each cell."""
        panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
        (panel,) = [one for one in panels if (one["title"], one["type"]) == (title, kind)]
        (target,) = panel["targets"]
        values = {"campaign": CAMPAIGN, "cell": ".*", "repeat": ".*", "request": "Upload file"}
        asked = as_grafana_asks(target["query"], values, from_ms=self.from_ms, to_ms=self.to_ms, every_ms=EVERY_MS)
        return {series["tags"]["cell"]: series["values"] for series in self.database.ask(asked)}

    def shown(self, title: str, cell: str) -> float:
        """What the figure of a title at the top shows of a cell."""
        ((_, value),) = self.by_cell(title, "stat")[cell]
        return value

    def elapsed_ms(self, cell: str, success: tuple[str, ...] = ("true", "false")) -> list[int]:
        """The response times of a cell's measured requests in their order."""
        return [int(row["elapsed"]) for row in self.runs[cell].measured if row["success"] in success]

    def seconds_of_successes(self) -> list[tuple[int, list[int]]]:
        """When JMeter sent each second's figures of the cell with one user, and the response times they are of.

        With one user requests end in the order of the request file, so how many there were says which.
        """
        (counts,) = self.database.ask(
            f"SELECT \"count\" FROM jmeter WHERE \"transaction\" = 'Upload file' AND statut = 'ok' AND cell = '{ALONE}'"
        )
        times = iter(self.elapsed_ms(ALONE, ("true",)))
        seconds = [(at, [next(times) for _ in range(int(count))]) for at, count in counts["values"]]
        assert next(times, None) is None
        return seconds


@pytest.fixture(scope="module")
def run(run_plan) -> Callable[..., Run]:
    """A function that runs a plan against the server at a port; one in fifty files is missing."""
    sizes = [23_000] * 40 + [300_000] * 9 + [77]  # there is no file of 77 bytes
    given = {"campaign": CAMPAIGN, "repeat": "01", "lead_ms": 1000, "jvm": "-Xlog:class+load:file=classes.log"}
    return lambda port, **settings: run_plan(port, sizes, **given, **settings)


@pytest.fixture(scope="module")
def loaded(run, tmp_path_factory) -> Iterator[Loaded]:
    """One cell with one user and one with five, both written to an InfluxDB."""
    if not shutil.which("influxd"):
        pytest.skip("InfluxDB is not installed (apt-get install influxdb)")
    plan = tmp_path_factory.mktemp("plan") / "upload.jmx"
    plan.write_text(with_listener((JMETER / "upload.jmx").read_text()))
    with StubServer() as server, InfluxDB(tmp_path_factory.mktemp("influxdb")) as database:
        from_ms = int(time.time() * 1000) // EVERY_MS * EVERY_MS
        runs = {
            cell: run(server.port, plan=plan, influxdb_url=database.write_url, cell=cell, **users)
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
        all_ms, failed_ms = loaded.elapsed_ms(cell), loaded.elapsed_ms(cell, ("false",))
        assert len(failed_ms) == len(all_ms) / 50
        assert loaded.shown("Requests", cell) == len(all_ms)
        assert loaded.shown("Failed", cell) == pytest.approx(2.0)
        assert loaded.shown("Mean response time", cell) == pytest.approx(np.mean(all_ms))
        assert loaded.shown("Slowest", cell) == max(all_ms)


@pytest.mark.slow
def test_the_percentiles_are_the_worst_of_the_seconds_of_a_point(loaded):
    points = defaultdict(list)
    for at, elapsed_ms in loaded.seconds_of_successes():
        # At place q (n + 1) of n values, as Apache Commons Math has it, which JMeter asks; NumPy calls it "weibull".
        points[at // EVERY_MS * EVERY_MS].append(np.quantile(elapsed_ms, [0.5, 0.95, 0.99], method="weibull"))
    shown = loaded.by_cell("Percentiles of successful requests", "timeseries")[ALONE]
    assert [row[0] for row in shown] == sorted(points)
    np.testing.assert_allclose([row[1:] for row in shown], [np.max(points[at], axis=0) for at in sorted(points)])
