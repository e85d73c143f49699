"""Our member against JGroups' own tests: same version, protocols, options of Java and size of messages, in turns.

With 2.6.0 `org.jgroups.tests.perf.Test`, as many messages, and cold, as it can be run but once; it counts from a
receiver's first message to its last, and so do we. With 5.5 `MPerf`, which sends for a time and counts while all send:
so do we, and both are warm when that time begins.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from study_kit.conducting import memory_folder

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from groups_conducting import GROUPS, RECEIVED, conduct, free_ports

MEMBERS, SIZE = 4, 100
WANTED_PCT = 10.0
WINDOW_S = 5
WARM_UP_WINDOWS = 2  # of MPerf in the same members; ours warm up for as long
MESSAGES = {"paper-2008": 10_000, "current": 1_000_000}  # of a member; with a window at most
LOAD = {
    "paper-2008": {"WARMUP_ROUNDS": "0"},
    "current": {"ROUND_S": str(WINDOW_S), "WARMUP_ROUNDS": "3", "WARMUP_S": str(WARM_UP_WINDOWS * WINDOW_S)},
}
HEAP_MB, CREDITS = "400", "500000"
RATE_OF_TEST = r"combined:\s*([\d.,]+)\s*msgs/sec"
RATE_OF_MPERF = r"Average/node:.*?msgs/sec=([\d.,]+), throughput"


def options_of_java(folder: Path, jvm: str, index: int) -> list[str]:
    """Return what Java is told in JGroups' own tests: the options with which `bin/member` starts ours."""
    env = {**os.environ, "JVM": jvm, "HEAP_MB": HEAP_MB, "RUN_DIR": str(folder), "INDEX": str(index)}
    command = [GROUPS / "bin/member", "jgroups", "none", "options"]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.splitlines()


def _ours(folder: Path, stack: str, transport: str, jvm: str) -> float:
    outcome = conduct(
        "jgroups", stack, folder, members=MEMBERS, TRANSPORT=transport, MESSAGE_BYTES=str(SIZE),
        MESSAGES=str(MESSAGES[stack]), ROUNDS="1", **LOAD[stack], JVM=jvm, HEAP_MB=HEAP_MB, FLOW_CREDITS=CREDITS,
        RECORDS_CAPACITY=str(MESSAGES[stack] * (MEMBERS + 1) + 1000),
    )  # fmt: skip
    rounds = [outcome.event(member, "round", phase="measure") for member in range(MEMBERS)]
    if stack == "paper-2008":
        return from_first_to_last(rounds)
    return while_all_send(rounds, [rows["time_ns"][rows["kind"] == RECEIVED] for rows in outcome.records])


def from_first_to_last(rounds: Sequence[Mapping[str, Any]]) -> float:
    """Return messages/s at a member, its own included, from its first to its last: what `perf.Test` calls the rate."""
    return statistics.fmean(
        one["received"] * 1e9 / (one["last_received_ns"] - one["first_received_ns"]) for one in rounds
    )


def while_all_send(rounds: Sequence[Mapping[str, Any]], received_ns: Sequence[npt.NDArray[np.int64]]) -> float:
    """Return messages/s at a member, its own included, while every member sends: what `MPerf` calls the rate.

    Parameters
    ----------
    rounds
        Of each member, when it sent its first message and its last.
    received_ns
        Of each member, when it got its messages.
    """
    begin, end = max(one["first_sent_ns"] for one in rounds), min(one["last_sent_ns"] for one in rounds)
    assert end > begin, "the members never sent at the same time"
    counts = [np.count_nonzero((begin <= times) & (times < end)) for times in received_ns]
    return float(np.mean(counts)) * 1e9 / (end - begin)


def _test(folder: Path, stack: str, transport: str, jvm: str) -> float:
    """Run org.jgroups.tests.perf.Test; return what it prints, messages a second averaged over the receivers."""
    ports = free_ports(MEMBERS)
    config = folder / "perf.txt"
    config.write_text(
        f"transport=org.jgroups.tests.perf.transports.JGroupsTransport\nmcast_addr=228.10.10.10\nmcast_port={ports[0]}\n"
        # It puts a byte before what is asked for.
        f"num_members={MEMBERS}\nnum_senders={MEMBERS}\nnum_msgs={MESSAGES[stack]}\nmsg_size={SIZE - 1}\n"
        "log_interval=100000\njmx=false\n"
    )
    logs = [folder / f"theirs-{index}.log" for index in range(MEMBERS)]
    with _started() as start:
        for index in range(MEMBERS):
            props = _stack(folder, stack, transport, index, ports)
            start(
                stack,
                logs[index],
                options_of_java(folder, jvm, index),
                "Test",
                "-sender",
                "-config",
                str(config),
                "-props",
                str(props),
            )
            _await(logs[0], "-- .* joined", 20, times=index + 1)  # one after the other, as ours
        for log in logs:
            _await(log, RATE_OF_TEST, 60)
    return _rate(logs[0], RATE_OF_TEST)


