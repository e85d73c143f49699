"""The study's parts beside the libraries' own performance programs, on the same cores, in alternating pairs.

Round trips and throughput of one size: ours and theirs, theirs and ours, and so on; printed are medians and their ratio
with a 95 % interval. For throughput both sides are set alike: where a program has no option for what the parts set, the
parts are set as it is. Also what recording costs: the parts' throughput with every message recorded, and with none; and
whether `known` is measured as the times that it draws.
"""

import argparse
import csv
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from study_kit.conducting import Outcome, memory_folder
from uploadlab.hosts.ports import free_port

SOCKETS = Path(__file__).parents[1]
sys.path.insert(0, str(SOCKETS / "tests"))
from conducting import conduct  # noqa: E402 (the path above comes first)
from known_law import LAWS, drawn_us  # noqa: E402 (the path above comes first)

PEERS = SOCKETS / "target/peers"
LIBRARIES = ("zeromq", "nanomsg", "nng")
NOTHING_RECORDED = str(2**32 - 1)
WANTED_PCT = 10.0
RECORDING_WANTED_PCT = 3.0
KNOWN_WANTED_PCT = 2.0
KNOWN_MEAN_US = 100_000  # a sleeping core wakes 0.2 ms late on the mean and 1 ms at p99: small beside this
STAMP_EVERY = 20  # as the study's profiles record a saturating load
LEAST_RECORDS = 10
RESAMPLES = 2000

NO_DELAY = "--tcp-avoid-nodelay"
"""Of sockperf: the opposite of its default, which for throughput is Nagle's algorithm."""

# What the programs do for throughput and the parts do not.
SET_AS = {
    "berkeley": {"READ_AHEAD": "1"},  # sockperf reads up to 64 KiB at once, and finds its messages there
    "zeromq": {},
    "nanomsg": {"NODELAY": "0"},
    "nng": {"BUFFER_MESSAGES": "128"},
}


