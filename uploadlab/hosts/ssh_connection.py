"""The connection to an agent on another host: orders, what comes of them, and what is told meanwhile."""

import contextlib
import itertools
import json
import queue
import subprocess
import threading
import time
from typing import IO, Any

from uploadlab.errors import LabError
from uploadlab.hosts.agent import SILENCE_S
from uploadlab.last_line import last_line

HANG_UP_S = 5.0
BEAT_S = 2.0
assert BEAT_S * 3 < SILENCE_S


class SshProcess:
    """A process at the other end; what it writes and its end are told by the agent."""

    def __init__(self, connection: "Connection", pid: int) -> None:
        self.pid = pid
        self._connection = connection
        self.output: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        """What it wrote; nothing stands for its end."""
        self.code: int | None = None
        self.errors = ""

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs; LabError when the connection is lost."""
        if self.code is None:
            self._connection.check()
        return self.code

    def read(self, timeout_s: float) -> bytes | None:
        """Return what it wrote next; empty at its end, None when nothing came in time."""
        if self.code is None:
            self._connection.check()
        with contextlib.suppress(queue.Empty):
            return self.output.get(timeout=timeout_s)
        return None


class Connection:
    """The SSH process, the agent behind it, and the thread that reads what the agent says."""

    def __init__(self, host: str, ssh: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
        assert ssh.stdin is not None
        assert ssh.stdout is not None
        self._host, self.ssh, self._orders, self._answers, self._said = host, ssh, ssh.stdin, ssh.stdout, said
        self.hello: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._replies: dict[int, queue.SimpleQueue[tuple[int, dict[str, Any]]]] = {}
        self._told: dict[int, list[dict[str, Any]]] = {}
        self._processes: dict[int, SshProcess] = {}
        self._lost = threading.Event()
        self._writing, self._telling = threading.Lock(), threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        threading.Thread(target=self._beat, daemon=True).start()

    @property
    def lost(self) -> bool:
        """True when the other end has gone."""
        return self._lost.is_set()

    def check(self) -> None:
        """Raise LabError when the connection is lost."""
        if self.lost:
            raise LabError(f"The connection to {self._host} was lost: {self.reason()}")

    def reason(self) -> str:
        """Return what ssh, or the agent through it, said last."""
        self._said.seek(0)
        return last_line(self._said.read().decode(errors="replace"), "ssh gave no reason").rstrip(".") + "."

    def close(self) -> None:
        """Let go of what an ssh process that has ended said; nothing is asked of it any more."""
        self._listener.join(HANG_UP_S)
        self._said.close()

    def hang_up(self) -> None:
        """Tell the agent that it is done."""
        with self._writing, contextlib.suppress(BrokenPipeError):
            self._orders.close()

    def call(self, order: str, /, **arguments: object) -> Any:  # noqa: ANN401 - what JSON holds
        """Have something done and return its result; LabError when it failed or the connection is lost."""
        return self.timed(order, **arguments)[1]

    def timed(self, order: str, /, **arguments: object) -> tuple[int, Any, int]:
        """Return when an order was sent, its result, and when the answer came (this machine's clock, epoch ns)."""
        number = next(self._numbers)
        replies = self._replies[number] = queue.SimpleQueue()
        sent_ns = self._send({"id": number, "call": order, "arguments": arguments})
        try:
            while True:
                with contextlib.suppress(queue.Empty):
                    received_ns, reply = replies.get(timeout=0.2)
                    break
                self.check()
        finally:
            del self._replies[number]
        if "error" in reply:
            raise LabError(f"On {self._host}: {reply['error']}")
        return sent_ns, reply["result"], received_ns

    def follow(self, pid: int) -> SshProcess:
        """Return the process that was started, with whatever was told of it already."""
        process = SshProcess(self, pid)
        with self._telling:
            self._processes[pid] = process
            for message in self._told.pop(pid, []):
                self._tell(pid, message)
        return process

    def _send(self, message: dict[str, Any]) -> int:
        line = json.dumps(message, default=str).encode() + b"\n"
        with self._writing:
            try:
                sent_ns = time.time_ns()
                self._orders.write(line)
                self._orders.flush()
            except (BrokenPipeError, ValueError):
                self._lost.set()
        self.check()
        return sent_ns

    def _beat(self) -> None:
        while not self._lost.wait(BEAT_S):
            with contextlib.suppress(LabError):
                self._send({"call": "beat"})

    def _listen(self) -> None:
        try:
            for line in self._answers:
                received_ns = time.time_ns()
                with contextlib.suppress(json.JSONDecodeError):  # a message of the day
                    self._take(json.loads(line), received_ns)
        except (OSError, ValueError):
            pass
        finally:
            self._lost.set()

    def _take(self, message: object, received_ns: int) -> None:
        if not isinstance(message, dict):
            return
        if "hello" in message:
            self.hello.put(message["hello"])
        elif "id" in message:
            if replies := self._replies.get(message["id"]):
                replies.put((received_ns, message))
        else:
            pid = message.get("output") or message["ended"]
            with self._telling:
                if pid in self._processes:
                    self._tell(pid, message)
                else:  # it was quicker than the answer that names it
                    self._told.setdefault(pid, []).append(message)

    def _tell(self, pid: int, message: dict[str, Any]) -> None:
        process = self._processes[pid]
        if "output" in message:
            process.output.put(message["text"].encode(errors="surrogateescape"))
        else:
            del self._processes[pid]  # another process may get its number
            process.errors = message["errors"]
            process.code = message["code"]
            process.output.put(b"")
