#!/usr/bin/env python3
"""How well three ways of open arrivals hold their schedules: the lab's, and the two that JMeter has.

All three send Poisson arrivals at one rate, at the same time and on the same core, each to a server that does nothing
and to one of its own, so whatever else the machine does falls on all. Each schedule is known: the lab's is a file; the
others' are drawn again from their seeds with JMeter's own classes. JMeter's ways do not say when they began: their
first moments are taken from the request that was least late, and the lab's schedule is treated alike. The first third
is left out: JMeter compiles its code then.
"""

import argparse
import csv
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from generator import JMETER, PAGE_BYTES, null_server

HOME = JMETER / "target" / "apache-jmeter-5.6.3"
PLAN = JMETER / "upload-open.jmx"
SEED = 7
USERS = 200
SIZE = 23_000

TIMER = """<hashTree>
        <PreciseThroughputTimer guiclass="TestBeanGUI" testclass="PreciseThroughputTimer" testname="Arrivals">
          <doubleProp><name>throughput</name><value>{rate}</value></doubleProp>
          <intProp name="throughputPeriod">1</intProp>
          <longProp name="duration">{seconds}</longProp>
          <intProp name="batchSize">1</intProp>
          <intProp name="batchThreadDelay">0</intProp>
          <intProp name="exactLimit">10000</intProp>
          <doubleProp><name>allowedThroughputSurplus</name><value>1.0</value></doubleProp>
          <stringProp name="randomSeed">{seed}</stringProp>
        </PreciseThroughputTimer>
        <hashTree/>"""
GROUP = """<OpenModelThreadGroup guiclass="OpenModelThreadGroupGui" testclass="OpenModelThreadGroup" testname="Users">
        <elementProp name="ThreadGroup.main_controller" elementType="OpenModelThreadGroupController"/>
        <stringProp name="OpenModelThreadGroup.schedule">rate({rate}/s) random_arrivals({seconds} s)</stringProp>
        <stringProp name="OpenModelThreadGroup.random_seed">{seed}</stringProp>
        <stringProp name="ThreadGroup.on_sample_error">continue</stringProp>
      </OpenModelThreadGroup>"""


def own_plan(rate: float, seconds: int) -> str:
    """Return the lab's plan as it is."""
    return PLAN.read_text(encoding="utf-8")


def timer_plan(rate: float, seconds: int) -> str:
    """Return the plan with a Precise Throughput Timer in place of the schedule."""
    text = _without_schedule(own_plan(rate, seconds))
    text = re.sub(
        r'(<boolProp name="LoopController.continue_forever">false</boolProp>\s*</elementProp>)(\s*</ThreadGroup>)',
        rf'\1<boolProp name="ThreadGroup.scheduler">true</boolProp>'
        rf'<stringProp name="ThreadGroup.duration">{seconds}</stringProp>\2',
        text,
    )
    timer = TIMER.format(rate=rate, seconds=seconds, seed=SEED)
    return re.sub(r"(</ThreadGroup>\s*)<hashTree>", lambda match: match[1] + timer, text)


def group_plan(rate: float, seconds: int) -> str:
    """Return the plan with an Open Model Thread Group in place of the users and the schedule."""
    group = GROUP.format(rate=rate, seconds=seconds, seed=SEED)
    text = _without_schedule(own_plan(rate, seconds))
    return re.sub(r"<ThreadGroup .*?</ThreadGroup>", lambda _: group, text, flags=re.DOTALL)


def _without_schedule(text: str) -> str:
    text = re.sub(r'<CSVDataSet [^>]*testname="Next arrival">.*?</CSVDataSet>\s*<hashTree/>', "", text, flags=re.DOTALL)
    text = re.sub(
        r'<UserParameters [^>]*testname="When it is due">.*?</UserParameters>\s*<hashTree/>', "", text, flags=re.DOTALL
    )
    return re.sub(r"<ConstantTimer .*?</ConstantTimer>\s*<hashTree/>", "", text, flags=re.DOTALL)


WAYS = {
    "lab's schedule": ("own", own_plan),
    "Precise Throughput Timer": ("timer", timer_plan),
    "Open Model Thread Group": ("group", group_plan),
}


