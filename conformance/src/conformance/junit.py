"""Results for machines: the JUnit file that CI servers read. Three elements do not need a library."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

from conformance.suite import FAILED, NOT_RUN, Result, groups


def write(path: Path, results: Sequence[Result]) -> None:
    """Write one `testsuite` for each group."""
    root = ElementTree.Element("testsuites", name="upload contract")
    for group, counts in groups(results):
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=group,
            tests=str(sum(counts.values())),
            failures=str(counts[FAILED]),
            skipped=str(counts[NOT_RUN]),
        )
        for result in results:
            if result.group == group:
                _add_case(suite, result)
    ElementTree.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _add_case(suite: ElementTree.Element, result: Result) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"conformance.{result.group}",
        name=f"{result.id} {result.name}",
        time=f"{result.elapsed_s:.3f}",
    )
    if result.verdict == FAILED:
        ElementTree.SubElement(case, "failure", message=_printable(result.reasons[0])).text = _printable(
            "\n".join(result.reasons)
        )
    elif result.verdict == NOT_RUN:
        ElementTree.SubElement(case, "skipped", message=_printable(" ".join(result.reasons)))


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
