"""Expand a study's profile into the runs of a campaign, in seeded random blocks."""

import random

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning.rig import Rig
from uploadlab.planning.study import MOST_SHARE, Factor, Level, Profile, Skip, Study
from uploadlab.planning.system import Sut
from uploadlab.records import SATURATED, key_of

AGAIN = "b"
"""What follows the number of a run that was made again: 02b in place of 02."""


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
        """The name of the system as it was run; the stack may name a variant."""
        return key_of(self.system, self.stack)

    def made_again(self) -> "PlannedRun":
        """Return the run that is made in place of this one in the same block, for which it counts."""
        return msgspec.structs.replace(self, repeat=f"{self.block:02}{AGAIN}")


def check_places(study: Study, rig: Rig) -> None:
    """Refuse, with LabError, a rig on whose hosts the parts of a study's systems have no place."""
    if not study.file.roles:
        return
    if rig.distributed:
        raise LabError(
            f"--injectors: in the study '{study.file.study.id}' parts of the systems make the load; leave it out."
        )
    dealt = [name for name, role in study.file.roles.items() if role.place == "all"]
    if dealt and not rig.one_host:
        raise LabError(
            f"--rig {rig.name}: the {dealt[0]}s of '{study.file.study.id}' must share one host, and this rig has two; "
            "choose --rig local."
        )


def chosen_levels(study: Study, profile: Profile, rig: Rig, asked: dict[str, list[str]]) -> dict[str, list[Level]]:
    """Return the levels of every factor: what was asked for, else the profile's, else the unmarked, or the rig's first.

    Raises LabError for a level that neither the study nor the rig has.
    """
    result: dict[str, list[Level]] = {}
    for name, factor in study.file.factors.items():
        if factor.within_run or (factor.kind == "server_cpu" and name not in asked):
            continue
        if factor.kind == "server_cpu":
            result[name] = [int(share) for share in asked[name]]
            continue
        if factor.kind == "loads" and name in asked:
            result[name] = [SATURATED, *_shares(asked[name], factor.option)]
            continue
        of_rig: list[Level] = [*(rig.disks if factor.kind == "disks" else rig.links)]
        known = of_rig if factor.from_rig else factor.levels
        named = profile.levels.get(name, [])
        texts = asked.get(name) or ([str(level) for level in named] if factor.from_rig else [])
        if texts:
            result[name] = [_level(text, known, factor.option, rig if factor.from_rig else None) for text in texts]
        else:
            usual = known if factor.unmarked is None else [factor.unmarked]
            result[name] = named or (known[:1] if factor.from_rig else usual)
    return result


def _shares(texts: list[str], option: str) -> list[int]:
    return list(dict.fromkeys(_share(text, option) for text in texts if text != SATURATED))


def _share(text: str, option: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= MOST_SHARE:
        raise LabError(
            f"--{option} {text}: expected shares of the capacity in per cent, 1 to {MOST_SHARE}, as in 20,50."
        )
    return int(text)


def _level(text: str, known: list[Level], option: str, rig: Rig | None) -> Level:
    for level in known:
        if str(level) == text:
            return level
    if rig and text in rig.absent:
        raise LabError(f"--{option} {text}: {rig.absent[text]}.")
    owner = f"the rig '{rig.name}'" if rig else "the study"
    raise LabError(f"--{option} {text}: {owner} has no such level; it has {', '.join(map(str, known))}.")


def scenarios(study: Study, profile: Profile, levels: dict[str, list[Level]]) -> list[dict[str, Level]]:
    """Return the product of all levels but what the profile skips, the first factor varying slowest.

    Levels that are windows of one run are no scenarios of their own; where each has its own run, they are.
    """
    product: list[dict[str, Level]] = [{}]
    for name, values in levels.items():
        factor = study.file.factors[name]
        product = [
            one
            for scenario in product
            for one in (
                [scenario]
                if factor.kind == "loads" and not _apart(factor, profile, scenario, values)
                else [{**scenario, name: value} for value in values]
            )
        ]
    return [scenario for scenario in product if not any(rule.leaves_out(scenario) for rule in profile.skip)]


def _apart(factor: Factor, profile: Profile, scenario: dict[str, Level], values: list[Level]) -> bool:
    """Return whether each of the loads has a run of its own in a scenario."""
    asked = profile.apart or (bool(factor.apart) and Skip(where=factor.apart).leaves_out(scenario))
    return asked and values != [factor.unmarked]


def scenario_name(study: Study, factors: dict[str, Level]) -> str:
    """Return a scenario's name: the mark of each level (`s05-local`)."""
    return "-".join(
        factor.cell.format(level) if isinstance(level := factors[name], int) else level
        for name, factor in study.file.factors.items()
        if not factor.within_run and factors.get(name, factor.unmarked) != factor.unmarked
        # a campaign may be older than the factor
    )


def cell_name(study: Study, factors: dict[str, Level], key: str) -> str:
    """Return a cell's name: its scenario's, then the system (`s05-local-node`)."""
    return f"{scenario_name(study, factors)}-{key}"


def in_random_order(some: list[dict[str, Level]], seed: int, round_number: int) -> list[dict[str, Level]]:
    """Return the scenarios in the order in which a round goes through them."""
    return random.Random(f"{seed} round {round_number}").sample(some, len(some))


def order_of_block(systems: list[Sut], seed: str, number: int) -> list[Sut]:
    """Return systems in the order of a block: random, and in as many blocks as they are each has each place once.

    What comes first, or in the middle, meets another machine than what comes last. The order is a row of a Latin
    square: the rotations of a random order, in random order, drawn anew for each square.
    """
    square, row = divmod(number - 1, len(systems))
    generator = random.Random(f"{seed} {square}")
    order = generator.sample(systems, len(systems))
    shift = generator.sample(range(len(systems)), len(systems))[row]
    return order[shift:] + order[:shift]
