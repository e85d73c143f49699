"""Our member against JGroups' own test of the same version: same protocols, size, number of messages and heap."""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from groups_conducting import GROUPS, conduct, free_ports

MEMBERS, MESSAGES, SIZE = 4, 10_000, 100
JVM = ["-Djava.net.preferIPv4Stack=true", "-Xms400m", "-Xmx400m", "-XX:+UseParallelGC"]
CREDITS = "500000"


def _ours(folder: Path, transport: str) -> float:
    outcome = conduct(
        "jgroups", "paper-2008", folder, members=MEMBERS, TRANSPORT=transport, MESSAGE_BYTES=str(SIZE),
        MESSAGES=str(MESSAGES), ROUNDS="1", WARMUP_ROUNDS="0", HEAP_MB="400", RECORDS_CAPACITY="100000",
    )  # fmt: skip
    rounds = [outcome.event(member, "round", phase="measure") for member in range(MEMBERS)]
    return statistics.fmean(
        one["received"] * 1e9 / (one["last_received_ns"] - one["first_received_ns"]) for one in rounds
    )


def _theirs(folder: Path, transport: str) -> float:
    """Run org.jgroups.tests.perf.Test; return what it prints, messages a second averaged over the receivers."""
    ports = free_ports(MEMBERS)
    config = folder / "perf.txt"
    config.write_text(
        f"transport=org.jgroups.tests.perf.transports.JGroupsTransport\nmcast_addr=228.10.10.10\nmcast_port={ports[0]}\n"
        f"num_members={MEMBERS}\nnum_senders={MEMBERS}\nnum_msgs={MESSAGES}\nmsg_size={SIZE}\nlog_interval=100000\njmx=false\n"
    )
    processes = []
    try:
        for index in range(MEMBERS):
            command = [
                "java", *JVM, "-cp", str(GROUPS / "jgroups/paper-2008/target/lib/*"), "org.jgroups.tests.perf.Test",
                "-sender", "-config", str(config), "-props", str(_stack(folder, transport, index, ports)),
            ]  # fmt: skip
            with (folder / f"theirs-{index}.log").open("w") as log:
                processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log))
            _await(folder / "theirs-0.log", f"(-- .* joined(.|\n)*){{{index + 1}}}", 20)  # one after the other, as ours
        for index in range(MEMBERS):
            _await(folder / f"theirs-{index}.log", r"combined:", 60)
    finally:
        for one in processes:
            one.kill()
            one.communicate()
    said = (folder / "theirs-0.log").read_text()
    found = re.search(r"combined:\s*([\d.,]+)\s*msgs/sec", said)
    assert found, said[-2000:]
    return float(found[1].replace(",", ""))


def _stack(folder: Path, transport: str, index: int, ports: list[int]) -> Path:
    name = "udp.xml" if transport == "udp" else "tcp.xml"
    text = (GROUPS / "jgroups/paper-2008/src/main/resources" / name).read_text()
    values = {
        "host": "127.0.0.1", "port": str(ports[index]), "group_port": str(ports[0]), "found": str(index + 1),
        "hosts": ",".join(f"127.0.0.1[{port}]" for port in ports), "credits": CREDITS,
    }  # fmt: skip
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    path = folder / f"theirs-{index}.xml"
    path.write_text(text)
    return path


def _await(path: Path, pattern: str, patience_s: float) -> None:
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if re.search(pattern, path.read_text()):
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} does not say {pattern}: {path.read_text()[-2000:]}")


def main() -> None:
    """Print the medians of ten pairs of runs on each transport, and their ratio; on a quiet machine within 10 %."""
    for transport in ("udp", "tcp"):
        ours, theirs = [], []
        with tempfile.TemporaryDirectory(prefix="upload-lab-") as work:
            for repeat in range(10):
                for rates, rate in ((ours, _ours), (theirs, _theirs)):
                    folder = Path(work) / f"{rate.__name__}{repeat}"
                    folder.mkdir()
                    rates.append(rate(folder, transport))
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{transport}: {a:.0f} messages/s by ours, {b:.0f} by theirs, ratio {a / b:.2f} (medians of {len(ours)})")


if __name__ == "__main__":
    main()
