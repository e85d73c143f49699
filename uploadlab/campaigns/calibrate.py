"""Calibrate the cells of a campaign by short runs: the largest load below 80 % of the server's CPU, and saturation."""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.campaigns import calibration
from uploadlab.campaigns.calibration import CellCalibration, Clock, Found, Probe
from uploadlab.campaigns.execute import prepare
from uploadlab.errors import LabError
from uploadlab.interruption import interruptible
from uploadlab.paths import RESULTS
from uploadlab.planning import results
from uploadlab.planning.campaign import CAPACITY_FOLDER, Campaign
from uploadlab.planning.kept_campaign import describe_system
from uploadlab.planning.needs import needs_of
from uploadlab.planning.plan import PlannedRun, cell_name, windows_factor
from uploadlab.planning.study import SATURATED, Capacity, Level, Profile, ScenarioLoad, ShortRuns
from uploadlab.planning.system import Sut, choose, load_system
from uploadlab.runs.attempt import RunContext, server_limits
from uploadlab.runs.run import make_run

FILE = RESULTS / "calibration.json"
SECONDS_A_CELL = 180.0
RATE = "rate_per_s"
"""The setting of a load that is found."""
CALIBRATED = "calibrated"
"""What stands in a profile where a calibrated rate is to be."""


def short_runs(profile: Profile) -> ShortRuns:
    """Return how the rate of a profile is found; raises LabError where it has none to find."""
    if profile.calibrate is None:
        raise LabError(f"The profile '{profile.title}' has no rate to calibrate.")
    return profile.calibrate


def with_calibration(
    campaign: Campaign, asked: argparse.Namespace, fitted: Callable[[Campaign], Campaign] = lambda campaign: campaign
) -> Campaign:
    """Return a campaign with the rates that its profile wants calibrated, else the campaign as it is.

    Cells without a calibration that holds here and now are calibrated first, unless the command line names the file to
    take it from or asks for the plan only. `fitted` is asked for a campaign that fits into its time as soon as the
    first scenario shows how fast this machine is: no time goes to the capacities of what there is no time for.

    Raises
    ------
    LabError
        When the named file does not hold for a cell or is of no use, or a cell cannot be calibrated.
    """
    if any(campaign.loads_of(factors) for factors in campaign.scenarios()):
        if asked.calibration:
            raise LabError(
                f"--calibration {asked.calibration}: shares of the capacity are of one that is measured anew; "
                "leave it out."
            )
        return _with_capacities(campaign, fitted, dry_run=asked.dry_run) if _without_loads(campaign) else campaign
    if campaign.profile.calibrate is None or not _wants_rates(campaign):
        if asked.calibration:
            raise LabError(f"--calibration {asked.calibration}: this campaign has no rate to calibrate; leave it out.")
        return campaign
    path = (asked.calibration or FILE).resolve()
    if asked.dry_run:
        try:
            return _with_rates(campaign, path)
        except LabError:
            minutes = len(campaign.scenarios()) * len(campaign.systems) * SECONDS_A_CELL / 60
            _say(f"The rates are estimates: the campaign begins with a calibration of at most {minutes:.0f} min.")
            return campaign
    campaign.place.set_up(campaign.study, campaign.all_systems())
    todo = uncalibrated(campaign, path)
    if todo and asked.calibration:
        raise LabError(f"{path}: {todo[0][2]}; calibrate again with: ./lab calibrate --file {path}")
    if todo:
        _say(f"Calibrating first: {todo[0][2]}.")
        calibrate(campaign, [(sut, factors) for sut, factors, _ in todo], path)
    return _with_rates(campaign, path)


def _with_capacities(campaign: Campaign, fitted: Callable[[Campaign], Campaign], *, dry_run: bool) -> Campaign:
    """Return the campaign with what its systems can do in each scenario, found by a short saturated run of each.

    The runs are as warm as those of the campaign, of whose time they are a part. Where the profile names the system
    whose capacity counts, it alone is asked.
    """
    scenarios, systems = _without_loads(campaign), _whose_capacity_counts(campaign)
    saturated = msgspec.structs.replace(campaign, levels=campaign.levels | {_windows(campaign): [SATURATED]})
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
    with _short_runs_of(saturated, campaign.folder / CAPACITY_FOLDER) as context:
        ready_s = time.monotonic()  # the input data, made by then, are no part of a run
        found = [_capacity(context, systems, scenarios[0])]
        first_s = overhead_s(time.monotonic() - ready_s, scenarios[:1])
        campaign = fitted(_with(campaign, found, loads_s(scenarios) + runs * first_s, first_s))
        found += [_capacity(context, systems, one) for one in _without_loads(campaign) if one != scenarios[0]]
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
        campaign.profile, capacities=capacities, calibration_s=seconds, overhead_s=overhead_s
    )
    return msgspec.structs.replace(campaign, profile=profile)


def _windows(campaign: Campaign) -> str:
    """Return the factor of the campaign's study whose levels are loads."""
    name = windows_factor(campaign.study)
    assert name is not None  # the campaign has shares of the capacity
    return name


