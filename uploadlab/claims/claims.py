"""Claims of a study: declared in ``study.toml``, decided by named tests, on our data and on the paper's own numbers."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, get_args, get_type_hints

from uploadlab.claims import in_scenarios as scenario_claims
from uploadlab.claims import over_levels as level_claims
from uploadlab.claims.finding import FAILS, UNDECIDED, Finding
from uploadlab.claims.ground import Ground, Level, Scene, Where, ground_of_printed, ground_of_runs, in_order
from uploadlab.claims.in_scenarios import Direction
from uploadlab.claims.phrases import joined, sentence
from uploadlab.errors import InputError
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import claims_of_checkout, declarations
from uploadlab.statistics.quantisation import is_never_bare, quantisation
from uploadlab.table_file import Value
from uploadlab.tables.comparisons import terms_of
from uploadlab.tables.published import printed_rows

CLAIM_COLUMNS = (
    "claim", "stack", "text", "verdict", "figure", "lo", "hi", "n", "why", "paper_verdict", "paper_figure", "paper_why",
)  # fmt: skip
FOUND = ("verdict", "figure", "lo", "hi", "n", "why")
CPU_SHARES = frozenset(("cpu_pct", "cpu_sd", "server_cpu_pct"))
TESTS = {test.__name__: test for test in (*scenario_claims.TESTS, *level_claims.TESTS)}
Row = Mapping[str, Value]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement and the test that decides it."""

    id: str
    text: str
    test: str
    arguments: Mapping[str, Any]

    def decide(self, ground: Ground) -> Finding:
        """Apply the test to what was measured, or printed."""
        return self._with_clock(TESTS[self.test](ground, **self.arguments), ground)

    @property
    def columns(self) -> tuple[str, ...]:
        """The figures that it is about."""
        named = (self.arguments.get(key) for key in ("metric", "other", "over", "x", "y"))
        return tuple(name for name in named if isinstance(name, str))

    def _with_clock(self, finding: Finding, ground: Ground) -> Finding:
        """Say beside a coefficient of variation of a small mean what it is without a clock of whole milliseconds."""
        along = self.arguments.get("along")
        if "cv" not in self.columns or along is None or ground.declared.roles:
            return finding
        systems = [self.arguments[key] for key in ("system", "than", "minus") if self.arguments.get(key)]
        meant = [scene for scene in ground.scenes if scene.levels.get(along) in ground.levels(along)]
        scenes = sorted(meant, key=lambda scene: [in_order(level) for level in scene.levels.values()])
        figures = [
            ground.say(
                "claim_clock_figure",
                system=system,
                where=ground.say_levels([scene.levels[along]], "claim_in_level"),
                cv=cv,
                without=cv_only,
            )
            for scene in scenes
            for system in systems
            if (cv := ground.mean(scene, system, "cv")) is not None
            and cv != ground.mean(scene, system, "cv_without_clock")  # as of a generator with a finer clock
            and is_never_bare(mean_ms := ground.mean(scene, system, "mean_ms"))
            and (cv_only := _cv_without_clock(ground, scene, system, mean_ms)) is not None
        ]
        if not figures:
            return finding
        return replace(finding, said=finding.said + ground.say("claim_clock", figures=joined(figures, ", ")))

    def under_limit(self, ground: Ground, finding: Finding, limit_pct: float | None) -> Finding:
        """Leave undecided what a limit on the server's CPU has decided: shares of CPU."""
        if limit_pct is None or not CPU_SHARES.intersection(self.columns):
            return finding
        return replace(
            finding, verdict=UNDECIDED, said=ground.say("claim_limited", percent=limit_pct, why=finding.said)
        )


def _cv_without_clock(ground: Ground, scene: Scene, system: str, mean_ms: float | None) -> float | None:
    """Return what was computed for each run; where that is not known, as of a paper, what a clock of 1 ms leaves."""
    known = ground.mean(scene, system, "cv_without_clock")
    return quantisation(0, mean_ms, ground.mean(scene, system, "sd_ms")).cv if known is None else known


def claim_rows(campaign: Campaign, runs: Sequence[Row], seed: int) -> list[dict[str, Value]]:
    """Return the rows of ``claims.csv``: each claim on each stack of the campaign, on its leading levels.

    A claim that cannot be read is undecided and says why: a slip in it must not cost the report of hours of measuring.
    """
    known, systems = declarations(campaign.record), campaign.record["systems"]
    names = {key.partition("@")[0]: str(of.get("name", key)) for key, of in systems.items()}
    names |= known.words.get("systems") or {}
    theirs = ground_of_printed(printed_rows(campaign.folder, known), known, names)
    judged = campaign.leading(runs)
    rows: list[dict[str, Value]] = []
    for stack, of_system in stacks_of(judged, whole_keys=bool(known.roles)).items():
        ours = ground_of_runs(
            judged,
            campaign.told_apart,
            systems,
            theirs,
            stacks=of_system,
            terms=terms_of(campaign.record),
            seed=seed,
        )
        for number, entry in enumerate(campaign.record["study"].get("claims") or [], 1):
            rows.append({"stack": stack, **_row(number, entry, ours, theirs, campaign.leading_cpu_limit_pct)})
    return rows


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