def _mperf(folder: Path, stack: str, transport: str, jvm: str) -> float:
    """Run org.jgroups.tests.perf.MPerf; return what it prints, messages a second at a member, its own included."""
    ports = free_ports(MEMBERS)
    logs = [folder / f"theirs-{index}.log" for index in range(MEMBERS)]
    members: list[subprocess.Popen[bytes]] = []
    with _started() as start:
        for index in range(MEMBERS):
            props = _stack(folder, stack, transport, index, ports)
            members.append(start(
                stack, logs[index], options_of_java(folder, jvm, index), "MPerf", "-props", str(props), "-name",
                f"member-{index}", "-time", str(WINDOW_S), "-size", str(SIZE), "-threads", "1",
                *(["-nohup"] if index else []),
            ))  # fmt: skip
            _await(logs[0], rf"\({index + 1}\) \[member-0", 20, ask=lambda: _say(members[0], "2"))  # what view it sees
        for window in range(WARM_UP_WINDOWS + 1):
            _say(members[0], "1")
            _await(logs[0], RATE_OF_MPERF, WINDOW_S + 60, times=window + 1)
    return _rate(logs[0], RATE_OF_MPERF)


def _say(process: subprocess.Popen[bytes], key: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{key}\n".encode())
    process.stdin.flush()


@contextmanager
def _started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Give a function that starts one of JGroups' tests, and end all that it started."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(stack: str, log: Path, java: Sequence[str], test: str, *options: str) -> subprocess.Popen[bytes]:
        jars = str(GROUPS / f"jgroups/{stack}/target/lib/*")
        command = ["java", *java, "-cp", jars, f"org.jgroups.tests.perf.{test}", *options]
        with log.open("w") as file:
            processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file, stderr=file))
        return processes[-1]

    try:
        yield start
    finally:
        for one in processes:
            one.kill()
            one.communicate()


def _rate(log: Path, pattern: str) -> float:
    found = re.findall(pattern, log.read_text())
    assert found, log.read_text()[-2000:]
    return float(found[-1].replace(",", ""))


def _interval(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the ratio."""
    from scipy.stats import bootstrap  # here: to import it takes a second, and no run waits for it

    found = bootstrap((a, b), _ratio, vectorized=False, rng=1).confidence_interval
    return float(found.low), float(found.high)


def _ratio(a: Sequence[float], b: Sequence[float]) -> float:
    return float(np.median(a) / np.median(b))


def _stack(folder: Path, stack: str, transport: str, index: int, ports: Sequence[int]) -> Path:
    name = "udp.xml" if transport == "udp" else "tcp.xml"
    text = (GROUPS / "jgroups" / stack / "src/main/resources" / name).read_text()
    values = {
        "host": "127.0.0.1", "port": str(ports[index]), "group_port": str(ports[0]), "found": str(index + 1),
        "discoveries": "10" if index else "1",
        "hosts": ",".join(f"127.0.0.1[{port}]" for port in ports), "credits": CREDITS,
    }  # fmt: skip
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    path = folder / f"theirs-{index}.xml"
    path.write_text(text)
    return path


def _await(
    path: Path, pattern: str, patience_s: float, *, times: int = 1, ask: Callable[[], None] = lambda: None
) -> None:
    """Wait until a log has said something so many times; a simple pattern, as it is sought while they measure."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if len(re.findall(pattern, path.read_text())) >= times:
            return
        ask()
        time.sleep(0.1)
    raise AssertionError(f"{path} does not say {pattern} {times} times: {path.read_text()[-2000:]}")


def main() -> None:
    """Print the medians of pairs of runs on each transport, and their ratio with its 95 % interval (bootstrap)."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stack", choices=list(MESSAGES), default="paper-2008")
    parser.add_argument("--jvm", choices=["plain", "paper"], default="plain", help="options of Java, on both sides")
    parser.add_argument("--transports", default="udp,tcp")
    parser.add_argument("--pairs", type=int, default=10)
    options = parser.parse_args()
    theirs = _mperf if options.stack == "current" else _test
    for transport in options.transports.split(","):
        rates: dict[Callable[..., float], list[float]] = {_ours: [], theirs: []}
        for pair in range(options.pairs):
            for of in list(rates)[:: 1 if pair % 2 == 0 else -1]:
                with memory_folder() as folder:  # where a campaign's records are, and gone before the next run
                    rates[of].append(of(folder, options.stack, transport, options.jvm))
            of_pair = " and ".join(f"{values[-1]:.0f}" for values in rates.values())
            print(f"{options.stack} {transport}, pair {pair + 1}: {of_pair} messages/s", file=sys.stderr, flush=True)
        print(_line(f"{options.stack} {transport}, {options.jvm} options", *rates.values()), flush=True)


def _line(what: str, ours: Sequence[float], theirs: Sequence[float]) -> str:
    ratio = _ratio(ours, theirs)
    interval = "" if len(ours) == 1 else "{:.2f} to {:.2f}, ".format(*_interval(ours, theirs))
    verdict = "within" if abs(ratio - 1) * 100 <= WANTED_PCT else "NOT within"
    return (
        f"{what}: {statistics.median(ours):.0f} messages/s by ours, {statistics.median(theirs):.0f} by theirs, ratio "
        f"{ratio:.2f} ({interval}medians of {len(ours)}): {verdict} {WANTED_PCT:g} %"
    )


if __name__ == "__main__":
    main()
