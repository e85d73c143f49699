"""Starts the members of a group and conducts them by their words, as tests need it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from study_kit import conducting
from study_kit.conducting import PATIENCE_S, Outcome, Part
from uploadlab.hosts.link import Ethernet
from uploadlab.hosts.ports import free_port

GROUPS = Path(__file__).parents[1]
# JGroups learns of a last message that was lost by what members tell each other once a minute or so.
DEFAULTS = {
    "TRANSPORT": "tcp", "MESSAGE_BYTES": "100", "MESSAGES": "50", "ROUNDS": "2", "WARMUP_ROUNDS": "1", "DRAIN_S": "150",
    "JOIN_S": "20", "HEAP_MB": "64", "SEED": "1", "RECORDS_CAPACITY": "10000",
}  # fmt: skip
AS_ALWAYS: Mapping[str, Any] = {}


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
    command = [*(network.entering(index) if network else ()), str(GROUPS / "bin/member"), stack]
    told, log = {**DEFAULTS, **place, **settings}, folder / f"member-{index}.log"
    return conducting.start(command, "member", folder, told, index=index, cwd=GROUPS / system, log=log)


def conduct(
    system: str,
    stack: str,
    folder: Path,
    *,
    members: int = 2,
    present: int | None = None,
    network: Ethernet | None = None,
    how: Mapping[str, Any] = AS_ALWAYS,
    **settings: str,
) -> Outcome:
    """Take all members through all phases; `how` they are conducted is for the kit.

    `null` and `known` imagine the others: of these so many may be `present` as a test looks at.
    """
    ports = free_ports(members)
    starts = {
        f"member-{index}": lambda index=index: start(system, stack, folder, index, ports, network, **settings)
        for index in range(present or members)
    }
    return conducting.conduct(folder, starts, **how)


def refused(*which: Any, **settings: str) -> list[str]:
    """Start a member that cannot be; return the lines it said. AssertionError where it is not refused."""
    with start(*which, **settings) as part:
        assert part.wait(PATIENCE_S) == 2
    return part.complaint().splitlines()
