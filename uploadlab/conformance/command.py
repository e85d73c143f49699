"""`./lab conformance`: the command line. Exit codes: 0 no must failed, 1 one did, 2 could not be done."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from uploadlab.conformance import outputs
from uploadlab.conformance.case import Case
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.differential import observe, print_differences
from uploadlab.conformance.endpoint import Endpoint, parse_url, require_own_host, require_working
from uploadlab.conformance.fuzz import fuzz
from uploadlab.conformance.message import sample
from uploadlab.conformance.page import page
from uploadlab.conformance.process import lives
from uploadlab.conformance.results import good, summary
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.store import digests
from uploadlab.conformance.system import started
from uploadlab.conformance.terminal import Progress, table
from uploadlab.errors import LabError
from uploadlab.planning.rig import load_rig
from uploadlab.planning.system import Sut

GOOD, BAD, IMPOSSIBLE = 0, 1, 2


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command understands."""
    parser.add_argument(
        "target",
        nargs="?",
        metavar="URL|SYSTEM",
        help="http://HOST:PORT/PATH, a system's id, or the folder of its sut.toml",
    )
    asked = parser.add_argument_group("how the endpoint is asked (a SYSTEM says it in its sut.toml)")
    asked.add_argument("--field", help="the field of the file (default: file)")
    asked.add_argument(
        "--status",
        type=int,
        action="append",
        metavar="N",
        help="a status that says it stored (default: any 2xx); repeatable",
    )
    asked.add_argument(
        "--header",
        type=_header,
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header of every request; repeatable",
    )
    asked.add_argument(
        "--form",
        type=_pair,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a text field of every form; repeatable",
    )
    asked.add_argument("--health", metavar="PATH", help="a path that answers GET while it serves (default: the URL's)")
    seen = parser.add_argument_group("what can be looked at; cases that need it are skipped without")
    seen.add_argument(
        "--store",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="where it stores; repeatable. Files of these tests are removed from it",
    )
    seen.add_argument("--pid", type=int, help="its process")
    seen.add_argument("--max-file-bytes", type=int, metavar="N", help="its limit for a file")
    out = parser.add_argument_group("results")
    for name, what in (("json", "JSON"), ("junit", "JUnit XML"), ("markdown", "Markdown"), ("page", "an HTML page")):
        out.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"also write {what}")
    out.add_argument("--only", metavar="PATTERN", help="only cases whose id matches, as 'smuggling/*|broken/cut-*'")
    out.add_argument("--list", action="store_true", help="print every case with its grade and source, and stop")
    others = parser.add_argument_group("instead of the cases")
    others.add_argument("--fuzz", type=_count, metavar="N", help="send N damaged requests and N good ones between them")
    others.add_argument(
        "--seed", type=int, default=1, metavar="K", help="the same seed makes the same requests (default 1)"
    )
    others.add_argument(
        "--differential", metavar="A,B", help="send every case to two endpoints and show where they differ"
    )
    own = parser.add_argument_group("where requests may go: loopback, unless")
    own.add_argument("--rig", metavar="FILE", help="also to the hosts of this rig")
    own.add_argument("--i-own-this-host", action="store_true", help="to any host that you name")


Find = Callable[[str], tuple[Sut, Mapping[str, int]]]
"""Returns a system by its id or its folder, and the limits that servers are told; LabError when there is none."""


def run(asked: argparse.Namespace, find: Find) -> int:
    """Carry out what was asked for."""
    if asked.list:
        return _list(asked)
    if asked.differential:
        return _differential(asked, find)
    if not asked.target:
        raise LabError("./lab conformance: expected a URL or a SYSTEM.")
    with opened(asked.target, asked, find) as runner:
        if asked.fuzz:
            return fuzz(runner, asked.fuzz, asked.seed)
        return _suite(runner, asked)


def _suite(runner: Runner, asked: argparse.Namespace) -> int:
    chosen = selected(all_cases(runner.endpoint), asked.only)
    for option in ("json", "junit", "markdown", "page"):
        if path := getattr(asked, option):
            outputs.write(path, "", f"--{option}")  # said before the run that it cannot be
    began, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    results = runner.run(chosen, Progress(len(chosen)))
    done = outputs.Outcome(endpoint=runner.endpoint, results=results, began=began, seconds=time.monotonic() - clock)
    for option, text in (
        ("json", outputs.json_text),
        ("junit", outputs.junit),
        ("markdown", outputs.markdown),
        ("page", page),
    ):
        if path := getattr(asked, option):
            outputs.write(path, text(done), f"--{option}")
    print(table(done))
    print(summary(results))
    return GOOD if good(results) else BAD