def main() -> int:
    """Print a table that marks each ratio farther from 1 than is wanted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="pairs of each comparison (default: 10)")
    parser.add_argument("--bytes", type=int, default=10240, help="of a message (default: 10240)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of our part of a pair (default: 1)")
    parser.add_argument("--cores", default="0,1", help="of the responder and the requester (default: 0,1)")
    parser.add_argument("--only", default="", help="only rows with this in their name: throughput, recording, nng, ...")
    parser.add_argument("--csv", type=Path, help="write every single figure to a file")
    asked = parser.parse_args()
    responder, requester = (int(core) for core in asked.cores.split(","))
    bench = Bench((responder, requester), asked.bytes, asked.seconds)
    subprocess.run([Path(__file__).with_name("sources"), PEERS], check=True)
    subprocess.run(["make", "-s", "-C", SOCKETS, "berkeley", "known", *LIBRARIES], check=True)
    rows = []
    print(f"{asked.pairs} pairs, {asked.bytes} bytes")
    print(f"{'':<28}{'ours':>12}{'theirs':>12}{'ratio':>8}  95 % interval")
    for one in bench.comparisons():
        if asked.only in one.name:
            pairs = [_pair(one, ours_first=number % 2 == 0) for number in range(asked.pairs)]
            rows += [(one.name, one.unit, number, *pair) for number, pair in enumerate(pairs, start=1)]
            print(_line(one, pairs), flush=True)
    for law in LAWS:
        if asked.only in (name := f"known, {law}"):
            for figure, measured, drawn in bench.known(law):
                one = Comparison(f"{name}, {figure}", "ms, against drawn", KNOWN_WANTED_PCT)
                rows.append((one.name, one.unit, 1, measured, drawn))
                print(_line(one, [(measured, drawn)]), flush=True)
    if asked.only in (name := "recording a million rows a second"):
        print(f"{name}: {bench.recording_core_pct():.1f} % of a core (at most 5)")
    if asked.csv:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("comparison", "unit", "pair", "ours", "theirs"), *rows])
    return 0


Figure = Callable[[], float]


@dataclass(frozen=True)
class Comparison:
    """A figure of ours and of theirs, and how far apart they may be."""

    name: str
    unit: str
    wanted_pct: float
    ours: Figure = lambda: 0.0
    theirs: Figure = lambda: 0.0


def _line(one: Comparison, pairs: list[tuple[float, float]]) -> str:
    figures = np.array(pairs)
    ours, theirs = np.median(figures, axis=0)
    drawn = np.random.default_rng(1).integers(len(pairs), size=(RESAMPLES, len(pairs)))
    medians = np.median(figures[drawn], axis=1)
    low, high = np.quantile(medians[:, 0] / medians[:, 1], [0.025, 0.975])
    interval = f"{low:.3f} to {high:.3f}" if len(pairs) > 1 else ""
    apart = "" if abs(ours / theirs - 1) * 100 <= one.wanted_pct else f", more than {one.wanted_pct:.0f} % apart"
    return f"{one.name:<28}{ours:>12.1f}{theirs:>12.1f}{ours / theirs:>8.3f}  {interval:<16}  {one.unit}{apart}"


def _pair(one: Comparison, *, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        return one.ours(), one.theirs()
    of_theirs = one.theirs()
    return one.ours(), of_theirs


class Bench:
    """What is compared, on these cores."""

    def __init__(self, cores: tuple[int, int], message_bytes: int, seconds: float) -> None:
        self.cores, self.bytes, self.seconds = cores, message_bytes, seconds

    def comparisons(self) -> Iterator[Comparison]:
        """Yield every comparison with a peer, and of recording with none."""
        trip, flow, on = "µs", "messages/s", "messages/s, against off"
        yield Comparison(
            "berkeley, round trip",
            trip,
            WANTED_PCT,
            lambda: self._round_trip_us("berkeley"),
            lambda: 2 * _number(r"avg-latency=([\d.]+)", self._sockperf("ping-pong")),
        )
        for name, settings in (("", SET_AS["berkeley"]), (", frame by frame", {})):
            yield Comparison(
                f"berkeley, throughput{name}",
                flow,
                WANTED_PCT,
                lambda settings=settings: self._throughput("berkeley", **settings),
                lambda: _number(r"Message Rate is (\d+)", self._sockperf("throughput", NO_DELAY)),
            )
        for name in LIBRARIES:
            yield Comparison(
                f"{name}, round trip",
                trip,
                WANTED_PCT,
                lambda name=name: self._round_trip_us(name),
                lambda name=name: self._their_round_trip_us(name),
            )
            yield Comparison(
                f"{name}, throughput",
                flow,
                WANTED_PCT,
                lambda name=name: self._throughput(name, **SET_AS[name]),
                lambda name=name: self._their_throughput(name),
            )
        for name in ("berkeley", "zeromq"):
            yield Comparison(
                f"{name}, recording on",
                on,
                RECORDING_WANTED_PCT,
                lambda name=name: self._sent_per_s(name, "1"),
                lambda name=name: self._sent_per_s(name, NOTHING_RECORDED),
            )

    def recording_core_pct(self) -> float:
        """Return what share of a core a million records a second take, by the CPU time of ten million."""
        with memory_folder() as folder:
            program, recorder = f"{folder}/cost", SOCKETS.parents[1] / "studies" / "kit" / "recorder"
            sources = [recorder / "bench/cost.c", recorder / "c/recorder.c"]
            subprocess.run(["cc", "-std=gnu17", "-O2", "-I", recorder / "c", "-o", program, *sources], check=True)
            command = [program, f"{folder}/records", "10000000"]
            return float(_ended(self._start(command, self.cores[1])).split()[0]) * 1e6 / 1e9 * 100

    def known(self, law: str) -> Iterator[tuple[str, float, float]]:
        """Yield mean, deviation and 99th percentile of one run of ``known``: as measured, and as it drew its delays.

        Of stalls the 98th: one answer in a hundred stalls, and the 99th percentile may fall between the two kinds.
        """
        settings = {"KNOWN_LAW": law, "KNOWN_MEAN_US": str(KNOWN_MEAN_US), "DURATION_S": "40", "WARMUP_S": "0"}
        outcome = self._ours("known", "ping_pong", DRAIN_S="10", **settings)
        sent, answered = outcome.times_ns("requester", "sent"), outcome.times_ns("requester", "answered")
        earlier = outcome.counters("responder", "verify")["received"]
        measured_ms = (answered - sent) / 1e6
        drawn_ms = drawn_us(law, KNOWN_MEAN_US, len(sent), earlier=earlier) / 1e3
        yield "mean", float(measured_ms.mean()), float(drawn_ms.mean())
        if law != "constant":
            yield "deviation", float(measured_ms.std()), float(drawn_ms.std())
        percent = 98 if law == "stalls" else 99
        yield f"p{percent}", *(float(np.percentile(times, percent)) for times in (measured_ms, drawn_ms))

    def _ours(self, system: str, loop: str, **settings: str) -> Outcome:
        told = {"LOOP": loop, "MESSAGE_BYTES": str(self.bytes), "DURATION_S": str(self.seconds), "WARMUP_S": "0.1"}
        with memory_folder() as folder:
            return conduct(system, folder, free_port(), cores=self.cores, **(told | settings))

    def _round_trip_us(self, system: str) -> float:
        outcome = self._ours(system, "ping_pong")
        sent, answered = outcome.times_ns("requester", "sent"), outcome.times_ns("requester", "answered")
        return float(answered[-1] - sent[0]) / len(sent) / 1000

    def _throughput(self, system: str, **settings: str) -> float:
        told = {"RECORDS_CAPACITY": "4000000", "STAMP_EVERY": str(STAMP_EVERY), **settings}
        received = self._ours(system, "saturate", **told).times_ns("responder", "received")
        if len(received) < LEAST_RECORDS:
            many = STAMP_EVERY * len(received)
            raise SystemExit(f"{system}: only {many} messages in {self.seconds:g} s: other programs run here.")
        return STAMP_EVERY * (len(received) - 1) / float(received[-1] - received[0]) * 1e9

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

    def _sockperf(self, what: str, *options: str) -> str:
        port = str(free_port())
        where = ["--tcp", "-i", "127.0.0.1", "-p", port]
        server = self._start(["sockperf", "server", *where], self.cores[0])
        try:
            _wait_until_listens(int(port))
            size = ["-m", str(self.bytes), "-t", str(max(1, round(self.seconds)))]
            client = self._start(["sockperf", what, *where, *size, *options], self.cores[1])
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
            program.communicate()


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
