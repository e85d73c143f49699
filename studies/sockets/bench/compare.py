"""The study's parts beside the libraries' own performance programs, on the same cores, in alternating pairs.

Round trips and throughput of one size: ours and theirs, theirs and ours, and so on; printed are medians and ratios.
Also what recording costs: the parts' throughput with every message recorded, and with none.
"""

import argparse
import csv
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness.hosts.ports import free_port
from study_kit.conducting import Outcome, memory_folder

SOCKETS = Path(__file__).parents[1]
sys.path.insert(0, str(SOCKETS / "tests"))
from conducting import conduct  # noqa: E402

PEERS = SOCKETS / "target/peers"
LIBRARIES = ("zeromq", "nanomsg", "nng")
SENT, RECEIVED, ANSWERED = 2, 4, 5
NOTHING_RECORDED = str(2**32 - 1)
WANTED_PCT = 10.0
RECORDING_WANTED_PCT = 3.0
LEAST_MESSAGES = 100


def main() -> int:
    """Print a table that marks each ratio farther from 1 than is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="pairs of each comparison (default: 10)")
    parser.add_argument("--bytes", type=int, default=10240, help="of a message (default: 10240)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of our part of a pair (default: 1)")
    parser.add_argument("--cores", default="0,1", help="of the responder and the requester (default: 0,1)")
    parser.add_argument("--csv", type=Path, help="write every single figure to a file")
    asked = parser.parse_args()
    responder, requester = (int(core) for core in asked.cores.split(","))
    bench = Bench((responder, requester), asked.bytes, asked.seconds)
    subprocess.run([Path(__file__).with_name("sources"), PEERS], check=True)
    subprocess.run(["make", "-s", "-C", SOCKETS, "berkeley", *LIBRARIES], check=True)
    rows = []
    print(f"{'':<24}{'ours':>12}{'theirs':>12}{'ratio':>8}  of medians, {asked.pairs} pairs, {asked.bytes} bytes")
    for name, unit, wanted_pct, ours, theirs in bench.comparisons():
        pairs = [_pair(ours, theirs, ours_first=number % 2 == 0) for number in range(asked.pairs)]
        rows += [(name, unit, number, *pair) for number, pair in enumerate(pairs, start=1)]
        print(_line(name, unit, wanted_pct, pairs), flush=True)
    if asked.csv:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("comparison", "unit", "pair", "ours", "theirs"), *rows])
    return 0


def _line(name: str, unit: str, wanted_pct: float, pairs: list[tuple[float, float]]) -> str:
    ours, theirs = (statistics.median(one) for one in zip(*pairs, strict=True))
    apart = "" if abs(ours / theirs - 1) * 100 <= wanted_pct else f"  more than {wanted_pct:.0f} % apart"
    return f"{name:<24}{ours:>12.1f}{theirs:>12.1f}{ours / theirs:>8.3f}  {unit}{apart}"


Figure = Callable[[], float]


def _pair(ours: Figure, theirs: Figure, *, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        return ours(), theirs()
    of_theirs = theirs()
    return ours(), of_theirs


class Bench:
    """What is compared, on these cores."""

    def __init__(self, cores: tuple[int, int], message_bytes: int, seconds: float) -> None:
        self.cores, self.bytes, self.seconds = cores, message_bytes, seconds

    def comparisons(self) -> list[tuple[str, str, float, Figure, Figure]]:
        """Return name, unit, how far apart they may be (%), ours and theirs of each."""
        found: list[tuple[str, str, float, Figure, Figure]] = [
            (
                "berkeley, round trip",
                "µs",
                WANTED_PCT,
                lambda: self._round_trip_us("berkeley"),
                self._sockperf_round_trip_us,
            ),
            (
                "berkeley, throughput",
                "messages/s",
                WANTED_PCT,
                lambda: self._throughput("berkeley"),
                self._sockperf_throughput,
            ),
        ]
        for library in LIBRARIES:
            found += [
                (
                    f"{library}, round trip",
                    "µs",
                    WANTED_PCT,
                    lambda name=library: self._round_trip_us(name),
                    lambda name=library: self._their_round_trip_us(name),
                ),
                (
                    f"{library}, throughput",
                    "messages/s",
                    WANTED_PCT,
                    lambda name=library: self._throughput(name),
                    lambda name=library: self._their_throughput(name),
                ),
            ]
        for system in ("berkeley", "zeromq"):
            found.append(
                (
                    f"{system}, recording on",
                    "messages/s, against off",
                    RECORDING_WANTED_PCT,
                    lambda name=system: self._sent_per_s(name, "1"),
                    lambda name=system: self._sent_per_s(name, NOTHING_RECORDED),
                )
            )
        return found

    def _ours(self, system: str, loop: str, **settings: str) -> Outcome:
        told = {"LOOP": loop, "MESSAGE_BYTES": str(self.bytes), "DURATION_S": str(self.seconds), "WARMUP_S": "0.1"}
        with memory_folder() as folder:
            return conduct(system, folder, free_port(), cores=self.cores, **(told | settings))

    def _round_trip_us(self, system: str) -> float:
        outcome = self._ours(system, "ping_pong")
        sent, answered = (
            outcome.of_kind("requester", SENT)["time_ns"],
            outcome.of_kind("requester", ANSWERED)["time_ns"],
        )
        return float(answered[-1] - sent[0]) / len(sent) / 1000

    def _throughput(self, system: str) -> float:
        received = self._ours(system, "saturate", RECORDS_CAPACITY="4000000").of_kind("responder", RECEIVED)["time_ns"]
        if len(received) < LEAST_MESSAGES:
            raise SystemExit(f"{system}: only {len(received)} messages in {self.seconds:g} s: other programs run here.")
        return (len(received) - 1) / float(received[-1] - received[0]) * 1e9

    def _sent_per_s(self, system: str, stamp_every: str) -> float:
        outcome = self._ours(system, "ping_pong", STAMP_EVERY=stamp_every)
        return outcome.counters("requester")["sent"] / self.seconds

    def _their_round_trip_us(self, library: str) -> float:
        said = self._both(library, "lat", count=10_000)
        # They print half a round trip.
        return 2 * _number(r"average latency: ([\d.]+) \[us\]", said)

    def _their_throughput(self, library: str) -> float:
        return _number(r"throughput: (\d+) \[msg/s\]", self._both(library, "thr", count=100_000))

    def _both(self, library: str, what: str, *, count: int) -> str:
        """Return what both programs of a library print: one binds or listens, the other connects."""
        port = free_port()
        command = [f"tcp://127.0.0.1:{port}", str(self.bytes), str(count)]
        local = self._start([PEERS / library / f"local_{what}", *command], self.cores[0])
        _wait_until_listens(port)
        remote = self._start([PEERS / library / f"remote_{what}", *command], self.cores[1])
        return _ended(remote, local)

    def _sockperf_round_trip_us(self) -> float:
        return 2 * _number(r"avg-latency=([\d.]+)", self._sockperf("ping-pong"))

    def _sockperf_throughput(self) -> float:
        return _number(r"Message Rate is (\d+)", self._sockperf("throughput"))

    def _sockperf(self, what: str) -> str:
        port = str(free_port())
        where = ["--tcp", "-i", "127.0.0.1", "-p", port]
        server = self._start(["sockperf", "server", *where], self.cores[0])
        try:
            _wait_until_listens(int(port))
            size = ["-m", str(self.bytes), "-t", str(max(1, round(self.seconds)))]
            client = self._start(["sockperf", what, *where, *size], self.cores[1])
            return _ended(client)
        finally:
            server.kill()
            server.communicate()

    def _start(self, command: list[str | Path], core: int) -> subprocess.Popen[str]:
        pinned = ["taskset", "--cpu-list", str(core), *map(str, command)]
        return subprocess.Popen(pinned, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _ended(*programs: subprocess.Popen[str]) -> str:
    try:
        return "".join(program.communicate(timeout=60)[0] for program in programs)
    finally:
        for program in programs:
            program.kill()
            program.wait()


def _number(pattern: str, said: str) -> float:
    found = re.search(pattern, said)
    if not found:
        raise SystemExit(f"A peer printed no figure: expected '{pattern}' in: {said[-300:]}")
    return float(found[1])


def _wait_until_listens(port: int) -> None:
    wanted = f":{port:04X} 00000000:0000 0A"
    for _ in range(200):
        if wanted in Path("/proc/net/tcp").read_text():
            return
        time.sleep(0.05)
    raise SystemExit(f"Nobody listens on port {port} within 10 s.")


if __name__ == "__main__":
    sys.exit(main())
