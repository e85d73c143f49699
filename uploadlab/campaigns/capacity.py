"""Find the capacities that a campaign's shares are of, by a short saturated run of each system."""

import sys
import time
from collections.abc import Callable

import msgspec

from uploadlab.campaigns.execute import prepare
from uploadlab.errors import LabError
from uploadlab.planning.campaign import CAPACITY_FOLDER, Campaign
from uploadlab.planning.needs import needs_of
from uploadlab.planning.plan import PlannedRun, cell_name
from uploadlab.planning.study import Capacity, Level
from uploadlab.planning.system import Sut, choose, load_system
from uploadlab.records import SATURATED
from uploadlab.runs.attempt import RunContext, server_limits
from uploadlab.runs.run import make_run


def with_capacities(
    campaign: Campaign, fitted: Callable[[Campaign], Campaign] = lambda campaign: campaign, *, dry_run: bool = False
) -> Campaign:
    """Return the campaign with what its systems can do in each scenario, as far as shares of that are measured.

    The runs are as warm as those of the campaign, of whose time they are a part. Where the profile names the system
    whose capacity counts, it alone is asked. `fitted` is asked for a campaign that fits into its time as soon as the
    first scenario shows how fast this machine is: no time goes to the capacities of what there is no time for. A
    `dry_run` only reckons the time.

    Raises
    ------
    LabError
        When the capacity of a system cannot be found.
    """
    loads = campaign.study.factor_of("loads")
    scenarios, systems = _of_shares(campaign), _whose_capacity_counts(campaign)
    if loads is None or not scenarios:
        return campaign
    saturated = msgspec.structs.replace(campaign, levels=campaign.levels | {loads: [SATURATED]})
    needs = needs_of(saturated)

    def loads_s(those: list[dict[str, Level]]) -> float:
        return len(systems) * sum(needs.of(one).seconds for one in those)

    def overhead_s(took_s: float, those: list[dict[str, Level]]) -> float:
        return max(0.0, (took_s - loads_s(those)) / (len(systems) * len(those)))

    runs = len(systems) * len(scenarios)
    if dry_run:
        _say(f"The rates are estimates: the campaign begins with {runs} short runs that find the capacities.")
        return _with(campaign, [], loads_s(scenarios) + runs * needs.overhead_s)
    campaign.place.set_up(campaign.study, [*campaign.all_systems(), *systems])
    began_s = time.monotonic()
    # What the short runs store stays until the campaign's place is closed: files deleted in between would make creating
    # files dearer in the next runs.
    short = msgspec.structs.replace(saturated, folder=campaign.folder / CAPACITY_FOLDER)
    prepare(short)
    context = RunContext(campaign=short, needs=needs, server_limits=server_limits(short))
    ready_s = time.monotonic()  # the input data, made by then, are no part of a run
    found = [_capacity(context, systems, scenarios[0])]
    first_s = overhead_s(time.monotonic() - ready_s, scenarios[:1])
    campaign = fitted(_with(campaign, found, loads_s(scenarios) + runs * first_s, first_s))
    found += [_capacity(context, systems, one) for one in _of_shares(campaign) if one != scenarios[0]]
    ended_s = time.monotonic()
    mean_s = overhead_s(ended_s - ready_s, [one.factors for one in found])
    return _with(campaign, found, round(ended_s - began_s, 1), round(mean_s, 1))


def _capacity(context: RunContext, systems: list[Sut], scenario: dict[str, Level]) -> Capacity:
    per_s = {sut.key: _capacity_per_s(context, sut, scenario) for sut in systems}
    return Capacity(factors=scenario, per_s=per_s)


def _whose_capacity_counts(campaign: Campaign) -> list[Sut]:
    """Return the systems whose lowest capacity shares are taken of: all, or the one that the profile names."""
    named = campaign.profile.shares_of
    if not named:
        return campaign.systems
    for folder in campaign.study.system_folders().values():
        if load_system(folder).system.id == named:
            return [choose(folder, "current", {})]
    raise LabError(f"The profile '{campaign.profile_name}' takes shares of '{named}', which the study does not have.")


def _with(campaign: Campaign, capacities: list[Capacity], seconds: float, overhead_s: float | None = None) -> Campaign:
    profile = msgspec.structs.replace(
        campaign.profile, capacities=capacities, capacities_took_s=seconds, overhead_s=overhead_s
    )
    return msgspec.structs.replace(campaign, profile=profile)


def _of_shares(campaign: Campaign) -> list[dict[str, Level]]:
    """Return the scenarios, each once however many loads it has, in which a share of the capacity is measured."""
    name, found = campaign.study.factor_of("loads"), list[dict[str, Level]]()
    for scenario in campaign.scenarios():
        others = {factor: level for factor, level in scenario.items() if factor != name}
        if others not in found and any(isinstance(load, int) for load in campaign.loads_of(scenario)):
            found.append(others)
    return found


def _capacity_per_s(context: RunContext, sut: Sut, factors: dict[str, Level]) -> float:
    """Return the requests a second that a warm system answers, as far as the load generator can ask for them."""
    campaign, cell = context.campaign, cell_name(context.campaign.study, factors, sut.key)
    run = PlannedRun(
        cell=cell,
        repeat="01",
        order=1 + len(list(campaign.folder.glob("runs/*/*"))),
        block=1,
        system=sut.system.system.id,
        stack=sut.label,
        factors=factors,
    )
    record = make_run(context, run, sut)
    if record["status"] != "complete":
        raise LabError(f"the capacity of {cell} could not be found: {record['reason']}")
    window = record["windows"][0]
    per_s: float = round(window["counts"]["ended_ok"] / (window["end_ns"] - window["start_ns"]) * 1e9, 1)
    if not per_s:
        raise LabError(f"the capacity of {cell} could not be found: every request of its closed loop failed.")
    _say(f"{cell}: can do {per_s:,.0f} a second")
    return per_s


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
