"""Where the lab's own folders are."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
STUDIES = REPOSITORY / "studies"
RESULTS = REPOSITORY / "results"
STAMPS = REPOSITORY / ".lab" / "stamps"
STATE = REPOSITORY / ".lab" / "state"
