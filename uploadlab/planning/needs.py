"""What the runs of a campaign need, as its driver says: input, bytes, time; and what fits into the time."""

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.planning import driver, results
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.study import Level
from uploadlab.records import read_json

FEWEST_SIZES = 3
RUN_OVERHEAD_S = 5.0  # start, contract, the generator's own start, the gap after the warm-up, stop, check


class Need(msgspec.Struct, kw_only=True):
    """What one run of a scenario will take."""

    factors: dict[str, Level]
    requests: int
    seconds: float
    fixed_seconds: float = 0.0
    """Of the load, those that a share of the server's core does not lengthen."""
    upload_bytes: int = 0
    records: int = 2_000_000
    """How many rows a part has room for, where parts record."""


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign will take, by the driver's reckoning."""

    versions: dict[str, str] = {}
    input_bytes: int = 0
    input_folder: str = "."
    scenarios: list[Need]
    inputs: dict[str, dict[str, Any]] = {}
    """What the input data are, for a reader: one entry for each set of them."""
    overhead_s: float = RUN_OVERHEAD_S
    """How long a run takes beside its loads."""

    def of(self, factors: dict[str, Level]) -> Need:
        """Return the needs of one run of a scenario."""
        for need in self.scenarios:
            if factors.items() <= need.factors.items():
                return need
        raise LabError(f"The study's driver, asked by the verb needs, says nothing of the scenario {factors}.")


def needs_of(campaign: Campaign) -> Needs:
    """Ask the driver what the campaign will take; nothing is written but its own temporary file."""
    here = campaign.place.here
    with tempfile.TemporaryDirectory(prefix="upload-lab-") as folder:
        told = driver.ask(here, campaign.study, "needs", campaign.spec(here), Path(folder))
        try:
            needs = msgspec.convert(told, Needs)
        except msgspec.ValidationError as error:
            raise LabError(f"{campaign.study.driver} needs: printed something unexpected: {error}.") from error
    for factors in campaign.scenarios():
        needs.of(factors)
    for need in needs.scenarios:
        need.seconds = need.seconds * 100 / campaign.server_cpu_pct(need.factors) + need.fixed_seconds
    measured_s = campaign.profile.overhead_s
    return needs if measured_s is None else msgspec.structs.replace(needs, overhead_s=measured_s)


def check_inputs(campaign: Campaign, needs: Needs) -> None:
    """Refuse to continue a campaign whose input data are no longer those it began with: a user's files change."""
    kept = read_json(campaign.folder / results.CAMPAIGN_FILE).get("inputs", {})
    for name, inputs in needs.inputs.items():
        if inputs != kept.get(name):
            raise LabError(
                f"{campaign.folder}: the input data of '{name}' changed after the campaign began; start a new one."
            )


def run_seconds(needs: Needs, factors: dict[str, Level]) -> float:
    """Estimate the duration of a run of a scenario."""
    return needs.of(factors).seconds + needs.overhead_s


def expected_seconds(campaign: Campaign, needs: Needs) -> float:
    """Estimate the duration of all planned runs."""
    return sum(run_seconds(needs, run.factors) for run in campaign.runs())


def within_its_time(campaign: Campaign, needs: Needs) -> Campaign:
    """Return the campaign with a bound on the blocks of a scenario that its time has room for, where it has a time.

    Every look widens the intervals that a campaign may need in the end, so it allows for as many as are likely: one
    block more than an even share of the time for each scenario. The bound is set before anything is measured.
    """
    profile = campaign.profile
    if profile.minutes is None or profile.fills_time:
        return campaign
    round_s = len(campaign.systems) * sum(run_seconds(needs, scenario) for scenario in campaign.scenarios())
    left_s = 60 * profile.minutes - profile.capacities_took_s - expected_seconds(campaign, needs)
    rounds = max(left_s, 0.0) / round_s if round_s else 0.0
    most = min(profile.repeats + round(rounds) + 1, profile.most_repeats)
    return msgspec.structs.replace(campaign, profile=msgspec.structs.replace(profile, most_repeats=most))


def with_sizes_that_fit(campaign: Campaign, needs: Needs) -> tuple[Campaign, list[Level]]:
    """Return the campaign without the file sizes that its time has no room for, and those.

    There is to be room for one block more than planned: where the last planned block is the last, little is decided.
    The one that goes is the one whose neighbours are closest in what they cost a server; at least three are left.
    """
    size = next((name for name, factor in campaign.study.file.factors.items() if factor.size), None)
    with_spare = 1 + 1 / campaign.profile.repeats
    profile, gone = campaign.profile, list[Level]()
    while size and profile.minutes and len(levels := campaign.levels.get(size, [])) > FEWEST_SIZES:
        if with_spare * expected_seconds(campaign, needs) <= 60 * profile.minutes - profile.capacities_took_s:
            break
        request_bytes = campaign.study.file.factors[size].size.get("request_bytes", 1)
        cost = {level: request_bytes + _mean_bytes(needs, size, level) for level in levels}
        by_cost = sorted(levels, key=lambda level: cost[level])
        apart = {level: cost[b] / cost[a] for a, level, b in zip(by_cost, by_cost[1:], by_cost[2:], strict=False)}
        gone.append(min(apart, key=lambda level: apart[level]))
        campaign = msgspec.structs.replace(
            campaign, levels=campaign.levels | {size: [level for level in levels if level not in gone]}
        )
    return campaign, gone


def _mean_bytes(needs: Needs, factor: str, level: Level) -> float:
    need = next(need for need in needs.scenarios if need.factors.get(factor) == level)
    return need.upload_bytes / max(1, need.requests)
