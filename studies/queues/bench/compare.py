"""Hold the study's client against RabbitMQ's own PerfTest: same broker, rate, payload and acknowledgements, in turns.

    .venv/bin/python studies/queues/bench/compare.py --pairs 10 --broker-cores 0 --client-cores 1

At a rate both send without confirms and the broker waits for no acknowledgement; without a rate both have at most 1000
unconfirmed messages, each acknowledged by the consumer. PerfTest sends at even intervals, and so does ours unless
`--arrivals poisson` asks for what the study does. Idle cores poll, as in a campaign, unless `--idle-cores sleep`. The
first `--warmup` seconds of each are left out. Prints a line for each pair as it ends, then the medians, the ratio ours
to PerfTest's with the 95 % interval of the median ratio of a pair (bootstrap, seed 1), and whether it is near enough to
1; `--json` prints all figures as one object. The exit code is 1 where a ratio is not near enough.
"""

import argparse
import functools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from monitoring.idle_cores import keep_awake, why_asleep
from study_kit.conducting import memory_folder

sys.path.extend(str(Path(__file__).parents[above] / "tests") for above in (1, 3))
import queue_parts

HERE = Path(__file__).parent
SECOND = re.compile(r"received: (\d+) msg/s.*consumer latency: \d+/(\d+)/")
PAYLOAD_BYTES = 100
RESAMPLED = 10_000
WINDOW = 1000  # unconfirmed messages of either, where the rate is not limited
BUSY_WAIT = "medium"  # the study's own, as RabbitMQ is shipped


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


def ours(port: int, rate: int, seconds: int, warmup: int, arrivals: str = "even") -> tuple[float, float]:
    """Return the median latency in µs, and the messages received a second, of the study's client."""
    load = (
        {"LOOP": "open", "RATE_PER_S": str(rate), "ARRIVALS": arrivals} if rate else {"LOOP": "saturate", "ACK": "each"}
    )
    with memory_folder() as folder:
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
    received = np.sort(outcome.times_ns("consumer", "received"))
    apart_s = (received[-1] - received[0]) / 1e9
    return float(np.median(queue_parts.latencies_ns(outcome))) / 1e3, (len(received) - 1) / apart_s


Program = Callable[[int, int, int, int], tuple[float, float]]


def compared(
    what: str, unit: str, limit_pct: float, pairs: int, measures: Mapping[str, Callable[[], float]]
) -> dict[str, Any]:
    """Measure both in turns, the one that goes first changing; return figures, medians, their ratio and a sentence."""
    figures: dict[str, list[float]] = {name: [] for name in measures}
    for pair in range(pairs):
        for name in sorted(measures, reverse=pair % 2 == 1):
            figures[name].append(measures[name]())
        said = ", ".join(f"{name} {values[-1]:,.1f}" for name, values in figures.items())
        print(f"{what}, pair {pair + 1} of {pairs}: {said} {unit}", file=sys.stderr, flush=True)
    medians = {name: statistics.median(values) for name, values in figures.items()}
    ratio = medians["ours"] / medians["perf_test"]
    of_pairs = np.array(figures["ours"]) / np.array(figures["perf_test"])
    drawn = np.random.default_rng(1).choice(of_pairs, (RESAMPLED, pairs))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    near = abs(ratio - 1) <= limit_pct / 100
    sentence = (
        f"{what}: ours {medians['ours']:,.1f} against {medians['perf_test']:,.1f} {unit}, ratio {ratio:.3f} "
        f"({low:.3f} to {high:.3f}, {pairs} pairs): {'within' if near else 'NOT within'} {limit_pct:g} %."
    )
    return {"what": what, **medians, "ratio": ratio, "each": figures, "near": near, "sentence": sentence}


def cores(text: str) -> set[int]:
    """Read core numbers: `0` or `0,2`."""
    return {int(part) for part in text.split(",")}


def idle_cores(do: str) -> AbstractContextManager[object]:
    """Have idle cores poll until the block ends, as in a campaign, or say why they sleep."""
    why = why_asleep() if do == "poll" else "as asked for"
    if why is None:
        return keep_awake()
    print(f"Idle cores sleep: {why}.", file=sys.stderr)
    return nullcontext()


def main() -> int:
    """Print the comparison; return 1 where a ratio is too far from 1."""
    every = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description="the study's client beside RabbitMQ's PerfTest")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--rate", type=int, default=1000, help="messages a second where latency is measured")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--broker-cores", type=cores, default=cores(every), metavar="N,...")
    parser.add_argument("--client-cores", type=cores, default=cores(every), metavar="N,...", help="of both programs")
    parser.add_argument("--arrivals", choices=["even", "poisson"], default="even", help="of ours, at a rate")
    parser.add_argument("--idle-cores", choices=["poll", "sleep"], default="poll")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    subprocess.run(["mvn", "-q", "-B", "package"], cwd=HERE, check=True)
    queue_parts.build()
    times = (asked.seconds, asked.warmup)
    programs: dict[str, Program] = {"ours": functools.partial(ours, arrivals=asked.arrivals), "perf_test": perf_test}
    os.sched_setaffinity(0, asked.broker_cores)  # what is started from here on inherits it
    with (
        idle_cores(asked.idle_cores),
        memory_folder() as run_dir,
        queue_parts.rabbitmq(run_dir, busy_wait=BUSY_WAIT) as (port, _),
    ):
        os.sched_setaffinity(0, asked.client_cores)

        def measures(rate: int, figure: int) -> dict[str, Callable[[], float]]:
            return {name: lambda one=one: one(port, rate, *times)[figure] for name, one in programs.items()}

        latency = f"median latency at {asked.rate} messages/s"
        found = [
            compared(latency, "µs", 15.0, asked.pairs, measures(asked.rate, 0)),
            compared("messages delivered without a rate", "a second", 20.0, asked.pairs, measures(0, 1)),
        ]
    if asked.json:
        shown = ("ours", "perf_test", "ratio", "each")
        print(json.dumps({one["what"]: {name: one[name] for name in shown} for one in found}, indent=2))
    else:
        print("\n".join(one["sentence"] for one in found))
    return 0 if all(one["near"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
