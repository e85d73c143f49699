"""Claims of studies: what they are decided on, how several of them are decided, and what became of them."""

from uploadlab.claims.evidence import Conventions, Evidence, Level, Scene, Where
from uploadlab.claims.in_scenarios import (
    Direction,
    Judged,
    best,
    change,
    equal,
    gap_falls,
    groups_along,
    in_range,
    is_equal,
    lower,
    ordered,
    outcome_of,
    trend,
    within,
)
from uploadlab.claims.outcome import FAILS, HOLDS, NOT_MEASURED, UNDECIDED, Number, Outcome, Verdict

__all__ = [
    "FAILS",
    "HOLDS",
    "NOT_MEASURED",
    "UNDECIDED",
    "Conventions",
    "Direction",
    "Evidence",
    "Judged",
    "Level",
    "Number",
    "Outcome",
    "Scene",
    "Verdict",
    "Where",
    "best",
    "change",
    "equal",
    "gap_falls",
    "groups_along",
    "in_range",
    "is_equal",
    "lower",
    "ordered",
    "outcome_of",
    "trend",
    "within",
]
