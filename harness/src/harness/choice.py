"""What the command line chose: systems on stacks with settings."""

from collections.abc import Sequence
from pathlib import Path

from harness.errors import LabError
from harness.study import Study
from harness.system import Sut, choose, load_system


def systems_of(study: Study) -> dict[str, Path]:
    """Map each system's id to its folder."""
    return {load_system(folder).system.id: folder for folder in study.system_folders().values()}


def choose_systems(
    study: Study, names: Sequence[str] | None, stacks: Sequence[str], settings: Sequence[str]
) -> list[Sut]:
    """Return every named system (all when none is named) on every stack, with settings like `tomcat.heap_mb=512`."""
    known = systems_of(study)
    for name in names or []:
        if name not in known:
            raise LabError(f"There is no system '{name}'; the study has {', '.join(known)}.")
    chosen = {name: known[name] for name in names or known}
    overrides = _overrides(settings, chosen)
    return [choose(folder, stack, overrides[name]) for stack in stacks for name, folder in chosen.items()]


def _overrides(settings: Sequence[str], chosen: dict[str, Path]) -> dict[str, dict[str, str]]:
    result: dict[str, dict[str, str]] = {name: {} for name in chosen}
    for text in settings:
        name, equals, value = text.partition("=")
        system, dot, key = name.partition(".")
        if not (equals and dot and system and key):
            raise LabError(f"--set {text}: expected SYSTEM.SETTING=VALUE, like tomcat.accept_count=511.")
        if system not in result:
            raise LabError(f"--set {text}: there is no system '{system}' in this campaign ({', '.join(result)}).")
        result[system][key] = value
    return result
