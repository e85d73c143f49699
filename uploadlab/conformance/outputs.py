"""Results for machines and for readers: JSON, JUnit, Markdown, and the page of what failed and of every case."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitoring.pages.document import Cell, Column, Page, Section, Table, Text
from monitoring.pages.render import render
from uploadlab.conformance.case import GRADES, Grade
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.results import FAILED, SKIPPED, VERDICTS, Result, counts, summary
from uploadlab.errors import LabError

SCHEMA = Path(__file__).with_name("conformance.schema.json")
VERSION = 1
MEANING = {
    "must": "A failure lets a client harm the server, its files or other clients.",
    "should": "A failure misleads an honest client, or turns it away.",
    "may": "Good servers differ: shown, not judged.",
}
COLUMNS = [Column(title=title, number=False) for title in ("case", "", "what is sent", "expected", "seen")]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A whole run."""

    endpoint: Endpoint
    results: Sequence[Result]
    began: str
    """UTC, ISO 8601."""
    seconds: float

    @property
    def failed(self) -> list[Result]:
        """What failed, by grade."""
        return [result for grade in GRADES for result in self.results if result.failed_as == grade]


def as_json(run: Outcome) -> dict[str, Any]:
    """Return what the schema describes."""
    endpoint, counted = run.endpoint, counts(run.results)
    asked = {name: getattr(endpoint, name) for name in ("name", "host", "port", "path", "field")}
    looked_at = {"store_checked": bool(endpoint.store), "process_checked": endpoint.pid is not None}
    return {
        "schema": "https://upload-lab.example/conformance.schema.json",
        "version": VERSION,
        "endpoint": asked | looked_at,
        "began": run.began,
        "seconds": round(run.seconds, 3),
        "summary": summary(run.results),
        "counts": {grade: {verdict: found[verdict] for verdict in VERDICTS} for grade, found in counted.items()},
        "cases": [_case(result) for result in run.results],
    }


def _case(result: Result) -> dict[str, Any]:
    row = {name: getattr(result.case, name) for name in ("id", "group", "grade", "title", "source")}
    row |= {name: getattr(result, name) for name in ("verdict", "expected", "seen", "why")}
    row |= {"safe": not result.unsafe, "seconds": round(result.seconds, 3)}
    return row | ({"sent": result.sent, "reproduce": result.reproduce} if result.failed_as else {})


def junit(run: Outcome) -> str:
    """Return the file that CI servers read: one `testsuite` for each grade, one `testcase` for each check."""
    root = ElementTree.Element("testsuites", name=f"conformance {run.endpoint.name}")
    for grade, found in counts(run.results).items():
        told = {"name": grade, "tests": found.total(), "failures": found[FAILED], "skipped": found[SKIPPED]}
        suite = ElementTree.SubElement(root, "testsuite", {name: str(value) for name, value in told.items()})
        for result in run.results:
            for own, verdict in result.checks:
                if own == grade:
                    _add_check(suite, result, verdict, grade)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_check(suite: ElementTree.Element, result: Result, verdict: str, grade: str) -> None:
    name = result.case.id if grade == result.case.grade else f"{result.case.id} is safe"
    took = f"{result.seconds:.3f}"
    check = ElementTree.SubElement(suite, "testcase", classname=f"conformance.{grade}", name=name, time=took)
    if verdict in (FAILED, SKIPPED):
        tag = "failure" if verdict == FAILED else "skipped"
        reason = ElementTree.SubElement(check, tag, message=printable(result.why))
        if verdict == FAILED:
            text = f"{result.case.title}\nexpected: {result.expected}\nseen: {result.seen}\n{result.reproduce}"
            reason.text = printable(text)


def markdown(run: Outcome) -> str:
    """Return a document: the counts, and every failure with what repeats it."""
    rows = [
        f"| {grade} | {' | '.join(str(found[verdict]) for verdict in VERDICTS)} |"
        for grade, found in counts(run.results).items()
    ]
    failures = [
        f"""
## {result.failed_as}: {result.case.id}

{result.case.title[0].upper()}{result.case.title[1:]} ({result.case.source}).

- expected: {result.expected}
- seen: {result.seen or "nothing"}
- why it failed: {result.why}

```python
{result.reproduce}
```
"""
        for result in run.failed
    ]
    return f"""# Conformance of {run.endpoint.name}

`POST {run.endpoint.path}`, {run.began}, {run.seconds:.0f} s: **{summary(run.results)}**

| grade | passed | failed | skipped | shown |
|---|---:|---:|---:|---:|
{chr(10).join(rows)}
{"".join(failures)}"""


def page(run: Outcome) -> str:
    """Return the page."""
    endpoint = run.endpoint
    looked = "stored files compared" if endpoint.store else "stored bytes not looked at (no --store)"
    over = f"POST {endpoint.path}, field {endpoint.field} · {run.began} · {run.seconds:.0f} s · {looked}"
    title = f"Conformance of {endpoint.name}"
    sections = [*map(_failure_section, run.failed), *(_every(grade, run) for grade in GRADES)]
    return render(Page(title=title, over=over, lead=f"{title}: {summary(run.results)}", sections=sections))


def _failure_section(result: Result) -> Section:
    case = result.case
    said = f"{case.title} ({case.source}). Expected: {result.expected}. Seen: {result.seen or 'nothing'}. {result.why}."
    blocks = [Text(text=said), Text(text="Sent:", command=result.sent), Text(text="", command=result.reproduce)]
    return Section(title=f"{result.failed_as}: {case.id}", blocks=blocks, folded=result.failed_as != "must")


def _every(grade: Grade, run: Outcome) -> Section:
    rows = [_row(result) for result in run.results if result.case.grade == grade]
    table = Table(columns=COLUMNS, rows=rows, note=MEANING[grade], wide=True)
    return Section(title=f"Every case: {grade}", blocks=[table], folded=True)


def _row(result: Result) -> list[Cell]:
    case, verdict = result.case, FAILED if result.failed_as else result.verdict
    seen = result.why if verdict == SKIPPED else result.seen
    what = Cell(text=case.title, small=case.source)
    return [
        Cell(text=case.id),
        Cell(text=verdict, strong=verdict == FAILED),
        what,
        Cell(text=result.expected),
        Cell(text=seen),
    ]


def write(path: Path, text: str, option: str) -> None:
    """Write an output; LabError, one sentence, when it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LabError(f"{option} {path} cannot be written: {error.strerror}.") from error


def printable(text: str) -> str:
    """Replace what XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