def _without_loads(campaign: Campaign) -> list[dict[str, Level]]:
    """Return the scenarios, each once however many loads it has, in which a share of the capacity is measured."""
    name, found = _windows(campaign), list[dict[str, Level]]()
    for scenario in campaign.scenarios():
        others = {factor: level for factor, level in scenario.items() if factor != name}
        if others not in found and any(isinstance(load, int) for load in campaign.loads_of(scenario)):
            found.append(others)
    return found


def _capacity_per_s(context: RunContext, sut: Sut, factors: dict[str, Level]) -> float:
    """Return the requests a second that a warm system answers, as far as the load generator can ask for them."""
    name = cell_name(context.campaign.study, factors, sut.key)
    try:
        record, _ = _short_run(context, sut, factors, context.campaign.load_of(factors))
    except LabError as error:
        raise LabError(f"the capacity of {name} could not be found: {error}") from error
    window = record["windows"][0]
    per_s: float = round(window["counts"]["ended_ok"] / (window["end_ns"] - window["start_ns"]) * 1e9, 1)
    if not per_s:
        raise LabError(f"the capacity of {name} could not be found: every request of its closed loop failed.")
    _say(f"{name}: can do {per_s:,.0f} a second")
    return per_s


def _short_run(
    context: RunContext, sut: Sut, factors: dict[str, Level], load: dict[str, Any]
) -> tuple[dict[str, Any], Path]:
    """Make a further run of a cell and return its record and its folder; LabError where it failed."""
    campaign, cell = context.campaign, cell_name(context.campaign.study, factors, sut.key)
    made = [folder.parent.name for folder in campaign.folder.glob("runs/*/*")]
    number = 1 + made.count(cell)
    run = PlannedRun(
        cell=cell,
        repeat=f"{number:02}",
        order=1 + len(made),
        block=number,
        system=sut.system.system.id,
        stack=sut.label,
        factors=factors,
    )
    record = make_run(context, run, sut, load, lambda _: None)
    if record["status"] != "complete":
        raise LabError(record["reason"])
    return record, results.run_folder(campaign.folder, run)


def _wants_rates(campaign: Campaign) -> bool:
    """Return whether a rate of the campaign is to be calibrated, not given by --load or the study."""
    return any(campaign.profile.load_of(factors).get(RATE) == CALIBRATED for factors in campaign.scenarios())


def _with_rates(campaign: Campaign, path: Path) -> Campaign:
    """Return the campaign with the calibrated rates: in each scenario the lowest of its systems, the same for all."""
    if todo := uncalibrated(campaign, path):
        raise LabError(f"{path}: {todo[0][2]}.")
    file = calibration.read_file(path)
    rates = []
    for factors in campaign.scenarios():
        cells = [cell_name(campaign.study, factors, sut.key) for sut in campaign.systems]
        lowest = min(file.cells[cell].found.rate_per_s for cell in cells)
        rates.append(ScenarioLoad(factors=factors, load={RATE: lowest}))
    return msgspec.structs.replace(campaign, profile=msgspec.structs.replace(campaign.profile, calibrated=rates))


def uncalibrated(campaign: Campaign, path: Path) -> list[tuple[Sut, dict[str, Level], str]]:
    """Return the cells of a campaign that have no calibration that holds here and now, each with the reason."""
    file, bound_to = calibration.read_file(path), _bound_to(campaign)
    found = []
    for factors in campaign.scenarios():
        for sut in campaign.systems:
            cell = cell_name(campaign.study, factors, sut.key)
            if reason := calibration.why_not(file, cell, bound_to[cell]):
                found.append((sut, factors, reason))
    return found


def calibrate(campaign: Campaign, todo: list[tuple[Sut, dict[str, Level]]], path: Path) -> None:
    """Calibrate cells, one after the other, and keep each when it is found.

    What the short runs store stays until the campaign's place is closed: files deleted in between would make creating
    files dearer in the next runs.

    Raises
    ------
    LabError
        When a cell's runs fail, or no rate leaves its server enough.
    """
    minutes = len(todo) * SECONDS_A_CELL / 60
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{campaign.study.file.study.id}-calibration"
    with _short_runs_of(campaign, path.parent / name) as context:
        folder = context.campaign.folder
        cells = "1 cell" if len(todo) == 1 else f"{len(todo)} cells"
        _say(f"Calibrating {cells}, at most {minutes:.0f} min; the short runs are kept in {folder}")
        bound_to = _bound_to(campaign)
        for sut, factors in todo:
            cell = _Cell(context, sut, factors)
            try:
                found = cell.calibrated(bound_to[cell.name])
            except LabError as error:
                raise LabError(f"{cell.name} could not be calibrated: {error}") from error
            calibration.keep(path, cell.name, found)
            _say(_sentence(cell.name, found))


@contextlib.contextmanager
def _short_runs_of(campaign: Campaign, folder: Path) -> Iterator[RunContext]:
    """Yield what the short runs of a campaign need; they are kept in this folder."""
    probing = msgspec.structs.replace(campaign, folder=folder)
    with interruptible():
        prepare(probing)
        yield RunContext(campaign=probing, server_limits=server_limits(probing))


