"""Hosts for a distributed load: namespaces of this machine on one bridge with it, an SSH server in each."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from two_hosts import (
    REPOSITORY,
    make_keys,
    processes_in,
    remove_left_over,
    run_command,
    ssh_line,
    ssh_server,
    write_rig,
)  # fmt: skip

NETWORK = "10.214.0"
SERVER = f"{NETWORK}.1"
BRIDGE = "ulb"


@dataclass(frozen=True, kw_only=True)
class EngineHosts:
    """The hosts of the load generator; the server's is this machine."""

    folder: Path
    spaces: dict[str, str]
    """The namespace behind each address."""

    @property
    def injectors(self) -> str:
        """What `--injectors` is given."""
        return ",".join(self.spaces)

    def rig(self, *, emulated: bool = False) -> Path:
        """Write a rig file for them, and return its path; its injector's own host is not used."""
        lines = ["[roles.server]", f'host = "{SERVER}"', "cores = [0]"]
        lines += ["[roles.injector]", f'host = "{next(iter(self.spaces))}"', ssh_line(self.folder), "cores = [1]"]
        lines += [f'folder = "{REPOSITORY}"', "heap_mib = 256"]
        return write_rig(self.folder, "engines", emulated, lines)

    def processes(self) -> list[str]:
        """Return the command lines of what runs on the hosts, their SSH servers aside."""
        return [line for space in self.spaces.values() for line in processes_in(space)]


@contextmanager
def engine_hosts(folder: Path) -> Iterator[EngineHosts]:
    """Make the hosts, and leave nothing of them."""
    spaces = {f"{NETWORK}.{number + 2}": f"ul-engine-{number + 1}" for number in range(2)}
    remove_left_over(spaces.values(), [BRIDGE])
    with ExitStack() as stack:
        make_keys(folder, list(spaces), stack)
        run_command("ip", "link", "add", BRIDGE, "type", "bridge")
        stack.callback(run_command, "ip", "link", "delete", BRIDGE)
        run_command("ip", "address", "add", f"{SERVER}/24", "dev", BRIDGE)
        run_command("ip", "link", "set", BRIDGE, "up")
        for number, (address, space) in enumerate(spaces.items()):
            _make_host(number, address, space, stack)
            stack.enter_context(ssh_server(folder, space))
        yield EngineHosts(folder=folder, spaces=spaces)


def _make_host(number: int, address: str, space: str, stack: ExitStack) -> None:
    run_command("ip", "netns", "add", space)
    stack.callback(run_command, "ip", "netns", "delete", space)
    port = f"ule{number}"
    run_command("ip", "link", "add", port, "type", "veth", "peer", "name", "load", "netns", space)
    stack.callback(run_command, "ip", "link", "delete", port, check=False)
    run_command("ip", "link", "set", port, "master", BRIDGE, "up")
    run_command("ip", "-n", space, "address", "add", f"{address}/24", "dev", "load")
    for device in ("lo", "load"):
        run_command("ip", "-n", space, "link", "set", device, "up")
