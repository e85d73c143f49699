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

from upload_study.live import check_database, with_listener
from upload_study.spec import DriverError
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


@pytest.mark.slow
def test_what_grafana_does_not_know_is_found(checked, tmp_path):
    changed = dashboard()
    changed["graphToolTip"] = 1
    changed["panels"][0]["fieldConfig"]["defaults"]["units"] = "ms"
    changed["panels"][4]["fieldConfig"]["defaults"]["custom"]["drawStyle"] = "lines"
    changed["panels"][5]["type"] = "graf"
    changed["panels"][6]["gridPos"]["w"] = "12"
    del changed["panels"][7]["targets"][0]["query"]
    file = tmp_path / "dashboard.json"
    file.write_text(json.dumps(changed))
    done = checked(file)
    assert done.returncode == 1
    for fault in ("graphToolTip", "units", "'\"lines\"'", "'never'", "type 'number'", "'query'"):
        assert fault in done.stderr, done.stderr


def test_the_panels_of_the_dashboard_are_apart_and_inside_its_24_columns():
    taken = defaultdict(list)
    for panel in dashboard()["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                taken[x, y].append(panel["title"])
    assert {tuple(titles) for titles in taken.values() if len(titles) > 1} == set()
    assert len({panel["id"] for panel in dashboard()["panels"]}) == len(dashboard()["panels"])


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
def test_every_panel_has_a_test_here_and_every_query_finds_something(loaded):
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            assert loaded.shown(target["query"]), panel["title"]
        assert (panel["title"], panel["type"]) in TESTED
    assert len(TESTED) == len(dashboard()["panels"])


TESTED = {
    ("Requests", "stat"),
    ("Failed", "stat"),
    ("Mean response time", "stat"),
    ("Slowest", "stat"),
    ("Requests per second", "timeseries"),
    ("Mean response time", "timeseries"),
    ("Percentiles of successful requests", "timeseries"),
    ("Slowest", "timeseries"),
    ("Failed requests per second", "timeseries"),
    ("Bytes sent per second", "timeseries"),
    ("Users", "timeseries"),
    ("Why requests failed", "table"),
}


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


@pytest.mark.slow
def test_the_charts_of_rates_add_up_each_seconds_requests(loaded):
    seconds = EVERY_MS / 1000
    charts = {
        ("Requests per second", "all"): len,
        ("Failed requests per second", "ko"): len,
        ("Bytes sent per second", "all"): lambda rows: sum(int(row["sentBytes"]) for row in rows),
    }
    for (title, status), figure in charts.items():
        shown = loaded.by_cell(title, "timeseries")[ALONE].points
        assert shown == loaded.expected(status, figure, lambda figures: sum(figures) / seconds), title


@pytest.mark.slow
def test_the_charts_of_response_times_are_those_of_each_seconds_requests(loaded):
    shown = loaded.by_cell("Slowest", "timeseries")[ALONE].points
    assert shown == loaded.expected("all", lambda rows: max(elapsed(rows)), max)
    shown = loaded.by_cell("Mean response time", "timeseries")[ALONE].points
    assert shown == loaded.expected("all", elapsed, lambda seconds: np.mean(np.concatenate(seconds)))


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


@pytest.mark.slow
def test_the_chart_of_users_shows_how_many_ran_when_a_second_ended(loaded):
    shown = {
        cell: [value for _, value in users.points] for cell, users in loaded.by_cell("Users", "timeseries").items()
    }
    assert set(shown[ALONE]) <= {0, 1, 2}
    assert shown[ALONE][-1] == 1
    assert max(shown[TOGETHER]) == 5


@pytest.mark.slow
def test_the_table_says_why_requests_failed(loaded):
    found = {series.tags["cell"]: series for series in loaded.panel("Why requests failed", "table")}
    assert set(found) == {ALONE, TOGETHER}
    for cell, series in found.items():
        assert "No such file or directory" in series.tags["responseMessage"]
        assert series.value == len(loaded.elapsed_ms(cell, success="false"))


@pytest.mark.slow
def test_the_lab_asks_the_database_before_a_campaign_begins(loaded):
    check_database(loaded.database.write_url)
    with pytest.raises(DriverError, match=r"InfluxDB answers 404 .*database not found"):
        check_database(f"{loaded.database.url}/write?db=other")


@pytest.mark.slow
def test_the_variables_offer_what_was_measured_and_choose_among_it(loaded):
    variables = {one["name"]: one for one in dashboard()["templating"]["list"]}
    offered = {
        name: [value for series in loaded.shown(one["query"]) for _, value in series.columns["value"]]
        for name, one in variables.items()
        if one["type"] == "query"
    }
    assert {name: sorted(values) for name, values in offered.items()} == {
        "campaign": [CAMPAIGN],
        "cell": [ALONE, TOGETHER],
        "repeat": ["01"],
    }
    assert {run.rows[-1]["label"] for run in loaded.runs.values()} <= set(variables["request"]["query"].split(","))
    chosen = {series.tags["cell"] for series in loaded.panel("Requests", "stat", cell=[ALONE])}
    assert chosen == {ALONE}
    both = {series.tags["cell"] for series in loaded.panel("Requests", "stat", cell=[ALONE, TOGETHER])}
    assert both == {ALONE, TOGETHER}
    assert loaded.panel("Requests", "stat", campaign="20261122-014231-uploadXquick (b)") == []
    assert loaded.panel("Requests", "stat", request="Warm-up upload")[0].value == 60


@pytest.mark.slow
def test_the_starts_and_ends_of_runs_are_marked(loaded):
    (annotation,) = dashboard()["annotations"]["list"]
    (found,) = loaded.shown(annotation["target"]["query"])
    texts = [text for _, text in found.columns[annotation["target"]["textColumn"]]]
    assert texts == [f"{cell} 01 {what}" for cell in (ALONE, TOGETHER) for what in ("started", "ended")]
