"""`python -m harness` is `./lab` without its set-up."""

import sys

from harness.cli import main
from monitoring.program import run_program

if __name__ == "__main__":
    sys.exit(run_program(main))
