"""Results for machines and for readers: JSON, JUnit, Markdown, and the page of what failed and of every case."""

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
from uploadlab.junit import Case, Kind, junit_xml

SCHEMA = Path(__file__).with_name("conformance.schema.json")
VERSION = 1
MEANING = {
    "must": "A failure lets a client harm the server, its files or other clients.",
    "should": "A failure misleads an honest client, or turns it away.",
    "may": "Good servers differ: shown, not judged.",
}
JUNIT: dict[str, Kind] = {FAILED: "failure", SKIPPED: "skipped"}
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
    """Return the file that CI servers read: one `testcase` for each check, its class the grade."""
    cases = [
        _check(result, verdict, grade)
        for grade in GRADES
        for result in run.results
        for own, verdict in result.checks
        if own == grade
    ]
    return junit_xml(f"conformance {run.endpoint.name}", cases)


def _check(result: Result, verdict: str, grade: Grade) -> Case:
    case = result.case
    detail = f"{case.title}\nexpected: {result.expected}\nseen: {result.seen}\n{result.reproduce}"
    return Case(
        group=f"conformance.{grade}",
        name=case.id if grade == case.grade else f"{case.id} is safe",
        kind=JUNIT.get(verdict, ""),
        told=result.why if verdict in JUNIT else "",
        detail=detail if verdict == FAILED else "",
        seconds=result.seconds,
    )


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
