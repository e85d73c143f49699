"""A real pair of guests, from nothing to nothing: emulated, so that any machine can run them, and made, used and
removed with the commands of docs/guides/kvm-and-disks.md. The tests build on each other in this order: they share one
pair of guests, which takes minutes to make."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from finished import gates_of, read_table
from waiting import lines_until, read_process, running

from uploadlab.paths import REPOSITORY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.xdist_group("guests"),
    pytest.mark.skipif(os.geteuid() != 0, reason="libvirt's system guests need root"),
]

FOLDER = Path("/var/lib/upload-lab/test")
SERVER_MIB, CLIENT_MIB = 1843, 2560
SETTINGS = f"""
name = labtest
network = 10.83.18.0/24
folder = {FOLDER}
server_memory_mib = {SERVER_MIB}
client_memory_mib = {CLIENT_MIB}
client_heap_mib = 256
disk_gib = 1
durability = small-dirty
"""
OWN_LIBVIRT = "qemu:///system?socket=/run/upload-lab-labtest/libvirt-sock"
DEVICE_BYTES = 1 << 30
# Sysctls that change by themselves, and those of other tests' links.
RESTLESS = re.compile(
    r"^(fs\.|kernel\.(random|ns_last_pid|pty|threads|sched)|net\.netfilter|net\..*\.ul[bem]\d*\.|dev\.cdrom|debug\.)"
)
OF_OTHER_TESTS = r"| grep -v -E 'pytest-of-|\.lab/hdd|conformance|netns|\<ul[bem][0-9]*\>'"  # which run beside this one

OF_LIBVIRT = "/etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt"


PAGE = (REPOSITORY / "docs" / "guides" / "kvm-and-disks.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]
"""What the page tells its readers to type, beside what the tests of all pages run."""
NEED_KVM = {"sudo provisioning/provision.sh up --conf my.conf", "./lab run --rig kvm --samples 5 --disks ssd,hdd"}
"""The page gives others in their place for a host like this."""
UP = "sudo provisioning/provision.sh up --conf my.conf --tcg"
RUN = "./lab run --rig kvm --profile emulated --samples 5 --systems node --disks ssd,hdd"
DOWN = "sudo provisioning/provision.sh down --conf my.conf"
AS_ROOT = 'sudo() { "$@"; }; '


class Lab:
    """A reader of the page, who has the project, `my.conf` with the test's settings, and is root already."""

    def __init__(self, folder: Path, ssd: str) -> None:
        self.folder = folder
        self.rig_file = REPOSITORY / "provisioning" / "rig.toml"
        for name in ("lab", "provisioning"):
            (folder / name).symlink_to(REPOSITORY / name)
        (folder / "my.conf").write_text(f"{SETTINGS}disk_ssd = {ssd}\n")
        self.typed: set[str] = set()

    def start(self, command: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", "-c", AS_ROOT + command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def type(self, command: str) -> "subprocess.Popen[str]":
        """Start a command of the page."""
        assert command in COMMANDS, f"docs/guides/kvm-and-disks.md has no line: {command}"
        self.typed.add(command)
        return self.start(command)

    def call(self, verb: str, *options: str, timeout_s: int = 3600) -> subprocess.CompletedProcess[str]:
        command = ["provisioning/provision.sh", verb, "--conf", "my.conf", *options]
        return _ended(self.start(shlex.join(command)), timeout_s)

    def inside(self, role: str, *commands: str) -> list[str]:
        """Run commands in a guest, over one connection: a login takes an emulated guest seconds."""
        script = "set -e\n" + "".join(f"{command}\nprintf '\\0'\n" for command in commands)
        done = self.call("ssh", role, script)
        assert done.returncode == 0, done.stderr
        return [said.strip() for said in done.stdout.split("\0")[:-1]]


def _ended(process: "subprocess.Popen[str]", timeout_s: int = 3600) -> subprocess.CompletedProcess[str]:
    with process:
        try:
            said, warned = process.communicate(timeout=timeout_s)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(process.args, process.returncode, said, warned)


def _host() -> dict[str, str]:
    """What `down` must leave as it was."""
    commands = {
        "links": f"ip -o link | cut -d: -f2 {OF_OTHER_TESTS}",
        "addresses": f"ip -o -4 address | awk '{{print $2, $4}}' {OF_OTHER_TESTS}",
        "routes": f"ip route {OF_OTHER_TESTS}",
        # Rules with their tables: to look at a table for the first time makes it, empty.
        "packet filter": "{ iptables-save; ip6tables-save; } | awk '/^[*]/ { table = $0 } /^-/ { print table, $0 }'",
        "mounts": f"findmnt -rno TARGET,SOURCE {OF_OTHER_TESTS}",
        "loops": f"losetup -a {OF_OTHER_TESTS}",
        "daemons": "ps -eo comm | grep -E '^(libvirtd|virtlogd|virtlockd|dnsmasq|qemu-system.*)$' | sort",
        "settings of libvirt": f"find {OF_LIBVIRT} -type f -print -exec sha256sum {{}} +",
        "files": f"find {FOLDER} {OF_LIBVIRT} /run -path '*labtest*'",
        "folders of libvirt": f"ls -d {OF_LIBVIRT} /run/libvirt",
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
def device(tmp_path_factory) -> Iterator[str]:
    """A block device with nothing on it, for the SSD; the hard disk is an image."""
    image = tmp_path_factory.mktemp("device") / "ssd.img"
    image.touch()
    os.truncate(image, DEVICE_BYTES)
    found = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=True)
    device = found.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


@pytest.fixture(scope="module")
def host_before(device) -> dict[str, str]:
    """The host before any guest."""
    assert not FOLDER.exists(), f"{FOLDER} is left from an earlier test; remove it with provision.sh down"
    rig = REPOSITORY / "provisioning" / "rig.toml"
    assert not rig.exists(), f"{rig} leads to guests of yours; take them down before the tests make theirs"
    return _host()


@pytest.fixture(scope="module")
def lab(host_before, device, tmp_path_factory) -> Iterator[Lab]:
    """Running guests."""
    lab = Lab(tmp_path_factory.mktemp("lab"), device)
    try:
        done = _ended(lab.type(UP))
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
    threads, process = [], _qemu_of(role)
    for task in (process / "task").iterdir():
        name, state = (read_process(f"{process.name}/task/{task.name}", file) for file in ("comm", "status"))
        if allowed := re.search(r"^Cpus_allowed_list:\s*(\S+)$", state, re.MULTILINE):  # else it has ended meanwhile
            threads.append((name, _cores(allowed[1])))
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


def test_the_hosts_own_libvirt_is_neither_started_nor_changed_by_running_guests(lab, host_before):
    assert _host()["settings of libvirt"] == host_before["settings of libvirt"]
    of_labs = f"find {OF_LIBVIRT} /run/libvirt -path '*labtest*'"
    assert subprocess.run(["bash", "-c", of_labs], capture_output=True, text=True, check=False).stdout == ""


OPEN_FILES = "awk '/open files/ {print $4, $5}' /proc/self/limits"


@pytest.mark.parametrize(("role", "memory_mib", "processors"), [("server", SERVER_MIB, 1), ("client", CLIENT_MIB, 2)])
def test_a_guest_has_its_memory_processors_and_limits_and_all_that_its_role_needs_without_a_network(
    lab, role, memory_mib, processors
):
    found = lab.inside(
        role,
        "nproc",
        "awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo",
        OPEN_FILES,
        f"systemd-run --quiet --wait --pipe {OPEN_FILES}",
        "ip route",
        "cd /opt/upload-lab && .venv/bin/python -c 'import uploadlab.hosts.agent, upload_study'",
        "command -v nmon taskset setpriv prlimit java",
    )
    assert found[0] == str(processors)
    assert 0.92 * memory_mib < int(found[1]) <= memory_mib
    assert found[2:4] == ["8048 8048", "8048 8048"]
    assert re.fullmatch(r"10\.83\.18\.0/24 dev eth0 proto kernel scope link src 10\.83\.18\.1[12]", found[4])


def test_the_guests_reach_each_other(lab):
    banner = "timeout 20 bash -c 'exec 3<>/dev/tcp/server/22 && read -r banner <&3 && echo \"$banner\"'"
    assert lab.inside("client", banner)[0].startswith("SSH-2.0")


def test_each_data_disk_is_the_one_with_its_serial_and_carries_xfs_and_the_kernel_holds_little_back(lab):
    folders = {disk: f"/srv/upload-lab/{disk}" for disk in ("ssd", "hdd")}
    mounts = [f"findmnt -rno SOURCE,FSTYPE {folder}" for folder in folders.values()]
    serials = [f"lsblk -dnro SERIAL $(findmnt -rno SOURCE {folder})" for folder in folders.values()]
    size = "lsblk -bdnro SIZE /dev/disk/by-id/virtio-labssd"
    *found, ssd_bytes, dirty_bytes = lab.inside("server", *mounts, *serials, size, "sysctl -n vm.dirty_bytes")
    assert [line.split()[1] for line in found[:2]] == ["xfs", "xfs"]
    assert found[2:] == ["labssd", "labhdd"]
    assert int(ssd_bytes) == DEVICE_BYTES
    assert dirty_bytes == "16777216"


def test_the_emulated_hard_disk_is_the_one_that_was_asked_for(lab):
    rig = tomllib.loads(lab.rig_file.read_text())
    assert rig["emulated"]
    measured = rig["disks"]["hdd"]["fio"]
    assert rig["disks"]["hdd"]["label"] == "emulated HDD"
    # A throttle never lets more through; on a busy machine less than that may arrive.
    assert measured["random_write_iops"] < 1.2 * 120
    assert measured["sequential_mb_per_s"] < 1.2 * 60
    assert measured["fsync_ms"] > 0.8 * 1000 / 120


@pytest.fixture(scope="module")
def campaign(lab) -> Iterator[Path]:
    """The page's campaign on the guests; libvirtd is killed under it where the test has started it."""
    running = lab.type(RUN)
    said = lines_until(running, "run 1 ")
    if (FOLDER / "libvirtd.pid").exists():
        os.kill(int((FOLDER / "libvirtd.pid").read_text()), signal.SIGKILL)
    done = _ended(running)
    named = re.search(r"results in (\S+)", "".join(said))
    assert named, "".join(said) + done.stderr
    folder = Path(named[1])
    try:
        assert done.returncode == 1, done.stderr
        assert "Not every cell has its planned number of valid runs" in done.stderr
        assert "no value of this campaign is a result" in " ".join(done.stdout.split())
        yield folder
    finally:
        shutil.rmtree(folder)


def test_a_campaign_on_both_disks_ends_with_all_its_files_though_libvirtd_is_killed(campaign):
    records = _records(campaign)
    assert set(records) == {f"s05-{disk}-node/01" for disk in ("ssd", "hdd")}
    raw = {"requests.jtl", "server.nmon", "injector.nmon", "server.samples.csv", "injector.samples.csv", "jmeter.log"}
    for name, record in records.items():
        assert record["status"] == "complete", record["reason"]
        assert raw <= set(record["files"])
        for file, kept in record["files"].items():
            assert (campaign / "runs" / name / file).stat().st_size == kept["bytes"]
        gates = gates_of(record)
        assert all(gates[name]["passed"] for name in ("contract", "contract_after", "requests_sent", "uploads_stored"))


def test_its_runs_are_marked_as_no_result_and_its_report_says_so_and_answers_no_claim(campaign):
    for record in _records(campaign).values():
        assert not record["valid"]
        failed = [gate["sentence"] for gate in record["gates"] if not gate["passed"]]
        assert "The processor was emulated: this run is not a valid result." in failed
    page = (campaign / "report" / "index.html").read_text()
    assert "The processors were emulated: no value of this campaign is a result." in page
    assert {row["verdict"] for row in read_table(campaign, "claims")} == {"not measured"}


def _records(campaign: Path) -> dict[str, dict]:
    return {
        f"{path.parent.parent.name}/{path.parent.name}": json.loads(path.read_text())
        for path in (campaign / "runs").glob("*/[0-9][0-9]/run.json")
    }


def test_a_second_up_makes_again_what_was_lost_and_changes_nothing_else(lab, campaign):
    made = (FOLDER / "made").read_text()
    written, rig = lab.rig_file.stat().st_mtime_ns, lab.rig_file.read_text()
    running = {role: _qemu_of(role) for role in ("server", "client")}
    lab.inside("server", "umount /srv/upload-lab/ssd")
    done = lab.call("up", "--tcg")
    assert done.returncode == 0, done.stderr
    assert (FOLDER / "made").read_text() == made
    assert lab.rig_file.stat().st_mtime_ns == written
    assert {role: _qemu_of(role) for role in running} == running
    assert lab.inside("server", "findmnt -rno FSTYPE /srv/upload-lab/ssd") == ["xfs"]
    assert lab.rig_file.read_text() == rig


def test_status_tells_that_both_can_be_logged_in_to_and_that_their_clocks_are_near_the_hosts(lab):
    lines = _ended(lab.type("sudo provisioning/provision.sh status --conf my.conf")).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["server", "client"]
    for line in lines:
        told = re.search(r"login works, clock ([+-]\d+) ms", line)
        assert told, line
        assert abs(int(told[1])) < 1000
    assert _ended(lab.type("provisioning/provision.sh ssh --conf my.conf server")).returncode == 0


def test_the_plan_of_a_real_campaign_on_the_guests_is_printed(lab):
    done = _ended(lab.type("./lab run --rig kvm --samples 5 --disks ssd,hdd --dry-run"))
    assert done.returncode == 0, done.stderr
    assert {"s05-ssd-lean-node", "s05-hdd-lean-tomcat"} <= set(done.stdout.split())


LOOK_FIRST = "sudo provisioning/provision.sh isolate --conf my.conf --dry-run"
ISOLATE = "sudo provisioning/provision.sh isolate --conf my.conf"
UNISOLATE = "sudo provisioning/provision.sh unisolate --conf my.conf"
AFFINITIES = "grep -H ^Cpus_allowed_list: /proc/[0-9]*/task/[0-9]*/status 2>/dev/null || true"
"""Of all threads in one process: an emulated guest starts few a second."""


@pytest.fixture(scope="module")
def isolator(lab) -> Lab:
    """The client, with provision.sh in it: isolation is tried there and never on this machine."""
    archive = subprocess.run(["tar", "-c", "provisioning"], cwd=REPOSITORY, capture_output=True, check=True).stdout
    command = ["provisioning/provision.sh", "ssh", "--conf", "my.conf", "client", "tar -x -C /opt"]
    subprocess.run(command, cwd=lab.folder, input=archive, check=True)
    lab.inside("client", "printf '%s_cores = %s\\n' server 1 client 0 emulator 0 >/opt/my.conf")
    return lab


@pytest.mark.parametrize("tool", ["systemd", "tuna"])
def test_isolation_takes_the_core_from_everything_else_and_gives_it_back(isolator, tool):
    assert {LOOK_FIRST, ISOLATE, UNISOLATE} <= set(COMMANDS)
    isolator.typed |= {LOOK_FIRST, ISOLATE, UNISOLATE}
    option = "" if tool == "systemd" else f" --tool {tool}"
    before, steps, looked, _, of_init, _, after, left = isolator.inside(
        "client",
        AFFINITIES,
        f"{AS_ROOT}cd /opt; {LOOK_FIRST}{option}",
        AFFINITIES,
        f"{ISOLATE}{option}",
        "taskset -pc 1 | cut -d: -f2",
        UNISOLATE,
        AFFINITIES,
        "find /run/systemd/system.control -type f 2>/dev/null | wc -l",
    )
    assert ("AllowedCPUs=0" if tool == "systemd" else "tuna") in steps
    assert _by_thread(before)["1"] == "0-1"
    assert _changed(_by_thread(before), _by_thread(looked)) == {}
    assert of_init == "0"
    assert _changed(_by_thread(before), _by_thread(after)) == {}
    assert left == "0"


def _by_thread(affinities: str) -> dict[str, str]:
    return dict(re.findall(r"/task/(\d+)/status:Cpus_allowed_list:\s*(\S+)", affinities))


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {task: (before[task], after[task]) for task in before.keys() & after.keys() if before[task] != after[task]}


TINY = REPOSITORY / "tests" / "tiny_study"


@pytest.fixture
def tiny(lab, tmp_path) -> list[str]:
    """The lab's command with a study of short runs, which is in the same place in both guests, on an impatient rig."""
    study = Path(shutil.copytree(TINY, tmp_path / "tiny"))
    (study / "alpha" / "made.txt").write_text("made")
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("requests = 200", "requests = 400"))
    _bring_there(lab, study)
    rig = tmp_path / "rig.toml"
    rig.write_text(re.sub(r"patience_s = \d+", "patience_s = 15", lab.rig_file.read_text()))
    return [sys.executable, "-m", "uploadlab", "--study", str(study), "run", "--rig", str(rig)]


