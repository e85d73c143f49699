"""The live page: driven in a real browser while a real campaign runs."""

import json
import re
import signal
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from tiny import LAB, copy_of_tiny
from waiting import PATIENCE_S, running

from uploadlab.campaigns.live import LivePage


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


@pytest.fixture
def page(tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").write_text("the report")
    (tmp_path / "campaign.json").write_text("{}")
    live = LivePage(tmp_path, 0)
    yield live
    live.close()


@pytest.fixture
def tab(page, browser):
    """Show the page in a browser."""
    tab = browser.new_page()
    tab.goto(page.url)
    yield tab
    tab.close()


def test_the_page_its_progress_and_the_report_are_served(page):
    page.show("run 1 of 2", 0.25)
    page.show_standings(["z1  3 blocks"])
    assert b"Upload Lab" in _get(page.url)
    expected = {"line": "run 1 of 2", "share": 0.25, "standings": ["z1  3 blocks"], "reports": 0}
    assert json.loads(_get(page.url + "progress.json")).items() >= expected.items()
    assert _get(page.url + "report/index.html?1") == b"the report"


def test_prometheus_reads_the_progress(page):
    page.show("run 1 of 2", 0.25)
    page.show_load(1200, 3, 400.5)
    lines = _get(page.url + "metrics").decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values == {
        "uploadlab_requests": "1200",
        "uploadlab_errors": "3",
        "uploadlab_per_s": "400.5",
        "uploadlab_share": "0.25",
        "uploadlab_reports": "0",
    }
    assert "# TYPE uploadlab_requests gauge" in lines


@pytest.mark.parametrize("path", ["campaign.json", "report/../campaign.json", "report/%2e%2e/campaign.json", "runs/"])
def test_nothing_but_the_report_folder_is_served(page, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _get(page.url + path)


DRAWN_LATER = """<!doctype html><html lang="en"><script>
    window.lab = { ready: new Promise((drawn) => setTimeout(() => {
        document.body.style.height = "9000px"
        drawn()
    }, 300)) }
</script><body></body></html>"""
"""A report in what matters here: it has its whole height only once it is drawn."""


def test_a_new_report_leaves_the_reader_at_the_same_place(page, tab, tmp_path, monkeypatch):
    (tmp_path / "report" / "index.html").write_text(DRAWN_LATER)
    monkeypatch.setattr("uploadlab.campaigns.live.report", lambda folder, quiet: True)
    for number, place in ((1, 0), (2, 3000)):
        page.refresh_report()
        tab.wait_for_function(f"document.getElementById('report').dataset.drawn?.endsWith('?{number}')")
        frame = tab.frames[1]
        assert frame.evaluate("scrollY") == place
        frame.evaluate("scrollTo(0, 3000)")


@pytest.mark.slow
def test_in_a_browser_the_progress_moves_and_the_charts_appear_while_the_campaign_runs(browser, tmp_path):
    command = [*LAB, copy_of_tiny(tmp_path), "run", "--sizes", "1", "--live", "0"]
    command += ["--repeats", "6", "--load", "requests=800"]  # longer than the first report
    with running([*command, "--out", str(tmp_path / "out")]) as lab:
        url = next(line for line in lab.stderr if line.startswith("Live page: ")).split()[2]
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(url)
        expect(tab.locator("#line")).to_contain_text(re.compile(r"run 1 of 12"), timeout=1000 * PATIENCE_S)
        report = tab.frame_locator("#report")
        expect(report.locator("h1").first).to_be_visible(timeout=1000 * PATIENCE_S)
        expect(report.locator("svg").first).to_be_visible(timeout=1000 * PATIENCE_S)
        expect(tab.locator("#line")).to_contain_text(re.compile(r"run ([2-9]|1[0-2]) of 12"), timeout=1000 * PATIENCE_S)
        tab.screenshot(path=tmp_path / "live.png")
        assert lab.poll() is None, "the report came only after the campaign"
        lab.send_signal(signal.SIGINT)
        expect(tab.locator("#line")).to_contain_text("The lab has ended", timeout=1000 * PATIENCE_S)
        assert errors == []
        said = lab.communicate()[1]
    assert lab.returncode == 130, said
