"""Every command in the documentation is run (a campaign is planned), and prints what the page shows of its output."""

import contextlib
import functools
import io
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from uploadlab import cli
from uploadlab.paths import REPOSITORY

STUDIES = [REPOSITORY / "studies" / study / "README.md" for study in ("sockets", "queues", "rpc", "groups")]
TOP = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
PAGES = [*TOP, *sorted((REPOSITORY / "docs").rglob("*.md")), *STUDIES]
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# The README's two commands are what CI does itself: the whole suite, in which the smoke campaign is `./lab run`.
DONE_BY_CI = {"./lab run", "./lab test", "./lab test --fast"}
CAMPAIGN = re.compile(r"^\./lab( --study \S+)? (run|judge)\b(?!.*--dry-run)")
"""A campaign takes minutes: here it is planned only."""
PLAN = re.compile(r"\./lab( --study \S+)? run [^&|;<>$`]*--dry-run")
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LEFT_OUT = "…"
TOML = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _name(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def _commands() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return page, command and the lines shown of its output; in a block `console` a command begins with `$`."""
    found: list[tuple[str, str, tuple[str, ...]]] = []
    for page in PAGES:
        for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                if kind == "sh" and line.strip() and not line.startswith("#"):
                    found.append((_name(page), line, ()))
                elif line.startswith("$ "):
                    found.append((_name(page), line.removeprefix("$ "), ()))
                elif kind == "console" and line.strip(f" {LEFT_OUT}"):
                    *before, (name, command, shown) = found
                    found = [*before, (name, command, (*shown, line))]
    return found


def _plain(line: str) -> str:
    """Return a line without what differs from machine to machine: its numbers, and how wide its columns are."""
    return " ".join(re.sub(r"[─━]+", "─", re.sub(r"\d[\d.,]*", "0", line)).split())


def _not_printed(shown: tuple[str, ...], output: str) -> list[str]:
    """Return the shown lines that are not in the output, in this order; a line that is cut ends with `…`."""
    printed = iter([_plain(line) for line in output.splitlines()])
    return [
        line
        for line in shown
        if not any(
            one.startswith(_plain(line.removesuffix(LEFT_OUT))) if line.endswith(LEFT_OUT) else one == _plain(line)
            for one in printed
        )
    ]


@functools.cache
def _done(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command, once if several pages have it; a plan in this process, as a start takes longer than most plans."""
    if not PLAN.fullmatch(command):
        return subprocess.run(
            ["bash", "-c", command], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=600
        )
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(REPOSITORY):
        code = cli.main(shlex.split(command)[1:])
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "command", "shown"),
    [pytest.param(*found, id=f"{found[0]}-{found[1]}") for found in _commands() if found[1] not in DONE_BY_CI],
)
def test_the_command_on_the_page_works_and_prints_what_is_shown(page, command, shown):
    done = _done(f"{command} --dry-run" if CAMPAIGN.match(command) else command)
    assert done.returncode == 0, done.stderr + done.stdout
    assert _not_printed(shown, done.stdout) == [], done.stdout


TAKES = re.compile(r"^\| `(\w+)`.*\| (\d[\d.]*) (min|h) \|$", re.MULTILINE)
PLANNED = re.compile(r" runs, about (\d+) min")


@pytest.mark.parametrize(
    ("study", "profile", "minutes"),
    [
        (page.parent.name, name, float(number) * (60 if unit == "h" else 1))
        for page in STUDIES
        for name, number, unit in TAKES.findall(page.read_text(encoding="utf-8"))
    ],
)
def test_a_profile_takes_about_as_long_as_the_page_of_its_study_says(study, profile, minutes):
    done = _done(f"./lab --study {study} run --profile {profile} --dry-run")
    assert done.returncode == 0, done.stderr
    found = PLANNED.search(done.stdout)
    assert found, done.stdout
    assert int(found[1]) == pytest.approx(minutes, rel=0.2, abs=1)


def test_the_readme_shows_its_two_commands():
    shown = [command for page, command, _ in _commands() if page == "README.md"]
    assert "./lab run" in shown
    assert "./lab test" in shown


def test_shown_output_may_differ_in_numbers_and_leave_lines_out_but_not_in_words():
    output = "Plan:\n  12 runs,   3.5 min\nthen more\nWritten: results/7\n"
    assert _not_printed(("Plan:", " 9 runs, 10 min", "Written: …"), output) == []
    assert _not_printed(("Plan:", "9 walks, 10 min"), output) == ["9 walks, 10 min"]
    assert _not_printed(("then more", "Plan:"), output) == ["Plan:"]


GUIDES = [*TOP, *(page for page in PAGES if page.parent.name in ("guides", "method"))]
MOST_LINES = 130
"""Of what somebody with one task reads."""


@pytest.mark.parametrize("page", GUIDES, ids=_name)
def test_a_page_for_one_task_is_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_declaration_on_a_page_is_toml(page):
    for block in TOML.findall(page.read_text(encoding="utf-8")):
        assert tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_link_between_pages_leads_somewhere(page):
    for target, section in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{_name(page)} links to {target}"
        if section and file.suffix == ".md":
            sections = [_anchor(heading) for heading in HEADING.findall(file.read_text(encoding="utf-8"))]
            assert section in sections, f"{_name(page)} links to {target}#{section}"


def _anchor(heading: str) -> str:
    """Return how a link names a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
