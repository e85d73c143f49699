"""The command line: `python -m monitoring nmon FILE...`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from monitoring.errors import MonitoringError
from monitoring.nmon_reader import read_nmon_recordings
from monitoring.nmon_recording import NmonRecording
from monitoring.nmon_report.summary import describe_machine, describe_time, figures, format_figure, offset_of
from monitoring.nmon_report.write import write_report
from monitoring.program import run_program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code (0 done, 2 could not be done)."""
    options = _parser().parse_args(arguments)
    try:
        recordings = [recording for path in options.files for recording in read_nmon_recordings(path)]
        page = write_report(recordings, options.out, options.utc_offset)
    except MonitoringError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    for recording in recordings:
        _print_summary(recording, options.utc_offset)
    print(page)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m monitoring", description="Look at recordings of the monitors.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="./lab")
    nmon = commands.add_parser("nmon", help="turn nmon recordings into CSV tables and one page of charts")
    nmon.add_argument("files", nargs="+", type=Path, metavar="FILE", help="nmon recordings, of Linux or AIX")
    nmon.add_argument(
        "--out",
        type=Path,
        default=Path("nmon-charts"),
        help="folder for the page and the tables (default: %(default)s)",
    )
    nmon.add_argument(
        "--utc-offset", type=offset_of, metavar="+HH:MM", help="how far the recorded clocks were ahead of UTC"
    )
    return parser


def _print_summary(recording: NmonRecording, utc_offset_s: int | None) -> None:
    print(recording.path.with_name(recording.name))
    if recording.number > 1:
        print(f"  begins on line {recording.first_line} of a file that holds {recording.of} recordings")
    print(f"  {describe_machine(recording)}")
    print(f"  {describe_time(recording, recording.inferred_utc_offset_s if utc_offset_s is None else utc_offset_s)}")
    for figure in figures(recording):
        name = f"{figure.name} {figure.device}".strip()
        mean, largest = format_figure(figure.mean), format_figure(figure.largest)
        print(f"  {name:24} mean {mean:>9}   max {largest:>9} {figure.unit}")
    if recording.damages:
        print(f"  damaged places, worked around: {len(recording.damages)}; first: {recording.damages[0].sentence}")


if __name__ == "__main__":
    sys.exit(run_program(main))
