"""`./lab conformance`: the command line. Exit codes: 0 no must failed, 1 one did, 2 could not be done."""

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from uploadlab.conformance import outputs
from uploadlab.conformance.case import Case
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.endpoint import FIRST, Endpoint, parse_url, require_own_host, require_working
from uploadlab.conformance.fuzz import fuzz
from uploadlab.conformance.process import lives
from uploadlab.conformance.results import SKIPPED, summary
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.store import digests
from uploadlab.conformance.system import started
from uploadlab.conformance.terminal import Progress, print_differences, table
from uploadlab.errors import LabError
from uploadlab.hosts.local_host import ask_versions
from uploadlab.planning.kept_conformance import keep
from uploadlab.planning.rig import load_rig
from uploadlab.planning.system import Sut


def _like(pattern: str, expected: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"expected {expected}, not {text!r}")
        return text

    return read


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command understands."""
    given = parser.add_argument
    # fmt: off
    given("target", nargs="?", metavar="URL|SYSTEM", help="http://HOST:PORT/PATH, a system's id, or the folder of its sut.toml")
    given = parser.add_argument_group("how the endpoint is asked (a SYSTEM says it in its sut.toml)").add_argument
    given("--field", help="the field of the file (default: file)")
    given("--status", type=int, action="append", metavar="N", help="a status that says it stored (default: any 2xx); repeatable")
    given("--header", type=_like(r"[!-9;-~]+:[ -~]*", "'NAME: VALUE'"), action="append", default=[], metavar="'NAME: VALUE'", help="a header of every request; repeatable")
    given("--form", type=_like("(?s)[^=]+=.*", "NAME=VALUE"), action="append", default=[], metavar="NAME=VALUE", help="a text field of every form; repeatable")
    given("--health", metavar="PATH", help="a path that answers GET while it serves (default: the URL's)")
    given = parser.add_argument_group("what can be looked at; cases that need it are skipped without").add_argument
    given("--store", type=Path, action="append", default=[], metavar="DIR", help="where it stores; repeatable. Files of these tests are removed from it")
    given("--pid", type=int, help="its process")
    given("--max-file-bytes", type=int, metavar="N", help="its limit for a file")
    given = parser.add_argument_group("results").add_argument
    for name, what in (("json", "JSON"), ("junit", "JUnit XML"), ("markdown", "Markdown"), ("page", "an HTML page")):
        given(f"--{name}", type=Path, metavar="FILE", help=f"also write {what}")
    given("--only", metavar="PATTERN", help="only cases whose id matches, as 'smuggling/*|broken/cut-*'")
    given("--list", action="store_true", help="print every case with its grade and source, and stop")
    given = parser.add_argument_group("instead of the cases").add_argument
    given("--fuzz", type=_like("[1-9][0-9]*", "a whole number of at least 1"), metavar="N", help="send N damaged requests and N good ones between them")
    given("--seed", type=int, default=1, metavar="K", help="the same seed makes the same requests (default 1)")
    given("--differential", metavar="A,B", help="send every case to two endpoints and show where they differ")
    given = parser.add_argument_group("where requests may go: loopback, unless").add_argument
    given("--rig", metavar="FILE", help="also to the hosts of this rig")
    given("--i-own-this-host", action="store_true", help="to any host that you name")
    # fmt: on


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
            return fuzz(runner, int(asked.fuzz), asked.seed)
        return _suite(runner, asked)


WRITERS: dict[str, Callable[[outputs.Outcome], str]] = {
    "json": lambda run: json.dumps(outputs.as_json(run), indent=1) + "\n",
    "junit": outputs.junit,
    "markdown": outputs.markdown,
    "page": outputs.page,
}


def _suite(runner: Runner, asked: argparse.Namespace) -> int:
    chosen = selected(all_cases(runner.endpoint), asked.only)
    files = {option: path for option in WRITERS if (path := getattr(asked, option))}
    for option, path in files.items():
        outputs.write(path, "", f"--{option}")  # said before the run that it cannot be
    began, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    results = runner.run(chosen, Progress(len(chosen)))
    done = outputs.Outcome(endpoint=runner.endpoint, results=results, began=began, seconds=time.monotonic() - clock)
    if runner.system is not None and asked.only is None:
        sut = runner.system.sut
        versions = ask_versions(sut.folder, sut.stack.versions.command) if sut.stack.versions else {}
        keep(sut, versions, outputs.as_json(done))
    for option, path in files.items():
        outputs.write(path, WRITERS[option](done), f"--{option}")
    print(table(done))
    print(summary(results))
    return int(any(result.failed_as == "must" for result in results))


def _differential(asked: argparse.Namespace, find: Find) -> int:
    names = asked.differential.split(",")
    if len(names) != 2 or asked.target:
        raise LabError("--differential: expected two endpoints, A,B, and no other to test.")
    seen = []
    for name in names:
        with opened(name, asked, find) as runner:
            chosen = [case for case in selected(all_cases(runner.endpoint), asked.only) if not case.measure]
            results = [one for one in runner.run(chosen, Progress(len(chosen))) if one.verdict != SKIPPED]
            seen.append({one.case.id: "; ".join([one.seen, *one.unsafe]) for one in results})
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
        needs = f" (needs {', '.join(case.needs)})" if case.needs else ""
        print(f"{case.id:<38} {case.grade:<7} {case.title} [{case.source}]{needs}")
    return 0


@contextmanager
def opened(target: str, asked: argparse.Namespace, find: Find) -> Iterator[Runner]:
    """Yield what runs cases against a URL, or against a system that is started now and stopped then."""
    if "://" in target:
        yield _tried(Runner(_endpoint(target, asked)))
        return
    for option in ("field", "status", "header", "form", "health", "store", "pid", "max_file_bytes"):
        if getattr(asked, option):
            raise LabError(f"--{option.replace('_', '-')}: a system says this in its sut.toml; leave it out.")
    with started(*find(target)) as system:
        yield _tried(Runner(system.endpoint, system))


def _tried(runner: Runner) -> Runner:
    endpoint, store, first = runner.endpoint, runner.store, digests([FIRST])
    require_working(endpoint)
    if store is not None:
        if not store.gets(first, 5.0):
            where = ", ".join(map(str, store.folders))
            said = f"{endpoint.name} accepted an upload, but no file with its bytes is in {where}"
            raise LabError(f"{said}: correct --store, or leave it out.")
        store.remove(first)
        store.settle()
    return runner


def _endpoint(url: str, asked: argparse.Namespace) -> Endpoint:
    host, port, path = parse_url(url)
    rig_hosts = {role.host for role in load_rig(asked.rig).roles.values()} if asked.rig else set()
    require_own_host(host, rig_hosts=rig_hosts, owned=asked.i_own_this_host)
    for folder in asked.store:
        if not folder.is_dir():
            raise LabError(f"--store {folder}: there is no such folder.")
    if asked.pid is not None and not lives(asked.pid):
        raise LabError(f"--pid {asked.pid}: there is no such process.")
    fields = tuple((name, value) for name, _, value in (each.partition("=") for each in asked.form))
    store = tuple(folder.resolve() for folder in asked.store)
    # fmt: off
    return Endpoint(
        name=url, host=host, port=port, path=path, field=asked.field or "file", fields=fields, headers=tuple(asked.header),
        statuses=tuple(asked.status or ()), health=asked.health, store=store, pid=asked.pid, max_file_bytes=asked.max_file_bytes,
    )
    # fmt: on