def _bring_there(lab: Lab, study: Path) -> None:
    """Copy a study into both guests; their /tmp is emptied at each boot."""
    archive = subprocess.run(["tar", "-c", str(study)], capture_output=True, check=True).stdout
    for role in ("server", "client"):
        command = ["provisioning/provision.sh", "ssh", "--conf", "my.conf", role, "tar -x -C /"]
        subprocess.run(command, cwd=lab.folder, input=archive, check=True)


@contextmanager
def _measuring(command: list[str]) -> Iterator["subprocess.Popen[str]"]:
    """Run the lab; the block begins when it measures."""
    with running(command, stdout=subprocess.PIPE, process_group=0) as lab:
        lines_until(lab, "measuring")
        yield lab


def test_a_killed_guest_and_one_that_reboots_fail_the_run_with_the_reason_up_brings_them_back_and_resume_completes(
    lab, tiny, tmp_path
):
    out = tmp_path / "out"
    choice = ["--systems", "alpha", "--sizes", "1", "--disks", "hdd", "--repeats", "2"]
    with _measuring([*tiny, *choice, "--out", str(out)]) as measuring:
        _virsh("destroy", "labtest-server")
        _virsh("reset", "labtest-client")
        done = _ended(measuring)
    assert done.returncode == 2, done.stderr
    assert "Stopped: 2 runs of alpha in a row failed" in done.stderr.splitlines()[-1]
    reasons = [record["reason"] for _, record in sorted(_records(out).items())]
    assert re.match(r"The connection to 10\.83\.18\.1[12] was lost: (?!ssh gave no reason)", reasons[0]), reasons
    assert re.match(r"10\.83\.18\.11 cannot be reached over SSH: (?!ssh gave no reason)", reasons[1]), reasons

    brought_back = lab.call("up", "--tcg")
    assert brought_back.returncode == 0, brought_back.stderr
    _bring_there(lab, tmp_path / "tiny")
    done = _ended(lab.start(shlex.join([*tiny, "--resume", str(out)])))
    assert done.returncode == 1, done.stderr
    assert [record["status"] for record in _records(out).values()] == ["complete", "complete"]


