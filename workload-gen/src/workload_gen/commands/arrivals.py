"""`./lab sizes arrivals`: write a schedule of upload starts for open load."""

import argparse
from pathlib import Path

from workload_gen.commands.seed import seed
from workload_gen.errors import WorkloadError
from workload_gen.lists.arrivals import PROCESSES, draw_schedule, write_schedule


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "arrivals",
        help="write a schedule of upload starts for open load",
        description="Write when each upload starts, as CSV with the columns start_ms and session.",
    )
    parser.add_argument("--process", choices=PROCESSES, default="poisson", help="default: %(default)s")
    parser.add_argument("--rate", type=float, required=True, metavar="R", help="uploads a second, in the long run")
    parser.add_argument("--seconds", type=float, required=True, metavar="T", help="length of the schedule")
    parser.add_argument("--seed", type=seed, default=1, help="default: %(default)s")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the CSV file to write")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Carry the command out."""
    schedule = draw_schedule(options.process, rate_per_s=options.rate, duration_s=options.seconds, seed=options.seed)
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_schedule(schedule, options.out)
    except OSError as error:
        raise WorkloadError(f"{options.out}: cannot be written: {error.strerror}.") from error
    count = schedule.start_s.size
    print(f"{options.out}: {count} uploads in {options.seconds:g} s, {count / options.seconds:.4g} a second")
