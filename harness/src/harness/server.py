"""Start one server from its `sut.toml`, wait until it is ready, and stop it."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import msgspec

from harness.errors import LabError
from harness.processes import Processes, pinned
from harness.system import Sut

OPEN_FILES = 8048  # of the paper's server
PORTS = range(18080, 19080)  # below the kernel's ephemeral range: a health check there cannot meet itself


class Server(msgspec.Struct, kw_only=True):
    """A running server."""

    sut: Sut
    process: subprocess.Popen[bytes]
    host: str
    port: int
    log: Path
    start_ns: int
    ready_ns: int

    @property
    def url(self) -> str:
        """Base URL without a trailing slash."""
        return f"http://{self.host}:{self.port}"


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port nobody listens on."""
    for port in PORTS:
        if is_free(host, port):
            return port
    raise LabError(f"No free port between {PORTS.start} and {PORTS.stop - 1} on {host}.")


def is_free(host: str, port: int) -> bool:
    """True when a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def server_environment(
    sut: Sut, *, host: str, port: int, upload_dir: Path, run_dir: Path, limits: dict[str, int]
) -> dict[str, str]:
    """Return the whole environment of a server: this process's, the contract's variables, the settings."""
    contract = {"HOST": host, "PORT": str(port), "UPLOAD_DIR": str(upload_dir), "RUN_DIR": str(run_dir)}
    return {**os.environ, **{k: str(v) for k, v in limits.items()}, **sut.environment(), **contract}


def start_server(
    processes: Processes,
    sut: Sut,
    *,
    cores: list[int],
    upload_dir: Path,
    run_dir: Path,
    limits: dict[str, int],
    log: Path,
    group: Path | None = None,
    host: str = "127.0.0.1",
    runtime_metrics: bool = False,
) -> Server:
    """Start a server on a free port, pinned to `cores`, and wait until it answers; LabError when it does not.

    `group` is the file of a control group that limits its CPU, if any. With `runtime_metrics`, what its runtime writes
    about itself goes beside the log, where it can.
    """
    port = free_port(host)
    environment = server_environment(sut, host=host, port=port, upload_dir=upload_dir, run_dir=run_dir, limits=limits)
    metrics = sut.system.runtime_metrics
    if metrics and runtime_metrics:
        environment[metrics.env] = str(log.with_name(metrics.file))
    start_ns = time.time_ns()
    command = pinned(sut.stack.start.command, cores, OPEN_FILES, group)
    with log.open("ab") as output:
        process = processes.start(sut.key, command, env=environment, cwd=sut.folder, output=output)
    server = Server(sut=sut, process=process, host=host, port=port, log=log, start_ns=start_ns, ready_ns=0)
    _wait_until_ready(server)
    server.ready_ns = time.time_ns()
    return server


def _wait_until_ready(server: Server) -> None:
    health = server.sut.system.health
    deadline = time.monotonic() + health.timeout_s
    while time.monotonic() < deadline:
        code = server.process.poll()
        if code is not None:
            raise LabError(f"{server.sut.key} ended with code {code} before it was ready: {last_line(server.log)}")
        if _answers(server.url + health.path):
            return
        time.sleep(0.05)
    raise LabError(
        f"{server.sut.key} did not answer {health.path} within {health.timeout_s:g} s: {last_line(server.log)}"
    )


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def last_line(log: Path) -> str:
    """Return the last line a log has, or that it is empty."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "its log is empty"


def versions(sut: Sut) -> dict[str, Any]:
    """Ask the system's own command for the versions it runs on."""
    command = sut.stack.versions.command
    try:
        done = subprocess.run(command, cwd=sut.folder, capture_output=True, text=True, check=False, timeout=60)
        result = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        raise LabError(f"{sut.folder}: `{' '.join(command)}` did not print its versions as JSON: {error}.") from error
    if not isinstance(result, dict):
        raise LabError(f"{sut.folder}: `{' '.join(command)}` did not print one JSON object.")
    return result
