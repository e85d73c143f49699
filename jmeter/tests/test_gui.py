"""JMeter's GUI, opened by bin/gui on a screen that no one sees."""

import http.server
import os
import re
import shutil
import subprocess
import threading
from collections import Counter
from xml.etree import ElementTree

import pytest
from waiting import wait_for

from .conftest import JMETER, QUICK_START

GUI = JMETER / "bin" / "gui"
OPENED = JMETER / "target" / "gui" / "upload.jmx"


def refused(**environment):
    clean = {name: value for name, value in QUICK_START.items() if name != "DISPLAY"}
    said = subprocess.run([GUI], env={**clean, **environment}, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 2
    return said.stderr


def test_without_a_display_one_sentence_says_so():
    assert re.fullmatch(r"JMeter's GUI needs a display, and DISPLAY is not set: .*\n", refused())


@pytest.mark.parametrize("display", [":4711", "localhost:4711.0"])
def test_a_display_that_does_not_answer_is_named(display):
    assert refused(DISPLAY=display) == f"JMeter's GUI needs a display, and there is none at DISPLAY={display}\n"


def test_a_java_without_windows_is_told_apart(tmp_path):
    for part in ("bin", "lib"):
        (tmp_path / part).mkdir()
    (tmp_path / "bin" / "java").touch(mode=0o755)
    with screen() as display:
        assert refused(DISPLAY=display, JAVA_HOME=str(tmp_path)).startswith("This Java has no windows")


class screen:
    """A virtual screen; `with` gives its DISPLAY."""

    def __enter__(self):
        if not shutil.which("Xvfb"):
            pytest.skip("Xvfb is not installed (apt-get install xvfb)")
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return f":{self.server.stdout.readline().strip()}"

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait(timeout=20)
        self.server.stdout.close()


@pytest.mark.slow
def test_the_window_opens_with_the_plan_and_pressing_the_green_arrow_shows_results(home, payloads, tmp_path):
    for program, package in (("xdotool", "xdotool"), ("import", "imagemagick")):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed (apt-get install {package})")
    (tmp_path / "sizes.csv").write_text("23000\n")
    settings = {"sizes_csv": tmp_path / "sizes.csv", "payload_dir": payloads, "threads": 1, "loops": 3}
    with screen() as display, Answers() as server:
        environment = {**QUICK_START, "DISPLAY": display}
        options = [f"-Jlab.{name}={value}" for name, value in (settings | {"port": server.server_port}).items()]
        with subprocess.Popen(
            [GUI, *options, "-j", "jmeter.log"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as gui:
            try:
                title = wait_for_window(gui, "upload.jmx", environment)
                # Read while it runs: ended by a signal, JMeter opens its log afresh for its last words.
                lines = (tmp_path / "jmeter.log").read_text()
                while not server.asked.wait(1):  # the title is there before the button works
                    assert gui.poll() is None, "JMeter ended"
                    press_the_green_arrow(environment)
                before = picture_of_table(environment)
                server.may_answer.set()
                wait_for(lambda: picture_of_table(environment) != before, pause_s=0.2)
            finally:
                gui.terminate()
    assert title == f"upload.jmx ({OPENED}) - Apache JMeter (5.6.3)"
    assert f"Loading file: {OPENED}" in lines
    assert f"Setting JMeter property: lab.payload_dir={payloads}" in lines
    assert not re.findall(r"^.* (?:WARN|ERROR|FATAL) .*$", lines, re.MULTILINE)


def test_the_opened_plan_is_the_plan_with_its_listeners_first_and_enabled(opened):
    original, copy = (ElementTree.parse(path).getroot() for path in (JMETER / "upload.jmx", opened))
    listeners = copy.findall("hashTree/hashTree/ResultCollector")
    assert copy.find("hashTree/hashTree")[0] is listeners[0]
    assert [(one.get("testname"), one.get("enabled")) for one in listeners] == [
        ("Summary", None),
        ("Failed requests", None),
    ]
    assert {one.get("enabled") for one in original.iter("ResultCollector")} == {"false"}
    parts = [Counter((one.tag, one.get("testclass"), one.text) for one in plan.iter()) for plan in (original, copy)]
    assert parts[0] == parts[1]


def test_a_plan_that_was_saved_in_the_window_is_kept(opened, open_window):
    opened.write_text("changed")
    open_window()
    assert opened.read_text().startswith("<?xml")
    assert [path.read_text() for path in opened.parent.glob("upload.jmx.~*~")] == ["changed"]


@pytest.fixture
def open_window(tmp_path):
    """Open the window of a copy of the folder, in which another program stands for JMeter."""
    for path in ("bin/gui", "upload.jmx"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(JMETER / path, tmp_path / path)
    (tmp_path / "bin" / "lab-jmeter").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "lab-jmeter").chmod(0o755)
    (tmp_path / "java" / "lib").mkdir(parents=True)
    (tmp_path / "java" / "bin").mkdir()
    (tmp_path / "java" / "bin" / "java").touch(mode=0o755)
    (tmp_path / "java" / "lib" / "libawt_xawt.so").touch()
    with screen() as display:
        environment = os.environ | {"DISPLAY": display, "JAVA_HOME": str(tmp_path / "java")}
        yield lambda: subprocess.run([tmp_path / "bin" / "gui"], env=environment, check=True)


@pytest.fixture
def opened(tmp_path, open_window):
    open_window()
    return tmp_path / "target" / "gui" / "upload.jmx"


class Answers(http.server.ThreadingHTTPServer):
    """A server that answers every upload, once it may."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.may_answer.set()
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.set()
        self.server.may_answer.wait(120)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


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
