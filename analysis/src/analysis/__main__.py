"""The command line: ``python -m analysis report DIR``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from analysis.analysis_files import write_analysis
from analysis.errors import InputError
from analysis.summary import print_summary

DONE, GATE_FAILED, COULD_NOT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a run is not valid, 2 could not be done."""
    parser = argparse.ArgumentParser(prog="analysis", description="From raw run folders to tables and the report.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    report = commands.add_parser("report", help="recompute the tables and the report of a campaign from its raw files")
    report.add_argument("folder", type=Path, metavar="DIR", help="results folder of the campaign")
    options = parser.parse_args(arguments)
    try:
        return report_command(options.folder)
    except InputError as error:
        print(error, file=sys.stderr)
        return COULD_NOT
    except OSError as error:
        print(f"{error.filename or options.folder}: {error.strerror or error}.", file=sys.stderr)
        return COULD_NOT


def report_command(folder: Path) -> int:
    """Recompute everything of a campaign; print a summary, and the path of the report as the last line."""
    analysis = write_analysis(folder)
    for broken in analysis.damaged:
        print(f"{broken.sentence} The run is left out.", file=sys.stderr)
    page = _write_report(folder)
    print_summary(analysis, Console(highlight=False))
    print(page)
    return GATE_FAILED if analysis.invalid else DONE


def _write_report(folder: Path) -> Path:
    try:
        from analysis.report import write
    except ImportError:
        return folder / "report" / "index.html"
    write(folder)
    return folder / "report" / "index.html"


if __name__ == "__main__":
    sys.exit(main())
