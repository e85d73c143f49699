"""Claims of a study: declared in ``study.toml``, decided by named tests, on our data and on the paper's own numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis import scenario_claims
from analysis.campaign import Campaign
from analysis.claim_tests import TESTS, UNDECIDED, Finding, check_arguments, system_name
from analysis.claim_words import joined, sample_list, say
from analysis.comparisons import terms_of
from analysis.declarations import declarations, published_files
from analysis.errors import InputError
from analysis.evidence import Evidence, campaign_evidence, printed_evidence, stacks_of
from analysis.published import Published
from analysis.quantisation import is_never_bare, quantisation
from analysis.scenario_claims import Ground, ground_of_printed, ground_of_runs
from analysis.table_file import Value, read_table

CLAIM_COLUMNS = (
    "claim", "stack", "text", "text_pt", "verdict", "figure", "lo", "hi", "n", "why", "why_pt", "paper_verdict",
    "paper_figure", "paper_why", "paper_why_pt",
)  # fmt: skip
CPU_SHARES = frozenset(("cpu_pct", "cpu_sd", "server_cpu_pct"))
Row = Mapping[str, Value]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement and the test that decides it."""

    id: str
    text: str
    text_pt: str
    test: str
    arguments: Mapping[str, Any]

    def decide(self, evidence: Evidence) -> Finding:
        """Apply the test to some evidence."""
        return self._with_clock(TESTS[self.test](evidence, **self.arguments), evidence)

    @property
    def columns(self) -> tuple[str, ...]:
        """The figures that it is about."""
        named = (self.arguments.get(key) for key in ("metric", "other", "over", "x", "y"))
        return tuple(name for name in named if isinstance(name, str))

    def _with_clock(self, finding: Finding, evidence: Evidence) -> Finding:
        """Say beside a coefficient of variation of a small mean what it is without JMeter's clock."""
        if "cv" not in self.columns:
            return finding
        systems = [self.arguments[key] for key in ("system", "than", "minus") if self.arguments.get(key)]
        figures = [
            say(
                "clock_figure",
                system=system_name(system),
                where=sample_list([key[0]], "in_sample{s}"),
                cv=cv,
                without=cv_only,
            )
            for key in sorted(evidence.figures)
            for system in systems
            if (cv := evidence.mean(key, system, "cv")) is not None
            and cv != evidence.mean(key, system, "cv_without_clock")  # as of a generator with a finer clock
            and is_never_bare(mean_ms := evidence.mean(key, system, "mean_ms"))
            and (cv_only := _cv_without_clock(evidence, key, system, mean_ms)) is not None
        ]
        return replace(finding, said=finding.said + say("clock", figures=joined(figures, ", "))) if figures else finding

    def under_limit(self, finding: Finding, limit_pct: float | None) -> Finding:
        """Leave undecided what a limit on the server's CPU has decided: shares of CPU."""
        if limit_pct is None or not CPU_SHARES.intersection(self.columns):
            return finding
        return replace(finding, verdict=UNDECIDED, said=say("limited", percent=limit_pct, why=finding.said))


def _cv_without_clock(evidence: Evidence, key: tuple[int, str], system: str, mean_ms: float | None) -> float | None:
    """Return what was computed for each run; where that is not known, as of a paper, what a clock of 1 ms leaves."""
    known = evidence.mean(key, system, "cv_without_clock")
    return quantisation(0, mean_ms, evidence.mean(key, system, "sd_ms")).cv if known is None else known


def claim_rows(
    campaign: Campaign, runs: Sequence[Row], timeline: Sequence[Row], published: Published | None, seed: int
) -> list[dict[str, Value]]:
    """Return the rows of ``claims.csv``: each claim on each stack of the campaign, on its leading levels.

    A claim that cannot be read is undecided and says why: a slip in it must not cost the report of hours of measuring.
    """
    declared = campaign.record["study"].get("claims") or []
    if campaign.record["study"].get("roles"):
        return _rows_by_scenario(campaign, declared, runs, seed)
    samples = tuple(published.samples) if published else ()
    paper = printed_evidence(published) if published else None
    rows: list[dict[str, Value]] = []
    judged = campaign.leading(runs)
    most_blocks = terms_of(campaign.record).most_blocks
    for stack in stacks_of(judged):
        evidence = campaign_evidence(judged, timeline, stack, samples, seed, most_blocks)
        limit_pct = campaign.server_cpu_limit_pct
        rows += [
            {"stack": stack, **_row(number, entry, evidence, paper, limit_pct)}
            for number, entry in enumerate(declared, 1)
        ]
    return rows


