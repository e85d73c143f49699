"""One try of one run, as both kinds of load see it, and what is the same for all runs of a campaign."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from monitoring.clocks import ClockAlignment
from uploadlab.hosts.cpu_limit import CpuLimit
from uploadlab.hosts.host import Host
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Needs
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.study import Gates, Study
from uploadlab.planning.system import Sut
from uploadlab.runs.collectors import Collectors
from uploadlab.runs.gates import LOOKS, Window, clock_gate, look_until_quiet, without_limit

Report = Callable[[dict[str, Any]], None]


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs that is the same for the whole campaign."""

    campaign: Campaign
    needs: Needs
    server_limits: Mapping[float, CpuLimit] = {}
    """What holds the server to each share of its cores, in per cent, that the campaign wants."""

    @property
    def gates(self) -> Gates:
        """The thresholds of the study."""
        return self.campaign.study.gates

    def server_limit(self, run: PlannedRun) -> CpuLimit | None:
        """Return what holds a run's server to its share; None: it has its whole cores.

        So has the server that does nothing: it is to be as fast as it can, as the load generator is what it measures.
        """
        return None if run.baseline else self.server_limits.get(self.campaign.server_cpu_pct(run.factors))


def server_limits(campaign: Campaign) -> dict[float, CpuLimit]:
    """Make a control group for each share of its cores that the server is held to; LabError says why it can't be."""
    cores = len(campaign.rig.roles["server"].cores)
    register = campaign.place.processes.control_group
    return {pct: CpuLimit(register, pct, cores) for pct in campaign.server_cpu_shares() if pct < 100}


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What a run is asked to do, the folder of its raw files, and the `record` that it fills as it goes."""

    context: RunContext
    run: PlannedRun
    sut: Sut
    folder: Path
    record: dict[str, Any]
    report: Report
    beside: Sequence[Path] = ()
    """The folders of the runs that it takes turns with; none where it has the core to itself."""

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

    @property
    def load(self) -> dict[str, Any]:
        """The load of its scenario."""
        return self.campaign.load_of(self.run.factors)

    def there(self, host: Host) -> Path:
        """Return the folder of the run's raw files on a host."""
        return host.in_campaign(self.campaign.folder, self.folder)

    def make_folders(self) -> None:
        """Make the folder of the run's raw files on each host; here it is the one that keeps them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for there, host in ((self.there(host), host) for host in self.place.hosts.values()):
            if there != self.folder:
                host.make_empty(there)

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

    def _look_until_quiet(self) -> None:
        """Wait, up to a bound, until the hosts are quiet before anything is started on them; record what was seen."""
        limit = self.context.gates.host_busy_pct
        if limit is not None:
            looks = 1 if self.place.rig.emulated or self.turn_ms else LOOKS  # who gains nothing by it need not wait
            looked_at = self._looked_at()
            noise, entry = look_until_quiet(
                lambda: {role: host.noise(cores) for role, (host, cores) in looked_at.items()}, limit, looks
            )
            for role, (host, cores) in looked_at.items():
                noise[role]["work_ms"] = host.work_ms(cores)
            self.record["noise"] = noise
            self.record["gates"] += without_limit([entry]) if self.turn_ms else [entry]

    def _keep_cores_awake(self) -> None:
        """Have idle cores poll from now to the run's end where the profile says so; record why those sleep that do.

        Not under emulation, where polling takes the host's own cores from those that have work.
        """
        if self.campaign.profile.idle_cores == "poll" and not self.place.rig.emulated:
            self.record["idle_cores_asleep"] = {role: host.keep_awake() for role, host in self.place.hosts.items()}

    def _looked_at(self) -> dict[str, tuple[Host, list[int]]]:
        """Return each host with the cores that the run has there, by role; one host of all is called `host`."""
        place = self.place
        if place.rig.one_host:
            return {"host": (place.server, [*place.cores("server"), *place.cores("injector")])}
        return {role: (host, place.cores(role)) for role, host in place.hosts.items()}

    def read_clocks(self, when: str) -> None:
        """Record how far each role's clock is ahead of the lab's; on one host there is but one clock."""
        if not self.place.rig.one_host:
            for role, reading in ((role, host.clock()) for role, host in self.place.hosts.items()):
                self.record.setdefault("clock", {}).setdefault(role, {})[when] = asdict(reading)

    def watch_hosts(self, stored: Path | None = None) -> dict[str, Collectors]:
        """Start nmon on each host, then wait until they are quiet; return what records each, by role.

        nmon takes a second to its first snapshot, in which the run goes on. `stored` is a path on the disk that is
        watched on the server's host.
        """
        self.record["phases"]["collectors_start_ns"] = time.time_ns()
        watchers = {
            role: Collectors(
                host,
                self.there(host),
                cores=self.place.cores_beside(role),
                interval_ms=self._sampler_interval_ms(),
                device_of=stored if stored and role == "server" else self.there(host),
            )
            for role, host in self.place.hosts.items()
        }
        if self.sut.watched:
            for role, one in watchers.items():
                one.start_nmon(role)
        self._look_until_quiet()
        self._keep_cores_awake()
        return watchers

    @property
    def turn_ms(self) -> int:
        """How long a turn of it is; 0 where it has the core to itself."""
        return self.campaign.profile.turn_ms if self.beside else 0

    def samples(self, role: str) -> Path:
        """Return the file here of what a role's sampler recorded."""
        return self.folder / f"{role}.samples.csv"

    def samples_beside(self, role: str) -> list[Path]:
        """Return the same of the runs that it takes turns with."""
        return [folder / self.samples(role).name for folder in self.beside]

    def spec(self) -> dict[str, Any]:
        """Return what the driver is told of every run, whoever makes its load."""
        return {
            "factors": self.run.factors,
            "load": self.load,
            "seed": self.campaign.seed,
            "campaign": self.campaign.folder.name,
            "cell": self.run.cell,
            "repeat": f"{self.run.block:02}",  # a run made again sends what its counterpart got
            "watched": self.sut.watched,
            "driver": self.study.file.driver,
        }

    def _sampler_interval_ms(self) -> int:
        interval_ms = self.study.file.sampler_interval_ms
        # A look takes an emulated processor a fifth of that, and no figure of one is a result.
        return 10 * interval_ms if self.place.rig.emulated else interval_ms

    def alignment(self, where: str) -> ClockAlignment:
        """Return how the clock of a rig role's host stands to the injector's, by which operations are timed."""
        clock = self.record.get("clock", {})
        return ClockAlignment.of({"server": clock[where], "injector": clock["injector"]} if clock else None)

    def window(self, where: str, start_ns: int | None = None, end_ns: int | None = None) -> Window:
        """Return a window on the clock of a rig role's host; it was measured on that of the injector's.

        Without times it is all that was measured.
        """
        phases, clocks = self.record["phases"], self.alignment(where)
        start_ns = phases["measure_start_ns"] if start_ns is None else start_ns
        end_ns = phases["measure_end_ns"] if end_ns is None else end_ns
        return {"start_ns": clocks.on_server(start_ns), "end_ns": clocks.on_server(end_ns)}

    def clock_gates(self) -> list[dict[str, Any]]:
        """Return the gate on the clocks of the hosts, of the one that drifted most from the injector's; none of one."""
        if self.place.rig.one_host:
            return []
        others = [self.alignment(where) for where in self.place.hosts if where != "injector"]
        worst = max(others, key=lambda clocks: clocks.largest_drift_ns)
        return [clock_gate(worst, self.study.file.sampler_interval_ms)]
