"""A real pair of guests, from nothing to nothing: emulated, so that any machine can run them. The tests build on each
other in this order: they share one pair of guests, which takes minutes to make."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("host"),
    pytest.mark.skipif(os.geteuid() != 0, reason="libvirt's system guests need root"),
]

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path("/var/lib/upload-lab/test")
SERVER_MIB, CLIENT_MIB = 1843, 2560
SETTINGS = f"""
name = labtest
network = 10.83.18.0/24
folder = {FOLDER}
server_memory_mib = {SERVER_MIB}
client_memory_mib = {CLIENT_MIB}
disk_gib = 1
durability = small-dirty
"""
# Sysctls that change by themselves.
RESTLESS = re.compile(r"^(fs\.|kernel\.(random|ns_last_pid|pty|threads|sched)|net\.netfilter|dev\.cdrom|debug\.)")


class Lab:
    """provision.sh with the test's own settings."""

    def __init__(self, folder: Path) -> None:
        self.rig_file = folder / "rig.toml"
        self.conf = folder / "test.conf"
        self.conf.write_text(f"{SETTINGS}rig = {self.rig_file}\n")

    def call(self, verb: str, *options: str, timeout_s: int = 900) -> subprocess.CompletedProcess[str]:
        command = ["provisioning/provision.sh", verb, "--conf", str(self.conf), *options]
        return subprocess.run(
            command,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
        )

    def inside(self, role: str, command: str) -> str:
        done = self.call("ssh", role, command)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def _host() -> dict[str, str]:
    """What `down` must leave as it was."""
    commands = {
        "links": "ip -o link | cut -d: -f2",
        "addresses": "ip -o -4 address | awk '{print $2, $4}'",
        "routes": "ip route",
        "packet filter": "iptables-save | grep -v -e '^#' -e '^:' ; ip6tables-save | grep -v -e '^#' -e '^:'",
        "mounts": "findmnt -rno TARGET,SOURCE | grep -v pytest-of-",  # those are of other tests, beside this one
        "loops": "losetup -a",
        "daemons": "ps -eo comm | grep -E '^(libvirtd|virtlogd|virtlockd|dnsmasq|qemu.*)$' | sort",
        "settings of libvirt": "find /etc/libvirt -type f -print -exec sha256sum {} +",
        "files": f"find {FOLDER} /var/lib/libvirt /var/log/libvirt /run/libvirt -path '*labtest*'",
        "access": "stat -c '%a %U %G' /dev/kvm",
    }
    found = {
        name: subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False).stdout
        for name, command in commands.items()
    }
    sysctls = subprocess.run(["sysctl", "-a"], capture_output=True, text=True, check=False).stdout
    found["sysctls"] = "\n".join(sorted(line for line in sysctls.splitlines() if not RESTLESS.match(line)))
    return found


@pytest.fixture(scope="module")
def host_before() -> dict[str, str]:
    """The host before any guest."""
    assert not FOLDER.exists(), f"{FOLDER} is left from an earlier test; remove it with provision.sh down"
    return _host()


@pytest.fixture(scope="module")
def lab(host_before, tmp_path_factory) -> Iterator[Lab]:
    """Running guests."""
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        done = lab.call("up", "--tcg")
        assert done.returncode == 0, done.stderr
        assert "the guests are emulated: what runs in them is not a result" in done.stderr
        yield lab
    finally:
        lab.call("down")


def _qemu_of(role: str) -> Path:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"guest=labtest-{role},debug-threads=on".encode() in words:
            return process
    raise AssertionError(f"no QEMU runs the {role}")


def _threads(role: str) -> list[tuple[str, set[int]]]:
    """Each thread's name, and the cores it may run on."""
    threads = []
    for task in (_qemu_of(role) / "task").iterdir():
        allowed = re.search(r"^Cpus_allowed_list:\s*(\S+)$", (task / "status").read_text(), re.MULTILINE)
        assert allowed
        threads.append(((task / "comm").read_text().strip(), _cores(allowed[1])))
    return threads


def _cores(text: str) -> set[int]:
    spans = [part.split("-") for part in text.split(",")]
    return {core for span in spans for core in range(int(span[0]), int(span[-1]) + 1)}


def test_only_the_servers_virtual_processor_runs_on_the_servers_core(lab):
    server = dict(_threads("server"))
    own = server.pop("CPU 0/TCG")
    assert len(own) == 1
    assert all(not cores & own for cores in server.values())
    client = _threads("client")
    assert sum(name.startswith("CPU ") for name, _ in client) == 2
    assert all(not cores & own for _, cores in client)


def test_the_guests_have_their_memory_and_processors(lab):
    for role, memory_mib, processors in (("server", SERVER_MIB, 1), ("client", CLIENT_MIB, 2)):
        assert lab.inside(role, "nproc") == str(processors)
        total_mib = int(lab.inside(role, "awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo"))
        assert 0.92 * memory_mib < total_mib <= memory_mib


def test_logins_and_services_may_open_8048_files(lab):
    for role in ("server", "client"):
        assert lab.inside(role, "awk '/open files/ {print $4, $5}' /proc/self/limits") == "8048 8048"
        service = "systemd-run --quiet --wait --pipe awk '/open files/ {print $4, $5}' /proc/self/limits"
        assert lab.inside(role, service) == "8048 8048"


def test_each_data_disk_is_the_one_with_its_serial_and_carries_xfs(lab):
    for disk in ("ssd", "hdd"):
        folder = f"/srv/upload-lab/{disk}"
        device, kind = lab.inside("server", f"findmnt -rno SOURCE,FSTYPE {folder}").split()
        assert kind == "xfs"
        assert lab.inside("server", f"lsblk -dnro SERIAL {device}") == f"lab{disk}"


