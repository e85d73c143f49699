"""A driver's command line: one verb, one JSON spec."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitoring.program import run_program
from study_kit.gates import THRESHOLDS
from study_kit.spec import CampaignSpec, DriverError, RunSpec, Scenario, read_spec

DONE, COULD_NOT = 0, 2


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a conducted study does for each verb; the harness conducts its parts."""

    needs: Callable[[Scenario], dict[str, Any]]
    """What a run of a scenario takes: `requests`, `seconds`, `records`; nothing is prepared."""
    check: Callable[[RunSpec, Path], dict[str, Any]]
    thresholds: tuple[str, ...] = ()
    """What `[gates]` of its `study.toml` may name beside the kit's own gates."""


def main(study: Study, arguments: list[str] | None = None) -> int:
    """Carry out a verb and print its answer as JSON; return 0 done, 2 could not be done."""
    parser = argparse.ArgumentParser(prog="driver")
    parser.add_argument("verb", choices=("needs", "prepare", "check"))
    parser.add_argument("--spec", type=Path, required=True, help="JSON file that says what to do")
    parser.add_argument("--out", type=Path, help="the run's folder (check)")
    asked = parser.parse_args(arguments)
    try:
        print(json.dumps(_carry_out(study, asked.verb, asked.spec, asked.out)))
    except DriverError as error:
        print(error, file=sys.stderr)
        return COULD_NOT
    return DONE


def run(study: Study) -> int:
    """Be the driver of a study: what its `__main__` calls."""
    return run_program(lambda: main(study))


def _carry_out(study: Study, verb: str, spec: Path, out: Path | None) -> dict[str, Any]:
    if verb == "check":
        if out is None:
            raise DriverError("The verb 'check' needs --out, a folder.")
        return study.check(read_spec(spec, RunSpec), out)
    campaign = read_spec(spec, CampaignSpec)
    known = (*THRESHOLDS, *study.thresholds)
    if unknown := [name for name in campaign.thresholds if name not in known]:
        raise DriverError(f"study.toml: [gates] names '{unknown[0]}'; this study knows {', '.join(known)}.")
    if verb == "prepare":
        return {}
    return {"scenarios": [{"factors": one.factors, **study.needs(one)} for one in campaign.scenarios]}
