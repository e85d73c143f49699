"""The driver of the upload study: one verb, one JSON spec."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from monitoring.program import run_program
from upload_study.spec import CampaignSpec, DriverError, GateError, RunSpec, read_spec
from workload_gen import WorkloadError

VERBS = ("needs", "prepare", "credentials", "verify", "engine", "load", "check")


def main(arguments: list[str] | None = None) -> int:
    """Carry out a verb; return 0 done, 1 a gate failed, 2 could not be done."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["sizes"]:
        from workload_gen.__main__ import main as sizes

        return sizes(given[1:])
    if given[:1] == ["gui"]:
        from upload_study import gui

        return gui.main(given[1:])
    parser = argparse.ArgumentParser(prog="driver", description=__doc__)
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("--spec", type=Path, required=True, help="JSON file that says what to do")
    parser.add_argument("--out", type=Path, help="folder of what is written and read (all but needs, prepare, verify)")
    asked = parser.parse_args(given)
    try:
        result = _carry_out(asked.verb, asked.spec, asked.out)
    except GateError as error:
        print(error, file=sys.stderr)
        return 1
    except (DriverError, WorkloadError) as error:
        print(error, file=sys.stderr)
        return 2
    if result is not None:
        print(json.dumps(result))
    return 0


def _carry_out(verb: str, path: Path, out: Path | None) -> dict[str, Any] | None:
    """Import what the verb needs and carry it out: each run begins four verbs, and waits for what they import."""
    if verb in ("needs", "prepare"):
        from upload_study import inputs

        campaign = read_spec(path, CampaignSpec)
        return inputs.needs(campaign) if verb == "needs" else inputs.prepare(campaign)
    if verb == "credentials":
        from upload_study import engines

        engines.make_credentials(_folder(verb, out))
        return {}
    spec = read_spec(path, RunSpec)
    if verb == "verify":
        from upload_study import contract

        return contract.verify(spec)
    folder = _folder(verb, out)
    if verb == "check":
        from upload_study import check

        return check.check(spec, folder)
    _make_load(verb, spec, folder)
    return None


def _make_load(verb: str, spec: RunSpec, folder: Path) -> None:
    if verb == "engine" or spec.engines:
        from upload_study import engines

        (engines.serve if verb == "engine" else engines.run)(spec, folder)
    elif spec.factors.generator == "lean":
        from upload_study import lean

        lean.run(spec, folder)
    else:
        from upload_study import jmeter

        jmeter.run(spec, folder)


def _folder(verb: str, out: Path | None) -> Path:
    if out is None:
        raise DriverError(f"The verb '{verb}' needs --out, a folder.")
    return out


if __name__ == "__main__":
    sys.exit(run_program(main))