def test_the_kernel_of_the_server_holds_little_back(lab):
    assert lab.inside("server", "sysctl -n vm.dirty_bytes") == "16777216"


def test_the_guests_reach_each_other_and_nothing_else(lab):
    assert lab.inside("client", "ip route") == "10.83.18.0/24 dev eth0 proto kernel scope link src 10.83.18.12"
    opened = lab.inside(
        "client", "timeout 20 bash -c 'exec 3<>/dev/tcp/server/22 && read -r banner <&3 && echo \"$banner\"'"
    )
    assert opened.startswith("SSH-2.0")


def test_what_each_role_runs_is_there_without_a_network(lab):
    server = lab.inside("server", "cd /opt/upload-lab && node-server/bin/versions && tomcat-server/bin/versions")
    assert '"express"' in server.lower()
    assert "tomcat" in server.lower()
    assert "5.6.3" in lab.inside("client", "/opt/upload-lab/jmeter/bin/lab-jmeter --version 2>&1 | head -n 20")
    for role in ("server", "client"):
        lab.inside(role, "cd /opt/upload-lab && .venv/bin/python -c 'import harness.agent, upload_study'")
        lab.inside(role, "command -v nmon taskset setpriv prlimit")


def test_the_emulated_hard_disk_is_the_one_that_was_asked_for(lab):
    rig = tomllib.loads(lab.rig_file.read_text())
    assert rig["emulated"]
    measured = rig["disks"]["hdd"]["fio"]
    assert rig["disks"]["hdd"]["label"] == "emulated HDD"
    # A throttle never lets more through; on a busy machine less than that may arrive.
    assert measured["random_write_iops"] < 1.2 * 120
    assert measured["sequential_mb_per_s"] < 1.2 * 150
    assert measured["fsync_ms"] > 0.8 * 1000 / 120


def test_a_second_up_changes_nothing(lab):
    made = (FOLDER / "made").read_text()
    written = lab.rig_file.stat().st_mtime_ns
    running = {role: _qemu_of(role) for role in ("server", "client")}
    done = lab.call("up", "--tcg")
    assert done.returncode == 0, done.stderr
    assert (FOLDER / "made").read_text() == made
    assert lab.rig_file.stat().st_mtime_ns == written
    assert {role: _qemu_of(role) for role in running} == running


def test_up_makes_again_what_was_lost(lab):
    rig = lab.rig_file.read_text()
    lab.rig_file.unlink()
    lab.inside("server", "umount /srv/upload-lab/ssd")
    done = lab.call("up", "--tcg")
    assert done.returncode == 0, done.stderr
    assert lab.rig_file.read_text() == rig
    assert lab.inside("server", "findmnt -rno FSTYPE /srv/upload-lab/ssd") == "xfs"


def test_the_clocks_are_told_and_near_the_hosts(lab):
    lines = lab.call("status").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["server", "client"]
    for line in lines:
        told = re.search(r"login works, clock ([+-]\d+) ms", line)
        assert told, line
        assert abs(int(told[1])) < 1000


ISOLATE = "bash /opt/provisioning/provision.sh {} --set server_cores=1 --set client_cores=0 --set emulator_cores=0 {}"
AFFINITIES = (
    "for task in /proc/[0-9]*/task/[0-9]*; do "
    'echo "${task##*/} $(awk "/^Cpus_allowed_list/ {print \\$2}" $task/status 2>/dev/null)"; done'
)


@pytest.fixture(scope="module")
def isolator(lab) -> Lab:
    """The client, with provision.sh in it: isolation is tried there and never on this machine."""
    archive = subprocess.run(["tar", "-c", "provisioning"], cwd=REPOSITORY, capture_output=True, check=True).stdout
    command = ["provisioning/provision.sh", "ssh", "--conf", str(lab.conf), "client", "tar -x -C /opt"]
    subprocess.run(command, cwd=REPOSITORY, input=archive, check=True)
    return lab


@pytest.mark.parametrize("tool", ["systemd", "tuna"])
def test_isolation_takes_the_core_from_everything_else_and_gives_it_back(isolator, tool):
    before = _affinities(isolator)
    steps = isolator.inside("client", ISOLATE.format("isolate", f"--tool {tool} --dry-run"))
    assert ("AllowedCPUs=0" if tool == "systemd" else "tuna") in steps
    assert _changed(before, _affinities(isolator)) == {}

    isolator.inside("client", ISOLATE.format("isolate", f"--tool {tool}"))
    assert isolator.inside("client", "taskset -pc 1 | cut -d: -f2").strip() == "0"
    isolator.inside("client", ISOLATE.format("unisolate", ""))
    assert _changed(before, _affinities(isolator)) == {}
    assert isolator.inside("client", "find /run/systemd/system.control -type f 2>/dev/null | wc -l") == "0"


def _affinities(lab: Lab) -> dict[str, str]:
    lines = [line.split() for line in lab.inside("client", AFFINITIES).splitlines()]
    return {words[0]: words[1] for words in lines if len(words) == 2}


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {task: (before[task], after[task]) for task in before.keys() & after.keys() if before[task] != after[task]}


def test_down_leaves_the_host_as_it_was(lab, host_before):
    done = lab.call("down")
    assert done.returncode == 0, done.stderr
    after = _host()
    assert {
        name: _lines_that_differ(host_before[name], after[name]) for name in after if after[name] != host_before[name]
    } == {}
    assert not lab.rig_file.exists()
    again = lab.call("down")
    assert again.returncode == 0
    assert "Nothing to remove" in again.stderr


def _lines_that_differ(before: str, after: str) -> list[str]:
    return sorted(set(before.splitlines()) ^ set(after.splitlines()))
