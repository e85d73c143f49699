"""Which block a campaign makes next: the planned ones, then those of scenarios whose comparisons are still open."""

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from uploadlab.planning import results
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Needs, run_seconds
from uploadlab.planning.plan import AGAIN, PlannedRun, in_random_order, scenario_name
from uploadlab.planning.space import has_room
from uploadlab.planning.study import Level
from uploadlab.statistics.sequential import first_look

LOOKS_FILE = "looks.jsonl"
LOOK_S = 10.0
"""What saying which comparisons are open is reckoned to take at first; then what it took last."""
REPORT_S = 20.0
"""What is kept of a campaign's time for its report."""

INVALID = "its last blocks had invalid runs"
TOO_FAR = "it would need more blocks than there is time for"

Scenario = dict[str, Level]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What is known so far of one question: a metric of two systems in a scenario."""

    factors: Scenario
    systems: list[str]
    metric: str
    verdict: Literal["lower", "higher", "equal", "open"]
    name: str = ""
    question: str = ""
    """What the metric answers, in a word: speed."""
    better: str = ""
    """The system that is; empty where they are equal or it is open."""
    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    more_blocks: int | None = None
    """That would decide it, were its ratio and scatter to stay; None where not even the most would."""

    @property
    def blocks_to_decide(self) -> float:
        """How many more blocks it needs: one where too few have been made to say."""
        return 1 if self.lo is None else math.inf if self.more_blocks is None else self.more_blocks


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where a scenario stands after a look."""

    name: str
    blocks: int
    """That were made, the incomplete ones among them."""
    comparisons: list[Comparison]
    goes_on: bool
    why_not: str = ""
    """Why it gets no more blocks, where comparisons are open."""
    set_back: str = ""
    """Why it gets only the time that the other scenarios leave."""

    @property
    def more_blocks(self) -> float:
        """The fewest that would decide one more of its comparisons; without end where not even the most would."""
        return min((one.blocks_to_decide for one in self.open), default=1)

    @property
    def open(self) -> list[Comparison]:
        """Those that are not decided."""
        return [one for one in self.comparisons if one.verdict == "open"]


Decide = Callable[[Path], list[Comparison]]
Tell = Callable[[list[Standing]], None]


