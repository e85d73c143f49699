"""A study's `claims.py` and `tables.py`: one function a claim or a table, its docstring says which."""

import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from uploadlab.errors import LabError


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A function, and the paragraphs of its docstring: the statement, and what is to say beside it."""

    name: str
    text: str
    beside: str
    function: Callable[[Any], Any]


def load_module(path: Path) -> ModuleType | None:
    """Return a study's Python file as a module, None where there is none.

    Raises LabError that names the file and what is wrong with it.
    """
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise LabError(f"{path}: cannot be loaded: {type(error).__name__}: {error}.") from error
    return module


def stated_functions(module: ModuleType | None) -> list[Stated]:
    """Return the public functions of one argument that a module defines, in their order."""
    if module is None:
        return []
    return [
        _stated(name, one)
        for name, one in vars(module).items()
        if inspect.isfunction(one)
        and one.__module__ == module.__name__
        and not name.startswith("_")
        and len(inspect.signature(one).parameters) == 1
    ]


def _stated(name: str, function: Callable[[Any], Any]) -> Stated:
    text, _, beside = (inspect.getdoc(function) or "").partition("\n\n")
    return Stated(name=name, text=" ".join(text.split()), beside=" ".join(beside.split()), function=function)
