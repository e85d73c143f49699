from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.provider import StartedSystem
from conformance.suite import Result
from conformance.system import System

REFERENCE = Path(__file__).parent / "reference"


@contextmanager
def reference(fault: str = "") -> Iterator[StartedSystem]:
    with StartedSystem(System.find(str(REFERENCE)), {"FAULT": fault}) as provider:
        yield provider


@pytest.fixture
def start_reference():
    return reference


def all_but(results: Iterable[Result], *verdicts: str) -> list[str]:
    """Return the results of other verdicts than these, with their reasons."""
    return [f"{one.id} {one.name}: {'; '.join(one.reasons)}" for one in results if one.verdict not in verdicts]
