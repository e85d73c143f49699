"""The command line: ``python -m analysis report DIR``, ``compare BEFORE AFTER`` and ``jtl FILE...``."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from analysis.analysis_files import write_analysis
from analysis.campaign_comparison import MARGIN, compare_campaigns, junit_xml, markdown
from analysis.errors import InputError
from analysis.jtl import command as jtl
from analysis.jtl.command import jtl_command
from analysis.report_once import write_report_once
from analysis.summary import print_summary

DONE, GATE_FAILED, COULD_NOT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 for done, 1 for an invalid run or a figure that got worse, 2 for could not be done."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # in a locale that lacks a character, and names do not decode
    try:
        done = _run(options)
        sys.stdout.flush()
    except InputError as error:
        print(error, file=sys.stderr)
        return COULD_NOT
    except BrokenPipeError:
        _forget_output()  # `| head` has what it wanted; files were written before
        return DONE
    except OSError as error:
        where = error.filename or "Standard output"
        print(f"{where}: {error.strerror or error}.", file=sys.stderr)
        if error.filename is None:
            _forget_output()
        return COULD_NOT
    return done


def _forget_output() -> None:
    """Keep Python from writing again at its end what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(options: argparse.Namespace) -> int:
    if options.command == "compare":
        return compare_command(options.first, options.second, options.margin, options.junit)
    if options.command == "jtl":
        return jtl_command(options)
    return report_command(options.folder)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="analysis", description="From raw run folders to tables and the report.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    report = commands.add_parser("report", help="recompute the tables and the report of a campaign from its raw files")
    report.add_argument("folder", type=Path, metavar="DIR", help="results folder of the campaign")
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
    for broken in (broken for analysis in analyses for broken in analysis.damaged):
        print(f"{broken.sentence} The run is left out.", file=sys.stderr)
    comparison = compare_campaigns(analyses[0], analyses[1], margin)
    print(markdown(comparison))
    if junit is not None:
        junit.write_text(junit_xml(comparison), encoding="utf-8")
    return GATE_FAILED if comparison.regressions else DONE


def report_command(folder: Path) -> int:
    """Recompute everything of a campaign; print a summary, and the path of the report as the last line."""
    analysis = write_analysis(folder)
    for broken in analysis.damaged:
        print(f"{broken.sentence} The run is left out.", file=sys.stderr)
    page = write_report_once(folder)
    print_summary(analysis, Console(highlight=False))
    print(page)
    return GATE_FAILED if analysis.invalid else DONE


if __name__ == "__main__":
    sys.exit(main())