def _row(
    number: int, entry: object, evidence: Evidence, paper: Evidence | None, limit_pct: float | None
) -> dict[str, Value]:
    try:
        claim = read_claim(number, entry)
    except InputError as error:
        return _unreadable(number, entry, error)
    ours = claim.under_limit(claim.decide(evidence), limit_pct)
    return _judged(claim, ours, claim.decide(paper) if paper else Finding(verdict=UNDECIDED, said=say("no_published")))


def _unreadable(number: int, entry: object, error: InputError) -> dict[str, Value]:
    known = entry if isinstance(entry, dict) else {}
    return {
        "claim": str(known.get("id", number)),
        "text": str(known.get("text", "")),
        "text_pt": str(known.get("text_pt", "")),
        "verdict": UNDECIDED,
        "n": 0,
        "why": str(error),
        "paper_verdict": UNDECIDED,
        "paper_why": str(error),
    }


def _judged(claim: Claim, ours: Finding, theirs: Finding) -> dict[str, Value]:
    return {
        "claim": claim.id,
        "text": claim.text,
        "text_pt": claim.text_pt,
        "verdict": ours.verdict,
        "figure": ours.figure,
        "lo": ours.lo,
        "hi": ours.hi,
        "n": ours.n,
        "why": ours.why,
        "why_pt": ours.why_pt,
        "paper_verdict": theirs.verdict,
        "paper_figure": theirs.figure,
        "paper_why": theirs.why,
        "paper_why_pt": theirs.why_pt,
    }


def _rows_by_scenario(
    campaign: Campaign, declared: Sequence[object], runs: Sequence[Row], seed: int
) -> list[dict[str, Value]]:
    """Return the claims of a study whose systems have parts, on each stack; a variant has its system's whole key."""
    known = declarations(campaign.record)
    tables = [read_table(path) for path in published_files(campaign.folder, campaign.study)]
    rows: list[dict[str, Value]] = []
    for stack in [stack for stack in stacks_of(runs) if "," not in stack]:
        ours = ground_of_runs(
            runs,
            campaign.factors,
            known,
            campaign.record["systems"],
            stack=stack,
            most_blocks=terms_of(campaign.record).most_blocks,
            seed=seed,
        )
        theirs = ground_of_printed(tables, ours)
        for number, entry in enumerate(declared, 1):
            rows.append({"stack": stack, **_row_by_scenario(number, entry, ours, theirs)})
    return rows


def _row_by_scenario(number: int, entry: object, ours: Ground, theirs: Ground) -> dict[str, Value]:
    try:
        claim = read_claim(number, entry, scenario_claims.check_arguments)
    except InputError as error:
        return _unreadable(number, entry, error)
    test = scenario_claims.TESTS[claim.test]
    return _judged(claim, test(ours, **claim.arguments), test(theirs, **claim.arguments))


def read_claim(number: int, entry: object, check: Callable[[str, Mapping[str, Any]], None] = check_arguments) -> Claim:
    """Read one declared claim, the ``number``-th.

    Raises
    ------
    InputError
        For a missing key, an unknown test, or an argument the test does not take.
    """
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        raise InputError(f"Claim {number} has no id.")
    place = f"Claim {entry['id']}"
    if not isinstance(entry.get("text"), str):
        raise InputError(f"{place} has no text.")
    test = entry.get("test")
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise InputError(f"{place} has no test; expected a table with the name of a test and its arguments.")
    arguments = {key: value for key, value in test.items() if key != "name"}
    try:
        check(test["name"], arguments)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    return Claim(
        id=entry["id"],
        text=entry["text"],
        text_pt=str(entry.get("text_pt", "")),
        test=test["name"],
        arguments=arguments,
    )