class Schedule:
    """The blocks of a campaign, one after the other; what was made is read from its folder."""

    def __init__(
        self, campaign: Campaign, needs: Needs, decide: Decide, tell: Tell, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`decide` says which comparisons are open, `tell` is told where the scenarios stand; `clock` gives seconds."""
        self._campaign, self._needs, self._decide, self._tell, self._clock = campaign, needs, decide, tell, clock
        self._began_s = clock() - _spent_s(campaign)
        looks = _looks(campaign)
        first_s = 0.0 if campaign.profile.fills_time else LOOK_S
        self._looks, self._look_s = len(looks), float(looks[-1]["seconds"]) if looks else first_s
        self._block_s: dict[str, float] = {}

    def left_s(self) -> float:
        """Return how much is left of the campaign's time in seconds."""
        return 60 * (self._campaign.profile.minutes or 0.0) - (self._clock() - self._began_s)

    def blocks(self) -> Iterator[list[PlannedRun]]:
        """Yield blocks; each must have been made, as far as it can be, before the next one is asked for."""
        for _, runs in itertools.groupby(self._campaign.runs(), lambda run: (run.block, self._name(run.factors))):
            yield from self._timed(list(runs))
        if self._campaign.rig.emulated:  # none of its runs is valid, and none can be
            return
        yield from self._begun_beyond_the_plan()
        if self._campaign.profile.minutes is None:
            yield from self._in_place_of_incomplete()
        elif self._campaign.profile.fills_time:
            yield from self._while_there_is_time()
        else:
            yield from self._of_open_scenarios()

    def _begun_beyond_the_plan(self) -> Iterator[list[PlannedRun]]:
        """Yield what an interruption may have left incomplete of the blocks that followed the planned ones."""
        for scenario in self._campaign.scenarios():
            for number in range(self._campaign.profile.repeats + 1, len(self._made(scenario)) + 1):
                yield self._block(scenario, number)

    def _in_place_of_incomplete(self) -> Iterator[list[PlannedRun]]:
        """Yield a further block for each one with an invalid run, up to the study's bound for a scenario."""
        repeats = self._campaign.profile.repeats
        for _ in range(self._campaign.extra_repeats):
            for scenario in self._campaign.scenarios():
                made = self._made(scenario)
                further = len(made) - repeats
                if further >= self._campaign.extra_repeats or not has_room(self._campaign, self._needs, scenario):
                    continue
                compared = sum(made) < repeats
                if compared or self._lacks_baseline(scenario):
                    yield self._block(scenario, len(made) + 1, compared=compared)

    def _while_there_is_time(self) -> Iterator[list[PlannedRun]]:
        """Yield further blocks of every scenario; nothing that was measured decides how many."""
        for number in range(self._campaign.profile.repeats + 1, self._campaign.profile.most_repeats + 1):
            for scenario in in_random_order(self._campaign.scenarios(), self._campaign.seed, number):
                made = len(self._made(scenario))
                if made < number and self._fits(scenario) and has_room(self._campaign, self._needs, scenario):
                    yield from self._timed(self._block(scenario, made + 1))

    def _of_open_scenarios(self) -> Iterator[list[PlannedRun]]:
        """Yield rounds of blocks of the scenarios that are still open, as long as there is time."""
        while True:
            standings = {standing.name: standing for standing in self._look()}
            going_on = [one for one in self._campaign.scenarios() if standings[self._name(one)].goes_on]
            wanted = [one for one in going_on if not standings[self._name(one)].set_back] or going_on
            began = 0
            made = sum(len(self._made(scenario)) for scenario in self._campaign.scenarios())
            for scenario in in_random_order(wanted, self._campaign.seed, made + 1):
                if self._fits(scenario):
                    began += 1
                    yield from self._timed(self._block(scenario, len(self._made(scenario)) + 1))
            if not began:
                return

    def _look(self) -> list[Standing]:
        """Ask which comparisons are open, keep the answer, and tell of it."""
        began_s = self._clock()
        comparisons = self._decide(self._campaign.folder)
        took_s = self._clock() - began_s
        self._looks, self._look_s = self._looks + 1, took_s
        standings = [self._standing(scenario, comparisons) for scenario in self._campaign.scenarios()]
        standings = self._those_too_far_set_back(standings)
        _keep_look(self._campaign, self._looks, took_s, standings)
        self._tell(standings)
        return standings

    def _those_too_far_set_back(self, standings: list[Standing]) -> list[Standing]:
        """Set back what the time that is left can't decide, so that it decides as many comparisons as it can.

        Before the first look no scenario is: nothing is known of it yet.
        """
        first = first_look(self._campaign.profile.most_repeats)
        scenarios = {self._name(scenario): scenario for scenario in self._campaign.scenarios()}
        needed_s = {one.name: one.more_blocks * self._block_seconds(scenarios[one.name]) for one in standings}
        left_s = self.left_s() - self._look_s - REPORT_S
        too_far = []
        for one in sorted(standings, key=lambda one: needed_s[one.name]):
            if one.goes_on and not one.set_back:
                left_s -= needed_s[one.name]
                too_far += [one.name] if left_s < 0 and one.blocks >= first else []
        return [msgspec.structs.replace(one, set_back=TOO_FAR) if one.name in too_far else one for one in standings]

    def _standing(self, scenario: Scenario, comparisons: list[Comparison]) -> Standing:
        made = self._made(scenario)
        of_it = [one for one in comparisons if _is_of(one.factors, scenario)]
        # A change that is worse in one comparison is worse, whatever the open ones would say.
        judged = any(one.better and one.better == self._campaign.judged_against for one in comparisons)
        is_open = not judged and any(one.verdict == "open" for one in of_it)
        wants = sum(made) < self._campaign.profile.repeats or is_open
        why_not = self._why_no_more(scenario, made) if wants else ""
        return Standing(
            name=self._name(scenario),
            blocks=len(made),
            comparisons=of_it,
            goes_on=wants and not why_not,
            why_not=why_not,
            set_back=INVALID if _invalid_in_a_row(made) > self._campaign.extra_repeats else "",
        )

    def _why_no_more(self, scenario: Scenario, made: list[bool]) -> str:
        if sum(made) >= self._campaign.profile.most_repeats:
            return f"it has the most blocks allowed, {sum(made)}"
        invalid = _invalid_in_a_row(made)
        if invalid >= 2 * (self._campaign.extra_repeats + 1):
            return f"its last {invalid} blocks had invalid runs"
        if not has_room(self._campaign, self._needs, scenario):
            return "no space to store more"
        if not self._fits(scenario):
            return "no time for another block"
        return ""

    def _fits(self, scenario: Scenario) -> bool:
        """Return whether a block, a look and the report end in time; blocks take what the longest has taken."""
        return self._block_seconds(scenario) + self._look_s + REPORT_S <= self.left_s()

    def _block_seconds(self, scenario: Scenario) -> float:
        expected_s = len(self._campaign.systems) * run_seconds(self._needs, scenario)
        return self._block_s.get(self._name(scenario), expected_s)

    def _timed(self, runs: list[PlannedRun]) -> Iterator[list[PlannedRun]]:
        whole = all(results.status_of(results.run_folder(self._campaign.folder, run)) == "absent" for run in runs)
        began_s = self._clock()
        yield runs
        if whole and not any(run.baseline for run in runs):
            name = self._name(runs[0].factors)
            self._block_s[name] = max(self._block_s.get(name, 0.0), self._clock() - began_s)
        if whole and (again := self._made_again(runs)):
            yield again

    def _made_again(self, runs: list[PlannedRun]) -> list[PlannedRun]:
        """Return the runs of a block just made that are made again at once, in the campaigns that have a time.

        A run that something else on the host disturbed costs its block; a second one, in the same minute as its
        counterpart, saves it. The baseline has none, and runs that take turns have theirs together; and not of
        a cell where a second one did not help before.
        """
        profile = self._campaign.profile
        if profile.minutes is None or profile.turn_ms or self._campaign.extra_repeats == 0:
            return []
        return [run.made_again() for run in runs if not run.baseline and self._was_disturbed(run)]

    def _was_disturbed(self, run: PlannedRun) -> bool:
        folder = results.run_folder(self._campaign.folder, run)
        if results.status_of(folder) != "complete" or results.is_valid(folder):
            return False
        return all(map(results.is_valid, folder.parent.glob(f"[0-9][0-9]{AGAIN}")))

    def _block(self, scenario: Scenario, number: int, *, compared: bool = True) -> list[PlannedRun]:
        runs = self._campaign.block(scenario, number, self._runs_made() + 1)
        if self._lacks_baseline(scenario):
            return [run for run in runs if compared or run.baseline]
        return [run for run in runs if not run.baseline]

    def _made(self, scenario: Scenario) -> list[bool]:
        """Return of each block that was begun whether all its runs, the baseline's aside, are valid."""
        blocks: list[bool] = []
        for number in itertools.count(1):
            runs = [run for run in self._campaign.block(scenario, number, 1) if not run.baseline]
            folder = self._campaign.folder
            if not any(results.run_folder(folder, run).exists() for run in runs):
                break
            blocks.append(all(results.has_valid(folder, run) for run in runs))
        return blocks

    def _runs_made(self) -> int:
        made = [int(record["order"]) for record in results.records(self._campaign.folder)]
        return max([len(self._campaign.runs()), *made])

    def _lacks_baseline(self, scenario: Scenario) -> bool:
        campaign = self._campaign
        first = next((run for run in campaign.block(scenario, 1, 1) if run.baseline), None)
        if first is None:
            return False
        tries = results.tries(results.run_folder(campaign.folder, first).parent)
        wanted = campaign.profile.baseline_repeats
        most = wanted + campaign.extra_repeats
        return len(tries) < most and sum(map(results.is_valid, tries)) < wanted

    def _name(self, scenario: Scenario) -> str:
        return scenario_name(self._campaign.study, scenario)


def _invalid_in_a_row(made: list[bool]) -> int:
    """Return how many of the last blocks had an invalid run each."""
    return sum(1 for _ in itertools.takewhile(lambda valid: not valid, reversed(made)))


def _is_of(factors: Scenario, scenario: Scenario) -> bool:
    """Return whether a comparison is one of a scenario's runs, of which each may measure several loads."""
    known = {name: str(level) for name, level in factors.items()}
    return {name: str(level) for name, level in scenario.items()}.items() <= known.items()


def _spent_s(campaign: Campaign) -> float:
    """Return how much of its time a campaign has used: finding capacities, runs and looks, however often resumed."""
    phases = [record["phases"] for record in results.records(campaign.folder)]
    runs_ns = sum(one["run_end_ns"] - one["run_start_ns"] for one in phases if "run_end_ns" in one)
    looks_s = sum(look["seconds"] for look in _looks(campaign))
    return float(runs_ns / 1e9 + looks_s + campaign.profile.capacities_took_s)


def _looks(campaign: Campaign) -> list[dict[str, Any]]:
    return results.read_json_lines(campaign.folder / LOOKS_FILE)


def _keep_look(campaign: Campaign, number: int, seconds: float, standings: list[Standing]) -> None:
    """Add a line to the campaign's looks: how often was looked decides what a look may conclude."""
    look = {
        "look": number,
        "time_ns": time.time_ns(),
        "seconds": round(seconds, 3),
        "scenarios": [
            {
                "scenario": one.name,
                "blocks": one.blocks,
                "goes_on": one.goes_on,
                "why_not": one.why_not,
                "set_back": one.set_back,
                "verdicts": [
                    {"metric": of.metric, "systems": of.systems, "verdict": of.verdict} for of in one.comparisons
                ],
            }
            for one in standings
        ],
    }
    with (campaign.folder / LOOKS_FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(look) + "\n")
