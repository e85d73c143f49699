"""The black-box cases, by group; each is one sentence of the contract."""

from __future__ import annotations

from conformance.case import Case
from conformance.cases import broken, failure, framing, good, http, limits, names

BLACK_BOX: tuple[Case, ...] = tuple(
    case for group in (good, framing, broken, names, limits, failure, http) for case in group.CASES.declared
)