class _Cell:
    """The short runs of one cell."""

    def __init__(self, context: RunContext, sut: Sut, factors: dict[str, Level]) -> None:
        self._context, self._sut, self._factors = context, sut, factors
        self._campaign = context.campaign
        self._short = short_runs(self._campaign.profile)
        self._load = self._campaign.profile.load_of(factors)
        self.name = cell_name(self._campaign.study, factors, sut.key)
        self._clock = Clock(SECONDS_A_CELL)
        cores = len(self._campaign.rig.roles["server"].cores)
        self._allowed_s = cores * self._campaign.server_cpu_pct(factors) / 100  # of CPU time, in a second

    def calibrated(self, holds_for: dict[str, str]) -> CellCalibration:
        """Find where the server saturates, then the rate."""
        saturation_per_s, saturated = self._saturation()
        cost_s = saturated / 100 * self._allowed_s / saturation_per_s
        first = calibration.FIRST_GUESS * calibration.TARGET_PCT / 100 * self._allowed_s / cost_s
        found = calibration.search(self._probe, saturation_per_s, first, self._clock.may_go_on)
        if saturated < calibration.BUSY_PCT:
            found = msgspec.structs.replace(found, limited_by="load generator")
        return CellCalibration(
            found=found,
            saturation_per_s=round(saturation_per_s, 1),
            saturation_pct=round(saturated, 1),
            holds_for=holds_for,
            measured_ns=time.time_ns(),
            seconds=round(self._clock.elapsed_s, 1),
        )

    def _saturation(self) -> tuple[float, float]:
        """Return the requests a second of a closed loop, and the server's CPU meanwhile in per cent of its share."""
        load = self._load | self._short.saturate
        load.pop(RATE, None)
        record, folder = self._run(load)
        per_s = calibration.requests_per_s(record)
        share = calibration.share_of_run(folder, record, per_s, self._allowed_s)
        answered_per_s = calibration.answered_per_s(record)
        if not answered_per_s:
            raise LabError("every request of the closed loop that was to saturate the server failed.")
        _say(f"{self.name}: saturates at {answered_per_s:.0f} a second with {share.pct:.0f} % of its CPU")
        return answered_per_s, share.pct

    def _probe(self, rate_per_s: float) -> Probe:
        rate = round(rate_per_s, 1)
        record, folder = self._run(self._load | self._short.probe | {RATE: rate})
        share = calibration.share_of_run(folder, record, rate, self._allowed_s)
        failed = [gate for gate in record["gates"] if not gate["passed"]]
        names = ", ".join(gate["name"] for gate in failed)
        _say(
            f"{self.name}: {rate:.0f} a second take {share.pct:.1f} % ({share.lo:.1f} to {share.hi:.1f}) of its CPU"
            + (f"; gates not passed: {names}" if names else "")
        )
        return Probe(
            rate_per_s=rate,
            share=share,
            failed_gates=[gate["sentence"] for gate in failed],
            generator_kept_up=calibration.kept_up(record, rate),
            answered=calibration.answered(record),
            folder=str(folder),
        )

    def _run(self, load: dict[str, Any]) -> tuple[dict[str, Any], Path]:
        made = _short_run(self._context, self._sut, self._factors, load)
        self._clock.run_ended()
        return made


def _bound_to(campaign: Campaign) -> dict[str, dict[str, str]]:
    """Return what the calibration of each cell is bound to, as texts that are compared."""
    place, found = campaign.place, dict[str, dict[str, str]]()
    same_for_all = {
        "machine": _machine(place.server.describe()),
        "load generator's machine": _machine(place.injector.describe()),
        "rig": f"{campaign.rig.name}, cores {place.cores('server')} and {place.cores('injector')}",
        "seed": str(campaign.seed),
    }
    for sut in campaign.systems:
        described = describe_system(place, sut)
        for factors in campaign.scenarios():
            load = campaign.profile.load_of(factors)
            kept = sorted(load.keys() - short_runs(campaign.profile).probe.keys() - {RATE})
            found[cell_name(campaign.study, factors, sut.key)] = same_for_all | {
                "share of the server's core": f"{campaign.server_cpu_pct(factors):g} %",
                "version": str(described["versions"]),
                "setting": str(described["settings"]),
                "load": str({name: load[name] for name in kept}),
            }
    return found


def _machine(described: dict[str, Any]) -> str:
    cpu = described["cpu"]
    return f"{cpu['model']}, {cpu['cores_online']} cores, kernel {described['kernel']}, {described['host']}"


def _sentence(cell: str, calibrated: CellCalibration) -> str:
    found: Found = calibrated.found
    by = "" if found.limited_by == "server" else "; the load generator could not have sent more"
    return (
        f"{cell}: {found.rate_per_s:.0f} a second take {found.share.pct:.0f} % of the server's CPU "
        f"({found.share.lo:.0f} to {found.share.hi:.0f}){by}; "
        f"{len(found.probes)} short runs, {calibrated.seconds:.0f} s"
    )


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
