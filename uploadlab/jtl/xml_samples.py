"""JMeter's XML results, read as a stream and written as CSV with the columns that the figures need.

A sample inside a transaction is a request of its own. A sample inside another sample (a redirect, a picture of a page)
is a part of it, its time is in the outer one's, and it is left out. Nothing is kept in memory but the open elements.
"""

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from uploadlab.errors import LabError
from uploadlab.raw.request_table import TRANSACTION

SAMPLES = frozenset(("sample", "httpSample", "sampleResult"))
# Column, its attribute, and what JMeter before 2.1 called it.
_ATTRIBUTES = {
    "timeStamp": ("ts", "timeStamp"), "elapsed": ("t", "time"), "label": ("lb", "label"),
    "responseMessage": ("rm", "responseMessage"), "threadName": ("tn", "threadName"), "success": ("s", "success"),
    "bytes": ("by", "bytes"), "sentBytes": ("sby", "sentBytes"), "Latency": ("lt", "latency"),
    "Connect": ("ct", "connectTime"), "SampleCount": ("sc", "sampleCount"), "IdleTime": ("it", "idleTime"),
    "Hostname": ("hn", "hostname"),
}  # fmt: skip
COLUMNS = tuple(_ATTRIBUTES)
_UNCHECKED = ("label", "responseMessage", "threadName", "IdleTime", "Hostname")
CHUNK_BYTES = 1 << 20


@dataclass(kw_only=True)
class XmlFacts:
    """What an XML file was found to hold."""

    samples: int = 0
    parts: int = 0
    """Samples inside samples, which are left out."""
    cut: bool = False
    """Whether it ends before its last element does."""
    attributes: set[str] = field(default_factory=set)
    """The columns of which some sample has the attribute."""


def write_as_csv(source: Path, target: Path, name: Path) -> XmlFacts:
    """Write the samples of a JMeter XML file as CSV with the header COLUMNS; `name` is what the file is called.

    Raises LabError when it is no XML, no JMeter results, declares a document type (JMeter writes none; entities could
    blow up), or a sample has no time or start; with the line.
    """
    facts = XmlFacts()
    with source.open("rb") as file, target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        parser = _parser(facts, writer.writerow, name)
        try:
            while chunk := file.read(CHUNK_BYTES):
                parser.Parse(chunk, False)
        except expat.ExpatError as error:
            raise LabError(f"{name}, line {error.lineno}: not valid XML: {expat.ErrorString(error.code)}.") from None
        try:
            parser.Parse(b"", True)
        except expat.ExpatError:
            facts.cut = True
    if not facts.samples:
        raise LabError(f"{name} holds no sample: expected JMeter's results (testResults with sample or httpSample).")
    return facts


def _parser(facts: XmlFacts, write: Callable[[Iterable[str]], object], name: Path) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_elements: list[str] = []  # "transaction", "sample" or "" for any other

    def refuse(*_: object) -> None:
        raise LabError(f"{name}, line {parser.CurrentLineNumber}: a document type is declared; JMeter writes none.")

    def start(element: str, attributes: dict[str, str]) -> None:
        if not open_elements and element != "testResults":
            raise LabError(f"{name}, line {parser.CurrentLineNumber}: <{element}>; expected JMeter's <testResults>.")
        if element not in SAMPLES:
            open_elements.append("")
            return
        if "sample" in open_elements:
            facts.parts += 1
            open_elements.append("sample")
            return
        row = {}
        for column, (short, long) in _ATTRIBUTES.items():
            value = attributes.get(short, attributes.get(long))
            row[column] = "" if value is None else value
            if value is not None:
                facts.attributes.add(column)
        _check(row, f"{name}, line {parser.CurrentLineNumber}")
        write(row.values())
        facts.samples += 1
        open_elements.append("transaction" if row["responseMessage"].startswith(TRANSACTION) else "sample")

    def end(_: str) -> None:
        open_elements.pop()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    return parser


def _check(row: dict[str, str], place: str) -> None:
    for column in COLUMNS:
        text = row[column]
        if column in _UNCHECKED or (not text and column not in ("timeStamp", "elapsed")):
            continue
        if column == "success":
            good, wanted = text.lower() in ("true", "false"), "true or false"
        else:
            good, wanted = re.fullmatch("0|[1-9][0-9]{0,14}", text, re.ASCII) is not None, "a whole number"
        if not good:
            raise LabError(f"{place}, attribute {_ATTRIBUTES[column][0]}: expected {wanted}, found: {text[:100]}")
    if not row["success"]:
        raise LabError(f"{place}, attribute s: expected true or false, found nothing")
