"""Start one server from its `sut.toml`, wait until it is ready, and stop it."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts.host import Host
from uploadlab.hosts.processes import Process
from uploadlab.planning.system import Sut, filled_in

OPEN_FILES = 8048  # of the paper's server
POLL_S = 0.02


class Server(msgspec.Struct, kw_only=True):
    """A running server."""

    sut: Sut
    where: Host
    process: Process
    host: str
    port: int
    log: Path
    start_ns: int
    ready_ns: int

    @property
    def url(self) -> str:
        """Base URL without a trailing slash."""
        return f"http://{self.host}:{self.port}"

    @property
    def last_words(self) -> str:
        """The last line of its log."""
        return self.where.last_line(self.log)


def how_to_start(
    sut: Sut, *, host: str, port: int, upload_dir: Path, run_dir: Path, limits: dict[str, int]
) -> tuple[list[str], dict[str, str]]:
    """Return the command that becomes the server, and what is added to its environment: the contract, the settings."""
    contract = {"HOST": host, "PORT": str(port), "UPLOAD_DIR": str(upload_dir), "RUN_DIR": str(run_dir)}
    places = {"host": host, "port": str(port), "uploads": str(upload_dir)}
    command = [filled_in(word, places) for word in sut.stack.start.command]
    return command, {**{k: str(v) for k, v in limits.items()}, **contract, **sut.environment(places)}


def start_server(
    where: Host,
    sut: Sut,
    *,
    cores: list[int],
    upload_dir: Path,
    run_dir: Path,
    limits: dict[str, int],
    log: Path,
    group: Path | None = None,
    runtime_metrics: bool = False,
    started: Callable[[Server], None] = lambda _: None,
) -> Server:
    """Start a server on a port of a host, pinned to `cores`, and wait until it answers; LabError when it does not.

    `started` is told of it before it is ready.
    `group` is the file of a control group that limits its CPU, if any. With `runtime_metrics`, what its runtime writes
    about itself goes beside the log, where it can.
    """
    host, port = where.address, sut.stack.start.port or where.free_port()
    if where.listens(port):
        raise LabError(f"{sut.key} was not started: another program listens on its port {port}.")
    command, environment = how_to_start(
        sut, host=host, port=port, upload_dir=upload_dir, run_dir=run_dir, limits=limits
    )
    metrics = sut.system.runtime_metrics
    if metrics and runtime_metrics:
        environment[metrics.env] = str(log.with_name(metrics.file))
    start_ns = time.time_ns()
    process = where.start(
        sut.key,
        command,
        cwd=where.path(sut.folder),
        cores=cores,
        env=environment,
        log=log,
        open_files=OPEN_FILES,
        group=group,
    )
    server = Server(sut=sut, where=where, process=process, host=host, port=port, log=log, start_ns=start_ns, ready_ns=0)
    started(server)

    def is_ready(_: float) -> bool:
        return where.answers(server.url + health.path) if health.path else where.listens(port)

    health = sut.health
    missed = f"did not answer {health.path or f'on port {port}'}"
    wait_until_ready(where, sut.key, process, log, is_ready, health.timeout_s, missed)
    server.ready_ns = time.time_ns()
    return server


def wait_until_ready(
    host: Host,
    name: str,
    process: Process,
    log: Path,
    is_ready: Callable[[float], bool],
    timeout_s: float,
    missed: str,
) -> None:
    """Wait until a process is ready; LabError says that it ended, or what it has `missed` in time.

    `is_ready` is told how many seconds it may take to say so.
    """
    deadline = time.monotonic() + timeout_s
    while (left_s := deadline - time.monotonic()) > 0:
        code = process.poll()
        if code is not None:
            raise LabError(f"{name} ended with code {code} before it was ready: {host.last_line(log)}")
        if is_ready(max(POLL_S, left_s)):
            return
        time.sleep(POLL_S)
    raise LabError(f"{name} {missed} within {timeout_s:g} s: {host.last_line(log)}")


def trouble_at_the_end(server: Server, code: int) -> str:
    """Return what was wrong about how a server ended that was asked to; empty when nothing was.

    Ending by the very signal is being stopped: few programs catch it. Some runtimes say so by 128 and its number.
    """
    stop = server.sut.system.stop
    if code in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
        return ""
    if code == -signal.SIGKILL:
        return f"{server.sut.key} had to be killed {stop.timeout_s:g} s after SIGTERM: {server.last_words}"
    return f"{server.sut.key} ended with code {code} when it was stopped: {server.last_words}"
