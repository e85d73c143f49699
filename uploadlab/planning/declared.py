"""What a study declares for its analysis: refused by name and line before anything is measured, else handed on."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from uploadlab.errors import LabError

if TYPE_CHECKING:
    from uploadlab.planning.study import StudyFile

Where = dict[str, int | str | list[int | str]]
Moment = tuple[str, str]
KINDS = ("due", "sent", "accepted", "received", "answered", "replied", "waiting")


class Ends(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Between which two records an operation or an interval lies, or at which record one is counted.

    `late_from` is the record of when an operation was due: its time counts from there, and how late it was sent.
    """

    begin: Moment | None = msgspec.field(default=None, name="from")
    to: Moment | None = None
    at: Moment | None = None
    late_from: Moment | None = None

    def moments(self) -> Iterator[Moment]:
        """Yield the records that it names."""
        yield from (one for one in (self.begin, self.to, self.at, self.late_from) if one is not None)


class Operation(Ends, frozen=True, forbid_unknown_fields=True):
    """What an operation is, and what differs at the levels of a factor."""

    label: str = ""
    scenario: dict[str, dict[str, Ends]] = {}


class Interval(Ends, frozen=True, forbid_unknown_fields=True):
    """What is timed beside the operation."""

    clock: Literal["", "one_host"] = ""
    drop_extremes: int = 0
    averaged_over_s: int = 0


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What systems are compared by."""

    column: str
    unit: str = ""
    better: Literal["lower", "higher"] = "lower"
    name: str = ""
    question: bool | str = False
    where: Where = {}
    printed: str = ""


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which metrics the first page answers, and which its table shows."""

    questions: list[str] = []
    matrix: list[str] = []


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of the report."""

    kind: str
    y: str
    x: str = ""
    beside: str = ""
    ratio_of: str = ""
    series: str = ""
    where: Where = {}
    paper: str = ""
    title: str = ""
    published: str = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the report."""

    kind: str = ""
    rows: list[str] = []
    columns: list[str] = []
    value: str | list[str] = ""
    values: str | list[str] = ""
    deviation: str = ""
    ratio: list[str] = []
    system: str | list[str] = ""
    where: Where = {}
    paper: str = ""
    title: str = ""
    note: str = ""
    published: str = ""


def check_declared(path: Path, file: "StudyFile") -> None:
    """Raise LabError for a role, a kind of record, a factor or a metric that there is not."""
    ends: dict[str, Ends] = {"operation": file.operation}
    ends |= {f"intervals.{name}": one for name, one in file.intervals.items()}
    for factor, levels in file.operation.scenario.items():
        ends |= {f"operation.scenario.{factor}.{level}": one for level, one in levels.items()}
    for place, one in ends.items():
        for role, kind in one.moments():
            if role not in file.roles or kind not in KINDS:
                raise LabError(
                    f"{path}: {place}: expected a role ({', '.join(file.roles)}) and a kind of record "
                    f"({', '.join(KINDS)}), not {role!r} and {kind!r}."
                )
    for table in ("metrics", "figures", "tables"):
        drawn: Mapping[str, Metric | Figure | Table] = getattr(file, table)
        for name, shown in drawn.items():
            for factor in shown.where:
                if factor != "system" and factor not in file.factors:
                    raise LabError(f"{path}: {table}.{name}.where: '{factor}' is not a factor of the study.")
    for metric in (*file.report.questions, *file.report.matrix):
        if metric not in file.metrics:
            raise LabError(f"{path}: report: '{metric}' is not one of its metrics.")
