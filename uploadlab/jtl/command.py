"""`./lab jtl FILE...`: its options, and what happens in which order."""

import argparse
from dataclasses import replace
from pathlib import Path

from monitoring.nmon_report.summary import offset_of
from uploadlab import requirements
from uploadlab.errors import LabError
from uploadlab.raw.request_format import java_date_format


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command and its options."""
    jtl = commands.add_parser(
        "jtl", prog="./lab jtl", help="turn any JMeter result files into figures, tables and a page of charts"
    )
    jtl.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JMeter results: CSV or XML, also gzip")
    jtl.add_argument(
        "--out", type=Path, default=Path("jtl-charts"), metavar="DIR", help="for page and tables (default: %(default)s)"
    )
    jtl.add_argument("--nmon", type=Path, metavar="FILE", help="an nmon recording of the server, joined on one clock")
    jtl.add_argument(
        "--utc-offset", type=offset_of, metavar="+HH:MM", help="how far the recording's clock was ahead of UTC"
    )
    jtl.add_argument(
        "--columns",
        default="",
        metavar="A,B,...",
        help="the columns of files without a header line, as JMeter calls them",
    )
    jtl.add_argument(
        "--timestamp-format",
        metavar="PATTERN",
        help="how timeStamp is written, as in jmeter.save.saveservice.timestamp_format (dd.MM.yyyy HH:mm:ss,SSS)",
    )
    requirements.add_to(jtl)
    jtl.set_defaults(run=jtl_command)


def jtl_command(options: argparse.Namespace) -> int:
    """Write tables and page, print the summary and the page's path as the last line.

    Return 0, or what the requirements give: 1 where one failed, 3 where one can't be told.
    Raises LabError, one sentence, where something cannot be read.
    """
    from uploadlab.jtl.analysis import analyse  # here: other commands draw nothing, and need not wait for what draws
    from uploadlab.jtl.output import check_folder, terminal_lines, write
    from uploadlab.jtl.required import ALL_REQUESTS
    from uploadlab.jtl.result_file import ReadingOptions

    check_folder(options.out)
    wanted = [requirements.parse(text) for text in options.require]
    columns = tuple(name.strip() for name in options.columns.split(",")) if options.columns else ()
    if columns and "elapsed" not in columns:
        raise LabError("--columns must name elapsed, the response time.")
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise LabError(f"--columns names {twice[0]} twice.")
    written = options.timestamp_format
    reading = ReadingOptions(columns=columns, date_format=java_date_format(written) if written else None)
    analysis = analyse(options.files, reading, options.nmon, options.utc_offset, with_cells=bool(wanted))
    held = [replace(one, system=one.system or ALL_REQUESTS) for one in wanted]
    outcomes = requirements.judge(held, analysis.cells)
    page = write(analysis, outcomes, options.out)
    for line in terminal_lines(analysis):
        print(line)
    for outcome in outcomes:
        print(outcome.sentence)
    if options.junit is not None:
        options.junit.write_text(requirements.junit_xml(outcomes), encoding="utf-8")
    print(page)
    return requirements.exit_code(outcomes)
