"""`./lab gui`: what JMeter's window is opened with, and the server that is there for as long as it is."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import wait_for

from upload_study import gui
from upload_study.spec import REPOSITORY
from uploadlab.hosts.ports import is_listened_on

# Stands for JMeter's window: says what it was opened with, whether a server answers, and is closed, or stays.
WINDOW = """#!{python}
import json, os, pathlib, sys, time, urllib.error, urllib.request
settings = dict(argument.removeprefix("-J").split("=", 1) for argument in sys.argv[1:] if argument.startswith("-J"))
if "-q" in sys.argv:
    settings["properties"] = pathlib.Path(sys.argv[sys.argv.index("-q") + 1]).read_text()
settings["plan"] = pathlib.Path(os.environ["LAB_PLAN"]).read_text()
path = "/health" if settings["lab.path"] == "/getimages" else "/"
try:
    health = urllib.request.urlopen(f"http://127.0.0.1:{{settings['lab.port']}}{{path}}").read().decode()
except urllib.error.HTTPError as error:  # an answer, too
    health = str(error)
pathlib.Path({seen!r}).write_text(json.dumps(settings | {{"health": health}}))
time.sleep({seconds})
"""


def make_window(folder: Path, seconds: int) -> tuple[Path, Path]:
    window, seen = folder / "window", folder / "seen.json"
    window.write_text(WINDOW.format(python=sys.executable, seen=str(seen), seconds=seconds))
    window.chmod(0o755)
    return window, seen


@pytest.fixture
def uploads():
    """Return the folders for uploads that are there now but were not at the start."""
    before = set(Path("/var/tmp").glob("upload-lab-gui-*"))
    return lambda: set(Path("/var/tmp").glob("upload-lab-gui-*")) - before


@pytest.mark.slow
def test_a_server_is_started_for_the_window_and_ended_with_it(tmp_path, monkeypatch, uploads):
    window, seen = make_window(tmp_path, 0)
    monkeypatch.setattr(gui, "GUI", window)
    assert gui.main(["--serve", "node", "--sample", "1", "--count", "5"]) == 0
    settings = json.loads(seen.read_text())
    assert json.loads(settings["health"]) == {"status": "ok"}
    assert Path(settings["lab.sizes_csv"]).is_file()
    assert not is_listened_on("127.0.0.1", int(settings["lab.port"]))
    assert uploads() == set()


@pytest.mark.slow
@pytest.mark.parametrize("number", [15, 9], ids=["SIGTERM", "SIGKILL"])
def test_the_server_ends_when_the_command_is_ended(tmp_path, number, uploads):
    window, seen = make_window(tmp_path, 300)
    program = f"from pathlib import Path; from upload_study import gui; gui.GUI = Path({str(window)!r})"
    arguments = ["--serve", "node", "--sample", "1", "--count", "5"]
    with subprocess.Popen([sys.executable, "-c", f"{program}; gui.main({arguments})"], cwd=REPOSITORY) as command:
        wait_for(seen.exists)
        wait_for(lambda: seen.read_text().endswith("}"))
        command.send_signal(number)
    port = int(json.loads(seen.read_text())["lab.port"])
    wait_for(lambda: not is_listened_on("127.0.0.1", port))
    if number == 15:
        assert uploads() == set()
    for folder in uploads():
        folder.rmdir()


def test_a_system_that_is_like_another_is_sent_what_that_one_wants(tmp_path):
    (tmp_path / "sut.toml").write_text(f'like = "{REPOSITORY / "node-server"}"\n[system]\nid = "mine"\nname = "Mine"\n')
    assert gui._target(str(tmp_path)) == gui._target("node")


@pytest.mark.slow
def test_the_plan_sends_the_form_fields_and_headers_that_a_server_wants(tmp_path, monkeypatch):
    app = Path(shutil.copytree(REPOSITORY / "docs" / "existing-server", tmp_path / "app"))
    sut = (app / "sut.toml").read_text()
    wanted = 'form = { album = "sea" }\nheaders = { X-Token = "key $OTHER_TOKEN" }\n'
    (app / "sut.toml").write_text(re.sub(r"(?m)^field = ", wanted + "field = ", sut))
    monkeypatch.setenv("OTHER_TOKEN", "s3cret")
    window, seen = make_window(tmp_path, 0)
    monkeypatch.setattr(gui, "GUI", window)
    assert gui.main(["--serve", str(app), "--sample", "1", "--count", "5"]) == 0
    settings = json.loads(seen.read_text())
    assert "lab.form_0_name" in settings["plan"]
    assert 'testname="Request headers: the lab fills them in" enabled="true"' in settings["plan"]
    assert "s3cret" not in settings["plan"]
    assert sorted(line.partition("=")[0] for line in settings["properties"].splitlines()) == [
        f"lab.{kind}_0_{what}" for kind in ("form", "header") for what in ("name", "value")
    ]
