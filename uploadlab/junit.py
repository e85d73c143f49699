"""JUnit XML, which CI servers read: a suite of tests, each passed, failed or skipped with a sentence."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

Kind = Literal["", "failure", "skipped"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test; what is told of one that passed stands beside it."""

    group: str
    name: str
    kind: Kind = ""
    told: str = ""
    detail: str = ""
    """Lines that stand below the sentence of one that did not pass."""
    seconds: float | None = None


def junit_xml(name: str, cases: Iterable[Case]) -> str:
    """Return a suite of tests as XML."""
    suite = ElementTree.Element("testsuite", name=name)
    for case in cases:
        took = {} if case.seconds is None else {"time": f"{case.seconds:.3f}"}
        test = ElementTree.SubElement(suite, "testcase", {"classname": case.group, "name": case.name} | took)
        if case.kind:
            outcome = ElementTree.SubElement(test, case.kind, message=_printable(case.told))
            outcome.text = _printable(case.detail) or None
        elif case.told:
            ElementTree.SubElement(test, "system-out").text = _printable(case.told)
    for count, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("skipped", "testcase/skipped")):
        suite.set(count, str(len(suite.findall(path))))
    ElementTree.indent(suite)
    text: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return text.decode() + "\n"


def _printable(text: str) -> str:
    """Replace what XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
