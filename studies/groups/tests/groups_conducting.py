"""Starts the members of a group and conducts them by their words, as tests need it."""

import json
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from study_kit import conducting
from study_kit.conducting import Part, PartFailed
from uploadlab.hosts.link import Ethernet
from uploadlab.hosts.ports import free_port

GROUPS = Path(__file__).parents[1]
# JGroups learns of a last message that was lost by what members tell each other once a minute or so.
DEFAULTS = {
    "TRANSPORT": "tcp", "MESSAGE_BYTES": "100", "MESSAGES": "50", "ROUNDS": "2", "WARMUP_ROUNDS": "1", "DRAIN_S": "150",
    "JOIN_S": "20", "HEAP_MB": "64", "SEED": "1", "RECORDS_CAPACITY": "10000",
}  # fmt: skip
SENT, RECEIVED = 2, 4
PATIENCE_S = 300


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the members of a run left, in order of their index."""

    records: list[np.ndarray]
    events: list[list[dict]]

    def event(self, member: int, name: str, **which: str) -> dict:
        return next(one for one in self.events[member] if one["event"] == name and which.items() <= one.items())

    def faults(self, member: int) -> dict[str, int]:
        """Return what a member counted that should not be, where it is not 0."""
        counters = self.event(member, "counters", phase="measure")
        names = ("lost", "duplicated", "out_of_order", "wrong")
        return {name: counters[name] for name in names if counters[name]}


def free_ports(count: int) -> list[int]:
    return [free_port() for _ in range(count)]


def start(
    system: str,
    stack: str,
    folder: Path,
    index: int,
    ports: list[int],
    network: Ethernet | None = None,
    **settings: str,
) -> Part:
    folder.mkdir(exist_ok=True)
    hosts = network.addresses if network else ["127.0.0.1"] * len(ports)
    addresses = ",".join(f"{host}:{port}" for host, port in zip(hosts, ports, strict=True))
    place = {"COUNT": str(len(ports)), "HOST": hosts[index], "PORT": str(ports[index]), "MEMBER_ADDRESSES": addresses}
    with (folder / f"member-{index}.log").open("w") as log:
        command = [*(network.entering(index) if network else ()), str(GROUPS / "bin/member"), system, stack]
        return conducting.start(command, "member", folder, {**DEFAULTS, **place, **settings}, index=index, log=log)


def conduct(
    system: str,
    stack: str,
    folder: Path,
    *,
    members: int = 2,
    present: int | None = None,
    kill: int | None = None,
    network: Ethernet | None = None,
    **settings: str,
) -> Outcome:
    """Take all members through all phases, ending one by force in the window where `kill` says which.

    `null` and `known` imagine the others: of these so many may be `present` as a test looks at.
    """
    ports = free_ports(members)
    members = present or members
    parts: list[Part] = []
    with ExitStack() as begun:
        for index in range(members):
            parts.append(begun.enter_context(start(system, stack, folder, index, ports, network, **settings)))
            _await(parts, index, "ready", folder)
        measure = f"measure {time.monotonic_ns() + 20_000_000}"
        last = () if kill is not None else (("verify", "verified"),)
        for word, answer in (("verify", "verified"), ("warm_up", "warmed_up"), (measure, "done"), *last):
            for part in parts:
                part.stdin.write(f"{word}\n")
            if word == measure and kill is not None:
                _await_records(folder / f"member-{kill}.records")
                parts[kill].send_signal(signal.SIGKILL)
            for index in range(members):
                if not (word == measure and kill == index):
                    _await(parts, index, answer, folder)
        for index, part in enumerate(parts):
            if index != kill:
                part.stdin.write("stop\n")
        codes = [part.wait(PATIENCE_S) for index, part in enumerate(parts) if index != kill]
        assert codes == [0] * len(codes), [(folder / f"member-{index}.log").read_text() for index in range(members)]
    return Outcome(
        records=[np.load(folder / f"member-{index}.records") for index in range(members)],
        events=[_events(folder / f"member-{index}.events.jsonl") for index in range(members)],
    )


def refused(
    system: str,
    stack: str,
    folder: Path,
    index: int,
    ports: list[int],
    network: Ethernet | None = None,
    **settings: str,
) -> list[str]:
    """Start a member that cannot be; return the lines it said. AssertionError where it is not refused."""
    with start(system, stack, folder, index, ports, network, **settings) as part:
        assert part.wait(PATIENCE_S) == 2
    return (folder / f"member-{index}.log").read_text().splitlines()


def _await(parts: list[Part], index: int, answer: str, folder: Path) -> None:
    try:
        conducting.await_answer(parts[index], answer, [], PATIENCE_S)
    except PartFailed:
        raise PartFailed((folder / f"member-{index}.log").read_text()) from None


def _await_records(path: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if np.count_nonzero(np.load(path, mmap_mode="r")["kind"] == RECEIVED) > 100:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} has no 100 deliveries.")


def _events(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
