"""The claims of a study, functions of the `claims.py` in its folder, decided on a campaign and on the paper's numbers.

A claim is a public function of one argument, the evidence. The first paragraph of its docstring is the claim as the
paper states it, the second where; its name with dashes is the id. `CONVENTIONS`, if there are any, say what the paper
calls and prefers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from uploadlab.claims.evidence import (
    AS_OURS,
    Conventions,
    Evidence,
    Level,
    Scene,
    evidence_of_printed,
    evidence_of_runs,
    level_of,
)
from uploadlab.claims.outcome import UNDECIDED, Outcome
from uploadlab.metrics.rounds import ROUND, rounds_factor
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import Declarations, declarations, declared_profile, published_files, study_folder
from uploadlab.results.study_code import load_module, stated_functions
from uploadlab.table_file import Row, Value, number, read_table
from uploadlab.tables.comparisons import terms_of

FULL_PROFILES = ("published", "corrected")
CLAIM_COLUMNS = (
    "claim", "place", "stack", "text", "verdict", "figure", "lo", "hi", "n", "at_scale", "why", "paper_verdict",
    "paper_figure", "paper_why",
)  # fmt: skip
ROUNDS_COLUMNS = ("rounds_verdict", "rounds_figure", "rounds_n", "rounds_why")
"""Further columns, where the authors published the rounds of their runs."""
ROUNDS_PREFIX = "round_"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement, where the paper makes it, and the function that decides it."""

    id: str
    text: str
    place: str
    function: Callable[[Evidence], Outcome]

    def decide(self, evidence: Evidence) -> Outcome:
        """Decide it; a slip in one claim must not cost the report of hours of measuring."""
        try:
            return self.function(evidence)
        except Exception as error:
            return Outcome(verdict=UNDECIDED, reason=f"claims.py failed: {type(error).__name__}: {error}")


@dataclass(frozen=True, kw_only=True)
class Claims:
    """The claims of a study, and what its paper calls and prefers."""

    claims: Sequence[Claim] = ()
    conventions: Conventions = AS_OURS


def load_claims(folder: Path) -> Claims:
    """Return the claims of a study's folder; none where it has no `claims.py`."""
    module = load_module(folder / "claims.py")
    claims = [
        Claim(id=one.name.replace("_", "-"), text=one.text, place=one.beside, function=one.function)
        for one in stated_functions(module)
    ]
    return Claims(claims=claims, conventions=getattr(module, "CONVENTIONS", AS_OURS))


def claim_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> list[dict[str, Value]]:
    """Return the rows of ``claims.csv``: each claim on each stack of the campaign, on its leading levels."""
    found, declared = load_claims(study_folder(campaign.record)), declarations(campaign.record)
    theirs = printed_evidence(published_files(campaign.record), declared, found.conventions)
    rounds = _evidence_of_rounds(campaign, declared, found.conventions, seed)
    judged = campaign.leading(runs)
    rows: list[dict[str, Value]] = []
    for stack, of_system in stacks_of(judged, whole_keys=bool(declared.roles)).items():
        ours = evidence_of_runs(
            judged, campaign.told_apart, theirs, stacks=of_system, terms=terms_of(campaign.record), seed=seed
        )
        ours = replace(
            ours,
            facts={key.partition("@")[0]: of.get("facts") or {} for key, of in campaign.record["systems"].items()},
            server_cpu_limit_pct=campaign.leading_cpu_limit_pct,
            at_scale=_at_scale(campaign),
        )
        rows += [_row(claim, stack, ours, theirs, rounds) for claim in found.claims]
    return rows


def _row(claim: Claim, stack: str, ours: Evidence, theirs: Evidence, rounds: Evidence | None) -> dict[str, Value]:
    here, printed = claim.decide(ours), claim.decide(theirs)
    row: dict[str, Value] = {
        "claim": claim.id,
        "place": claim.place,
        "stack": stack,
        "text": claim.text,
        "verdict": here.verdict,
        "figure": here.figure,
        "lo": here.lo,
        "hi": here.hi,
        "n": here.n,
        "at_scale": ours.at_scale and here.n > 0 and not here.missing,
        "why": here.why,
        "paper_verdict": printed.verdict,
        "paper_figure": printed.figure,
        "paper_why": printed.why,
    }
    if rounds is not None:
        on = claim.decide(rounds)
        row |= dict(zip(ROUNDS_COLUMNS, (on.verdict, on.figure, on.n, on.why), strict=True))
    return row


