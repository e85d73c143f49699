"""Members of a group by their words: what each sees of the others, what the layers add, and what goes wrong."""

import re
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from groups_conducting import GROUPS, conduct, free_ports, refused, start
from waiting import least_of, wait_for

from study_kit.conducting import PHASES, Outcome, Part
from uploadlab.hosts import link
from uploadlab.hosts.local_host import LocalHost
from uploadlab.table_file import read_table

SENT, RECEIVED = 2, 4
STACKS = ("paper-2008", "2.12", "current")
WARM_UP = {"WARMUP_ROUNDS": "2", "WARMUP_S": "0.5"}
pytestmark = pytest.mark.usefixtures("quick_to_start")


@pytest.fixture(scope="module")
def group(quick_to_start: None, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Give what three members over TCP left, whose warm-up lasts for half a second at least."""
    folder = tmp_path_factory.mktemp("group")
    return conduct("jgroups", "current", folder, members=3, MESSAGES="50", ROUNDS="2", **WARM_UP)


def test_every_member_gets_every_message_once_and_in_each_senders_order(group: Outcome) -> None:
    for rows in group.records.values():
        assert not rows["status"].any()
        assert rows[rows["kind"] == SENT]["seq"].tolist() == list(range(100))
        for sender in range(3):
            assert rows[(rows["kind"] == RECEIVED) & (rows["stream"] == sender)]["seq"].tolist() == list(range(100))


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize(("transport", "members"), [("udp", 2), ("tcp", 3), ("tcp_without_fc", 2)])
def test_each_version_forms_one_group_on_each_transport(
    stack: str, transport: str, members: int, group: Outcome, tmp_path: Path
) -> None:
    shared = (stack, transport) == ("current", "tcp")
    outcome = group if shared else conduct("jgroups", stack, tmp_path, members=members, TRANSPORT=transport)
    for member, events in enumerate(outcome.events.values()):
        counted = outcome.counters(f"member-{member}")
        assert (counted["different"], counted["lost"], counted["out_of_order"]) == (members * 100, 0, 0)
        views = [one["members"] for one in events if one["event"] == "view" and not one["merged"]]
        assert views[: members - member] == list(range(member + 1, members + 1))


@pytest.mark.slow
@pytest.mark.usefixtures("able_to_link")
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_group_forms_over_a_network_of_100_megabits(transport: str, host: LocalHost, tmp_path: Path) -> None:
    network = link.Ethernet(host, 3, tmp_path / "log")
    outcome = conduct("jgroups", "paper-2008", tmp_path, members=3, network=network, TRANSPORT=transport)
    assert network.counters()["received_bytes"] > 2 * 3 * 100 * 100, "each message came to two others"
    for member in outcome.events:
        assert outcome.counters(member)["different"] == 300


@pytest.mark.parametrize("stack", STACKS)
def test_udp_and_tcp_have_the_same_flow_control(stack: str) -> None:
    files = [GROUPS / f"jgroups/{stack}/src/main/resources/{transport}.xml" for transport in ("udp", "tcp")]
    on_udp, on_tcp = (sorted(re.findall(r"<(?:FC|MFC|UFC)\b[^>]*/>", file.read_text())) for file in files)
    assert on_udp == on_tcp
    assert on_udp


@pytest.mark.parametrize("members", [2, 4, 6])
@pytest.mark.parametrize("system", ["envelope", "padding"])
@pytest.mark.parametrize(("transport", "beside_members"), [("udp", 906), ("tcp", 912)])
def test_the_envelope_adds_the_printed_bytes(transport: str, beside_members: int, system: str, members: int) -> None:
    command = [GROUPS / "bin/member", "current", "handed", transport, str(members)]
    said = subprocess.run(command, cwd=GROUPS / system, check=True, capture_output=True, text=True).stdout
    handed = {size: int(told) for size, told in map(str.split, said.splitlines())}
    assert handed == {size: int(size) + beside_members + 47 * members for size in ("1", "10", "100", "1000", "10000")}
    if members == 4:
        rows = read_table(GROUPS / "published/table1.csv")
        table_1 = [row for row in rows if row["system"] == "envelope" and row["transport"].startswith(transport)]
        assert {row["message_bytes"]: int(row["handed_bytes_per_operation"]) for row in table_1} == handed


def known(folder: Path, **settings: str) -> Outcome:
    """Return what one of two members left whose messages follow a law: of a round without warm-up, unless told else."""
    return conduct("known", "none", folder, present=1, **{"ROUNDS": "1", "WARMUP_ROUNDS": "0", **settings})


def test_a_message_that_nothing_followed_is_not_taken_for_one_of_the_next_phase(tmp_path: Path) -> None:
    outcome = known(tmp_path, MESSAGES="50", KNOWN_FAULT="swap", KNOWN_EVERY="50", KNOWN_MEAN_US="10")
    counters = outcome.counters("member-0")
    assert (counters["different"], counters["lost"], counters["out_of_order"]) == (100, 0, 0)


@pytest.mark.parametrize("law", ["constant", "exponential", "lognormal", "stalls"])
def test_a_known_law_delivers_at_its_rate(law: str, tmp_path: Path) -> None:
    def mean_us(attempt: int) -> float:
        settings = {"MESSAGES": "1500", "KNOWN_LAW": law, "KNOWN_MEAN_US": "1000"}
        rows = known(tmp_path / str(attempt), **settings).records["member-0"]
        last_ns = rows[(rows["kind"] == RECEIVED) & (rows["stream"] == 0)]["time_ns"].max()
        return float(last_ns - rows[rows["kind"] == SENT]["time_ns"].min()) / 1e3 / 1500

    # Sigma of the mean is 3 % for the exponential; a busy machine only makes it longer.
    assert 900 < least_of(mean_us, 1600) < 1600


def test_a_round_takes_as_many_messages_as_the_warm_up_showed(tmp_path: Path) -> None:
    settings = {"ROUND_S": "0.05", "ROUNDS": "2", "WARMUP_ROUNDS": "4", "KNOWN_MEAN_US": "100"}
    outcome = known(tmp_path, MESSAGES="2000", **settings)
    rounds = [one for one in outcome.events["member-0"] if one["event"] == "round"]
    sent = [one["received_own"] for one in rounds]
    assert sent[:2] == [100, 100]  # what the first took is told with the end of the second
    took_s = sum(one["last_received_ns"] - one["first_sent_ns"] for one in rounds[1:3]) / 1e9  # the later half
    assert sent[4] == sent[5] == pytest.approx(sum(sent[1:3]) / took_s * 0.05, abs=1)


def test_a_warm_up_ends_once_rounds_got_no_faster_long_before_the_most_it_may_take(tmp_path: Path) -> None:
    settings = {"ROUND_S": "0.05", "WARMUP_ROUNDS": "4", "WARMUP_S": "0.2", "WARMUP_MOST_S": "60"}

    def per_s(rounds: list[dict[str, Any]]) -> float:
        took_ns = sum(one["last_received_ns"] - one["first_sent_ns"] for one in rounds)
        return float(sum(one["received_own"] for one in rounds) / took_ns)

    def faster_in_the_end(attempt: int) -> float:
        outcome = known(tmp_path / str(attempt), MESSAGES="2000", KNOWN_MEAN_US="100", **settings)
        told = outcome.events["member-0"]
        warm_up = [one for one in told if one["event"] == "round" and one["phase"] == "warm_up"]
        assert 6 <= len(warm_up) < 60 / 0.05 / 4
        ended = warm_up[-7:-1]  # whether the round that goes on is the last is said before it has ended
        return per_s(ended[3:]) / per_s(ended[:3])

    assert least_of(faster_in_the_end, 1.08) < 1.08  # 1.05 by its own clock, which a busy machine holds up elsewhere


def test_datagrams_that_the_kernel_dropped_meanwhile_are_counted(tmp_path: Path) -> None:
    ended = threading.Event()

    def flood() -> None:
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        ):
            deaf.bind(("127.0.0.1", 0))
            while not ended.wait(0.001):
                sender.sendto(bytes(10_000), deaf.getsockname())  # nobody reads: its buffer soon has no room

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        outcome = known(tmp_path, MESSAGES="300", ROUNDS="2", KNOWN_MEAN_US="1000")
    finally:
        ended.set()
        flooding.join()
    assert outcome.counters("member-0")["udp_receive_errors"] > 0


def test_the_others_end_when_a_member_is_killed_and_count_what_is_missing(tmp_path: Path) -> None:
    def received() -> int:
        return np.count_nonzero(np.load(tmp_path / "member-1.records", mmap_mode="r")["kind"] == RECEIVED)

    def kill(parts: dict[str, Part]) -> None:
        wait_for(lambda: received() > 100)
        parts.pop("member-1").kill()

    how = {"phases": PHASES[:-1], "meanwhile": kill}
    settings = {"MESSAGES": "3000", "ROUNDS": "10000", "DRAIN_S": "1", "RECORDS_CAPACITY": "100000"}
    outcome = conduct("jgroups", "current", tmp_path, members=3, how=how, **settings)
    for member in outcome.events:
        assert outcome.counters(member)["lost"] > 0
    assert received() > 100  # readable, and what was written is there


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "sentence"),
    [
        ("tcp", "Member 1 sees a group of 1 after 1.0 s; expected 2."),
        ("udp", "Member 1 sees a group of 1 after 1.0 s; expected 2. Does this host pass multicast on?"),
    ],
)
def test_members_that_never_form_one_view_say_what_they_see(transport: str, sentence: str, tmp_path: Path) -> None:
    said = refused("jgroups", "current", tmp_path, 1, free_ports(2), JOIN_S="1", TRANSPORT=transport)
    assert said[-1] == sentence


@pytest.mark.slow
@pytest.mark.usefixtures("able_to_link")
@pytest.mark.parametrize("stack", ["current", "paper-2008"])
def test_members_between_which_no_multicast_passes_are_one_sentence(
    stack: str, host: LocalHost, tmp_path: Path
) -> None:
    ports, lonely = free_ports(2), {"JOIN_S": "2", "TRANSPORT": "udp"}
    network = link.Ethernet(host, 2, tmp_path / "log")
    for port in range(2):
        network._in(network._switch, f"ip link set port{port} type bridge_slave mcast_flood off")
    with start("jgroups", stack, tmp_path, 0, ports, network, **lonely) as first:
        assert first.stdout.readline() == "ready\n"
        said = refused("jgroups", stack, tmp_path, 1, ports, network, **lonely)
    assert said[-1] == "Member 1 sees a group of 1 after 2.0 s; expected 2. Does this host pass multicast on?"
    assert not any(line.startswith("\tat ") for line in said)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"MESSAGE_BYTES": "28"}, "MESSAGE_BYTES is '28'; expected 0 to 1048576, but not 28, which is a phase's end."),
        ({"TRANSPORT": "pigeon"}, "TRANSPORT is 'pigeon'; expected one of tcp, udp, tcp_without_fc."),
        ({"MEMBER_ADDRESSES": "127.0.0.1:1"}, "expected an address for each member."),
    ],
)
@pytest.mark.usefixtures("heard_alone")
def test_bad_settings_are_one_sentence(settings: dict[str, str], sentence: str, tmp_path: Path) -> None:
    said = refused("null", "none", tmp_path, 0, [1, 2], **settings)
    assert len(said) == 1
    assert sentence in said[0]
