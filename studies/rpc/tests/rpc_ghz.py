"""A gRPC server under our client's calls and under those of ghz, a load generator of others: its CPU for each."""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rpc_conducting import RPC, library, start

GHZ = "github.com/bojand/ghz/cmd/ghz@v0.117.0"  # the last that Go 1.19, Debian 12's, can build
PROTO = RPC / "grpc/src/proto/procedures.proto"
METHODS = {"void": ("Nothing", {}), "string1024": ("Text", {"value": "x" * 1024})}
WARM_UP_ROUNDS = 2
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def build_ghz(folder: Path) -> Path:
    """Build ghz into a folder with Go; return its program."""
    subprocess.run(["go", "install", GHZ], env={**os.environ, "GOBIN": str(folder)}, check=True)
    return folder / "ghz"


def cpu_s(pid: int) -> float:
    """Return the CPU time that a process has used, its ended threads' included, in s; the kernel counts it in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that is warm, and both loads of one operation on it: `calls` calls, one after the other."""

    pid: int
    port: int
    folder: Path
    ghz: Path
    operation: str
    calls: int

    def us_of_ours(self) -> float:
        """Return the server's CPU for a call of our client, in µs."""
        return self._us(self._call)

    def us_of_theirs(self) -> float:
        """Return the server's CPU for a call of ghz, in µs."""
        return self._us(self._call_with_ghz)

    def _us(self, load: Callable[[], None]) -> float:
        before = cpu_s(self.pid)
        load()
        return (cpu_s(self.pid) - before) / self.calls * 1e6

    def _call(self) -> None:
        for name in ("client-0.records", "client-0.events.jsonl"):
            (self.folder / name).unlink(missing_ok=True)
        settings = {
            "CALLED": self.operation, "CALLS": str(self.calls), "WARMUP_CALLS": "0",
            "RECORDS_CAPACITY": str(4 * self.calls),
        }  # fmt: skip
        words = f"measure {time.monotonic_ns()}\nstop\n"
        with start(library("grpc"), "client", self.folder, self.port, **settings) as client:
            said, errors = client.communicate(words, timeout=600)
        assert said.endswith("done\n"), errors

    def _call_with_ghz(self) -> None:
        method, data = METHODS[self.operation]
        done = subprocess.run(
            [self.ghz, "--insecure", "--proto", PROTO, "--call", f"uploadlab.rpc.Remote.{method}",
             "-d", json.dumps(data), "-c", "1", "--connections", "1", "-n", str(self.calls), f"127.0.0.1:{self.port}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert re.search(rf"\[OK\]\s+{self.calls} responses", done.stdout), done.stdout


@contextmanager
def serving(folder: Path, port: int, *, ghz: Path, operation: str, calls: int) -> Iterator[Server]:
    """Run a gRPC server, warm."""
    with start(library("grpc"), "server", folder, port) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        server = Server(pid=process.pid, port=port, folder=folder, ghz=ghz, operation=operation, calls=calls)
        for _ in range(WARM_UP_ROUNDS):  # until the server's code is compiled
            server.us_of_ours()
            server.us_of_theirs()
        yield server
