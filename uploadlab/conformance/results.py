"""What came of each case."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from uploadlab.conformance.case import GRADES, SAFE, Case, Grade
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.reproduce import script, shown

PASSED, FAILED, SKIPPED, SHOWN = "passed", "failed", "skipped", "shown"
VERDICTS = (PASSED, FAILED, SKIPPED, SHOWN)


@dataclass(kw_only=True)
class Result:
    """A case's verdict, and in what it broke the rules that every case must keep."""

    case: Case
    endpoint: Endpoint
    verdict: str = PASSED
    reasons: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)
    seen: str = ""
    seconds: float = 0.0

    def fail(self, reason: str) -> None:
        """Say how it differs from what was expected."""
        self.verdict = FAILED
        self.reasons.append(reason)

    @property
    def checks(self) -> list[tuple[Grade, str]]:
        """The verdicts to count: its own, and that every other case than a must must keep the common rules, too."""
        if self.verdict == SKIPPED:
            return [(self.case.grade, SKIPPED)]
        safe = FAILED if self.unsafe else PASSED
        if self.case.grade == "must":
            return [("must", FAILED if self.verdict == FAILED else safe)]
        return [("must", safe), (self.case.grade, self.verdict)]

    @property
    def failed_as(self) -> Grade | None:
        """The highest grade in which it failed."""
        return next((grade for grade, verdict in self.checks if verdict == FAILED), None)

    @property
    def why(self) -> str:
        """What was wrong, in one line."""
        return "; ".join([*self.unsafe, *self.reasons])

    @property
    def expected(self) -> str:
        """What was expected, in words."""
        return self.case.expect.says or SAFE.says

    @property
    def sent(self) -> str:
        """The beginning of what was sent."""
        return self._without_secrets(shown(self.case.data))

    @property
    def reproduce(self) -> str:
        """A script that sends it again."""
        return self._without_secrets(script(self.case.steps, self.endpoint.address, repeat=self.case.repeat))

    def _without_secrets(self, text: str) -> str:
        """Leave out the values of the headers that were given: they may be tokens, and results are passed on."""
        for header in self.endpoint.headers:
            name, _, value = header.partition(":")
            text = text.replace(repr(value.strip())[1:-1], f"<{name}>") if value.strip() else text
        return text


def counts(results: Iterable[Result]) -> dict[Grade, Counter[str]]:
    """Return how many checks of each grade passed, failed, were skipped or shown."""
    found: dict[Grade, Counter[str]] = {grade: Counter() for grade in GRADES}
    for result in results:
        for grade, verdict in result.checks:
            found[grade][verdict] += 1
    return found


def summary(results: Sequence[Result]) -> str:
    """Return the line that sums up."""
    found = counts(results)
    must, should = (f"{each[PASSED]} of {each[PASSED] + each[FAILED]}" for each in (found["must"], found["should"]))
    return f"must {must}, should {should}, {sum(each[SKIPPED] for each in found.values())} skipped"
