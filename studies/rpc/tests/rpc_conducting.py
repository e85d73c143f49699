"""The two parts of a run, started and conducted as tests need it."""

from collections.abc import Sequence
from pathlib import Path

from study_kit import conducting
from study_kit.conducting import Outcome, Part
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.system import choose

RPC = Path(__file__).parents[1]
ROLES = ("server", "client")
DEFAULTS = {
    "CALLS": "20", "WARMUP_CALLS": "2", "ORDER": "as_listed", "JVM": "warm", "FOO": "typical", "CLOCK": "ns",
    "SEED": "1", "DRAIN_S": "5", "HEAP_MB": "64", "LINK": "loopback", "RECORDS_CAPACITY": "20000",
}  # fmt: skip
OPERATIONS = ("void", "singlelong", "eightlongs", *(f"string{2**power}" for power in range(11)), "foo")
AHEAD_NS = 500_000_000  # a server that is told later than that says so


def start(command: list[str], role: str, folder: Path, port: int, **settings: str) -> Part:
    """Start a part; `command` is what a sut.toml would say, its folder among the systems first."""
    folder.mkdir(exist_ok=True)
    system, *words = command
    told = {**DEFAULTS, "PORT": str(port), "SERVER_ADDRESSES": f"127.0.0.1:{port}", **settings}
    return conducting.start(words, role, folder, told, cwd=RPC / system)


def conduct(command: list[str], folder: Path, port: int, *, roles: Sequence[str] = ROLES, **settings: str) -> Outcome:
    """Take both parts through all phases, or the client alone where it calls nobody."""
    starts = {role: lambda role=role: start(command, role, folder, port, **settings) for role in roles}
    return conducting.conduct(folder, starts, ahead_ns=AHEAD_NS)


def library(system: str, stack: str = "current") -> list[str]:
    """Return the command of a system that is a library, built: one of a stack, as its sut.toml has it."""
    set_up_systems([choose(RPC / system, stack, {})])
    own = [f"{stack}/target/classes", f"{stack}/target/lib/*"]
    return [system, "../bin/part", f"uploadlab.rpc.{system}.{system.title()}", *own]
