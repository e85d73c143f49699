"""The command line: `./lab sizes generate`, `describe`, `fit` and `arrivals`; `python -m workload_gen` on its own."""

import argparse
import sys
from collections.abc import Sequence

from monitoring.program import run_program
from workload_gen.commands import arrivals, describe, fit, generate
from workload_gen.errors import WorkloadError

EXIT_DONE = 0
EXIT_NOT_DONE = 2
EXIT_INTERRUPTED = 130
"""128 and the number of the signal, as shells count."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="./lab sizes", description="Upload sizes and payload files.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (generate, describe, fit, arrivals):
        command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except WorkloadError as error:
        print(error, file=sys.stderr)
        return EXIT_NOT_DONE
    except KeyboardInterrupt:
        print("Interrupted; nothing half-written was left.", file=sys.stderr)
        return EXIT_INTERRUPTED
    return EXIT_DONE


if __name__ == "__main__":
    sys.exit(run_program(main))
