"""Results for machines and for documents: JSON, JUnit, Markdown."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uploadlab.conformance.case import GRADES
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.results import FAILED, SKIPPED, VERDICTS, Result, counts, summary
from uploadlab.errors import LabError

SCHEMA = Path(__file__).with_name("conformance.schema.json")
VERSION = 1


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
    endpoint = run.endpoint
    return {
        "schema": "https://upload-lab.example/conformance.schema.json",
        "version": VERSION,
        "endpoint": {
            "name": endpoint.name,
            "host": endpoint.host,
            "port": endpoint.port,
            "path": endpoint.path,
            "field": endpoint.field,
            "store_checked": bool(endpoint.store),
            "process_checked": endpoint.pid is not None,
        },
        "began": run.began,
        "seconds": round(run.seconds, 3),
        "summary": summary(run.results),
        "counts": {
            grade: {verdict: found[verdict] for verdict in VERDICTS} for grade, found in counts(run.results).items()
        },
        "cases": [_case(result) for result in run.results],
    }


def _case(result: Result) -> dict[str, Any]:
    case = result.case
    row = {
        "id": case.id,
        "group": case.group,
        "grade": case.grade,
        "title": case.title,
        "source": case.source,
        "verdict": result.verdict,
        "safe": not result.unsafe,
        "expected": result.expected,
        "seen": result.seen,
        "why": result.why,
        "seconds": round(result.seconds, 3),
    }
    return row | ({"sent": result.sent, "reproduce": result.reproduce} if result.failed_as else {})


def junit(run: Outcome) -> str:
    """Return the file that CI servers read: one `testsuite` for each grade, one `testcase` for each check."""
    root = ElementTree.Element("testsuites", name=f"conformance {run.endpoint.name}")
    for grade, found in counts(run.results).items():
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=grade,
            tests=str(found.total()),
            failures=str(found[FAILED]),
            skipped=str(found[SKIPPED]),
        )
        for result in run.results:
            for own, verdict in result.checks:
                if own == grade:
                    _add_check(suite, result, verdict, grade)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_check(suite: ElementTree.Element, result: Result, verdict: str, grade: str) -> None:
    name = result.case.id if grade == result.case.grade else f"{result.case.id} is safe"
    check = ElementTree.SubElement(
        suite, "testcase", classname=f"conformance.{grade}", name=name, time=f"{result.seconds:.3f}"
    )
    if verdict == FAILED:
        text = f"{result.case.title}\nexpected: {result.expected}\nseen: {result.seen}\n{result.reproduce}"
        ElementTree.SubElement(check, "failure", message=printable(result.why)).text = printable(text)
    elif verdict == SKIPPED:
        ElementTree.SubElement(check, "skipped", message=printable(result.why))


def markdown(run: Outcome) -> str:
    """Return a document: the counts, and every failure with what repeats it."""
    lines = [
        f"# Conformance of {run.endpoint.name}",
        "",
        f"`POST {run.endpoint.path}`, {run.began}, {run.seconds:.0f} s: **{summary(run.results)}**",
        "",
        "| grade | passed | failed | skipped | shown |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {grade} | {' | '.join(str(found[verdict]) for verdict in VERDICTS)} |"
        for grade, found in counts(run.results).items()
    ]
    for result in run.failed:
        lines += [
            "",
            f"## {result.failed_as}: {result.case.id}",
            "",
            f"{result.case.title[0].upper()}{result.case.title[1:]} ({result.case.source}).",
            "",
            f"- expected: {result.expected}",
            f"- seen: {result.seen or 'nothing'}",
            f"- why it failed: {result.why}",
            "",
            "```python",
            result.reproduce,
            "```",
        ]
    return "\n".join(lines) + "\n"


def write(path: Path, text: str, option: str) -> None:
    """Write an output; LabError, one sentence, when it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LabError(f"{option} {path} cannot be written: {error.strerror}.") from error


def json_text(run: Outcome) -> str:
    """Return the JSON as it is written."""
    return json.dumps(as_json(run), indent=1, ensure_ascii=True) + "\n"


def printable(text: str) -> str:
    """Replace what XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
