#!/usr/bin/env python3
"""CPU per upload of the server, beside two floors that do the least work for the same bytes.

All run on core 0, the generator (wrk) on core 1; they take turns, so that whatever else the machine does hits all of
them alike. Ratios are medians over rounds of ratios within a round. Needs wrk, taskset, a JDK and the built server.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMPONENT = Path(__file__).resolve().parent.parent
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
FLOOR = "parsing floor"
WARM_UP_S = 4


class Server:
    """One server on core 0 that stores in a folder of its own."""

    def __init__(self, command: list[str], folder: Path, settings: dict[str, str]) -> None:
        """Start it and wait until it is ready."""
        self._folder = folder
        self._process = subprocess.Popen(
            ["taskset", "-c", "0", *command],
            cwd=COMPONENT,
            env={**os.environ, "UPLOAD_DIR": str(folder), "HOST": "127.0.0.1", "PORT": "0", **settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        ready = self._process.stdout.readline() if self._process.stdout else ""
        if not ready.startswith("listening on "):
            self.stop()
            sys.exit(f"{command[0]} did not start.")
        self._url = ready.split()[-1] + "/getimages"

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def cpu_us_per_upload(self, size_bytes: int, seconds: int, connections: int) -> float:
        """Load it for so long; return its CPU time, user and system, per upload."""
        before = self._cpu_s()
        uploads = self._load(size_bytes, seconds, connections)
        used = self._cpu_s() - before
        self._empty()
        return 1e6 * used / uploads

    def _cpu_s(self) -> float:
        # Of the whole process, ended threads too. The fields are counted from the name's closing parenthesis.
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def _load(self, size_bytes: int, seconds: int, connections: int) -> int:
        script = str(COMPONENT / "bench/upload.lua")
        output = subprocess.run(
            [
                "taskset",
                "-c",
                "1",
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds}s",
                "--timeout",
                "30s",
                "-s",
                script,
                self._url,
            ],
            env={**os.environ, "SIZE_BYTES": str(size_bytes)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        counts = dict(line.split() for line in output.splitlines() if line.startswith(("uploads ", "errors ")))
        if int(counts["errors"]) or not int(counts["uploads"]):
            sys.exit(f"wrk counted {counts['errors']} errors in {counts['uploads']} uploads of {size_bytes} bytes.")
        return int(counts["uploads"])

    def _empty(self) -> None:
        # What was cut when the generator stopped is removed by the server itself, maybe first.
        for stored in self._folder.iterdir():
            stored.unlink(missing_ok=True)


@contextlib.contextmanager
def _servers(disk: Path, settings: dict[str, str], searches: list[str]) -> Iterator[dict[str, Server]]:
    subprocess.run(["javac", "-d", "target/bench", "bench/Floor.java"], cwd=COMPONENT, check=True)
    floor = ["java", "-Xmx256m", "-cp", "target/bench", "Floor"]
    commands: dict[str, tuple[list[str], dict[str, str]]] = {
        FLOOR: ([*floor, "parse"], {}),
        "raw floor": ([*floor, "raw"], {}),
    }
    for search in searches:
        commands[f"tomcat, {search}"] = (["bin/start"], {"DELIMITER_SEARCH": search, **settings})
    folder = Path(tempfile.mkdtemp(prefix="tomcat-server-bench-", dir=disk))
    servers: dict[str, Server] = {}
    try:
        for name, (command, environment) in commands.items():
            uploads = folder / name.replace(" ", "-")
            uploads.mkdir()
            servers[name] = Server(command, uploads, environment)
        yield servers
    finally:
        for server in servers.values():
            server.stop()
        shutil.rmtree(folder)


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="4096,23552,99328,419840", help="bytes of a file (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=2, help="of one measurement (default: %(default)s)")
    parser.add_argument("--connections", type=int, default=16, help="default: %(default)s")
    parser.add_argument("--disk", type=Path, default=Path("/dev/shm"), help="where to store (default: %(default)s)")
    parser.add_argument("--searches", default="horspool,commons", help="default: %(default)s")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of the server")
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    settings = dict(setting.split("=", 1) for setting in asked.set)
    with _servers(asked.disk, settings, asked.searches.split(",")) as servers:
        for server in servers.values():
            for size in [sizes[0], *sizes]:
                server.cpu_us_per_upload(size, WARM_UP_S, asked.connections)
        print(f"{'bytes':>8}  {'server':<18} {'us/upload':>10} {'of the parsing floor':>21}")
        for size in sizes:
            rounds = [
                {
                    name: server.cpu_us_per_upload(size, asked.seconds, asked.connections)
                    for name, server in servers.items()
                }
                for _ in range(asked.rounds)
            ]
            for name in servers:
                cpu_us = statistics.median(one[name] for one in rounds)
                ratio = statistics.median(one[name] / one[FLOOR] for one in rounds)
                print(f"{size:>8}  {name:<18} {cpu_us:>10.0f} {ratio:>21.2f}", flush=True)


if __name__ == "__main__":
    main()