def _row(number: int, entry: object, ours: Ground, theirs: Ground, limit_pct: float | None) -> dict[str, Value]:
    try:
        claim = read_claim(number, _as_now(ours.declared.study, entry))
    except InputError as error:
        return _unreadable(number, entry, error)
    nothing = Finding(verdict=UNDECIDED, said=ours.say("claim_no_published"))
    printed = _beside_margin(claim, theirs, ours.margin) if theirs.scenes or theirs.facts else nothing
    return _judged(claim, claim.under_limit(ours, claim.decide(ours), limit_pct), printed)


def _beside_margin(claim: Claim, theirs: Ground, margin: float) -> Finding:
    """Decide on printed numbers as they stand; where by the margin of measured ones it would fail, say so."""
    found = claim.decide(theirs)
    if found.verdict == FAILS or claim.decide(replace(theirs, margin=margin)).verdict != FAILS:
        return found
    return replace(found, said=sentence(found.said) + theirs.say("claim_by_margin", margin=100 * margin))


def _as_now(study: str, entry: object) -> object:
    """Return a claim that an older lab wrote into its campaign as it is tested now, where its words are the same."""
    try:
        read_claim(0, entry)
    except InputError:
        of_checkout = claims_of_checkout(study) if isinstance(entry, dict) and entry.get("test") else []
        same = (one for one in of_checkout if isinstance(entry, dict) and one["text"] == entry.get("text"))
        return next(same, entry)
    return entry


def _unreadable(number: int, entry: object, error: InputError) -> dict[str, Value]:
    known = entry if isinstance(entry, dict) else {}
    return {
        "claim": str(known.get("id", number)),
        "text": str(known.get("text", "")),
        "verdict": UNDECIDED,
        "n": 0,
        "why": str(error),
        "paper_verdict": UNDECIDED,
        "paper_why": str(error),
    }


def _judged(claim: Claim, ours: Finding, theirs: Finding) -> dict[str, Value]:
    found = {f"{whose}{name}": getattr(of, name) for whose, of in (("", ours), ("paper_", theirs)) for name in FOUND}
    what = {"claim": claim.id, "text": claim.text}
    return what | {name: value for name, value in found.items() if name in CLAIM_COLUMNS}


def read_claim(number: int, entry: object) -> Claim:
    """Read one declared claim, the ``number``-th.

    Raises InputError for a missing key, an unknown test, or an argument the test does not take.
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
        check_arguments(test["name"], arguments)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    return Claim(
        id=entry["id"],
        text=entry["text"],
        test=test["name"],
        arguments=arguments,
    )


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Hold a claim's arguments to the parameters of its test.

    Raises InputError for an unknown test, an unknown argument, a missing one, one of another kind.
    """
    if name not in TESTS:
        raise InputError(f"there is no test {name!r}; there are: {', '.join(TESTS)}.")
    parameters = dict(list(inspect.signature(TESTS[name]).parameters.items())[1:])
    hints = get_type_hints(TESTS[name])
    for argument, value in arguments.items():
        if argument not in parameters:
            raise InputError(f"the test {name} takes no {argument}; it takes: {', '.join(parameters)}.")
        expected, is_right = KINDS[hints[argument]]
        if not is_right(value):
            raise InputError(f"the test {name} takes {expected} as {argument}, not {value!r}.")
    for argument, of in parameters.items():
        if of.default is inspect.Parameter.empty and argument not in arguments:
            raise InputError(f"the test {name} needs {argument}.")


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _is_level(value: object) -> bool:
    return type(value) in (int, str)


def _list_of(is_right: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(is_right(one) for one in value)


_TABLE = "a table of factors and levels", lambda value: isinstance(value, dict)
_NUMBER = "a number", _is_number
KINDS: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    Direction: ("rises or falls", lambda value: value in get_args(Direction)),
    float: _NUMBER,
    float | None: _NUMBER,
    Level: ("a level", _is_level),
    Sequence[float]: ("a list of numbers", _list_of(_is_number)),
    Sequence[str]: ("a list of texts", _list_of(lambda value: isinstance(value, str))),
    Sequence[Level]: ("a list of levels", _list_of(_is_level)),
    Where: _TABLE,
    Where | None: _TABLE,
}
"""By a parameter's type: what it takes, in words, and whether a value is that."""
