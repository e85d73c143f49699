"""`./lab judge BASE [HEAD]`: is my change to a server better, worse or equal?"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from uploadlab import requirements
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.campaigns.report import COULD_NOT
from uploadlab.commands import Commands, run
from uploadlab.commands.choice import above_zero, turn_ms
from uploadlab.errors import LabError
from uploadlab.judge import output
from uploadlab.judge.revisions import Repository, Revision
from uploadlab.judge.verdict import AGAIN, BASE, HEAD, overall, rows_of
from uploadlab.paths import RESULTS, STATE
from uploadlab.planning.study import Study
from uploadlab.planning.system import Sut, choose
from uploadlab.tables.answer import Verdict

NOT_WORSE, WORSE, CANNOT_TELL = 0, 1, 3
UNSURE = {"pass": NOT_WORSE, "fail": WORSE, "tell": CANNOT_TELL}
PROFILE = "judge"
TREES = STATE.parent / "judge"
"""Where the revisions' work trees stay from one judgement to the next, with what their installation built."""


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "judge", help="compare two revisions of your own server: is the change better or worse?"
    )
    parser.add_argument("base", metavar="BASE", help="the revision to compare with: a branch, a tag, a commit")
    parser.add_argument(
        "head", metavar="HEAD", nargs="?", help="the revision to judge (default: the files as they are)"
    )
    parser.add_argument(
        "--system", type=Path, default=Path(), metavar="DIR", help="the folder of its sut.toml (default: this one)"
    )
    parser.add_argument(
        "--minutes", type=above_zero("minutes"), default=10.0, metavar="N", help="at most so long (default 10)"
    )
    parser.add_argument(
        "--margin",
        type=above_zero("per cent", below=100),
        default=5.0,
        metavar="PCT",
        help="equal within so much (default 5)",
    )
    parser.add_argument(
        "--unsure",
        choices=UNSURE,
        default="tell",
        help="the exit code where the data can't tell: 0, 1 or 3 (default: 3)",
    )
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--samples", metavar="SAMPLE,...", help="Table 1's lists of file sizes (default 5: 23 KB)")
    sizes.add_argument("--sizes", type=Path, metavar="PATH", help="your own file sizes instead of Table 1's samples")
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="EXPR",
        help="what must hold of HEAD by the interval: 'p99_ms < 50', or of BASE: 'p99_ms < 50 of base'; may be given "
        "several times. Exit code 1 if it does not, 3 if it can't be told",
    )
    parser.add_argument("--profile", default=PROFILE, help=argparse.SUPPRESS)
    parser.add_argument(
        "--load", action="append", default=[], metavar="SETTING=VALUE", help="a setting of the load: share_s=10"
    )
    parser.add_argument(
        "--turn-ms",
        type=turn_ms,
        metavar="MS",
        help="how long a turn of the three servers is that are alive together; 0: one after the other (default: the "
        "profile's; 0 where they can take no turns)",
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of the order of runs (default 1)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the campaign's own folder (default: a new one in results/)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the plan and the time it will take, and stop")
    parser.set_defaults(action=judge)


def judge(study: Study, asked: argparse.Namespace) -> int:
    """Measure both revisions, write and print the verdict, and return the exit code."""
    began_s = time.monotonic()
    required = _required(asked.require)
    repository = Repository(asked.system, TREES)
    base = repository.revision(asked.base)
    head = repository.revision(asked.head) if asked.head else repository.working_tree()
    folder = (asked.out or RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}-judge").resolve()
    suts = arms(base, head)
    code = run.measure(study, _run_options(study, asked, folder), suts)
    if code == COULD_NOT or asked.dry_run:
        return code
    judged = _judged(folder, asked.margin, base, head, required, (time.monotonic() - began_s) / 60)
    output.write(folder, judged)
    print(output.markdown(judged), end="")
    print(judged.report)
    return _exit_code(judged, asked.unsure)


def arms(base: Revision, head: Revision) -> list[Sut]:
    """Return the three systems of a judgement: one system, told apart by its variant."""
    folders = {BASE: base.system, HEAD: head.system, AGAIN: base.system}
    return [
        msgspec.structs.replace(choose(folder, "current", {}), variant=name, noise=name == AGAIN)
        for name, folder in folders.items()
    ]


def _run_options(study: Study, asked: argparse.Namespace, folder: Path) -> argparse.Namespace:
    """Return what `./lab run` would be told."""
    told = ["--profile", asked.profile, "--minutes", str(asked.minutes), "--margin", str(asked.margin)]
    told += ["--sizes", str(asked.sizes)] if asked.sizes else ["--samples", asked.samples] if asked.samples else []
    told += ["--dry-run"] if asked.dry_run else []
    told += ["--seed", str(asked.seed)]
    told += ["--turn-ms", str(asked.turn_ms)] if asked.turn_ms is not None else []
    told += [f"--load={setting}" for setting in asked.load]
    return run.parse_options(study, [*told, "--out", str(folder)])


def _required(texts: Sequence[str]) -> list[requirements.Requirement]:
    """Return what is required of which arm, before anything is measured; LabError where it is not understood."""
    found = [requirements.parse(text) for text in texts]
    if others := [one for one in found if one.system not in (None, BASE, HEAD)]:
        raise LabError(f"--require '{others[0].text}': expected of {BASE} or of {HEAD}, not of {others[0].system}.")
    return found


def _judged(
    folder: Path,
    margin_pct: float,
    base: Revision,
    head: Revision,
    required: Sequence[requirements.Requirement],
    minutes: float,
) -> output.Judged:
    keys = {sut.variant: sut.key for sut in arms(base, head)}
    of_arms = [dataclasses.replace(one, system=keys[one.system or HEAD]) for one in required]
    analysis = write_analysis(folder, of_arms)
    rows = rows_of(analysis.answer.comparisons, keys[BASE], keys[HEAD], keys[AGAIN])
    return output.Judged(
        verdict=overall(rows),
        base=base.name,
        base_commit=base.commit,
        head=head.name,
        head_commit=head.commit,
        margin_pct=margin_pct,
        blocks=max((cell.runs for cell in analysis.answer.cells), default=0),
        minutes=minutes,
        rows=rows,
        requirements=[
            output.Required(text=one.text, verdict=one.verdict, sentence=one.sentence) for one in analysis.requirements
        ],
        report=str(folder / "report" / "index.html"),
    )


def _exit_code(judged: output.Judged, unsure: str) -> int:
    verdicts: set[Verdict | requirements.Verdict] = {judged.verdict, *(one.verdict for one in judged.requirements)}
    print(output.reason(judged), file=sys.stderr)
    if verdicts & {"worse", "fail"}:
        return WORSE
    return UNSURE[unsure] if "undecided" in verdicts else NOT_WORSE
