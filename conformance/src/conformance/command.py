"""The command line: the suite, the comparison, the fuzzer, the soak. Exit codes: 0 good, 1 not, 2 could not be done."""

from __future__ import annotations

import argparse
import signal
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from conformance import junit, suite
from conformance.case import CLIENT_GROUP, GROUPS, Limits
from conformance.cases import BLACK_BOX
from conformance.differential import Comparison, Difference, Violation, compare
from conformance.fuzz import Fault, Fuzzer, judge_answer
from conformance.mutation import FuzzedRequest, fuzzed_request
from conformance.provider import Provider, RunningServer, StartedSystem
from conformance.soak import Soak
from conformance.system import CannotStart, System
from conformance.temporary import own_folder
from conformance.terminal import Terminal, print_fuzz, print_list, print_soak
from conformance.trial import Trial
from uploadlab.errors import LabError

GOOD, BAD, IMPOSSIBLE = 0, 1, 2
VERBS = {
    "suite": "Proves from outside that a server keeps the upload contract (docs/upload-contract.md). "
    "Other verbs, as the first word: fuzz, soak; each has its own --help.",
    "fuzz": "Sends damaged uploads, reproducible by seed and index, and holds the server to the contract.",
    "soak": "Sends good, bad and aborted uploads for a long time; counts files, watches memory, threads, descriptors.",
}

COMMANDS = {"suite": "conformance", "fuzz": "conformance fuzz", "soak": "soak"}
"""How ./lab reaches each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    verb = given.pop(0) if given and given[0] in VERBS else "suite"
    options = _parser(verb).parse_args(given)
    try:
        with _stopped_by_signals(), own_folder():
            code: int = options.run(options)
        return code
    except LabError as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    except KeyboardInterrupt as stopped:
        print(f"stopped by {str(stopped) or 'the user'}", file=sys.stderr)
        return IMPOSSIBLE


def _parser(verb: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"./lab {COMMANDS[verb]}", description=VERBS[verb])
    _add_server_options(parser)
    add_options, run = {
        "suite": (_add_suite_options, _run_suite),
        "fuzz": (_add_fuzz_options, _run_fuzz),
        "soak": (_add_soak_options, _run_soak),
    }[verb]
    add_options(parser)
    parser.set_defaults(run=run)
    return parser


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the started servers as Ctrl-C does; one that is ignored (nohup) stays ignored."""
    asked = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]

    def stop(number: int, _: types.FrameType | None) -> None:
        for each in asked:
            signal.signal(each, signal.SIG_IGN)  # a terminal that is closed sends more than one
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = {number: signal.signal(number, stop) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _add_suite_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--group", action="append", choices=[*GROUPS, CLIENT_GROUP], help="only this group; repeatable")
    parser.add_argument(
        "--case", action="append", metavar="ID", help="only the cases of this row, or this one; repeatable"
    )
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write the results as JUnit XML")
    parser.add_argument(
        "--timeouts",
        type=int,
        default=suite.MOST_TIMEOUTS,
        metavar="N",
        help=f"run no more of a group when so many of its cases have timed out (default {suite.MOST_TIMEOUTS}; 0: all)",
    )
    parser.add_argument("--verbose", action="store_true", help="print cases that pass, too")
    parser.add_argument("--against", metavar="URL", help="compare with this server instead")
    parser.add_argument("--upload-dir2", type=Path, metavar="DIR", help="the UPLOAD_DIR of --against")
    parser.add_argument("--differential", metavar="A,B", help="start two systems and compare them")


def _add_fuzz_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=_count, default=20_000, metavar="N", help="how many (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="the same seed makes the same requests")
    parser.add_argument("--only", type=int, metavar="INDEX", help="send one request again and show it")


def _add_soak_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=_minutes, default=10.0, metavar="N", help="how long (default 10)")
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="the same seed makes the same uploads")


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of requests, expected at least 1")
    return value


