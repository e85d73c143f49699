"""A network of 100 Mb/s between parts: no faster, with multicast, and gone when the lab has gone."""

import json
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from campaigns_of_parts import MEMBERS, kinds, lab, memory_of, start
from finished import runs_of
from tiny import RIG
from waiting import PATIENCE_S, wait_for

from uploadlab.errors import LabError
from uploadlab.hosts import link
from uploadlab.hosts.processes import clean_up_after_crash
from uploadlab.paths import STATE
from uploadlab.planning.plan import chosen_levels
from uploadlab.planning.study import load_study
from uploadlab.planning.system import Start
from uploadlab.runs.parts import Part, joined

SIZE = 2_000_000
RECEIVER = """
import selectors, socket, sys, time
listener = socket.create_server((sys.argv[1], 9000))
print("ready", flush=True)
senders = int(sys.argv[2])
connections = [listener.accept()[0] for _ in range(senders)]
begun = time.monotonic_ns()
for one in connections:
    one.sendall(b"x")
got = 0
waiting = selectors.DefaultSelector()
for one in connections:
    waiting.register(one, selectors.EVENT_READ)
while waiting.get_map():
    for key, _ in waiting.select():
        chunk = key.fileobj.recv(1 << 16)
        got += len(chunk)
        if not chunk:
            waiting.unregister(key.fileobj)
print(got, time.monotonic_ns() - begun, flush=True)
"""
SENDER = """
import socket, sys
with socket.create_connection((sys.argv[1], 9000)) as one:
    one.recv(1)
    one.sendall(bytes(int(sys.argv[2])))
"""
LISTENER = """
import socket, struct, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("", 9001))
group, own = map(socket.inet_aton, ("239.8.8.8", sys.argv[1]))
one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + own)
print("ready", flush=True)
print(*one.recvfrom(100)[1][:1], flush=True)
"""
CALLER = """
import socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])):
    one.sendto(bytes(1000), ("239.8.8.8", 9001))
print("sent", flush=True)
"""


class Program:
    """A Python program at an end of a network."""

    def __init__(self, host, network, end, folder, source, *arguments):
        command = [*network.entering(end), sys.executable, "-c", source, *map(str, arguments)]
        self.log = folder / "log"
        self.process = host.start("it", command, cwd=folder, cores=host.cores(), log=self.log, piped=True)
        self.said = b""

    def line(self):
        until = time.monotonic() + PATIENCE_S
        while b"\n" not in self.said:
            chunk = self.process.read(0.1)
            assert chunk != b"", self.log.read_text()
            assert time.monotonic() < until
            self.said += chunk or b""
        line, self.said = self.said.split(b"\n", 1)
        return line.decode()


@pytest.mark.parametrize("senders", [1, 2], ids=["a sender's port", "a receiver's port"])
def test_nothing_arrives_faster_than_100_megabits_a_second(senders, able_to_link, host, tmp_path):
    with closing(link.Ethernet(host, 3, tmp_path / "log")) as network:
        before = network.counters()
        receiver = Program(host, network, 0, tmp_path, RECEIVER, network.addresses[0], senders)
        assert receiver.line() == "ready"
        for end in range(1, 1 + senders):
            Program(host, network, end, tmp_path, SENDER, network.addresses[0], SIZE)
        received, took_ns = map(int, receiver.line().split())
        counted = {name: value - before[name] for name, value in network.counters().items()}
    assert received == senders * SIZE
    assert (received - link.BURST_BYTES) * 8e9 / took_ns < link.BITS_PER_S
    assert counted["received_bytes"] > senders * SIZE


def test_what_one_end_sends_to_a_group_arrives_at_all_others(able_to_link, host, tmp_path):
    with closing(link.Ethernet(host, 3, tmp_path / "log")) as network:
        listeners = [Program(host, network, end, tmp_path, LISTENER, network.addresses[end]) for end in (1, 2)]
        assert [one.line() for one in listeners] == ["ready", "ready"]
        Program(host, network, 0, tmp_path, CALLER, 1)
        assert [one.line() for one in listeners] == [network.addresses[0]] * 2
        assert network.counters()["dropped_frames"] == 0


