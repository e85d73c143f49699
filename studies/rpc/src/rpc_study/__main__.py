"""The driver of the RPC study: one verb, one JSON spec."""

import argparse
import json
import sys
from pathlib import Path

from rpc_study.check import check
from rpc_study.errors import DriverError

VERBS = ("needs", "prepare", "check")


def main(arguments: list[str] | None = None) -> int:
    """Carry out a verb; return 0 done, 2 could not be done."""
    parser = argparse.ArgumentParser(prog="driver", description=__doc__)
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("--spec", type=Path, required=True, help="JSON file that says what to do")
    parser.add_argument("--out", type=Path, help="folder of the run, for check")
    asked = parser.parse_args(arguments)
    if asked.verb != "check":
        print("{}")
        return 0
    if asked.out is None:
        parser.error("check needs --out")
    try:
        print(json.dumps(check(json.loads(asked.spec.read_text(encoding="utf-8")), asked.out)))
    except DriverError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
