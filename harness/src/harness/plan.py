"""Expand a study's profile into the runs of a campaign, in seeded random blocks."""

import random
from typing import Any

import msgspec

from harness.errors import LabError
from harness.rig import Rig
from harness.study import Level, Profile, Study
from harness.system import Sut


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One repeat of one cell, and its place in the order."""

    cell: str
    repeat: str
    order: int
    block: int
    system: str
    stack: str
    factors: dict[str, Level]
    baseline: bool = False
    """True for a run of the server that does nothing: it measures the load generator."""

    @property
    def key(self) -> str:
        """The name of the system as it was run: `system` or `system@stack`; the stack may name a variant."""
        return self.system if self.stack == "current" else f"{self.system}@{self.stack}"


def chosen_levels(study: Study, profile: Profile, rig: Rig, asked: dict[str, list[str]]) -> dict[str, list[Level]]:
    """Return the levels of every factor: what was asked for, else the profile's, else the unmarked, or the rig's first.

    Raises LabError for a level that neither the study nor the rig has.
    """
    result: dict[str, list[Level]] = {}
    for name, factor in study.file.factors.items():
        known: list[Level] = list(rig.disks) if factor.from_rig else factor.levels
        if name in asked:
            result[name] = [
                _level(text, known, factor.option, rig if factor.from_rig else None) for text in asked[name]
            ]
        else:
            usual = known if factor.unmarked is None else [factor.unmarked]
            result[name] = profile.levels.get(name) or (known[:1] if factor.from_rig else usual)
    return result


def _level(text: str, known: list[Level], option: str, rig: Rig | None) -> Level:
    for level in known:
        if str(level) == text:
            return level
    if rig and text in rig.absent:
        raise LabError(f"--{option} {text}: {rig.absent[text]}.")
    owner = f"the rig '{rig.name}'" if rig else "the study"
    raise LabError(f"--{option} {text}: {owner} has no such level; it has {', '.join(map(str, known))}.")


def scenarios(levels: dict[str, list[Level]]) -> list[dict[str, Level]]:
    """Return the product of all levels, the first factor varying slowest."""
    product: list[dict[str, Level]] = [{}]
    for name, values in levels.items():
        product = [{**scenario, name: value} for scenario in product for value in values]
    return product


def cell_name(study: Study, factors: dict[str, Level], key: str) -> str:
    """Return a cell's name: the mark of each level, then the system (`s05-local-node`)."""
    marks = [
        factor.cell.format(level) if isinstance(level := factors[name], int) else level
        for name, factor in study.file.factors.items()
        if factors.get(name, factor.unmarked) != factor.unmarked  # a campaign may be older than the factor
    ]
    return "-".join([*marks, key])


def plan_runs(
    study: Study,
    levels: dict[str, list[Level]],
    systems: list[Sut],
    repeats: int,
    seed: int,
    baseline: Sut | None = None,
    baseline_repeats: int = 0,
) -> list[PlannedRun]:
    """Return the runs in the order in which they are made.

    A block holds one repeat of every cell. In a block the scenarios are in random order and the systems of one
    scenario follow each other, so that they meet the same state of the machine; their order is drawn in the first
    block and reversed in each following one, so that neither always comes first.

    `baseline`, the server that does nothing, follows them in the first `baseline_repeats` blocks, on the first disk
    only: it stores nothing.
    """
    generator = random.Random(seed)
    everything = scenarios(levels)
    turn = {_name(scenario): generator.sample(systems, len(systems)) for scenario in everything}
    runs: list[PlannedRun] = []
    for block in range(1, repeats + 1):
        for scenario in generator.sample(everything, len(everything)):
            order = turn[_name(scenario)]
            suts = [*(order if block % 2 else reversed(order))]
            if baseline and block <= baseline_repeats and _stores_first(study, levels, scenario):
                suts.append(baseline)
            for sut in suts:
                runs.append(
                    PlannedRun(
                        cell=cell_name(study, scenario, sut.key),
                        repeat=f"{block:02}",
                        order=len(runs) + 1,
                        block=block,
                        system=sut.system.system.id,
                        stack=sut.label,
                        factors=scenario,
                        baseline=sut is baseline,
                    )
                )
    return runs


def _stores_first(study: Study, levels: dict[str, list[Level]], scenario: dict[str, Level]) -> bool:
    """True when the scenario stores on the first of the chosen disks."""
    return all(scenario[name] == levels[name][0] for name, factor in study.file.factors.items() if factor.from_rig)


def _name(scenario: dict[str, Any]) -> str:
    return repr(sorted(scenario.items()))
