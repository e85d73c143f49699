"""Hold the study's client against RabbitMQ's own PerfTest: same broker, rate, payload and acknowledgements, in turns.

    .venv/bin/python studies/queues/bench/compare.py --pairs 10

prints one JSON object with the medians of latency at a rate and of messages delivered a second without one, of both,
and their ratios. The first `--warmup` seconds of each are left out.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import queue_parts

HERE = Path(__file__).parent
SECOND = re.compile(r"received: (\d+) msg/s.*consumer latency: \d+/(\d+)/")
PAYLOAD_BYTES = 100
WINDOW = 1000  # unconfirmed messages of either, where the rate is not limited


def perf_test(port: int, rate: int, seconds: int, warmup: int) -> tuple[float, float]:
    """Return the median of the seconds' median latencies in µs, and of their messages received a second."""
    command = ["java", "-cp", f"{HERE / 'target/lib'}/*", "com.rabbitmq.perf.PerfTest"]
    options = {"--uri": f"amqp://guest:guest@127.0.0.1:{port}", "--size": PAYLOAD_BYTES, "--time": seconds + warmup}
    options |= {"--queue": "perf_test", "--auto-delete": "true", "--qos": 0}
    options |= {"--rate": rate} if rate else {"--confirm": WINDOW}
    arguments = [str(word) for pair in options.items() for word in pair] + ([] if rate == 0 else ["--autoack"])
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    found = SECOND.findall(done.stdout)[warmup:]
    if len(found) < seconds // 2:
        raise SystemExit(f"PerfTest told of {len(found)} seconds: {done.stdout[-500:]}{done.stderr[-500:]}")
    return statistics.median(float(us) for _, us in found), statistics.median(float(count) for count, _ in found)


def ours(port: int, rate: int, seconds: int, warmup: int) -> tuple[float, float]:
    """Return the median latency in µs, and the messages received a second, of the study's client."""
    load = {"LOOP": "open", "RATE_PER_S": str(rate)} if rate else {"LOOP": "saturate", "ACK": "each"}
    with queue_parts.memory_folder() as folder:
        outcome = queue_parts.conduct(
            folder,
            port,
            **load,
            TRANSPORT="amqp",
            MESSAGE_BYTES=str(PAYLOAD_BYTES),
            WINDOW=str(WINDOW),
            DURATION_S=str(seconds),
            WARMUP_S=str(warmup),
            RECORDS_CAPACITY="5000000",
        )
    received = np.sort(outcome.rows("consumer", queue_parts.RECEIVED)["time_ns"])
    apart_s = (received[-1] - received[0]) / 1e9
    return float(np.median(outcome.latencies_ns())) / 1e3, (len(received) - 1) / apart_s


def in_turns(measure: Callable[[Callable[..., tuple[float, float]]], float], pairs: int) -> dict[str, object]:
    """Measure both in turns, the one that goes first changing, and return the medians and their ratio."""
    figures: dict[str, list[float]] = {"ours": [], "perf_test": []}
    programs = {"ours": ours, "perf_test": perf_test}
    for pair in range(pairs):
        for name in sorted(programs, reverse=pair % 2 == 1):
            figures[name].append(measure(programs[name]))
    medians = {name: statistics.median(values) for name, values in figures.items()}
    return {**medians, "ratio": round(medians["ours"] / medians["perf_test"], 3), "each": figures}


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description="the study's client beside RabbitMQ's PerfTest")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=3)
    asked = parser.parse_args()
    subprocess.run(["mvn", "-q", "-B", "package"], cwd=HERE, check=True)
    queue_parts.build()
    times = (asked.seconds, asked.warmup)
    with queue_parts.memory_folder() as run_dir, queue_parts.rabbitmq(run_dir) as (port, _):
        latency = in_turns(lambda one: one(port, asked.rate, *times)[0], asked.pairs)
        saturated = in_turns(lambda one: one(port, 0, *times)[1], asked.pairs)
    print(json.dumps({"latency_us": latency, "saturated_per_s": saturated}, indent=2))


if __name__ == "__main__":
    main()
