"""A file that says what to run, with the options of `./lab run` as its keys: `minutes = 10`, `samples = [1, 5]`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from uploadlab.errors import LabError
from uploadlab.planning.toml_files import read_toml

OPTION = "--plan"


def with_plan(given: Sequence[str]) -> list[str]:
    """Return a command line with `--plan FILE` replaced by the options that the file has; what follows overrides them.

    Raises LabError for a file that cannot be read, or a value that no option can have.
    """
    told = list(given)
    if OPTION not in told:
        return told
    place = told.index(OPTION)
    if place + 1 == len(told):
        raise LabError(f"{OPTION}: expected a file after it, as in {OPTION} my.toml.")
    path = Path(told[place + 1])
    options = [word for name, value in read_toml(path, dict[str, object]).items() for word in _words(path, name, value)]
    return [*told[:place], *options, *told[place + 2 :]]


def _words(path: Path, name: str, value: object) -> Iterator[str]:
    option = f"--{name.replace('_', '-')}"
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
