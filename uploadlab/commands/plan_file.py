"""A file that says what to run, with the options of `./lab run` as its keys: `minutes = 10`, `samples = [1, 5]`."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from uploadlab.errors import LabError
from uploadlab.planning.toml_files import read_toml


class FromPlan(argparse.Action):
    """Takes the options that a file has as if they stood in its place: what follows overrides them."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Raise LabError for a file that cannot be read, or a value that no option can have."""
        path = Path(str(values))
        found = read_toml(path, dict[str, object])
        parser.parse_args([word for name, value in found.items() for word in _words(path, name, value)], namespace)


def _words(path: Path, name: str, value: object) -> Iterator[str]:
    option = f"--{name.replace('_', '-')}"
    if option == "--plan":
        raise LabError(f"{path}: plan: a plan takes no options from another one.")
    if value is True:
        yield option
    elif value is False:
        return
    elif isinstance(value, list) and name in ("set", "load", "require"):  # options that are given several times
        for one in value:
            yield from (option, _text(path, name, one))
    elif isinstance(value, list):
        yield from (option, ",".join(_text(path, name, one) for one in value))
    else:
        yield from (option, _text(path, name, value))


def _text(path: Path, name: str, value: object) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise LabError(f"{path}: {name}: expected a text, a number, true, false or a list of texts and numbers.")
    return str(value)
