from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.provider import StartedSystem
from conformance.system import System

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(autouse=True)
def _our_python_first(monkeypatch):
    """The reference server is started as `python3`: the one that has this package."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@contextmanager
def reference(fault: str = "") -> Iterator[StartedSystem]:
    with StartedSystem(System.find(str(REFERENCE)), {"FAULT": fault}) as provider:
        yield provider


@pytest.fixture
def start_reference():
    return reference
