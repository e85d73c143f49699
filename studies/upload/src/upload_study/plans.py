"""The plan that JMeter runs: the project's own, or a copy with what a server or a user wants besides."""

import contextlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from upload_study.live import SEVERAL, check_database, with_listener
from upload_study.spec import DriverError, RunSpec, UploadTarget

HEADERS = re.compile(
    r'(<HeaderManager [^>]*)enabled="false"(.*?)<collectionProp name="HeaderManager.headers"/>', re.DOTALL
)
FORM = re.compile(r'(testname="Server">.*?)<collectionProp name="Arguments.arguments"/>', re.DOTALL)
HEADER = """<elementProp name="" elementType="Header">
            <stringProp name="Header.name">${{__P(lab.header_{0}_name)}}</stringProp>
            <stringProp name="Header.value">${{__P(lab.header_{0}_value)}}</stringProp>
          </elementProp>"""
FIELD = """<elementProp name="field_{0}" elementType="HTTPArgument">
              <boolProp name="HTTPArgument.always_encode">false</boolProp>
              <stringProp name="Argument.name">${{__P(lab.form_{0}_name)}}</stringProp>
              <stringProp name="Argument.value">${{__P(lab.form_{0}_value)}}</stringProp>
              <stringProp name="Argument.metadata">=</stringProp>
              <boolProp name="HTTPArgument.use_equals">true</boolProp>
            </elementProp>"""


def plan_for(spec: RunSpec, plan: Path, out: Path) -> Path:
    """Return the plan, or a copy of it in `out` that sends further headers and fields or writes live figures.

    JMeter takes a disabled element out of the plan before it starts, so the plan itself costs a run nothing.
    Raises DriverError when the database of the live figures does not answer, and for live figures of several JMeters.
    """
    text = plan.read_text(encoding="utf-8")
    changed = with_request(text, spec.server.upload)
    if spec.load.influxdb is not None:
        if spec.engines:
            raise DriverError(SEVERAL)
        check_database(spec.load.influxdb)
        changed = with_listener(changed)
    if changed == text:
        return plan
    copy = out / plan.name
    copy.write_text(changed, encoding="utf-8")
    return copy


def with_request(plan: str, target: UploadTarget) -> str:
    """Return the text of a plan that sends a server's further form fields and request headers.

    Names and values are properties: headers may be secrets, and the copy stays in the results.
    """
    if target.headers:
        filled = _collection("HeaderManager.headers", HEADER, len(target.headers))
        plan = HEADERS.sub(lambda found: f'{found[1]}enabled="true"{found[2]}{filled}', plan, count=1)
    if target.form:
        filled = _collection("Arguments.arguments", FIELD, len(target.form))
        plan = FORM.sub(lambda found: f"{found[1]}{filled}", plan, count=1)
    return plan


def _collection(name: str, element: str, count: int) -> str:
    inside = "".join(element.format(number) for number in range(count))
    return f'<collectionProp name="{name}">{inside}</collectionProp>'


@contextlib.contextmanager
def request_properties(target: UploadTarget) -> Iterator[list[str]]:
    """Give the arguments that tell JMeter those names and values, in a file of this user's that is then removed."""
    named = {"header": target.request_headers(), "form": target.form}
    if not (target.headers or target.form):
        yield []
        return
    with tempfile.NamedTemporaryFile("w", prefix="upload-lab-", suffix=".properties", encoding="ascii") as file:
        for kind, pairs in named.items():
            for number, pair in enumerate(pairs.items()):
                for what, text in zip(("name", "value"), pair, strict=True):
                    file.write(f"lab.{kind}_{number}_{what}={_escaped(text)}\n")
        file.flush()
        yield ["-q", file.name]


def _escaped(text: str) -> str:
    """Return a text as Java's properties have it, whatever its characters."""
    units = text.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
