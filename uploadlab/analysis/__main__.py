"""``python -m uploadlab.analysis`` with ``report``, ``compare``, ``history``, ``studies``, ``decisions`` or ``jtl``."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from monitoring.program import run_program
from uploadlab import requirements
from uploadlab.analysis.analysis_files import Analysis, write_analysis
from uploadlab.analysis.campaign_comparison import MARGIN, compare_campaigns, junit_xml, markdown
from uploadlab.analysis.decisions import decisions
from uploadlab.analysis.studies import campaigns_in, print_studies, study_claims
from uploadlab.errors import LabError
from uploadlab.jtl import command as jtl
from uploadlab.paths import STUDIES

DONE, GATE_FAILED, COULD_NOT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 for done, 1 for an invalid run or a figure that got worse, 2 for could not be done."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except LabError as error:
        print(error, file=sys.stderr)
        return COULD_NOT
    except OSError as error:
        print(f"{error.filename or 'analysis'}: {error.strerror or error}.", file=sys.stderr)
        return COULD_NOT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m uploadlab.analysis", description="From raw run folders to tables and the report."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="./lab")
    report = commands.add_parser("report", help="recompute the tables and the report of a campaign from its raw files")
    report.add_argument("folder", type=Path, metavar="DIR", help="results folder of the campaign")
    requirements.add_to(report)
    report.set_defaults(run=lambda options: report_command(options.folder, options.require, options.junit))
    compare = commands.add_parser("compare", help="set two campaigns side by side, as Markdown on standard output")
    compare.add_argument("first", type=Path, metavar="BEFORE", help="results folder of the first campaign")
    compare.add_argument("second", type=Path, metavar="AFTER", help="results folder of the second campaign")
    compare.add_argument(
        "--margin",
        type=_share,
        default=MARGIN,
        metavar="SHARE",
        help="a figure that is surely worse by more than this share is a regression (default: %(default)s)",
    )
    compare.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML as well")
    compare.set_defaults(
        run=lambda options: compare_command(options.first, options.second, options.margin, options.junit)
    )
    history = commands.add_parser(
        "history", help="campaigns one after the other: a row each, a chart, where they changed"
    )
    history.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="results folders of campaigns")
    history.add_argument(
        "--out", type=Path, default=Path("history"), metavar="DIR", help="for page and tables (default: %(default)s)"
    )
    history.set_defaults(run=lambda options: history_command(options.folders, options.out))
    studies = commands.add_parser("studies", help="what became of each study's claims, in the campaigns there are")
    studies.add_argument(
        "campaigns",
        type=Path,
        nargs="*",
        metavar="DIR",
        help="results folders, oldest first (default: all of results/)",
    )
    studies.set_defaults(run=lambda options: studies_command(options.campaigns))
    decided = commands.add_parser(
        "decisions",
        prog="python -m uploadlab.analysis decisions",  # what ./lab run asks; no command of its own
        help="print as JSON which comparisons of a campaign are decided so far",
    )
    decided.add_argument("folder", type=Path, metavar="DIR", help="results folder of the campaign")
    decided.set_defaults(run=lambda options: decisions_command(options.folder))
    jtl.add_to(commands)
    return parser


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share from 0 to below 1 (0.05 is 5 %)")
    return value


def compare_command(first: Path, second: Path, margin: float, junit: Path | None) -> int:
    """Print what changed between two campaigns; return 1 when something surely got worse beyond the margin."""
    analyses = [write_analysis(folder) for folder in (first, second)]
    _name_damaged(analyses)
    comparison = compare_campaigns(analyses[0], analyses[1], margin)
    print(markdown(comparison))
    if junit is not None:
        junit.write_text(junit_xml(comparison), encoding="utf-8")
    return GATE_FAILED if comparison.regressions else DONE


def _name_damaged(analyses: Sequence[Analysis]) -> None:
    """Say of each damaged run why it is left out, once however many levels it has."""
    for sentence in dict.fromkeys(broken.sentence for analysis in analyses for broken in analysis.damaged):
        print(f"{sentence} The run is left out.", file=sys.stderr)


def history_command(folders: Sequence[Path], out: Path) -> int:
    """Write what changed over some campaigns."""
    from uploadlab.analysis import history  # here: decisions are asked for between runs, and need no page

    return history.history_command(folders, out)


def studies_command(campaigns: Sequence[Path]) -> int:
    """Print what became of each study's claims."""
    from rich.console import Console  # here: decisions are asked for between runs, and print no table

    found = study_claims(STUDIES, campaigns or campaigns_in(STUDIES.parent / "results"))
    print_studies(found, Console(highlight=False))
    return DONE


def decisions_command(folder: Path) -> int:
    """Print which comparisons are decided; asked between two runs, so it must be quick and writes no table."""
    print(json.dumps(decisions(folder)))
    return DONE


def report_command(folder: Path, required: Sequence[str] = (), junit: Path | None = None) -> int:
    """Recompute everything of a campaign; print the answer, and the path of the report as the last line.

    Where something is required, only that decides the exit code: 1 when it failed, 3 when it can't be told.
    """
    from monitoring.pages.render import write  # here: decisions are asked for between runs, and need no page
    from uploadlab.analysis.summarise import summarise
    from uploadlab.report import summary as summaries
    from uploadlab.report.campaign_page import campaign_page
    from uploadlab.report.terminal import lines

    analysis = write_analysis(folder, [requirements.parse(text) for text in required])
    _name_damaged([analysis])
    summary = summarise(analysis)
    summaries.write(summary, folder / "analysis" / "summary.json")
    page = write(campaign_page(summary), folder / "report" / "index.html")
    for line in lines(summary):
        print(line)
    if junit is not None:
        junit.write_text(requirements.junit_xml(analysis.requirements), encoding="utf-8")
    print(page)
    if required:
        return requirements.exit_code(analysis.requirements)
    return GATE_FAILED if analysis.invalid else DONE


if __name__ == "__main__":
    sys.exit(run_program(main))
