"""The driver of the queues study: one verb, one JSON spec."""

import sys

from queues_study import check, needs
from study_kit import program

STUDY = program.Study(needs=needs.needs, check=check.check)

if __name__ == "__main__":
    sys.exit(program.run(STUDY))
