"""The live page: driven in a real browser while a real campaign runs."""

import json
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from harness.commands.live import LivePage
from harness.errors import LabError

TINY = Path(__file__).parent / "tiny_study"


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


def test_the_page_its_progress_and_the_report_are_served(page):
    page.show("run 1 of 2", 0.25)
    page.show_standings(["z1  3 blocks"])
    assert b"Upload Lab" in _get(page.url)
    expected = {"line": "run 1 of 2", "share": 0.25, "standings": ["z1  3 blocks"], "reports": 0}
    assert json.loads(_get(page.url + "progress.json")) == expected
    assert _get(page.url + "report/index.html?1") == b"the report"


@pytest.mark.parametrize("path", ["campaign.json", "report/../campaign.json", "report/%2e%2e/campaign.json", "runs/"])
def test_nothing_but_the_report_folder_is_served(page, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _get(page.url + path)


def test_a_report_that_cannot_be_made_yet_is_not_announced(page):
    page.refresh_report()
    assert json.loads(_get(page.url + "progress.json"))["reports"] == 0


def test_a_port_that_is_taken_is_one_sentence(page, tmp_path):
    port = int(page.url.rstrip("/").rpartition(":")[2])
    with pytest.raises(LabError, match=f"--live {port}: another program listens there"):
        LivePage(tmp_path, port)


@pytest.mark.slow
def test_in_a_browser_the_progress_moves_and_the_charts_appear_while_the_campaign_runs(browser, tmp_path):
    study = shutil.copytree(TINY, tmp_path / "tiny")
    command = [sys.executable, "-m", "harness", "--study", str(study), "run", "--sizes", "1", "--live", "0"]
    lab = subprocess.Popen([*command, "--out", str(tmp_path / "out")], stderr=subprocess.PIPE, text=True)
    try:
        url = next(line for line in lab.stderr if line.startswith("Live page: ")).split()[2]
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(url)
        expect(tab.locator("#line")).to_contain_text(re.compile(r"run 1 of 4"), timeout=60_000)
        report = tab.frame_locator("#report")
        expect(report.locator("h1").first).to_be_visible(timeout=90_000)
        expect(report.locator("svg").first).to_be_visible(timeout=30_000)
        expect(tab.locator("#line")).to_contain_text(re.compile(r"run 3 of 4"), timeout=120_000)
        tab.screenshot(path=tmp_path / "live.png")
        assert lab.poll() is None, "the report came only after the campaign"
        expect(tab.locator("#line")).to_contain_text("The lab has ended", timeout=240_000)
        assert errors == []
        assert lab.wait(60) == 0, lab.stderr.read()
    finally:
        lab.terminate()
        lab.communicate()
