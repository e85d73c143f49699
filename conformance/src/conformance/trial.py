"""Anything that can be run against a provider and reported by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.provider import Provider


@dataclass(frozen=True, kw_only=True)
class Trial:
    """`run` returns a sentence for everything that is wrong; it raises NotRun with the reason why it cannot."""

    group: str
    id: str
    name: str
    run: Callable[[Provider], list[str]]