def due_s(way: str, rate: float, seconds: int) -> np.ndarray:
    """Return when a way means to send, in seconds from its start, ascending."""
    if way == "own":
        # As `./lab sizes arrivals` writes it: whole milliseconds, the part below cut off.
        generator = np.random.default_rng(SEED)
        times = np.cumsum(generator.exponential(1 / rate, int(2 * rate * seconds)))
        return np.floor(times[times < seconds] * 1000) / 1000
    path = f"{HOME}/lib/ext/*:{HOME}/lib/*"
    done = subprocess.run(
        ["java", "-cp", path, str(JMETER / "bench/DueTimes.java"), way, str(rate), str(seconds), str(SEED)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return np.sort([float(line) for line in done.stdout.split()])


def start(folder: Path, plan: str, port: int, schedule_s: np.ndarray) -> subprocess.Popen[bytes]:
    """Start JMeter on core 1 with a plan."""
    (folder / "plan.jmx").write_text(plan, encoding="utf-8")
    (folder / f"{SIZE}.split").write_bytes(random.Random(1).randbytes(SIZE))
    (folder / "sizes.csv").write_text(f"{SIZE}\n", encoding="ascii")
    rows = "".join(f"{round(at * 1000)},{number}\n" for number, at in enumerate(schedule_s, 1))
    (folder / "schedule.csv").write_text("start_ms,session\n" + rows, encoding="ascii")
    settings = {
        "port": port,
        "sizes_csv": folder / "sizes.csv",
        "payload_dir": folder,
        "schedule_csv": folder / "schedule.csv",
        "max_threads": USERS,
        "body_bytes": PAGE_BYTES,
    }
    return subprocess.Popen(
        ["taskset", "-c", "1", str(JMETER / "bin/lab-jmeter"), "-n", "-t", str(folder / "plan.jmx")]
        + ["-l", str(folder / "requests.jtl"), "-j", str(folder / "jmeter.log")]
        + [f"-Jlab.{name}={value}" for name, value in settings.items()],
        env={**os.environ, "JMETER_HEAP": "256m"},
        stdout=subprocess.DEVNULL,
    )


def late_ms(folder: Path, schedule_s: np.ndarray) -> tuple[np.ndarray, int]:
    """Return how late each request was sent (ms, against the least late), and how many more or fewer were sent."""
    with (folder / "requests.jtl").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["label"] == "Upload file"]
    sent_ms = np.sort([float(row["timeStamp"]) for row in rows])
    both = min(len(sent_ms), len(schedule_s))
    late = (sent_ms[:both] - schedule_s[:both] * 1000)[both // 3 :]
    return late - late.min(), len(sent_ms) - len(schedule_s)


def measure(rate: float, seconds: int, ways: Sequence[str]) -> None:
    """Run the ways at the same time and print how late each sent."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as scratch:
        plans = {}
        for name in ways:
            key, make = WAYS[name]
            folder = Path(scratch) / key
            folder.mkdir()
            plans[name] = (folder, make(rate, seconds), due_s(key, rate, seconds))
        ports = {name: stack.enter_context(null_server()) for name in ways}
        running = [start(folder, plan, ports[name], due) for name, (folder, plan, due) in plans.items()]
        for process in running:
            process.wait()
        for name, (folder, _, due) in plans.items():
            late, more = late_ms(folder, due)
            figures = "  ".join(f"{np.quantile(late, q):>7.1f}" for q in (0.5, 0.9, 0.99, 1))
            print(f"{rate:>6.0f}/s  {name:<25}  {len(due):>6}  {more:>+6}  {late.mean():>7.1f}  {figures}", flush=True)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, nargs="+", default=[50, 200], help="a second (default: 50 200)")
    parser.add_argument("--seconds", type=int, default=45, help="of each (default 45)")
    asked = parser.parse_args()
    columns = "".join(f"{name:>9}" for name in ("mean", "p50", "p90", "p99", "max"))
    print(f"late: ms after a request was due\n{'rate':>8}  {'way':<25}  {'due':>6}  {'sent':>6}{columns}")
    for rate in asked.rate:
        measure(rate, asked.seconds, list(WAYS))


if __name__ == "__main__":
    main()
