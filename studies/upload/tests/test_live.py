"""Live figures: what the driver checks before it lets JMeter write them, and what it tells JMeter."""

import http.server
import socket
import threading
from pathlib import Path

import pytest

from upload_study.jmeter import PLANS
from upload_study.live import check_live_figures, live_settings
from upload_study.plans import plan_for
from upload_study.spec import CampaignSpec, DriverError, Factors, Load, Scenario

from .conftest import run_spec

URL = "http://127.0.0.1:{}/write?db=upload_lab"


class Database(http.server.BaseHTTPRequestHandler):
    """Answers as InfluxDB 1.6 does to an empty write: 204 where the database is, else 404."""

    def do_POST(self):
        known = self.path == "/write?db=upload_lab"
        said = b"" if known else b'{"error":"database not found"}\n'
        self.send_response(204 if known else 404)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Database) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def load(url):
    return Load(rows=10, threads=2, warmup_threads=0, warmup_loops=0, loops=5, influxdb=url)


def campaign_spec(url, **more):
    scenario = Scenario(factors=Factors(sample=5, disk="local"), load=load(url))
    return CampaignSpec(seed=1, scenarios=[scenario], **more)


def of_run(url):
    return run_spec(Path("uploads"), load(url), campaign="c", cell="s05-local-node", repeat="02")


def test_a_campaign_without_live_figures_or_with_a_database_that_agrees_may_begin(port):
    check_live_figures(campaign_spec(None))
    check_live_figures(campaign_spec(URL.format(port)))


def test_a_database_that_is_not_there_stops_a_campaign_before_it_begins(port):
    with pytest.raises(
        DriverError, match=r"InfluxDB answers 404 .*database not found.*; expected an address like http"
    ):
        check_live_figures(campaign_spec(f"http://127.0.0.1:{port}/write?db=other"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with pytest.raises(
        DriverError, match=r"--influxdb http://127.0.0.1:\d+/write\?db=upload_lab: .*Connection refused"
    ):
        check_live_figures(campaign_spec(URL.format(free)))


@pytest.mark.parametrize("text", ["upload_lab", "127.0.0.1:8086", "ftp//x", ""])
def test_what_is_no_address_is_refused_by_name(text):
    with pytest.raises(DriverError, match=f"^--influxdb {text}: .*; expected an address like"):
        check_live_figures(campaign_spec(text))


@pytest.mark.parametrize("arrivals", sorted(PLANS))
def test_with_them_it_gets_a_copy_with_the_listener_and_names_for_what_it_measures(port, tmp_path, arrivals):
    spec = of_run(URL.format(port))
    copy = plan_for(spec, PLANS[arrivals], tmp_path)
    assert copy == tmp_path / PLANS[arrivals].name
    assert copy.read_text().count('testclass="BackendListener"') == 1
    assert 'testclass="BackendListener" testname="Live figures to InfluxDB: Ctrl+T enables" enabled="true"' in (
        copy.read_text()
    )
    assert live_settings(spec) == {
        "lab.influxdb_url": URL.format(port),
        "lab.campaign": "c",
        "lab.cell": "s05-local-node",
        "lab.repeat": "02",
    }
