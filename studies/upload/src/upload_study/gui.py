"""JMeter's GUI with the plan loaded and one sample's list and payloads set, or with engines that have theirs."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from upload_study.engines import addresses, rmi_arguments
from upload_study.spec import REPOSITORY, DriverError, RunSpec, read_spec
from workload_gen import WorkloadError, ensure_sample

GUI = REPOSITORY / "jmeter" / "bin" / "gui"
ROWS = 2000


def main(arguments: Sequence[str]) -> int:
    """Make the sample's files and become JMeter's GUI; return 2 with one sentence when that cannot be done."""
    parser = argparse.ArgumentParser(prog="./lab gui", description=__doc__)
    parser.add_argument("--sample", type=int, default=5, help="sample of Table 1, 1 to 10 (default 5)")
    parser.add_argument("--count", type=int, default=ROWS, help=f"sizes in its list (default {ROWS})")
    parser.add_argument("--seed", type=int, default=1, help="of the list (default 1)")
    parser.add_argument("--port", type=int, default=8080, help="of the server to upload to (default 8080)")
    parser.add_argument(
        "--engines", type=Path, metavar="SPEC", help="engines to start the plan on: the file that ./lab engines names"
    )
    asked = parser.parse_args(arguments)
    try:
        if asked.engines:
            os.execv(GUI, [str(GUI), *_engine_arguments(asked.engines)])
        files = ensure_sample(asked.sample, count=asked.count, seed=asked.seed)
    except (WorkloadError, DriverError) as error:
        print(error, file=sys.stderr)
        return 2
    settings = {"lab.sizes_csv": files.sizes_csv, "lab.payload_dir": files.payload_dir, "lab.port": asked.port}
    os.execv(GUI, [str(GUI), *[f"-J{name}={value}" for name, value in settings.items()]])


def _engine_arguments(path: Path) -> list[str]:
    spec = read_spec(path, RunSpec)
    if not spec.engines:
        raise DriverError(f"{path}: expected the spec of a load on engines, as ./lab engines names it.")
    if spec.load.arrivals == "open":
        raise DriverError(f"{path}: the engines are set up for open arrivals; the GUI opens the plan of closed loops.")
    return [*rmi_arguments(spec, spec.controller), f"-Jremote_hosts={addresses(spec)}"]
