"""One try of one run, as both kinds of load see it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.campaigns.campaign import Campaign
from harness.hosts.host import Host
from harness.hosts.placement import Placement
from harness.planning.plan import PlannedRun
from harness.planning.study import Study
from harness.planning.system import Sut
from harness.runs.collectors import Collectors
from harness.runs.gates import LOOKS, Noise, clock_gate, look_until_quiet
from harness.runs.run_context import Report, RunContext
from monitoring.clocks import ClockAlignment


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What a run is asked to do, the folder of its raw files, and the `record` that it fills as it goes."""

    context: RunContext
    run: PlannedRun
    sut: Sut
    load: dict[str, Any]
    folder: Path
    record: dict[str, Any]
    report: Report

    @property
    def campaign(self) -> Campaign:
        """The campaign that it is a run of."""
        return self.context.campaign

    @property
    def study(self) -> Study:
        """The study of the campaign."""
        return self.context.campaign.study

    @property
    def place(self) -> Placement:
        """The hosts that it runs on."""
        return self.context.campaign.place

    def there(self, host: Host) -> Path:
        """Return the folder of the run's raw files on a host."""
        return host.in_campaign(self.campaign.folder, self.folder)

    def make_folders(self) -> None:
        """Make the folder of the run's raw files on each host."""
        for host in self.place.hosts.values():
            host.make_run_folder(self.campaign.folder, self.folder)

    def fetch(self) -> None:
        """Bring the raw files of each host here."""
        for host in self.place.hosts.values():
            host.fetch(self.campaign.folder, self.folder)

    def scratch(self, host: Host) -> Path:
        """Make an empty folder on a host for whatever the processes of the run must write; it is removed with them."""
        folder = host.temporary(host.in_campaign(self.campaign.folder, self.campaign.folder / "scratch"))
        run_folder = folder / f"{self.run.cell}-{self.run.repeat}"
        host.make_empty(run_folder)
        return run_folder

    def look_until_quiet(self) -> None:
        """Wait, up to a bound, until the hosts are quiet before anything is started on them; record what was seen."""
        limit = self.context.gates.host_busy_pct
        if limit is not None:
            looks = 1 if self.place.rig.emulated else LOOKS  # what is no result need not wait
            noise, entry = look_until_quiet(self._noise, limit, looks)
            for role, (host, cores) in self._looked_at().items():
                noise[role]["work_ms"] = host.work_ms(cores)
            self.record["noise"] = noise
            self.record["gates"].append(entry)

    def keep_cores_awake(self) -> None:
        """Have idle cores poll from now to the run's end where the profile says so; record why those sleep that do.

        Not under emulation, where polling takes the host's own cores from those that have work.
        """
        if self.campaign.profile.idle_cores == "poll" and not self.place.rig.emulated:
            self.record["idle_cores_asleep"] = {role: host.keep_awake() for role, host in self.place.hosts.items()}

    def _noise(self) -> Noise:
        return {role: host.noise(cores) for role, (host, cores) in self._looked_at().items()}

    def _looked_at(self) -> dict[str, tuple[Host, list[int]]]:
        """Return each host with the cores that the run has there, by role; one host of all is called `host`."""
        place = self.place
        if place.rig.one_host:
            return {"host": (place.server, [*place.cores("server"), *place.cores("injector")])}
        return {role: (host, place.cores(role)) for role, host in place.hosts.items()}

    def read_clocks(self, when: str) -> None:
        """Record how far each role's clock is ahead of the lab's; on one host there is but one clock."""
        if not self.place.rig.one_host:
            for role, reading in self.place.read_clocks().items():
                self.record.setdefault("clock", {}).setdefault(role, {})[when] = asdict(reading)

    def collectors(self, role: str, device_of: Path) -> Collectors:
        """Return what records the host of a role; `device_of` is a path on the disk that is watched there."""
        host = self.place.hosts[role]
        return Collectors(
            host,
            self.there(host),
            cores=self.place.cores_beside(role),
            interval_ms=self._sampler_interval_ms(),
            device_of=device_of,
        )

    def _sampler_interval_ms(self) -> int:
        interval_ms = self.study.file.monitors.sampler_interval_ms
        # A look takes an emulated processor a fifth of that, and no figure of one is a result.
        return 10 * interval_ms if self.place.rig.emulated else interval_ms

    def alignment(self, where: str) -> ClockAlignment:
        """Return how the clock of a rig role's host stands to the injector's, by which operations are timed."""
        clock = self.record.get("clock", {})
        return ClockAlignment.of({"server": clock[where], "injector": clock["injector"]} if clock else None)

    def clock_gate(self) -> dict[str, Any]:
        """Return the gate on the clocks of the hosts, of the one that drifted most from the injector's."""
        others = [self.alignment(where) for where in self.place.hosts if where != "injector"]
        worst = max(others, key=lambda clocks: clocks.largest_drift_ns)
        return clock_gate(worst, self.study.file.monitors.sampler_interval_ms)
