"""Two hosts made of this one: network namespaces joined by a link of their own, an SSH server in each."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from waiting import PATIENCE_S, read_process, wait_for, wait_until_none

from uploadlab.paths import REPOSITORY

PORT = 2222
NETWORK = "10.213"
ROLES = ("server", "injector")
JAVA_IN_TESTS = "-XX:TieredStopAtLevel=1"  # short runs: code that is compiled soon rather than well
PRIVILEGE_SEPARATION = Path("/run/sshd")


def why_not() -> str | None:
    """Return what is missing for two hosts on this one, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [
        name for name in ("ip", "ssh", "sshd", "rsync") if not shutil.which(name, path="/usr/sbin:/usr/bin:/bin")
    ]
    return f"not installed: {', '.join(missing)}" if missing else None


NEEDED = [
    pytest.mark.slow,
    pytest.mark.xdist_group("hosts"),
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
]


@dataclass(frozen=True, kw_only=True)
class TwoHosts:
    """The namespaces of the roles, and what is needed to reach them."""

    folder: Path
    spaces: dict[str, str]

    def rig(self, *, emulated: bool = False) -> Path:
        """Write a rig file that names them, and return its path."""
        lines = []
        for number, role in enumerate(ROLES):
            lines += [f"[roles.{role}]", f'host = "{NETWORK}.0.{number + 1}"', f"cores = [{number}]"]
            lines += [ssh_line(self.folder, f'host = "{managed_at(number)}", '), f'folder = "{REPOSITORY}"']
        hdd = ["[disks.hdd]", 'label = "emulated HDD"', "emulated = true", f'folder = "{self.folder}/uploads"']
        return write_rig(self.folder, "two-hosts", emulated, lines, hdd)

    def set_link(self, role: str, state: str) -> None:
        """Take the link between this machine and a role's host `up` or `down`."""
        run_command("ip", "link", "set", f"ulm{ROLES.index(role)}", state)

    def processes(self, role: str) -> list[str]:
        """Return the command lines of what runs on a host, its SSH server aside."""
        return processes_in(self.spaces[role])

    def wait_until_idle(self, seconds: float = PATIENCE_S) -> None:
        """Wait until nothing runs on either host; AssertionError names what does."""
        wait_until_none(lambda: [line for role in ROLES for line in self.processes(role)], seconds)


def ssh_line(folder: Path, more: str = "") -> str:
    """Return how a role's host is reached, with the keys in a folder."""
    keys = f'identity = "{folder}/key", known_hosts = "{folder}/known_hosts"'
    return f'ssh = {{ {more}user = "root", port = {PORT}, {keys} }}'


def write_rig(folder: Path, name: str, emulated: bool, roles: list[str], disks: Iterable[str] = ()) -> Path:
    """Write a rig file whose first disk is in a folder that hosts share; return its path."""
    uploads = folder / "uploads"
    uploads.mkdir(exist_ok=True)
    head = [f'name = "{name}"', f"emulated = {str(emulated).lower()}"]
    ssd = ["[disks.ssd]", 'label = "SSD"', f'folder = "{uploads}"']
    (folder / "rig.toml").write_text("\n".join([*head, *roles, *ssd, *disks]) + "\n")
    return folder / "rig.toml"


def processes_in(space: str) -> list[str]:
    """Return the command lines of what runs in a namespace, its SSH server aside."""
    lines = [read_process(pid, "cmdline") for pid in run_command("ip", "netns", "pids", space).split()]
    return [line for line in lines if line and not line.startswith(("sshd", "/usr/sbin/sshd"))]


def managed_at(number: int) -> str:
    """Return the address at which this machine reaches a host."""
    return f"{NETWORK}.{number + 1}.2"


@contextmanager
def two_hosts(folder: Path) -> Iterator[TwoHosts]:
    """Make the two hosts, and leave nothing of them."""
    spaces = {role: f"ul-{role}" for role in ROLES}
    remove_left_over(spaces.values(), [])
    with ExitStack() as stack:
        make_keys(folder, [managed_at(number) for number in range(len(ROLES))], stack)
        for number, space in enumerate(spaces.values()):
            run_command("ip", "netns", "add", space)
            stack.callback(run_command, "ip", "netns", "delete", space)
            _join(number, space)
            stack.callback(run_command, "ip", "link", "delete", f"ulm{number}", check=False)
        run_command("ip", "link", "add", "uld0", "netns", spaces["server"], "type", "veth", "peer", "name", "uld1")
        run_command("ip", "link", "set", "uld1", "netns", spaces["injector"])
        for number, space in enumerate(spaces.values()):
            run_command("ip", "-n", space, "address", "add", f"{NETWORK}.0.{number + 1}/24", "dev", f"uld{number}")
            for device in ("lo", f"uld{number}"):
                run_command("ip", "-n", space, "link", "set", device, "up")
            stack.enter_context(ssh_server(folder, space))
        yield TwoHosts(folder=folder, spaces=spaces)


def _join(number: int, space: str) -> None:
    """Join a namespace with this machine by a link on which the lab manages it."""
    run_command("ip", "link", "add", f"ulm{number}", "type", "veth", "peer", "name", "manage", "netns", space)
    run_command("ip", "address", "add", f"{NETWORK}.{number + 1}.1/24", "dev", f"ulm{number}")
    run_command("ip", "link", "set", f"ulm{number}", "up")
    run_command("ip", "-n", space, "address", "add", f"{managed_at(number)}/24", "dev", "manage")
    run_command("ip", "-n", space, "link", "set", "manage", "up")


def make_keys(folder: Path, addresses: list[str], stack: ExitStack) -> None:
    """Make the keys and settings of SSH servers at some addresses, which know each other."""
    for name in ("key", "host_key"):
        run_command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
    host_key = (folder / "host_key.pub").read_text()
    known = "".join(f"[{address}]:{PORT} {host_key}" for address in addresses)
    (folder / "known_hosts").write_text(known)
    (folder / "sshd_config").write_text(
        f"Port {PORT}\nHostKey {folder}/host_key\nAuthorizedKeysFile {folder}/key.pub\nPidFile none\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 50\n"
        f"SetEnv JVM_ARGS={JAVA_IN_TESTS}\n"
    )
    if not PRIVILEGE_SEPARATION.exists():
        PRIVILEGE_SEPARATION.mkdir()
        stack.callback(PRIVILEGE_SEPARATION.rmdir)


@contextmanager
def ssh_server(folder: Path, space: str) -> Iterator[None]:
    """Run an SSH server in a namespace; everything there is killed at the end."""
    command = ["ip", "netns", "exec", space, "/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")]
    with (folder / f"{space}.log").open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log)
    try:
        wait_for(lambda: "Server listening on" in (folder / f"{space}.log").read_text(), beside=server)
        yield
    finally:
        for pid in run_command("ip", "netns", "pids", space).split():
            if int(pid) != server.pid:
                run_command("kill", "-9", pid, check=False)
        server.kill()
        server.wait()


def remove_left_over(spaces: Iterable[str], links: Iterable[str]) -> None:
    """Remove what tests that were killed left of the same names: processes, namespaces and links."""
    there = run_command("ip", "netns", "list").split()
    for space in spaces:
        if space in there:
            for pid in run_command("ip", "netns", "pids", space).split():
                run_command("kill", "-9", pid, check=False)
            run_command("ip", "netns", "delete", space)  # its end of a link takes the other with it
    for link in links:
        run_command("ip", "link", "delete", link, check=False)


def run_command(*command: str, check: bool = True) -> str:
    """Run a command to its end and return what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=check).stdout
