"""The driver of the RPC study."""

import sys

from rpc_study.check import check
from rpc_study.needs import needs
from study_kit.program import Study, run

STUDY = Study(needs=needs, check=check, thresholds=("wrong_answers", "gc_pct"))

if __name__ == "__main__":
    sys.exit(run(STUDY))
