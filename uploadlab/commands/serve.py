"""`./lab serve SYSTEM`: one server in the foreground."""

import argparse
import os
import signal
import subprocess
import tempfile
import types
from pathlib import Path

from uploadlab.commands import Commands
from uploadlab.commands.choice import choose_systems, whole_number
from uploadlab.errors import LabError
from uploadlab.hosts.ports import is_free
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.study import Study
from uploadlab.runs.server import how_to_start

HOST = "127.0.0.1"


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("serve", help="run one server in the foreground; its limits come from the environment")
    parser.add_argument("system", metavar="SYSTEM", help="a system of the study, or the folder of one")
    parser.add_argument("--stack", default="current", help="pinned versions to run on (default: current)")
    parser.add_argument("--port", type=whole_number(0, 65535), default=8080, help="default 8080; 0: any free one")
    parser.add_argument(
        "--upload-dir", type=Path, default=Path("uploads"), help="where files are stored (default: ./uploads)"
    )
    parser.add_argument(
        "--set", dest="settings", action="append", metavar="SYSTEM.SETTING=VALUE", help="a server's named setting"
    )
    parser.set_defaults(action=serve)


def serve(study: Study, asked: argparse.Namespace) -> int:
    """Run a server until it is told to end; return its exit code."""
    sut, *others = choose_systems(study, [asked.system], [asked.stack], asked.settings or [])
    if others:
        raise LabError("--set: one server has one value for a setting; several make variants in ./lab run only.")
    parts = sorted(sut.stack.parts)
    if parts != ["server"]:
        raise LabError(
            f"./lab serve {asked.system}: it is not one server but {' and '.join(parts)}; ./lab run starts it."
        )
    port = sut.stack.start.port or asked.port
    if port and not is_free(HOST, port):
        raise LabError(f"--port {port}: another program listens there, or only root may; choose another port.")
    limits = {name: _limit(name, value) for name, value in study.file.limits.items()}
    set_up_systems([sut])
    try:
        asked.upload_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"--upload-dir {asked.upload_dir}: {error.strerror}.") from error
    with tempfile.TemporaryDirectory(prefix="upload-lab-") as run_dir:
        own, added = how_to_start(
            sut, host=HOST, port=port, upload_dir=asked.upload_dir.resolve(), run_dir=Path(run_dir), limits=limits
        )
        command, environment = ["setpriv", "--pdeathsig", "TERM", *own], {**os.environ, **added}
        process = subprocess.Popen(
            command, cwd=sut.folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        return _wait_passing_on_signals(process)


def _limit(name: str, default: int) -> int:
    """Return a limit as the environment has it, else the study's."""
    text = os.environ.get(name, str(default))
    if not text.isdecimal():
        raise LabError(f"{name}={text}: expected a whole number in this variable of the environment, like {default}.")
    return int(text)


def _wait_passing_on_signals(process: "subprocess.Popen[bytes]") -> int:
    def end(number: int, _: types.FrameType | None) -> None:
        process.send_signal(signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    return process.wait()
