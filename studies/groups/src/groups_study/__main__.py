"""The driver of the groups study; `program` says what its verbs are."""

import sys

from groups_study.check import check
from groups_study.needs import needs
from study_kit import program

if __name__ == "__main__":
    thresholds = ("view_changes", "together_pct")
    sys.exit(program.run(program.Study(needs=needs, check=check, thresholds=thresholds)))
