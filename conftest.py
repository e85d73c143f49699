"""Import the components before any test module is.

pytest derives a test module's name from its path (`monitoring.tests.test_clocks`) and would take `monitoring/` for
the package of that name if the package were not imported already.
"""

import importlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from uploadlab.hosts.local_host import LocalHost
    from uploadlab.hosts.processes import Processes

for component in ("workload_gen", "monitoring", "upload_study", "uploadlab"):
    importlib.import_module(component)

# As where .venv is active: `python3` is its interpreter, and not a version manager's script that starts many programs.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

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


LONGEST_FIRST = (
    *("guests", "hosts", "studies", "rabbitmq", "turns", "smoke"),
    *("test_campaign.py", "test_planted.py", "test_faults.py", "faults 0", "faults 1", "test_live.py"),
    "test_servers.py",
)
"""Groups, and files that are one each."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, or of files that would meet on this machine; the longest begin."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    group = Path(item.get_closest_marker("xdist_group").args[0]).name
    return LONGEST_FIRST.index(group) if group in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.fixture
def processes(tmp_path: Path) -> "Iterator[Processes]":
    """What a test starts, and the folders and groups it makes so; they end with it."""
    from uploadlab.hosts import processes

    registry = processes.Processes(tmp_path / "state")
    yield registry
    registry.close("KILL")


@pytest.fixture
def host(processes: "Processes") -> "LocalHost":
    """This machine as the lab sees it; what a test starts there ends with it."""
    from uploadlab.hosts import local_host

    return local_host.LocalHost(processes)


@pytest.fixture(scope="session")
def able_to_link(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where this machine, or its kernel, can make no network of 100 Mb/s."""
    from uploadlab.errors import LabError
    from uploadlab.hosts import link, local_host, processes

    if obstacle := link.why_not():
        pytest.skip(obstacle)
    registry = processes.Processes(tmp_path_factory.mktemp("state"))
    try:
        link.try_out(local_host.LocalHost(registry), tmp_path_factory.mktemp("log") / "log")
    except LabError as error:
        pytest.skip(str(error))
    finally:
        registry.close("KILL")


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


@pytest.fixture
def drawn_page(browser: "Browser") -> "Iterator[Callable[..., Page]]":
    """Open a page that the lab wrote, offline and unfolded if not told otherwise; complaints fail the test."""
    complaints: list[str] = []
    contexts = []

    def opened(path: Path, width: int = 1280, scheme: str = "light", *, unfolded: bool = True) -> "Page":
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on(
            "request",
            lambda asked: complaints.append(asked.url) if not asked.url.startswith(("file:", "blob:")) else None,
        )
        page.goto(path.as_uri())
        page.evaluate("window.lab.ready")
        if unfolded:
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
            page.wait_for_function("[...document.querySelectorAll('.drawing')].every((one) => one.dataset.drawn)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
