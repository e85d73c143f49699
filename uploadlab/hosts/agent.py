"""The lab's hand on another host: `python -m uploadlab.hosts.agent`, started over SSH: a `LocalHost` that takes orders.

Orders are lines of JSON on standard input, `{"id", "call", "arguments"}`; each gets a line `{"id", "result"}` or
`{"id", "error"}`. What a piped process writes, and the end of each process, are told as they happen. Standard input is
the lifeline: when it ends, or nothing at all was heard for SILENCE_S, everything that was started is killed and every
temporary folder removed. Should the agent itself be killed, the kernel ends its processes with it.
"""

import inspect
import json
import os
import selectors
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, get_type_hints

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts.local_host import LocalHost, LocalProcess
from uploadlab.hosts.processes import Processes, clean_up_after_crash, end_process, start_ticks
from uploadlab.hosts.sources import sources
from uploadlab.paths import STATE

SILENCE_S = 12.0
STDIN, STDOUT = 0, 1


class Agent:
    """Carries out one order after the other, and tells what happens meanwhile."""

    def __init__(self, host: LocalHost) -> None:
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._selector.register(STDIN, selectors.EVENT_READ)
        self._running: dict[int, LocalProcess] = {}
        self._said: dict[int, IO[bytes]] = {}
        self._codes: dict[int, int] = {}
        self._pending = b""
        self._heard = time.monotonic()

    def serve(self) -> None:
        """Take orders until the lab has gone."""
        while True:
            ready = [key.fd for key, _ in self._selector.select(SILENCE_S)]
            if STDIN in ready:
                chunk = os.read(STDIN, 1 << 16)
                if not chunk:
                    return
                *lines, self._pending = (self._pending + chunk).split(b"\n")
                for line in lines:
                    self._carry_out(json.loads(line))
                self._heard = time.monotonic()
            elif time.monotonic() - self._heard > SILENCE_S:
                return
            for pid in list(self._running):
                self._tell_of(pid)

    def _carry_out(self, order: dict[str, Any]) -> None:
        call, arguments = order["call"], order.get("arguments", {})
        if call == "beat":
            return
        try:
            result = self._result(call, arguments)
        except LabError as error:
            _say({"id": order["id"], "error": str(error)})
        except Exception as error:
            _say({"id": order["id"], "error": f"{call}: {type(error).__name__}: {error}."})
        else:
            _say({"id": order["id"], "result": result})

    def _result(self, call: str, arguments: dict[str, Any]) -> object:
        if call == "time_ns":
            return time.time_ns()
        if call == "sources":
            return sources()
        if call == "start":
            return self._start(_typed(self._host.start, arguments))
        if call == "run":
            return self._run(**arguments)
        if call == "stop":
            return self._stop(**arguments)
        if call == "tell":
            if (pid := arguments["pid"]) in self._running:
                self._host.tell(self._running[pid], arguments["line"])
            return None
        if call == "stop_all":  # what is followed here, the last started first; the host ends the rest, and all pipes
            for pid in reversed(list(self._running)):
                self._end(pid)
        method = getattr(self._host, call)
        return msgspec.to_builtins(method(**_typed(method, arguments)), enc_hook=str)

    def _start(self, arguments: dict[str, Any]) -> int:
        process = self._host.start(**arguments)
        self._watch(process)
        return process.pid

    def _run(self, command: list[str], cwd: str, cores: list[int], env: dict[str, str]) -> int:
        """Start a command that is followed to its end; its errors are told with its exit code."""
        said = tempfile.NamedTemporaryFile()  # noqa: SIM115 - lives as long as the process
        cores = cores or self._host.cores()
        log = Path(said.name)
        process = self._host.start(command[0], command, cwd=Path(cwd), cores=cores, env=env, log=log, piped=True)
        self._said[process.pid] = said
        self._watch(process)
        return process.pid

    def _watch(self, process: LocalProcess) -> None:
        self._running[process.pid] = process
        if process.child.stdout is not None:
            os.set_blocking(process.child.stdout.fileno(), False)
            self._selector.register(process.child.stdout, selectors.EVENT_READ)
        self._selector.register(os.pidfd_open(process.pid), selectors.EVENT_READ, data=process.pid)

    def _stop(self, pid: int, signal_name: str, timeout_s: float) -> int:
        if pid in self._running:
            self._end(pid, signal_name, timeout_s)
        return self._codes[pid]

    def _tell_of(self, pid: int) -> None:
        """Pass on what a process wrote, and its end."""
        process = self._running[pid]
        ended = process.poll() is not None
        if process.child.stdout is not None:
            self._pass_on(process)
        if ended:
            self._end(pid)

    def _pass_on(self, process: LocalProcess) -> None:
        assert process.child.stdout is not None
        while True:
            try:
                text = os.read(process.child.stdout.fileno(), 1 << 16)
            except BlockingIOError:
                return
            if not text:  # closed, which may be before the end
                if process.child.stdout in self._selector.get_map():
                    self._selector.unregister(process.child.stdout)
                return
            _say({"output": process.pid, "text": text.decode(errors="surrogateescape")})

    def _end(self, pid: int, signal_name: str = "TERM", timeout_s: float = 10.0) -> None:
        process = self._running.pop(pid)
        for key in list(self._selector.get_map().values()):
            if key.data == pid:
                self._selector.unregister(key.fd)
                os.close(key.fd)
        pipe = process.child.stdout
        if pipe is not None and pipe in self._selector.get_map():
            self._selector.unregister(pipe)
        self._codes[pid] = self._host.stop(process, signal_name, timeout_s)
        errors = ""
        if said := self._said.pop(pid, None):
            errors = Path(said.name).read_text(errors="replace")
            said.close()
        _say({"ended": pid, "code": self._codes[pid], "errors": errors})


def _typed(method: Callable[..., object], arguments: dict[str, Any]) -> dict[str, Any]:
    """Turn JSON values into what the method's annotations ask for."""
    hints = get_type_hints(method)
    unknown = set(arguments) - set(inspect.signature(method).parameters)
    if unknown:
        raise LabError(f"{method.__name__} has no argument {', '.join(sorted(unknown))}.")
    return {name: msgspec.convert(value, hints[name], dec_hook=as_path) for name, value in arguments.items()}


def as_path(kind: type[Any], text: object) -> Path:
    """Return the path that an order or its answer has as text."""
    if kind is not Path:
        raise NotImplementedError(f"{kind} in an order")  # what msgspec expects of a hook that cannot convert
    return Path(str(text))


def _say(message: dict[str, Any]) -> None:
    line = json.dumps(message, default=str).encode() + b"\n"
    while line:
        line = line[os.write(STDOUT, line) :]


def main(arguments: list[str]) -> int:
    """Serve the lab that started this; return 0 when it has gone.

    The arguments are the address of this host for the other role and, where the lab was cut off from an agent of its
    own, that one's pid and start time: it is ended first, with all it started.
    """
    address, *before = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if before:
        end_process(int(before[0]), int(before[1]))
    cleaned = clean_up_after_crash(STATE)
    processes = Processes(STATE)
    host = LocalHost(processes, address)
    try:
        hello = {"pid": os.getpid(), "start_ticks": start_ticks(os.getpid()), "cleaned": cleaned}
        _say({"hello": hello | {"cores": host.cores(), "python": sys.version.split()[0]}})
        Agent(host).serve()
    except BrokenPipeError:
        pass
    finally:
        processes.close("KILL")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