def test_a_part_whose_port_the_lab_asks_cannot_be_at_an_end():
    class Network:
        addresses = ("10.77.0.1",)

    part = Part(
        role="broker", index=0, start=Start(command=["true"], conducted=False), place="server", cores=[0],
        host="127.0.0.1", port=1, ports={},
    )  # fmt: skip
    with pytest.raises(LabError, match=r"^broker-0 is ready when its port answers.*choose --links loopback\.$"):
        joined({"broker": [part]}, Network())


def test_a_link_that_only_root_can_make_is_refused_before_anything_runs_whoever_names_it():
    study = load_study(MEMBERS)
    rig = msgspec.structs.replace(RIG, absent={"ethernet-100": "it needs root"})
    profile = study.profile("quick")
    naming = msgspec.structs.replace(profile, levels={**profile.levels, "link": ["ethernet-100"]})
    for chosen, asked in ((profile, {"link": ["ethernet-100"]}), (naming, {})):
        with pytest.raises(LabError, match=r"^--links ethernet-100: it needs root\.$"):
            chosen_levels(study, chosen, rig, asked)
    assert chosen_levels(study, naming, rig, {"link": ["loopback"]})["link"] == ["loopback"]


def network_of(process):
    """Return the network namespace of a process by its number, or None when the process has gone."""
    try:
        return (process / "ns/net").stat().st_ino
    except OSError:
        return None


def processes():
    return [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def child_of(pid, process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1]) == pid
    except OSError:
        return False


def networks_of(lab):
    """Return the network namespaces, other than ours, that the lab's children are in."""
    return {network_of(one) for one in processes() if child_of(lab.pid, one)} - {None, network_of(Path("/proc/self"))}


def devices():
    """Return the devices of a link that are in our own network: those of other tests have other names."""
    return [one.name for one in Path("/sys/class/net").iterdir() if one.name == "switch" or one.name.startswith("port")]


@pytest.mark.slow
def test_members_reach_each_other_over_the_link_and_what_it_passed_on_is_counted(able_to_link, tmp_path):
    said = lab(MEMBERS, "--links", "ethernet-100", "--systems", "one", "--out", str(tmp_path / "out"))
    [(folder, run)] = runs_of(tmp_path / "out")
    assert run["status"] == "complete", (run["reason"], said)
    addresses = [part["address"].partition(":")[0] for part in run["parts"]]
    assert addresses == ["10.77.0.1", "10.77.0.2", "10.77.0.3"]
    assert all(kinds(folder, f"member-{index}") == {"sent": 100, "received": 300} for index in range(3))
    assert run["link"]["received_bytes"] > 3 * 2 * 100 * 8
    assert run["link"]["received_frames"] > 0
    campaign = json.loads((tmp_path / "out/campaign.json").read_text())
    assert campaign["rig"]["links"]["ethernet-100"]["bits_per_s"] == 100_000_000


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_lab_that_ends_leaves_no_namespace_no_device_and_no_process(ending, able_to_link, tmp_path):
    many = ("--load", "messages=20000")
    with start(MEMBERS, "--links", "ethernet-100", *many, "--out", str(tmp_path / "out")) as cut:
        wait_for(lambda: next((tmp_path / "out").glob("runs/*/*/member-0.events.jsonl"), None))
        networks = networks_of(cut)
        assert len(networks) == 4, "three members and their switch"
        cut.send_signal(ending)
        cut.communicate(timeout=PATIENCE_S)
    wait_for(
        lambda: not any(network_of(one) in networks for one in processes())
    )  # none has a name that it could live by
    assert not devices()
    clean_up_after_crash(STATE)  # as the next start does
    assert not memory_of(cut).exists()
