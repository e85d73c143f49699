"""The driver of the sockets study: one verb, one JSON spec."""

import sys

from sockets_study import check, needs
from study_kit import program

STUDY = program.Study(needs=needs.needs, check=check.check, thresholds=("left_behind_pct",))

if __name__ == "__main__":
    sys.exit(program.run(STUDY))
