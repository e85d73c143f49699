"""What the command line chose: systems on stacks with settings."""

import argparse
import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning.install import set_up_load, set_up_systems
from uploadlab.planning.study import Study
from uploadlab.planning.system import AS_SHIPPED, Sut, choose, load_system

LEAST_TURN_MS, MOST_TURN_MS = 100, 10_000


def systems_of(study: Study) -> dict[str, Path]:
    """Map each system's id to its folder."""
    return by_id(study.system_folders().values())


def by_id(folders: Iterable[Path]) -> dict[str, Path]:
    """Map the id of the system in each folder to it; LabError where two have the same."""
    found: dict[str, Path] = {}
    for folder in folders:
        system_id = load_system(folder).system.id
        if found.setdefault(system_id, folder) != folder:
            raise LabError(
                f"{folder / 'sut.toml'}: '{system_id}' is the id of the system in {found[system_id]}, too; "
                "give each its own id."
            )
    return found


def load_settings(texts: Sequence[str]) -> dict[str, int | float | str | bool]:
    """Return settings of a load from texts like `threads=10`; numbers, true and false are what they look like.

    Raises LabError for a text of another form; what a setting may be is the driver's to say.
    """
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise LabError(f"--load {text}: expected SETTING=VALUE, as in threads=10.")
        settings[name] = _scalar(value)
    return settings


def turn_ms(text: str) -> int:
    """Return the length of a turn in ms: 0, or long enough that what beginning and ending it costs is little of it."""
    if text.isascii() and text.isdecimal() and (int(text) == 0 or LEAST_TURN_MS <= int(text) <= MOST_TURN_MS):
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r}: expected 0, or {LEAST_TURN_MS} to {MOST_TURN_MS} ms.")


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return what reads a whole number within bounds from the command line; argparse says why it is none."""
    expected = f"of at least {least}" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() else -1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"expected a whole number {expected}, not '{text}'")
        return number

    return read


def above_zero(unit: str, below: float = math.inf) -> Callable[[str], float]:
    """Return what reads a number of a unit from the command line; argparse says why it is none."""
    expected = f"a number of {unit} above 0" + (f" and below {below:g}" if below < math.inf else "")

    def read(text: str) -> float:
        try:
            given = float(text)
        except ValueError:
            given = 0.0
        if not 0 < given < below:
            raise argparse.ArgumentTypeError(f"expected {expected}, not '{text}'")
        return given

    return read


def listed(text: str) -> list[str]:
    """Return the entries of a list from the command line; argparse says what is wrong with it."""
    found = [entry.strip() for entry in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"expected a name, or several with commas between them, not '{text}'")
    if len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"expected each name once, not '{text}'")
    return found


def _scalar(text: str) -> int | float | str | bool:
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return value if isinstance(value, int | float | str | bool) else text


def choose_systems(
    study: Study, names: Sequence[str] | None, stacks: Sequence[str], settings: Sequence[str]
) -> list[Sut]:
    """Return every named system on every stack, with settings like `a.heap_mb=512`; unnamed, all compared ones.

    A setting with several values, `a.accept_count=100,511`, gives a variant of the system for each.
    `as_shipped` alone is the named set: what the makers ship, on every system. A setting that only some of the stacks
    have is set on those; LabError when none has it. A name may also be that of another system in the study's folder,
    or the folder of one that is not the study's.
    """
    compared = systems_of(study)
    beside = [path.parent.resolve() for path in sorted(study.folder.glob("*/sut.toml"))]
    others = [*filter(None, [study.baseline_folder]), *beside, *study.further_folders()]  # floors, known laws, more
    known = by_id(folder.resolve() for folder in [*compared.values(), *others])
    chosen = by_id(_folder_of(name, known) for name in names) if names else compared
    overrides = _overrides(settings, chosen)
    return [
        sut
        for stack in stacks
        for name, folder in chosen.items()
        for sut in _variants(folder, stack, _that_apply(folder, stack, stacks, overrides[name]))
    ]


def _folder_of(name: str, known: dict[str, Path]) -> Path:
    """Return the folder of a system that is named by its id or its folder."""
    if name in known:
        return known[name]
    folder = Path(name).resolve()
    if not (folder / "sut.toml").is_file():
        raise LabError(
            f"There is no system '{name}'; the study has {', '.join(known)}, and there is no {name}/sut.toml."
        )
    system_id = load_system(folder).system.id
    if known.get(system_id, folder) != folder:
        raise LabError(
            f"{folder / 'sut.toml'}: the study already has a system with the id '{system_id}'; choose another id."
        )
    return folder


def under_names(suts: Sequence[Sut], names: Sequence[str]) -> list[Sut]:
    """Return each system once for each name, which becomes a part of its variant."""
    return [
        msgspec.structs.replace(sut, variant=",".join(part for part in (sut.variant, name) if part))
        for sut in suts
        for name in names
    ]


def set_up_everything(study: Study, stacks: Sequence[str] = ("current",)) -> None:
    """Install and build the load generator, the study's systems and its baseline; what is ready is left alone."""
    set_up_load(study)
    baseline = choose_baseline(study)
    set_up_systems([*choose_systems(study, None, stacks, []), *([baseline] if baseline else [])])


def choose_baseline(study: Study) -> Sut | None:
    """Return the study's server that does nothing, as its `sut.toml` sets it; None where it has none."""
    return choose(study.baseline_folder, "current", {}) if study.baseline_folder else None


def _variants(folder: Path, stack: str, overrides: dict[str, list[str]]) -> list[Sut]:
    """Return the system once for each combination of its settings' values, named by those that vary."""
    varying = [name for name, values in overrides.items() if len(values) > 1]
    suts = []
    for values in itertools.product(*overrides.values()):
        settings = dict(zip(overrides, values, strict=True))
        variant = ",".join(f"{name}={settings[name]}" for name in varying)
        suts.append(msgspec.structs.replace(choose(folder, stack, settings), variant=variant))
    return suts


def _that_apply(
    folder: Path, stack: str, stacks: Sequence[str], overrides: dict[str, list[str]]
) -> dict[str, list[str]]:
    """Leave out what this stack does not have but another of the chosen ones has."""
    system = load_system(folder)
    elsewhere = {key for other in stacks for key in system.settings_of(other)} - set(system.settings_of(stack))
    return {key: values for key, values in overrides.items() if key not in elsewhere}


def _overrides(settings: Sequence[str], chosen: dict[str, Path]) -> dict[str, dict[str, list[str]]]:
    result: dict[str, dict[str, list[str]]] = {name: {} for name in chosen}
    for text in settings:
        if text == AS_SHIPPED:
            for system in result.values():
                system[AS_SHIPPED] = ["true"]
            continue
        name, equals, value = text.partition("=")
        system_id, dot, key = name.partition(".")
        if not (equals and dot and system_id and key):
            raise LabError(f"--set {text}: expected SYSTEM.SETTING=VALUE, or {AS_SHIPPED}.")
        if system_id not in result:
            raise LabError(f"--set {text}: there is no system '{system_id}' in this campaign ({', '.join(result)}).")
        values = value.split(",")
        if len(set(values)) < len(values):
            raise LabError(f"--set {text}: a value is given twice.")
        result[system_id][key] = values
    return result