def _virsh(verb: str, domain: str) -> None:
    subprocess.run(["virsh", "-q", "-c", OWN_LIBVIRT, verb, domain], capture_output=True, check=True)


def test_down_leaves_the_host_as_it_was(lab, host_before):
    done = _ended(lab.type(DOWN))
    assert done.returncode == 0, done.stderr
    after = _host()
    assert {
        name: _lines_that_differ(host_before[name], after[name]) for name in after if after[name] != host_before[name]
    } == {}
    assert not lab.rig_file.exists()
    again = lab.call("down")
    assert again.returncode == 0
    assert "Nothing to remove" in again.stderr


def test_a_block_device_keeps_what_was_written_on_it_and_is_not_erased_unasked_nor_while_it_is_mounted(
    lab, device, tmp_path
):
    asked = lab.call("up", "--tcg")
    assert asked.returncode == 2
    assert f"disk_ssd: {device} holds data (xfs); --format-data-disk lets the lab erase it." in asked.stderr
    subprocess.run(["mount", "-o", "ro,norecovery", device, tmp_path], check=True)
    try:
        allowed = lab.call("up", "--tcg", "--format-data-disk")
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert allowed.returncode == 2
    assert f"disk_ssd: {device} is in use ({device} is mounted on {tmp_path})." in allowed.stderr
    assert not FOLDER.exists()


def test_every_command_of_the_page_was_typed_but_those_that_need_kvm(lab):
    assert lab.typed == set(COMMANDS) - NEED_KVM
    assert set(COMMANDS) > NEED_KVM


def _lines_that_differ(before: str, after: str) -> list[str]:
    return sorted(set(before.splitlines()) ^ set(after.splitlines()))
