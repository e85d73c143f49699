"""JMeter's GUI, opened by bin/gui on a screen that no one sees."""

import re
import shutil
import subprocess
import threading
from collections import Counter
from xml.etree import ElementTree

import pytest
from waiting import running, screen, wait_for

from .conftest import JMETER, QUICK_START
from .stub_server import Answer, StubServer

GUI = JMETER / "bin" / "gui"
OPENED = JMETER / "target" / "gui" / "upload.jmx"


def test_without_a_display_one_sentence_says_so():
    clean = {name: value for name, value in QUICK_START.items() if name != "DISPLAY"}
    said = subprocess.run([GUI], env=clean, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 2
    assert re.fullmatch(r"JMeter's GUI needs a display, and DISPLAY is not set: .*\n", said.stderr)


@pytest.mark.slow
def test_the_window_opens_with_the_plan_its_listeners_enabled_and_pressing_the_green_arrow_shows_results(
    home, payloads, tmp_path
):
    for program, package in (("xdotool", "xdotool"), ("import", "imagemagick")):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed (apt-get install {package})")
    (tmp_path / "sizes.csv").write_text("23000\n")
    settings = {"sizes_csv": tmp_path / "sizes.csv", "payload_dir": payloads, "threads": 1, "loops": 3}
    asked, may_answer = threading.Event(), threading.Event()

    def answer(_: int) -> Answer:
        asked.set()
        may_answer.wait(120)
        return Answer(page=b"")

    with screen() as display, StubServer(answer) as server:
        environment = {**QUICK_START, "DISPLAY": display}
        options = [f"-Jlab.{name}={value}" for name, value in (settings | {"port": server.port}).items()]
        command = [GUI, *options, "-j", "jmeter.log"]
        with running(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as gui:
            title = wait_for_window(gui, "upload.jmx", environment)
            # Read while it runs: ended by a signal, JMeter opens its log afresh for its last words.
            lines = (tmp_path / "jmeter.log").read_text()
            while not asked.wait(1):  # the title is there before the button works
                assert gui.poll() is None, "JMeter ended"
                press_the_green_arrow(environment)
            before = picture_of_table(environment)
            may_answer.set()
            wait_for(lambda: picture_of_table(environment) != before, pause_s=0.2)
    check_listeners_are_first_and_enabled()
    assert title == f"upload.jmx ({OPENED}) - Apache JMeter (5.6.3)"
    assert f"Loading file: {OPENED}" in lines
    assert f"Setting JMeter property: lab.payload_dir={payloads}" in lines
    assert not re.findall(r"^.* (?:WARN|ERROR|FATAL) .*$", lines, re.MULTILINE)


def check_listeners_are_first_and_enabled() -> None:
    original, copy = (ElementTree.parse(path).getroot() for path in (JMETER / "upload.jmx", OPENED))
    listeners = copy.findall("hashTree/hashTree/ResultCollector")
    assert copy.find("hashTree/hashTree")[0] is listeners[0]
    told = [(one.get("testname"), one.get("enabled")) for one in listeners]
    assert told == [("Summary", None), ("Failed requests", None)]
    assert {one.get("enabled") for one in original.iter("ResultCollector")} == {"false"}
    parts = [Counter((one.tag, one.get("testclass"), one.text) for one in plan.iter()) for plan in (original, copy)]
    assert parts[0] == parts[1]


def window_at(environment) -> tuple[int, int]:
    command = ["xdotool", "search", "--name", "upload.jmx", "getwindowgeometry", "--shell"]

    def place() -> tuple[int, int] | None:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        said = dict(line.split("=") for line in done.stdout.splitlines())
        return (int(said["X"]), int(said["Y"])) if done.returncode == 0 and {"X", "Y"} <= said.keys() else None

    return wait_for(place)  # a window that xdotool has found may be gone, or be named anew, when it asks where it is


def press_the_green_arrow(environment) -> None:
    x, y = window_at(environment)
    click = ["xdotool", "mousemove", str(x + 311), str(y + 37), "click", "1"]
    subprocess.run(click, env=environment, check=True)


def picture_of_table(environment) -> bytes:
    """Return the rows of the table that the window shows beside the tree, as pixels."""
    x, y = window_at(environment)
    region = f"700x60+{x + 330}+{y + 225}"
    command = ["import", "-window", "root", "-crop", region, "rgb:-"]
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


def wait_for_window(gui, name, environment) -> str:
    search = ["xdotool", "search", "--name", name, "getwindowname"]

    def named() -> str:
        return subprocess.run(search, env=environment, capture_output=True, text=True, check=False).stdout.strip()

    return wait_for(named, beside=gui, pause_s=0.2)