def _minutes(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not a time, expected more than 0 minutes")
    return value


def _add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", help="start this system: its id, or the folder of its sut.toml")
    parser.add_argument(
        "--env", type=_variable, action="append", default=[], metavar="NAME=VALUE", help="add to --system's environment"
    )
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
        return StartedSystem(System.find(options.system), dict(options.env))
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
        if options.junit:
            _write_junit(options.junit, [])  # a suite takes minutes: say before it that the file cannot be written
        terminal = Terminal(console, len(selected), verbose=options.verbose)
        results = suite.run(selected, provider, terminal.result, most_timeouts=options.timeouts or None)
        terminal.summary(provider.name, results)
    if options.junit:
        _write_junit(options.junit, results)
    ran = [result for result in results if result.verdict != suite.NOT_RUN]
    if not ran:
        raise CannotStart("no case could be run")
    return BAD if any(result.verdict == suite.FAILED for result in ran) else GOOD


def _write_junit(path: Path, results: Sequence[suite.Result]) -> None:
    try:
        junit.write(path, results)
    except OSError as error:
        raise CannotStart(f"--junit {path} cannot be written: {error.strerror}") from error


def _run_differential(options: argparse.Namespace, console: Console, ids: set[str]) -> int:
    pair: tuple[Provider, Provider]
    if options.differential:
        names = options.differential.split(",")
        if len(names) != 2 or options.against or options.url or options.system:
            raise CannotStart("--differential wants two systems, A,B, and no other server")
        left, right = (StartedSystem(System.find(name), dict(options.env)) for name in names)
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
    bad = outcome.violations or any(not difference.allowed for difference in outcome.differences)
    return BAD if bad else GOOD


def _print(console: Console, found: Difference, pair: tuple[Provider, Provider]) -> None:
    mark = "[yellow]allowed[/]" if found.allowed else "[red]DIFFERENT[/]"
    console.print(f"{mark} {found.case.id:7} {escape(found.case.name)}: {', '.join(found.what)}", highlight=False)
    for provider, seen in zip(pair, (found.left, found.right), strict=True):
        console.print(f"        {provider.name}: {escape(seen.summary())}", highlight=False)


def _print_comparison(console: Console, outcome: Comparison) -> None:
    for case, why in outcome.not_run:
        console.print(f"[yellow]not run[/] {case.id:7} {escape(case.name)}: {escape(why)}", highlight=False)
    different = {difference.case.id for difference in outcome.differences}
    wrong: dict[str, list[Violation]] = {}  # by the case: both servers may have broken it alike
    for violation in outcome.violations:
        if violation.case.id not in different:
            wrong.setdefault(violation.case.id, []).append(violation)
    for found in wrong.values():
        case, servers = found[0].case, " and ".join(violation.server for violation in found)
        console.print(
            f"[red]AGAINST THE CONTRACT[/] {case.id:7} {escape(case.name)}: {escape(servers)}: "
            + escape(found[0].reasons[0]),
            highlight=False,
        )
    allowed = sum(difference.allowed for difference in outcome.differences)
    console.print(
        f"{outcome.compared} cases sent to both: {len(outcome.differences) - allowed} differences, "
        f"{allowed} more where the contract leaves the choice, {len(wrong)} more against the contract, "
        f"{len(outcome.not_run)} not run"
    )


def _run_fuzz(options: argparse.Namespace) -> int:
    console = Console()
    with _provider(options) as provider:
        target, store = provider.target("fuzzed")
        fuzzer = Fuzzer(target, store, options.seed)
        if options.only is not None:
            return _replay(console, fuzzer, fuzzed_request(options.seed, options.only, target.limits))
        with console.status("") as status:
            report = fuzzer.run(
                range(options.requests),
                lambda now: status.update(
                    f"{now.requests:,} of {options.requests:,} requests, {len(now.faults)} faults"
                ),
            )
        deaths = provider.deaths() if isinstance(provider, StartedSystem) else []
    report.faults += [Fault(None, death) for death in deaths]
    print_fuzz(console, provider.name, options.seed, report)
    if report.requests == 0:
        raise CannotStart("nothing was sent")
    return BAD if report.faults else GOOD


def _replay(console: Console, fuzzer: Fuzzer, request: FuzzedRequest) -> int:
    answer = fuzzer.send(request)
    fault = judge_answer(request, answer)
    console.print(repr(request.data), markup=False, highlight=False)
    console.print(f"allowed: {request.verdicts}", markup=False, highlight=False)
    console.print(f"answer: {answer}", markup=False, highlight=False)
    console.print(fault or "as the contract says", markup=False)
    return BAD if fault else GOOD


def _run_soak(options: argparse.Namespace) -> int:
    console = Console()
    with _provider(options) as provider:
        target, store = provider.target("standard")
        with console.status("") as status:
            report = Soak(target, store, options.seed).run(
                options.minutes * 60,
                lambda now: status.update(f"{now.seconds:.0f} s, {now.sent.total():,} sent, {len(now.faults)} faults"),
            )
        deaths = provider.deaths() if isinstance(provider, StartedSystem) else []
    report.faults += deaths
    print_soak(console, provider.name, report)
    return BAD if report.faults else GOOD
