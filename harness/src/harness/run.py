"""Make one run: a fresh server, proven to keep the contract, watched, loaded, stopped, and judged by its gates."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from harness import driver, results
from harness.campaign import is_in_memory
from harness.collectors import Collectors
from harness.conducted_run import ConductedAttempt
from harness.engines import Engines, engine_roles
from harness.errors import LabError
from harness.gates import (
    Noise,
    clock_gate,
    disk_gate,
    emulated_gate,
    gate,
    injector_gates,
    look_until_quiet,
    recorder_gates,
    server_gates,
    server_limit_gate,
    worst_of,
)
from harness.hosts import Host
from harness.plan import PlannedRun
from harness.run_context import Report, RunContext
from harness.server import Server, start_server, stop_server, trouble_at_the_end
from harness.system import Sut
from monitoring import ClockAlignment, RecordingError

LITTLE_SPACE_BYTES = 50_000_000


def make_run(context: RunContext, run: PlannedRun, sut: Sut, load: dict[str, Any], report: Report) -> dict[str, Any]:
    """Make one run and write its run.json; return its content.

    A run that fails is recorded with the reason; only an interruption (Ctrl-C, SIGTERM) leaves no run.json.
    """
    folder = results.run_folder(context.campaign.folder, run)
    folder.mkdir(parents=True)
    record: dict[str, Any] = {
        "schema": 1,
        **msgspec.to_builtins(run),
        "load": load,
        "settings": sut.settings,
        "status": "failed",
        "reason": "",
        "valid": False,
        "gates": [],
        "phases": {"run_start_ns": time.time_ns()},
        "counts": {},
        "processes": {},
        "exit_codes": {},
        "watched": sut.watched,
    }
    try:
        kind = ConductedAttempt if context.campaign.study.file.roles else _Attempt
        kind(context, run, sut, load, folder, record, report).carry_out()
        record["status"] = "complete"
        record["valid"] = all(entry["passed"] for entry in record["gates"])
    except LabError as error:
        record["reason"] = str(error)
    record["files"] = results.inventory(folder)
    record["phases"]["run_end_ns"] = time.time_ns()
    results.write_json(folder / results.RUN_FILE, record)
    return record


def keep_engines_ready(
    context: RunContext, run: PlannedRun, sut: Sut, load: dict[str, Any], folder: Path, say: Callable[[str], None]
) -> None:
    """Start a run's server and the engines of its load, and keep them until this process is interrupted.

    `say` is told where the spec of the load is, which says how to reach them. Raises LabError when one of them ends.
    """
    folder.mkdir(parents=True)
    record: dict[str, Any] = {"phases": {}, "processes": {}, "gates": []}
    _Attempt(context, run, sut, load, folder, record, lambda _: None).keep_engines_ready(say)


class _Attempt:
    """One try of one run; fills `record` as it goes."""

    def __init__(
        self,
        context: RunContext,
        run: PlannedRun,
        sut: Sut,
        load: dict[str, Any],
        folder: Path,
        record: dict[str, Any],
        report: Report,
    ) -> None:
        self.context, self.run, self.sut, self.load = context, run, sut, load
        self.folder, self.record, self.report = folder, record, report
        self.study, self.place = context.campaign.study, context.campaign.place
        storage = context.campaign.stores_in(run.factors)
        assert storage is not None, "a load of the driver's stores on a disk of the rig"
        self.storage = storage
        self.upload_dir = self.storage / f"{run.cell}-{run.repeat}"
        self.server_cores = self.place.cores("server")
        self.injectors = self.place.rig.injectors
        self.server_limit = context.server_limit(run)

    def carry_out(self) -> None:
        """Go through the phases in order; whatever happens, nothing that was started keeps running."""
        self._make_folders()
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self.place.stop_all)
                watchers = self._start_host_recorders()
                self._look_at_hosts()
                server = self._start(watchers["server"])
                verified = self._verify(server, "contract")
                self.record["phases"]["verified_ns"] = time.time_ns()
                self._measure(server, verified, watchers)
                verified_after = self._verify(server, "contract_after")
                self._stop(server)
        except LabError as error:
            little_space = ""
            with contextlib.suppress(LabError):  # the reason to record is the first
                self._fetch()
                little_space = self._little_space()
            raise LabError(f"{error} {little_space}".rstrip()) from error
        self._fetch()
        self._check(server, verified, verified_after)
        if is_in_memory(self.place.server.describe_disk(self.upload_dir)):
            self.place.server.make_empty(self.upload_dir)

    def keep_engines_ready(self, say: Callable[[str], None]) -> None:
        """Start the server and the engines, and watch them; Interrupted or LabError ends it."""
        self._make_folders()
        with contextlib.ExitStack() as stack:
            stack.callback(self.place.stop_all)
            server = self._start()
            engines = Engines(self.place, self.study, lambda host: self._spec(host, server), self._there)
            engines.wait_until_ready(lambda: self._watch(server))
            host = self.place.controller
            spec = driver.write_spec(host, self._there(host), "load", self._spec(host, server))
            say(
                f"{self.sut.key} listens at {server.url}; {len(self.injectors)} engines are ready, until Ctrl-C: {spec}"
            )
            while True:
                self._watch(server, engines)
                time.sleep(driver.POLL_S)

    def _make_folders(self) -> None:
        for host in self.place.hosts.values():
            host.make_run_folder(self.context.campaign.folder, self.folder)
        # What an interrupted try stored may not be counted as this run's.
        self.place.server.temporary(self.storage)
        self.place.server.make_empty(self.upload_dir)

    def _start_host_recorders(self) -> dict[str, Collectors]:
        """Start nmon on each host: it takes a second to its first snapshot, in which the run goes on."""
        self.record["phases"]["collectors_start_ns"] = time.time_ns()
        watchers = {role: self._collectors(role) for role in self.place.hosts}
        if self.sut.watched:
            for role, one in watchers.items():
                one.start_nmon(role)
        return watchers

    def _look_at_hosts(self) -> None:
        """Wait, up to a bound, until the hosts are quiet before the server and the load are started on them."""
        limit = self.context.gates.host_busy_pct
        if limit is None:
            return
        self.record["noise"], entry = look_until_quiet(self._noise, limit)
        self.record["gates"].append(entry)

    def _noise(self) -> Noise:
        if self.place.one_host:
            return {"host": self.place.server.noise([*self.server_cores, *self.place.cores("injector")])}
        return {role: host.noise(self.place.cores(role)) for role, host in self.place.hosts.items()}

    def _little_space(self) -> str:
        """Return a sentence when the disk that it stores on is nearly full: it may be why a run failed."""
        free = self.place.server.space(self.upload_dir)[1]
        return f"Only {free / 1e6:.1f} MB are free on the disk it stores on." if free < LITTLE_SPACE_BYTES else ""

    def _disk_gates(self) -> list[dict[str, Any]]:
        least = self.context.gates.disk_free_pct
        return [] if least is None else [disk_gate(self.place.server.describe_disk(self.upload_dir), least)]

    def _there(self, host: Host) -> Path:
        """Return the folder of the run's raw files on a host."""
        return host.in_campaign(self.context.campaign.folder, self.folder)

    def _fetch(self) -> None:
        for host in self.place.hosts.values():
            host.fetch(self.context.campaign.folder, self.folder)

    def _start(self, watchers: Collectors | None = None) -> Server:
        """Start the server and wait until it is ready; `watchers` sample it from its first moment on."""
        limit = self.server_limit
        if limit:  # it starts and warms up on the whole core: only the measured part is held to the share
            limit.lift()
        host, campaign = self.place.server, self.context.campaign.folder
        scratch = host.temporary(host.in_campaign(campaign, campaign / "scratch"))
        run_dir = scratch / f"{self.run.cell}-{self.run.repeat}"
        host.make_empty(run_dir)
        server = start_server(
            host,
            self.sut,
            cores=self.server_cores,
            upload_dir=self.upload_dir,
            run_dir=run_dir,
            limits=self.study.file.limits,
            log=self._there(host) / "server.log",
            group=limit.members if limit else None,
            runtime_metrics=self.sut.watched,
            started=lambda pid: self._sample_server(pid, watchers),
        )
        self.record["phases"] |= {"server_start_ns": server.start_ns, "server_ready_ns": server.ready_ns}
        self.record["processes"]["server"] = {
            "pids": [server.process.pid],
            "port": server.port,
            "cores": self.server_cores,
            "cpu_limit_pct": limit.pct if limit else None,
        }
        return server

    def _sample_server(self, pid: int, watchers: Collectors | None) -> None:
        if watchers and self.sut.watched:
            watchers.start_sampler("server", [pid], self.server_cores)

    def _spec(
        self,
        host: Host,
        server: Server,
        verified: dict[str, Any] | None = None,
        verified_after: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {
            "factors": self.run.factors,
            "load": self.context.campaign.given(self.load, host),
            "seed": self.context.campaign.seed,
            "campaign": self.context.campaign.folder.name,
            "cell": self.run.cell,
            "repeat": self.run.repeat,
            "watched": self.sut.watched,
            "heap_mib": self.place.rig.roles["injector"].heap_mib,
            "gates": {} if self.run.baseline else msgspec.to_builtins(self.context.gates),
            "driver": self.study.file.driver,
            "server": {"host": server.host, "port": server.port, "upload": self.sut.system.upload},
            "upload_dir": str(self.upload_dir),
            "verified": verified,
            "verified_after": verified_after,
            **self._distributed(host),
        }

    def _distributed(self, host: Host) -> dict[str, Any]:
        """Return what the driver is told of the engines that make the load together; nothing of a plain load."""
        if not self.place.rig.distributed:
            return {}
        secrets = self.place.secrets
        assert secrets is not None  # made when the campaign was prepared
        return {
            "engines": engine_roles(self.place),
            "controller": self.place.controller_address,
            "secrets": None if host is self.place.server else str(host.given(secrets)),
            "clock": self.record.get("clock", {}),
        }

    def _verify(self, server: Server, name: str) -> dict[str, Any]:
        host, cores = self.place.server, self.place.cores_beside("server")
        verified = driver.ask(host, self.study, "verify", self._spec(host, server), self._there(host), cores=cores)
        self.record["gates"].append(verified["gate"] | {"name": name})
        return verified

    def _measure(self, server: Server, verified: dict[str, Any], watchers: dict[str, Collectors]) -> None:
        phases = self.record["phases"]
        if self.sut.watched and self.context.campaign.profile.capture:
            watchers["server"].start_capture(server.port)
        for one in watchers.values():
            one.wait_until_recording()
        self._read_clocks("before")
        phases["load_start_ns"] = time.time_ns()
        engines = self._start_engines(server, watchers)
        host = self.place.controller
        spec = self._spec(host, server, verified=verified)
        load = driver.Load(host, self.study, spec, self._there(host), self.place.controller_cores())
        try:
            for message in load.follow(lambda: self._watch(server, engines)):
                self._take_in(message, watchers.get("injector", watchers["server"]))
        except LabError:
            # A server or an engine that has gone is why the load failed, so its end is the reason to record.
            self._watch(server, engines)
            raise
        phases["load_end_ns"] = time.time_ns()
        if self.server_limit:
            self.server_limit.lift()
        self._read_clocks("after")
        self.record["exit_codes"] |= {"load": 0} | (engines.stop() if engines else {})
        for one in watchers.values():
            self.record["exit_codes"] |= one.stop()
        phases["collectors_end_ns"] = time.time_ns()

    def _start_engines(self, server: Server, watchers: dict[str, Collectors]) -> Engines | None:
        """Start the engines of a distributed load, and watch each; a plain load has none."""
        if not self.place.rig.distributed:
            return None
        engines = Engines(self.place, self.study, lambda host: self._spec(host, server), self._there)
        for role, pids in engines.wait_until_ready(lambda: self._watch(server)).items():
            self._watch_injector(role, pids, watchers[role])
        return engines

    def _collectors(self, role: str) -> Collectors:
        host = self.place.hosts[role]
        return Collectors(
            host,
            self._there(host),
            cores=self.place.cores_beside(role),
            interval_ms=self.study.file.monitors.sampler_interval_ms,
            device_of=self.upload_dir if role == "server" else self._there(host),
        )

    def _read_clocks(self, when: str) -> None:
        """Record how far each role's clock is ahead of the lab's; on one host there is but one clock."""
        if not self.place.one_host:
            for role, reading in self.place.read_clocks().items():
                self.record.setdefault("clock", {}).setdefault(role, {})[when] = reading.as_json()

    def _take_in(self, message: dict[str, Any], watchers: Collectors) -> None:
        if "process" in message:
            self._watch_injector("injector", [message["process"]["pid"]], watchers)
        if "warmed_up" in message and self.server_limit:
            self.server_limit.put_on()
            self.record["phases"]["server_limited_ns"] = time.time_ns()
        if "progress" in message:
            self.report(message["progress"])

    def _watch_injector(self, role: str, pids: list[int], watchers: Collectors) -> None:
        cores = self.place.cores(role)
        self.record["processes"][role] = {"pids": pids, "cores": cores}
        if self.sut.watched:
            watchers.start_sampler(role, pids, cores)

    def _watch(self, server: Server, engines: Engines | None = None) -> None:
        code = server.process.poll()
        if code is not None:
            raise LabError(f"{self.sut.key} ended with code {code} under load: {server.last_words}")
        if engines:
            engines.watch()

    def _stop(self, server: Server) -> None:
        code = stop_server(server)
        self.record["exit_codes"]["server"] = code
        self.record["phases"]["server_end_ns"] = time.time_ns()
        if trouble := trouble_at_the_end(server, code):
            raise LabError(trouble)

    def _check(self, server: Server, verified: dict[str, Any], verified_after: dict[str, Any]) -> None:
        here = self.place.here
        spec = self._spec(here, server, verified, verified_after)
        checked = driver.ask(here, self.study, "check", spec, self.folder)
        self.record["phases"] |= checked["phases"]
        self.record["counts"] = checked["counts"]
        if self.place.rig.distributed:
            self.record["counts"]["requests_of"] = checked["requests_of"]
        self.record["load"] = checked["load"]
        self.record["settled"] = checked.get("settled")
        limit = self.context.gates.error_pct
        error_pct = 100 * checked["counts"]["errors"] / checked["counts"]["requests"]
        sentence = f"{error_pct:.2f} % of the requests failed (at most {limit:g} %)."
        self.record["gates"] += [
            *checked["gates"],
            *self._limit_gates(),
            gate("error_rate", error_pct <= limit, round(error_pct, 4), "% of requests", limit, sentence),
            *self._disk_gates(),
            *(self._recorded_gates(checked) if self.sut.watched else []),
            *([emulated_gate()] if self.place.rig.emulated else []),
        ]

    def _limit_gates(self) -> list[dict[str, Any]]:
        """Return the gate on when the server was held to its share; none where it has its whole core."""
        if not self.server_limit:
            return []
        phases = self.record["phases"]
        start_ns = ClockAlignment.of(self.record.get("clock")).on_server(phases["measure_start_ns"])
        return [server_limit_gate(start_ns, phases.get("server_limited_ns"))]

    def _recorded_gates(self, checked: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the gates that come from what nmon and the samplers recorded over the measured window."""
        limits = self.context.gates
        start_ns, end_ns = (checked["phases"][f"measure_{edge}_ns"] for edge in ("start", "end"))
        server, nmon = self.folder / "server.samples.csv", self.folder / "server.nmon"
        clocks = ClockAlignment.of(self.record.get("clock"))
        on_server = {"start_ns": clocks.on_server(start_ns), "end_ns": clocks.on_server(end_ns)}
        requests = checked.get("requests_of") or {"injector": checked["counts"]["requests"]}
        windows = {role: self._window_on(role, start_ns, end_ns) for role in self.injectors}
        samples = {role: self.folder / f"{role}.samples.csv" for role in self.injectors}
        of_first = {samples["injector"]: windows["injector"]}
        try:
            of_injectors = {
                self.place.rig.roles[role].host: injector_gates(
                    samples[role],
                    limits,
                    **windows[role],
                    cores=len(self.place.cores(role)),
                    requests=requests[role],
                    mean_ms=checked["mean_ms"],
                )
                for role in self.injectors
            }
            recorders = {"The server": recorder_gates(nmon, {server: on_server} | of_first, limits, **on_server)}
            if self.place.rig.distributed:
                recorders |= {
                    self.place.rig.roles[role].host: recorder_gates(
                        self.folder / f"{role}.nmon", {samples[role]: windows[role]}, limits, **windows[role]
                    )
                    for role in self.injectors
                }
            return [
                *([] if self.run.baseline else worst_of(of_injectors)),
                *server_gates(
                    server,
                    limits,
                    start_ns=on_server["start_ns"],
                    end_ns=on_server["end_ns"],
                    cores=len(self.server_cores),
                ),
                *worst_of(recorders),
                *([] if self.place.one_host else [self._clock_gate()]),
            ]
        except RecordingError as error:
            raise LabError(str(error)) from error

    def _alignment(self, role: str) -> ClockAlignment:
        """Return how the clock of a role's host stands to the one that requests are timed by, the first injector's."""
        clock = self.record.get("clock", {})
        return ClockAlignment.of({"server": clock[role], "injector": clock["injector"]} if clock else None)

    def _window_on(self, role: str, start_ns: int, end_ns: int) -> dict[str, int]:
        clocks = self._alignment(role)
        return {"start_ns": clocks.on_server(start_ns), "end_ns": clocks.on_server(end_ns)}

    def _clock_gate(self) -> dict[str, Any]:
        others = [self._alignment(role) for role in self.place.hosts if role != "injector"]
        worst = max(others, key=lambda clocks: clocks.largest_drift_ns)
        return clock_gate(worst, self.study.file.monitors.sampler_interval_ms)
