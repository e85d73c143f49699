"""The command line: the suite, the comparison, the fuzzer, the soak. Exit codes: 0 good, 1 not, 2 could not be done."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from conformance import junit, suite
from conformance.case import CLIENT_GROUP, GROUPS, Limits
from conformance.cases import BLACK_BOX
from conformance.differential import Comparison, Difference, compare
from conformance.provider import Provider, RunningServer, StartedSystem
from conformance.system import CannotStart, System
from conformance.terminal import Terminal, print_list
from conformance.trial import Trial

GOOD, BAD, IMPOSSIBLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        return code
    except CannotStart as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    except KeyboardInterrupt:
        print("stopped by the user", file=sys.stderr)
        return IMPOSSIBLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance",
        description="Proves from outside that a server keeps the upload contract (docs/upload-contract.md).",
    )
    parser.set_defaults(run=_run_suite)
    _add_server_options(parser)
    parser.add_argument("--group", action="append", choices=[*GROUPS, CLIENT_GROUP], help="only this group; repeatable")
    parser.add_argument(
        "--case", action="append", metavar="ID", help="only the cases of this row, or this one; repeatable"
    )
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write the results as JUnit XML")
    parser.add_argument("--verbose", action="store_true", help="print cases that pass, too")
    parser.add_argument("--against", metavar="URL", help="compare with this server instead")
    parser.add_argument("--upload-dir2", type=Path, metavar="DIR", help="the UPLOAD_DIR of --against")
    parser.add_argument("--differential", metavar="A,B", help="start two systems and compare them")
    return parser


def _add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", help="start this system: its id, or the folder of its sut.toml")
    parser.add_argument("--url", help="use this running server: http://HOST:PORT")
    parser.add_argument("--upload-dir", type=Path, metavar="DIR", help="the UPLOAD_DIR of --url")
    for field in fields(Limits):
        name = field.name
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=int,
            default=field.default,
            metavar="N",
            help=f"the {name.upper()} of --url (default {field.default})",
        )


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(**{field.name: getattr(options, field.name) for field in fields(Limits)})


def _provider(options: argparse.Namespace) -> Provider:
    if (options.url is None) == (options.system is None):
        raise CannotStart("say which server: --system ID, or --url URL with --upload-dir DIR")
    if options.system is not None:
        return StartedSystem(System.find(options.system))
    if options.upload_dir is None:
        raise CannotStart("--url needs --upload-dir, the directory in which that server stores")
    return RunningServer(options.url, options.upload_dir, _limits(options))


def _selected(options: argparse.Namespace, trials: Sequence[Trial]) -> list[Trial]:
    chosen = [trial for trial in trials if not options.group or trial.group in options.group]
    if options.case:
        known = {trial.id for trial in trials} | {trial.id.split(".")[0] for trial in trials}
        for wanted in options.case:
            if wanted not in known:
                raise CannotStart(f"there is no case {wanted!r}; --list shows them")
        chosen = [trial for trial in chosen if {trial.id, trial.id.split(".")[0]} & set(options.case)]
    return chosen


def _run_suite(options: argparse.Namespace) -> int:
    console = Console(soft_wrap=False)
    selected = _selected(options, suite.trials(BLACK_BOX))
    if options.list:
        print_list(console, selected)
        return GOOD
    if options.differential or options.against:
        return _run_differential(options, console, {trial.id for trial in selected})
    with _provider(options) as provider:
        terminal = Terminal(console, verbose=options.verbose)
        results = suite.run(selected, provider, terminal.result)
        terminal.summary(provider.name, results)
    if options.junit:
        junit.write(options.junit, results)
    ran = [result for result in results if result.verdict != suite.NOT_RUN]
    if not ran:
        raise CannotStart("no case could be run")
    return BAD if any(result.verdict == suite.FAILED for result in ran) else GOOD


def _run_differential(options: argparse.Namespace, console: Console, ids: set[str]) -> int:
    pair: tuple[Provider, Provider]
    if options.differential:
        names = options.differential.split(",")
        if len(names) != 2 or options.against or options.url or options.system:
            raise CannotStart("--differential wants two systems, A,B, and no other server")
        left, right = (StartedSystem(System.find(name)) for name in names)
        pair = (left, right)
    else:
        if options.upload_dir2 is None:
            raise CannotStart("--against needs --upload-dir2, the directory in which that server stores")
        pair = (_provider(options), RunningServer(options.against, options.upload_dir2, _limits(options)))
    with pair[0] as first, pair[1] as second:
        console.print(f"{first.name} against {second.name}")
        outcome = compare(
            [case for case in BLACK_BOX if case.id in ids], first, second, lambda found: _print(console, found, pair)
        )
    _print_comparison(console, outcome)
    if outcome.compared == 0:
        raise CannotStart("no case could be sent to both servers")
    return BAD if any(not difference.allowed for difference in outcome.differences) else GOOD


def _print(console: Console, found: Difference, pair: tuple[Provider, Provider]) -> None:
    mark = "[yellow]allowed[/]" if found.allowed else "[red]DIFFERENT[/]"
    console.print(f"{mark} {found.case.id:7} {escape(found.case.name)}: {', '.join(found.what)}", highlight=False)
    for provider, seen in zip(pair, (found.left, found.right), strict=True):
        console.print(f"        {provider.name}: {escape(seen.summary())}", highlight=False)


def _print_comparison(console: Console, outcome: Comparison) -> None:
    for case, why in outcome.not_run:
        console.print(f"[yellow]not run[/] {case.id:7} {escape(case.name)}: {escape(why)}", highlight=False)
    allowed = sum(difference.allowed for difference in outcome.differences)
    console.print(
        f"{outcome.compared} cases sent to both: {len(outcome.differences) - allowed} differences, "
        f"{allowed} more where the contract leaves the choice, {len(outcome.not_run)} not run"
    )
