"""A campaign: what is to be run, by which systems, and where it is kept."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.hosts.host import Host
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import (
    PlannedRun,
    cell_name,
    in_random_order,
    order_of_block,
    scenarios,
)
from uploadlab.planning.rig import Disk, Rig
from uploadlab.planning.study import Capacity, Level, Profile, Study, link_level, storage_level
from uploadlab.planning.system import Sut

MOST_NAMED = 6
"""Systems that a title names; of more it says how many they are."""
CAPACITY_FOLDER = "capacity"
"""In a campaign's folder: the short runs that found what its systems can do."""


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run, where it is kept, and on what."""

    study: Study
    profile_name: str
    profile: Profile
    systems: list[Sut]
    baseline: Sut | None = None
    place: Placement
    levels: dict[str, list[Level]]
    seed: int
    folder: Path
    server_cpu_limit_pct: float | None
    """The share of its cores that the server gets in every scenario; None: all of them, or what a factor says."""

    @property
    def rig(self) -> Rig:
        """What it is run on."""
        return self.place.rig

    def runs(self) -> list[PlannedRun]:
        """Return the planned runs in their order: rounds, each a block of every scenario.

        The baseline, the server that does nothing and stores nothing, ends the blocks of the first rounds, on the first
        disk only.
        """
        profile = self.profile
        everything, runs = scenarios(self.study, profile, self.levels), list[PlannedRun]()
        for number in range(1, profile.repeats + 1):
            for scenario in in_random_order(everything, self.seed, number):
                block = self.block(scenario, number, len(runs) + 1)
                runs += [run for run in block if not run.baseline or number <= profile.baseline_repeats]
        return runs

    @property
    def extra_repeats(self) -> int:
        """How many blocks more than planned a scenario may have in place of those with invalid runs."""
        own = self.profile.extra_repeats
        return self.study.gates.extra_repeats if own is None else own

    def scenarios(self) -> list[dict[str, Level]]:
        """Return the levels of each scenario in which a system is measured."""
        return [one for one in scenarios(self.study, self.profile, self.levels) if self.block(one, 1, 1)]

    def load_of(self, factors: dict[str, Level]) -> dict[str, Any]:
        """Return the load of a scenario, with the windows that a run of it measures."""
        load, shares = self.profile.load_of(factors), self.loads_of(factors)
        if not shares:
            return load
        capacity = next((one for one in self.profile.capacities if one.factors.items() <= factors.items()), None)
        return load | {"windows": [_window(level, capacity) for level in sorted(shares, key=_position)]}

    def loads_of(self, factors: dict[str, Level]) -> list[Level]:
        """Return the loads that a run of a scenario measures; none where it is the one that the profile gives."""
        name = self.study.factor_of("loads")
        if name is None or self.levels.get(name, []) == [self.study.file.factors[name].unmarked]:
            return []
        return [factors[name]] if name in factors else self.levels.get(name, [])

    def server_cpu_pct(self, factors: dict[str, Level]) -> float:
        """Return the share of its cores that the server gets in a scenario, in per cent."""
        factor = self.study.factor_of("server_cpu")
        if factor is not None and factor in self.levels:
            return float(factors[factor])
        return self.server_cpu_limit_pct or 100.0

    def server_cpu_shares(self) -> list[float]:
        """Return the shares of its cores that the server gets in the scenarios, in per cent, the largest first."""
        return sorted({self.server_cpu_pct(factors) for factors in self.scenarios()}, reverse=True)

    def block(self, scenario: dict[str, Level], number: int, first_order: int) -> list[PlannedRun]:
        """Return a scenario's block: one run of each system, next to each other, so that they meet the same machine.

        The baseline follows them where the scenario stores on the first disk. Rules may leave systems out of it, and
        the baseline, which has nothing to show where no system is left.
        """
        taken = self._measured_in(scenario, self.systems)
        suts = order_of_block(taken, f"{self.seed} {sorted(scenario.items())!r}", number) if taken else []
        if suts and self.baseline and self._stores_first(scenario):
            suts += self._measured_in(scenario, [self.baseline])
        return [
            PlannedRun(
                cell=cell_name(self.study, scenario, sut.key),
                repeat=f"{number:02}",
                order=order,
                block=number,
                system=sut.system.system.id,
                stack=sut.label,
                factors=scenario,
                baseline=sut is self.baseline,
            )
            for order, sut in enumerate(suts, first_order)
        ]

    def _measured_in(self, scenario: dict[str, Level], systems: list[Sut]) -> list[Sut]:
        """Return the systems that no rule of the profile leaves out of a scenario."""
        rules = self.profile.skip
        return [sut for sut in systems if not any(rule.leaves_out(scenario, sut.system.system.id) for rule in rules)]

    def _stores_first(self, scenario: dict[str, Level]) -> bool:
        """Return whether the scenario stores on the first of the chosen disks."""
        name = self.study.factor_of("disks")
        return name is None or scenario[name] == self.levels[name][0]

    def all_systems(self) -> list[Sut]:
        """Return the systems that are compared and, last, the one that does nothing where it is run."""
        return [*self.systems, *([self.baseline] if self.baseline else [])]

    @property
    def judged_against(self) -> str | None:
        """The key of the system that a change is judged against: the one that is there again to show the noise."""
        folders = [sut.folder for sut in self.systems if sut.noise]
        return next((sut.key for sut in self.systems if not sut.noise and sut.folder in folders), None)

    def spec(self, host: Host) -> dict[str, Any]:
        """Return what the driver is told of the campaign on a host."""
        return {
            "seed": self.seed,
            "driver": self.study.file.driver,
            "thresholds": self.study.thresholds,
            "injectors": len(self.rig.injectors),
            "scenarios": [
                {
                    "factors": factors,
                    "load": self.given(self.load_of(factors), host),
                    "server_cpu_pct": self.server_cpu_pct(factors),
                }
                for factors in self.scenarios()
            ],
        }

    def disks_used(self) -> set[str]:
        """Return the names of the disks that runs store on."""
        return {disk for run in self.runs() if (disk := storage_level(self.study, run.factors))}

    def links_used(self) -> set[str]:
        """Return the names of the links that parts reach each other by."""
        return {link_level(self.study, factors) for factors in self.scenarios()}

    def stores_in(self, factors: dict[str, Level]) -> Path | None:
        """Return the folder that a scenario's runs store in; None: they store nothing."""
        disk = storage_level(self.study, factors)
        return None if disk is None else self.storage()[disk]

    @property
    def title(self) -> str:
        """The study's title and what is compared in this campaign: each by its name, many by their number."""
        *names, last = dict.fromkeys(sut.system.system.name for sut in self.systems)
        if len(names) >= MOST_NAMED:
            return f"{self.study.file.study.title}: {len(names) + 1} systems"
        compared = (
            f"{names[0]} against {last}" if len(names) == 1 else " and ".join(filter(None, [", ".join(names), last]))
        )
        return f"{self.study.file.study.title}: {compared}"

    def storage(self) -> dict[str, Path]:
        """Return where runs store, for each disk of the rig."""
        return {name: self._storage_on(disk) for name, disk in self.rig.disks.items()}

    def given(self, load: dict[str, Any], host: Host) -> dict[str, Any]:
        """Return a load whose paths are those of a host, the files brought there."""
        paths = {option.load for option in self.study.file.options.values() if option.kind == "path"} & load.keys()
        return load | {name: str(host.given(Path(load[name]))) for name in paths}

    def _storage_on(self, disk: Disk) -> Path:
        if disk.folder is None:
            return self.folder / "stored"
        # Two campaigns at once may have the same name in different places.
        place = hashlib.blake2s(bytes(self.folder.resolve()), digest_size=4).hexdigest()
        return disk.folder / f"upload-lab-{self.folder.name}-{place}"


def _position(level: Level) -> tuple[int, int]:
    """Return where a load stands in a run: saturation first, then shares of the capacity from the highest down.

    What a runtime compiles under open arrivals it compiles at the share with most of them, before a lower one is
    measured. Above the capacity a queue is left behind, so these shares come last.
    """
    if isinstance(level, str):
        return 0, 0
    return (2, level) if level > 100 else (1, -level)


def _window(level: Level, capacity: Capacity | None) -> dict[str, Any]:
    """Return what the driver is told of one load: a share of the lowest capacity, as far as that is known."""
    if isinstance(level, str) or capacity is None:
        return {"load": level}
    return {"load": level, "rate_per_s": round(capacity.lowest * level / 100, 1)}
