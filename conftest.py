"""Import the components before any test module is.

pytest derives a test module's name from its path (`harness.tests.test_plan`) and would take the folder `harness/` for
the package of that name if the package were not imported already.
"""

import importlib
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

for component in ("workload_gen", "monitoring", "upload_study", "harness", "analysis", "conformance", "server_bench"):
    importlib.import_module(component)

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_configure() -> None:
    """Hear Ctrl-C also where a shell has started pytest in the background: what tests start inherits it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare where `./lab test` has the tests listed that failed, which it then runs once more."""
    parser.addoption(
        "--list-failed", type=Path, metavar="FILE", help="write the names of the tests that failed, a line each"
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write that list, without the groups that xdist adds to the names."""
    listed = config.getoption("--list-failed")
    if listed is not None:
        reports = [report for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, [])]
        names = {re.sub(r"@[^\]]*$", "", report.nodeid) for report in reports}
        listed.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


LONGEST_FIRST = ("guests", "hosts", "studies", "smoke")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, or of files that would meet on this machine; the longest begin."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    group = item.get_closest_marker("xdist_group").args[0]
    return LONGEST_FIRST.index(group) if group in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright  # here: most test files need none

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "These tests need the Debian package chromium (or CHROMIUM=/path/to/it)."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()
