"""A judgement as people and their tools read it: judge.json, a Markdown table of at most twenty lines, JUnit."""

import math
from pathlib import Path

import msgspec

from uploadlab import requirements
from uploadlab.judge.verdict import Row
from uploadlab.junit import Case, Kind, junit_xml
from uploadlab.report.numbers import number, size
from uploadlab.statistics.blocks_to_decide import times_as_long
from uploadlab.tables.answer import Verdict

JSON_FILE, MARKDOWN_FILE, JUNIT_FILE = "judge.json", "judge.md", "judge.junit.xml"
MOST_LINES = 20
MOST_REQUIRED = 4
STEP_MINUTES, MOST_MINUTES = 5, 90
BESIDE_ROWS = 7
"""Lines of the Markdown page that are no rows: heading, verdict, what the columns are, and what is left out."""
WORDS: dict[Verdict, str] = {
    "better": "better: at least one comparison is better and none is worse",
    "worse": "worse: at least one comparison is worse",
    "equal": "equal: every comparison is within the margin",
    "undecided": "undecided: the data can't tell for at least one comparison",
}


class Required(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a requirement in one scenario of one arm."""

    text: str
    verdict: requirements.Verdict
    sentence: str


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement; the form of judge.json."""

    version: int = 1
    verdict: Verdict
    base: str
    base_commit: str
    head: str
    head_commit: str
    margin_pct: float
    blocks: int
    minutes: float
    rows: list[Row]
    requirements: list[Required] = []
    report: str


def write(folder: Path, judged: Judged) -> None:
    """Write the three files into a folder."""
    encoded = msgspec.json.format(msgspec.json.encode(judged), indent=2)
    (folder / JSON_FILE).write_bytes(encoded + b"\n")
    (folder / MARKDOWN_FILE).write_text(markdown(judged), encoding="utf-8")
    (folder / JUNIT_FILE).write_text(junit(judged), encoding="utf-8")


def markdown(judged: Judged) -> str:
    """Return the page for a pull request: what decides first, in at most twenty lines."""
    rows = sorted(judged.rows, key=lambda row: not row.decides)
    required = sorted(judged.requirements, key=lambda one: ("fail", "undecided", "pass").index(one.verdict))
    told = [f"- **{one.verdict}**: {one.sentence}" for one in required[:MOST_REQUIRED]]
    if left := len(required) - len(told):
        told.append(f"- {left} more in {JSON_FILE}")
    told = ["", *told] if told else []
    shown = rows[: MOST_LINES - BESIDE_ROWS - len(told)]
    lines = [
        f"### {judged.head} against {judged.base}: {judged.verdict}",
        "",
        f"{WORDS[judged.verdict]} (margin {judged.margin_pct:g}%, {judged.blocks} blocks, {judged.minutes:.0f} min).",
        "",
        "| metric | base | head | head/base | base/base (noise) | verdict |",
        "|---|--:|--:|---|---|---|",
        *(_line(row) for row in shown),
    ]
    if left := len(rows) - len(shown):
        lines.append(f"| {left} more in the report | | | | | |")
    return "\n".join([*lines, *told]) + "\n"


def reason(judged: Judged) -> str:
    """Return the one sentence that says why a judgement ended as it did."""
    if failed := [one.sentence for one in judged.requirements if one.verdict == "fail"]:
        return failed[0]
    of = {"worse": f"{judged.head} is worse than {judged.base}", "undecided": "The data can't tell"}.get(judged.verdict)
    if of:
        rows = [row for row in judged.rows if row.decides and row.verdict == judged.verdict]
        told = "; ".join(f"{name_of(row)}: {row.change}" for row in rows) or "too few valid blocks"
        more = f" {_what_would_tell(judged, rows)}" if judged.verdict == "undecided" else ""
        return f"{of}: {told}.{more}"
    if unsure := [one.sentence for one in judged.requirements if one.verdict == "undecided"]:
        return unsure[0]
    return f"{judged.head} is {judged.verdict} {'to' if judged.verdict == 'equal' else 'than'} {judged.base}."


def _what_would_tell(judged: Judged, rows: list[Row]) -> str:
    needed = {name_of(row): minutes for row in rows if (minutes := minutes_that_tell(row, judged)) is not None}
    soonest = min(needed, key=lambda name: needed[name], default=None)
    if soonest is None:
        return "More --minutes or a wider --margin may tell."
    return f"If ratio and scatter stay the same, --minutes {needed[soonest]} would decide {soonest}."


def minutes_that_tell(row: Row, judged: Judged) -> int | None:
    """Return how long a judgement takes that tells of a row, were its ratio and scatter to stay; None above 90."""
    if not row.change.ratio or not row.change.lo or not row.change.hi:
        return None
    times = times_as_long(row.change.ratio, row.change.lo, row.change.hi, judged.margin_pct / 100)
    minutes = STEP_MINUTES * math.ceil(judged.minutes * times / STEP_MINUTES)
    return minutes if minutes <= MOST_MINUTES else None


def junit(judged: Judged) -> str:
    """Return one test case a row that decides, and a requirement: worse is a failure, undecided is skipped."""
    kinds: dict[Verdict, Kind] = {"worse": "failure", "undecided": "skipped"}
    cases = [
        Case(
            group="judge",
            name=name_of(row),
            kind=kinds.get(row.verdict, ""),
            told=f"{row.verdict}: head/base {row.change}",
        )
        for row in judged.rows
        if row.decides
    ]
    cases += [
        Case(
            group="require",
            name=one.sentence.partition(":")[0],
            kind=requirements.JUNIT[one.verdict],
            told=one.sentence,
        )
        for one in judged.requirements
    ]
    return junit_xml("lab judge", cases)


def name_of(row: Row) -> str:
    """Return what a row is about: `p99_ms, 23 KB, 50% of capacity`."""
    of = "" if row.size_bytes is None else f", {size(row.size_bytes)}"
    return f"{row.metric}{of}, {row.load if isinstance(row.load, str) else f'{row.load}% of capacity'}"


def _line(row: Row) -> str:
    verdict = f"**{row.verdict}**" if row.decides else row.verdict
    cells = (name_of(row), number(row.base), number(row.head), str(row.change), str(row.noise), verdict)
    return f"| {' | '.join(cells)} |"
