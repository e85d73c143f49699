"""What a study declares for its analysis: refused by name and line before anything is measured, else handed on."""

from collections.abc import Iterator
from typing import Literal

import msgspec

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

    kind: Literal["", "without_extremes", "of_seconds"] = ""
    """How a paper computed its deviation: without the smallest and the largest; of the means of whole seconds."""


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What systems are compared by."""

    column: str
    unit: str = ""
    better: Literal["lower", "higher"] = "lower"
    name: str = ""
    question: bool = False
    """Whether the first page answers it: such comparisons are decided."""
    shown: bool = False
    """Whether the page shows it beside these."""
    where: Where = {}
