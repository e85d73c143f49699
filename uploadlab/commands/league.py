"""`./lab league`: the ranking of all systems that there are, the study's own and those of its further folder."""

import argparse
import sys
import time
from pathlib import Path

import msgspec

from monitoring.pages.render import write
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.campaigns.report import COULD_NOT
from uploadlab.commands import Commands, run
from uploadlab.commands.choice import above_zero, by_id, listed
from uploadlab.errors import LabError
from uploadlab.paths import RESULTS
from uploadlab.planning.study import Study
from uploadlab.report import summary as summaries
from uploadlab.report.league_page import league_page

PROFILES = {"full": "league", "smoke": "league-smoke"}
FEWEST = 3


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("league", help="rank many servers: capacity, p99, CPU and memory, ties shown as ties")
    parser.add_argument("--systems", type=listed, metavar="SYSTEM,...", help="ids or folders (default: all there are)")
    parser.add_argument("--samples", metavar="SAMPLE,...", help="Table 1's lists of file sizes (default 5: 23 KB)")
    parser.add_argument("--disks", metavar="DISK,...", help="where uploads are stored (default: tmpfs, in memory)")
    parser.add_argument("--minutes", type=above_zero("minutes"), metavar="N", help="filled with blocks (default 120)")
    parser.add_argument(
        "--profile", choices=PROFILES, help="smoke: does every server work, one size, one block (default: full)"
    )
    parser.add_argument("--rig", metavar="NAME_OR_FILE", help="where it runs, as for ./lab run (default: this machine)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the campaign's own folder (default: a new one in results/)"
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="finish the campaign in this folder")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and the time it will take, and stop")
    parser.add_argument("--of", type=Path, metavar="DIR", help="measure nothing: make the page of this campaign again")
    parser.set_defaults(action=league)


def league(study: Study, asked: argparse.Namespace) -> int:
    """Measure, or take what was measured; write the page, print its path, and return the exit code."""
    if asked.of:
        _write_page(asked.of, asked.out or asked.of / "league")
        return 0
    systems = asked.systems or _all(study)
    if len(systems) < FEWEST:
        raise LabError(f"--systems {','.join(systems)}: a ranking needs three; of two ./lab run says who is better.")
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-league"
    folder = (asked.resume or asked.out or RESULTS / name).resolve()
    code = run.measure(study, _run_options(study, asked, systems, folder))
    if code == COULD_NOT or asked.dry_run:
        return code
    try:
        _write_page(folder, folder / "league")
    except LabError as error:  # the runs are kept, and their report says why they do not count
        print(error, file=sys.stderr)
    return code


def _write_page(campaign: Path, folder: Path) -> None:
    summary = summarise(write_analysis(campaign))
    if not summary.ranks:
        raise LabError(f"{campaign}: has no three systems with valid runs of one scenario to rank.")
    # Of many servers pairs and curves are megabytes; the campaign's own summary has them.
    short = msgspec.structs.replace(summary, comparisons=[], curves=[], grids=[])
    summaries.write(short, folder / "summary.json")
    print(write(league_page(summary), folder / "index.html"))


def _run_options(study: Study, asked: argparse.Namespace, systems: list[str], folder: Path) -> argparse.Namespace:
    """Return what `./lab run` would be told."""
    given = {name: getattr(asked, name) for name in ("samples", "disks", "minutes", "rig")}
    if asked.resume:
        given |= {"resume": folder, "systems": asked.systems and ",".join(asked.systems), "profile": asked.profile}
    else:
        given |= {"out": folder, "systems": ",".join(systems), "profile": PROFILES[asked.profile or "full"]}
    told = [f"--{name}={value}" for name, value in given.items() if value is not None]
    return run.parse_options(study, [*told, *(["--dry-run"] if asked.dry_run else [])])


def _all(study: Study) -> list[str]:
    return list(by_id([*study.system_folders().values(), *study.further_folders()]))