def stacks_of(runs: Sequence[Row], *, whole_keys: bool) -> dict[str, dict[str, str]]:
    """Return the stacks that claims are judged on, ``current`` first, each with the stack that a system is taken on.

    A system of which there are only variants (``--set a.heap_mb=512,1200``) is judged in each of them, named after its
    setting: ``current,a.heap_mb=512``; but not where claims name variants by their whole keys.
    """
    there: dict[str, set[str]] = {}
    for run in runs:
        there.setdefault(str(run["system"]), set()).add(str(run["stack"] or "current"))
    bases = {stack.partition(",")[0] for stacks in there.values() for stack in stacks}
    found: dict[str, dict[str, str]] = {}
    for base in sorted(bases, key=lambda stack: (stack != "current", stack)):
        choices = []
        for system, stacks in there.items():
            named = (stack for stack in stacks if stack.startswith(f"{base},"))
            variants = sorted(named, key=lambda stack: (len(stack), stack))
            choices.append([(system, of) for of in ([base] if whole_keys or base in stacks else variants or [base])])
        for chosen in product(*choices):
            settings = [f"{system}.{one}" for system, of in chosen for one in of.split(",")[1:]]
            found[",".join([base, *settings])] = dict(chosen)
    return found


def _at_scale(campaign: Campaign) -> bool:
    """Return whether a campaign is as large as the study says: its levels, load and repeats, all of the profile's."""
    profile = campaign.record.get("profile") or {}
    name, made = str(profile.get("name") or ""), profile.get("settings") or {}
    asked = declared_profile(campaign.record, name)
    if name not in FULL_PROFILES or not asked:
        return False
    levels = campaign.record.get("levels") or {}
    return (
        made.get("load") == asked.get("load")
        and made.get("repeats", 0) >= asked.get("repeats", 1)
        and all(set(of) <= set(levels.get(factor, ())) for factor, of in asked.get("levels", {}).items())
    )


def printed_evidence(files: Sequence[Path], declared: Declarations, conventions: Conventions) -> Evidence:
    """Return what a paper printed as evidence."""
    return evidence_of_printed(_published_rows(files), declared, conventions)


def _published_rows(files: Sequence[Path]) -> Iterator[Mapping[str, str]]:
    for path in files:
        yield from read_table(path)


def _evidence_of_rounds(
    campaign: Campaign, declared: Declarations, conventions: Conventions, seed: int
) -> Evidence | None:
    """Return the rounds that a paper's authors published as evidence: replicates, as a campaign's are.

    A row of `published/*.csv` that names the factor of the rounds is one; its column `round_mean_ms` is its `mean_ms`.
    """
    factor = rounds_factor(campaign.record["study"])
    if factor is None:
        return None
    scenes: dict[tuple[tuple[str, Level], ...], dict[str, list[Row]]] = {}
    for row in _published_rows(published_files(campaign.record)):
        columns = {of.removeprefix(ROUNDS_PREFIX): text for of, text in row.items() if of.startswith(ROUNDS_PREFIX)}
        if row.get(factor) and row.get("system") and columns:
            named = [name for name in declared.factors if name != factor and row.get(name)]
            levels = tuple((name, level_of(row[name])) for name in named)
            figures: dict[str, Value] = {name: number(text) for name, text in columns.items()}
            of_round: Row = {"valid": True, "status": ROUND, **figures}
            scenes.setdefault(levels, {}).setdefault(row["system"], []).append(of_round)
    if not scenes:
        return None
    found = [Scene(levels=dict(levels), rows=rows) for levels, rows in scenes.items()]
    return Evidence(scenes=found, declared=declared, conventions=conventions, seed=seed)
