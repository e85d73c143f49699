"""`python -m uploadlab` is `./lab` without its set-up."""

import sys

from monitoring.program import run_program
from uploadlab.cli import main

if __name__ == "__main__":
    sys.exit(run_program(main))
