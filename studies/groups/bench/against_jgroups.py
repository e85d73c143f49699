"""Our member against JGroups' own tests: same version, protocols, size and heap.

With 2.6.0 `org.jgroups.tests.perf.Test`, as many messages, and cold, as it can be run but once; with 5.5 `MPerf`, which
sends for a time. It is run twice in the same members, ours has a round of warm-up, and the second of either counts.
"""

import argparse
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from groups_conducting import GROUPS, conduct, free_ports

MEMBERS, SIZE = 4, 100
MESSAGES = {"paper-2008": 10_000, "current": 400_000}
WARMUP_ROUNDS = {"paper-2008": "0", "current": "1"}
MPERF_S = 5
JVM = ["-Djava.net.preferIPv4Stack=true", "-Xms400m", "-Xmx400m", "-XX:+UseParallelGC"]
CREDITS = "500000"


def _ours(folder: Path, stack: str, transport: str) -> float:
    messages = MESSAGES[stack]
    outcome = conduct(
        "jgroups", stack, folder, members=MEMBERS, TRANSPORT=transport, MESSAGE_BYTES=str(SIZE),
        MESSAGES=str(messages), ROUNDS="1", WARMUP_ROUNDS=WARMUP_ROUNDS[stack], HEAP_MB="400",
        RECORDS_CAPACITY=str(messages * (MEMBERS + 1) + 1000),
    )  # fmt: skip
    rounds = [outcome.event(member, "round", phase="measure") for member in range(MEMBERS)]
    return statistics.fmean(
        one["received"] * 1e9 / (one["last_received_ns"] - one["first_received_ns"]) for one in rounds
    )


def _test(folder: Path, stack: str, transport: str) -> float:
    """Run org.jgroups.tests.perf.Test; return what it prints, messages a second averaged over the receivers."""
    ports = free_ports(MEMBERS)
    config = folder / "perf.txt"
    config.write_text(
        f"transport=org.jgroups.tests.perf.transports.JGroupsTransport\nmcast_addr=228.10.10.10\nmcast_port={ports[0]}\n"
        f"num_members={MEMBERS}\nnum_senders={MEMBERS}\nnum_msgs={MESSAGES[stack]}\nmsg_size={SIZE}\n"
        "log_interval=100000\njmx=false\n"
    )
    logs = [folder / f"theirs-{index}.log" for index in range(MEMBERS)]
    with _started() as start:
        for index in range(MEMBERS):
            props = _stack(folder, stack, transport, index, ports)
            start(stack, logs[index], "Test", "-sender", "-config", str(config), "-props", str(props))
            _await(logs[0], f"(-- .* joined(.|\n)*){{{index + 1}}}", 20)  # one after the other, as ours
        for log in logs:
            _await(log, r"combined:", 60)
    return _rate(logs[0], r"combined:\s*([\d.,]+)\s*msgs/sec")


def _mperf(folder: Path, stack: str, transport: str) -> float:
    """Run org.jgroups.tests.perf.MPerf; return what it prints, messages a second at a member, its own included."""
    ports = free_ports(MEMBERS)
    logs = [folder / f"theirs-{index}.log" for index in range(MEMBERS)]
    members: list[subprocess.Popen[bytes]] = []
    with _started() as start:
        for index in range(MEMBERS):
            props = _stack(folder, stack, transport, index, ports)
            members.append(start(
                stack, logs[index], "MPerf", "-props", str(props), "-name", f"member-{index}", "-time", str(MPERF_S),
                "-size", str(SIZE), "-threads", "1", *(["-nohup"] if index else []),
            ))  # fmt: skip
            _await(logs[0], rf"\({index + 1}\) \[member-0", 20, lambda: _say(members[0], "2"))  # what view it sees
        for times in (1, 2):
            _say(members[0], "1")
            _await(logs[0], rf"(Average/node:.*(.|\n)*){{{times}}}", MPERF_S + 60)
    return _rate(logs[0], r"Average/node:.*?msgs/sec=([\d.,]+)")


def _say(process: subprocess.Popen[bytes], key: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{key}\n".encode())
    process.stdin.flush()


@contextmanager
def _started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Give a function that starts one of JGroups' tests, and end all that it started."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(stack: str, log: Path, test: str, *options: str) -> subprocess.Popen[bytes]:
        jars = str(GROUPS / f"jgroups/{stack}/target/lib/*")
        command = ["java", *JVM, "-cp", jars, f"org.jgroups.tests.perf.{test}", *options]
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


def _await(path: Path, pattern: str, patience_s: float, ask: Callable[[], None] = lambda: None) -> None:
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if re.search(pattern, path.read_text()):
            return
        ask()
        time.sleep(0.1)
    raise AssertionError(f"{path} does not say {pattern}: {path.read_text()[-2000:]}")


def main() -> None:
    """Print the medians of pairs of runs on each transport, and their ratio with its 95 % interval (bootstrap)."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stack", choices=list(MESSAGES), default="paper-2008")
    parser.add_argument("--transports", default="udp,tcp")
    parser.add_argument("--pairs", type=int, default=10)
    options = parser.parse_args()
    theirs = _mperf if options.stack == "current" else _test
    for transport in options.transports.split(","):
        rates: dict[Callable[..., float], list[float]] = {_ours: [], theirs: []}
        with tempfile.TemporaryDirectory(prefix="upload-lab-") as work:
            for repeat in range(options.pairs):
                for of, values in rates.items():
                    folder = Path(work) / f"{of.__name__}{repeat}"
                    folder.mkdir()
                    values.append(of(folder, options.stack, transport))
        ours, them = rates.values()
        low, high = _interval(ours, them)
        print(
            f"{options.stack} {transport}: {statistics.median(ours):.0f} messages/s by ours, "
            f"{statistics.median(them):.0f} by theirs, ratio {_ratio(ours, them):.2f} "
            f"({low:.2f} to {high:.2f}, medians of {options.pairs})",
            flush=True,
        )


if __name__ == "__main__":
    main()