def _differential(asked: argparse.Namespace, find: Find) -> int:
    names = asked.differential.split(",")
    if len(names) != 2 or asked.target:
        raise LabError("--differential: expected two endpoints, A,B, and no other to test.")
    seen = []
    for name in names:
        with opened(name, asked, find) as runner:
            chosen = selected(all_cases(runner.endpoint), asked.only)
            seen.append(observe(runner, chosen))
    return print_differences(names, seen[0], seen[1], chosen)


def selected(cases: Sequence[Case], pattern: str | None) -> list[Case]:
    """Return the cases whose id matches one of the patterns; LabError when there is none."""
    if pattern is None:
        return list(cases)
    wanted = re.compile("|".join(re.escape(each).replace(r"\*", ".*") for each in pattern.split("|")))
    chosen = [case for case in cases if wanted.fullmatch(case.id)]
    if not chosen:
        raise LabError(f"--only {pattern}: no case has such an id; --list shows them.")
    return chosen


def _list(asked: argparse.Namespace) -> int:
    nowhere = Endpoint(name="", host="127.0.0.1", port=80, path="/")
    for case in selected(all_cases(nowhere), asked.only):
        print(
            f"{case.id:<38} {case.grade:<7} {case.title} [{case.source}]"
            + (f" (needs {', '.join(case.needs)})" if case.needs else "")
        )
    return GOOD


@contextmanager
def opened(target: str, asked: argparse.Namespace, find: Find) -> Iterator[Runner]:
    """Yield what runs cases against a URL, or against a system that is started now and stopped then."""
    if "://" in target:
        runner = Runner(_endpoint(target, asked))
        _try(runner)
        yield runner
        return
    for option in ("field", "status", "header", "form", "health", "store", "pid", "max_file_bytes"):
        if getattr(asked, option):
            raise LabError(f"--{option.replace('_', '-')}: a system says this in its sut.toml; leave it out.")
    with started(*find(target)) as (endpoint, system):
        runner = Runner(endpoint, system.start)
        _try(runner)
        yield runner


def _try(runner: Runner) -> None:
    endpoint, store = runner.endpoint, runner.store
    require_working(endpoint)
    first = digests([sample(2_000, "first")])
    if store is not None:
        if not store.wait_for(first, 5.0) >= first:
            folders = ", ".join(map(str, store.folders))
            raise LabError(
                f"{endpoint.name} accepted an upload, but no file with its bytes is in {folders}: "
                "correct --store, or leave it out."
            )
        store.remove(first)
        store.settle()


def _endpoint(url: str, asked: argparse.Namespace) -> Endpoint:
    host, port, path = parse_url(url)
    require_own_host(host, rig_hosts=_rig_hosts(asked.rig), owned=asked.i_own_this_host)
    for folder in asked.store:
        if not folder.is_dir():
            raise LabError(f"--store {folder}: there is no such folder.")
    if asked.pid is not None and not lives(asked.pid):
        raise LabError(f"--pid {asked.pid}: there is no such process.")
    return Endpoint(
        name=url,
        host=host,
        port=port,
        path=path,
        field=asked.field or "file",
        statuses=tuple(asked.status or ()),
        headers=tuple(asked.header),
        fields=tuple(asked.form),
        health=asked.health,
        store=tuple(folder.resolve() for folder in asked.store),
        pid=asked.pid,
        max_file_bytes=asked.max_file_bytes,
    )


def _rig_hosts(rig: str | None) -> set[str]:
    if rig is None:
        return set()
    return {role.host for role in load_rig(rig).roles.values()}


def _header(text: str) -> str:
    name, colon, _ = text.partition(":")
    if not colon or not name.strip() or not text.isprintable() or not text.isascii():
        raise argparse.ArgumentTypeError(f"expected 'NAME: VALUE', not {text!r}")
    return text


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)
