"""JMeter's GUI, opened by bin/gui on a screen that no one sees."""

import re
import shutil
import subprocess
import time

import pytest

from .conftest import JMETER, QUICK_START

GUI = JMETER / "bin" / "gui"


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
def test_the_window_opens_with_the_plan_and_the_log_has_no_error(home, payloads, tmp_path):
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is not installed (apt-get install xdotool)")
    with screen() as display:
        environment = {**QUICK_START, "DISPLAY": display}
        with subprocess.Popen(
            [GUI, f"-Jlab.payload_dir={payloads}", "-j", "jmeter.log"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as gui:
            try:
                title = wait_for_window(gui, "upload.jmx", environment)
                # Read while it runs: ended by a signal, JMeter opens its log afresh for its last words.
                lines = (tmp_path / "jmeter.log").read_text()
            finally:
                gui.terminate()
    assert title == f"upload.jmx ({JMETER / 'upload.jmx'}) - Apache JMeter (5.6.3)"
    assert f"Loading file: {JMETER / 'upload.jmx'}" in lines
    assert f"Setting JMeter property: lab.payload_dir={payloads}" in lines
    assert not re.findall(r"^.* (?:WARN|ERROR|FATAL) .*$", lines, re.MULTILINE)


def wait_for_window(gui, name, environment) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert gui.poll() is None, "JMeter ended"
        found = subprocess.run(
            ["xdotool", "search", "--name", name, "getwindowname"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if found.stdout:
            return found.stdout.strip()
        time.sleep(0.2)
    raise AssertionError(f"no window named {name}")
