"""JMeter's GUI with the plan loaded and one sample's list and payloads set, or with engines that have theirs."""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from upload_study.engines import addresses, rmi_arguments
from upload_study.plans import request_properties, with_request
from upload_study.spec import REPOSITORY, DriverError, RunSpec, UploadTarget, read_spec
from workload_gen import WorkloadError, ensure_list, sample_source

LAB = REPOSITORY / "lab"
GUI = REPOSITORY / "jmeter" / "bin" / "gui"
PLAN = REPOSITORY / "jmeter" / "upload.jmx"
ROWS = 2000
HOST = "127.0.0.1"
POLL_S = 0.1
STOP_S = 30.0


def main(arguments: Sequence[str]) -> int:
    """Make the sample's files and open JMeter's GUI; return 2 with one sentence when that cannot be done."""
    parser = argparse.ArgumentParser(prog="./lab gui", description=__doc__)
    parser.add_argument("--sample", type=int, default=5, help="sample of Table 1, 1 to 10 (default 5)")
    parser.add_argument("--count", type=int, default=ROWS, help=f"sizes in its list (default {ROWS})")
    parser.add_argument("--seed", type=int, default=1, help="of the list (default 1)")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--port", type=int, default=8080, help="of the server to upload to (default 8080)")
    target.add_argument(
        "--serve", metavar="SYSTEM", help="start this server to upload to, and end it when the window is closed"
    )
    target.add_argument(
        "--engines", type=Path, metavar="SPEC", help="engines to start the plan on: the file that ./lab engines names"
    )
    asked = parser.parse_args(arguments)
    try:
        if asked.engines:
            os.execv(GUI, [str(GUI), *_engine_arguments(asked.engines)])
        files = ensure_list(sample_source(asked.sample, count=asked.count, seed=asked.seed))
        sample = {"lab.sizes_csv": files.sizes_csv, "lab.payload_dir": files.payload_dir}
        if asked.serve:
            with _ends_when_told(), _served(asked.serve) as port:
                return _window(_target(asked.serve), sample | {"lab.port": port})
    except (WorkloadError, DriverError) as error:
        print(error, file=sys.stderr)
        return 2
    os.execv(GUI, _command(sample | {"lab.port": asked.port}))


def _window(target: UploadTarget, settings: dict[str, object]) -> int:
    """Open the window on a plan that sends what a server wants besides its file, until it is closed."""
    settings |= {"lab.path": target.path, "lab.field": target.field}
    with request_properties(target) as properties, tempfile.NamedTemporaryFile("w", suffix=".jmx") as plan:
        plan.write(with_request(PLAN.read_text(encoding="utf-8"), target))
        plan.flush()
        command = [*_command(settings), *properties]
        return subprocess.run(command, check=False, env=os.environ | {"LAB_PLAN": plan.name}).returncode


def _command(settings: dict[str, object]) -> list[str]:
    return [str(GUI), *[f"-J{name}={value}" for name, value in settings.items()]]


@contextlib.contextmanager
def _ends_when_told() -> Iterator[None]:
    """Make the signals that end a program end this one by way of its clearing up."""

    def end(number: int, _: types.FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    yield


@contextlib.contextmanager
def _served(system: str) -> Iterator[int]:
    """Run a server until the end of the block, its uploads in a folder that goes with it; gives its port.

    Raises DriverError when it ends before it is ready.
    """
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="upload-lab-gui-", dir="/var/tmp") as uploads:
        command = [str(LAB), "serve", system, "--port", str(port), "--upload-dir", uploads]
        # It ends with this program, whatever ends that.
        server = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], stdout=sys.stderr)
        try:
            while not _answers(port):
                if server.poll() is not None:
                    raise DriverError(f"./lab serve {system} ended before it was ready (see above).")
                time.sleep(POLL_S)
            print(f"{system} listens at http://{HOST}:{port} until JMeter's window is closed", file=sys.stderr)
            yield port
        finally:
            server.terminate()
            try:
                server.wait(STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _target(system: str) -> UploadTarget:
    """Return where a system, named by its id or its folder, takes uploads, and what goes with them."""
    for file in [Path(system) / "sut.toml", *REPOSITORY.glob("*/sut.toml"), *REPOSITORY.glob("servers/*/sut.toml")]:
        told = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        if told and (file.parent == Path(system) or told["system"]["id"] == system):
            declares = file.parent / told.get("like", "") / file.name  # all but its names, where it is like another
            return msgspec.convert(tomllib.loads(declares.read_text(encoding="utf-8"))["upload"], UploadTarget)
    raise DriverError(f"There is no system '{system}'.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def _engine_arguments(path: Path) -> list[str]:
    spec = read_spec(path, RunSpec)
    if not spec.engines:
        raise DriverError(f"{path}: expected the spec of a load on engines, as ./lab engines names it.")
    if spec.load.arrivals == "open":
        raise DriverError(f"{path}: the engines are set up for open arrivals; the GUI opens the plan of closed loops.")
    return [*rmi_arguments(spec, spec.controller), f"-Jremote_hosts={addresses(spec)}"]
