"""Make one run whose load the driver makes: a fresh server, proven to keep the contract, watched, loaded, stopped."""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts.host import Host
from uploadlab.planning import driver
from uploadlab.planning.needs import run_seconds
from uploadlab.planning.space import is_in_memory
from uploadlab.runs.answers import Answers
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.background_work import LOOK_S, wait_for_background_work
from uploadlab.runs.collectors import Collectors
from uploadlab.runs.engines import Engines
from uploadlab.runs.gates import gate
from uploadlab.runs.load_spec import load_spec
from uploadlab.runs.loaded_gates import loaded_gates, window_gates
from uploadlab.runs.server import Server, start_server, trouble_at_the_end
from uploadlab.runs.turns import StoppedBeside

LITTLE_SPACE_BYTES = 50_000_000


class LoadedRun:
    """One try of one run; fills the attempt's record as it goes."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.record = attempt, attempt.record
        self.run, self.sut, self.study, self.place = attempt.run, attempt.sut, attempt.study, attempt.place
        storage = attempt.campaign.stores_in(self.run.factors)
        assert storage is not None, "a load of the driver's stores on a disk of the rig"
        self.storage = storage
        self.upload_dir = self.storage / f"{self.run.cell}-{self.run.repeat}"
        self.stored_in = self.sut.stored_in(self.place.server.path(self.sut.folder), self.upload_dir)
        self.disk_folder = self.stored_in if self.stored_in and self.sut.stores_elsewhere else self.upload_dir
        self._secrets = self.sut.secrets()
        self._spec = partial(load_spec, attempt, self.stored_in)
        self.server_cores = self.place.cores("server")
        self.server_limit = attempt.context.server_limit(self.run)
        self._planned_s = run_seconds(attempt.context.needs, self.run.factors)
        self._load: driver.Load | None = None

    def steps(self) -> Iterator[bool]:
        """Go through the phases in order; whatever happens, nothing that was started keeps running.

        Each step ends where another run may have its turn: this one's server is idle then. What was stored in memory
        goes, too: it is memory that the next run would not have.
        """
        self._make_folders()
        in_memory = is_in_memory(self.place.server.describe_disk(self.upload_dir))
        if self.place.server.missing([self.disk_folder]):
            raise LabError(f"{self.sut.key} stores in {self.disk_folder}, which does not exist; make that folder.")
        try:
            yield from self._go_through(in_memory=in_memory)
        except (LabError, StoppedBeside):
            if in_memory:
                with contextlib.suppress(LabError):  # the reason to record is the first
                    self.place.server.make_empty(self.upload_dir)
            raise
        if in_memory:
            self.place.server.make_empty(self.upload_dir)

    def _go_through(self, *, in_memory: bool) -> Iterator[bool]:
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self.place.stop_all)
                self.place.server.settle(self.disk_folder)  # what was written before, the input data for one
                watchers = self.attempt.watch_hosts(self.disk_folder)
                server = self._start(lambda server: self._begin_beside(server, watchers["server"]))
                verified = self._verify(server, "contract")
                self.record["phases"]["verified_ns"] = time.time_ns()
                yield from self._measure(server, watchers, verified)
                verified_after = self._verify(server, "contract_after", verified)
                self._stop(server)
                yield True
        except LabError as error:
            little_space = _little_space(self.place.server, self.disk_folder)
            with contextlib.suppress(LabError):  # the reason to record is the first
                self.attempt.fetch()
            raise LabError(f"{error} {little_space}".rstrip()) from error
        self.attempt.fetch()
        with ThreadPoolExecutor(max_workers=1) as beside:
            checking = beside.submit(self._check, server, verified, verified_after, settle=not in_memory)
            yield True  # those that it took turns with begin theirs
            checking.result()

    def _make_folders(self) -> None:
        self.attempt.make_folders()
        # What an interrupted try stored may not be counted as this run's.
        self.place.server.temporary(self.storage)
        self.place.server.make_storage(self.upload_dir)

    def _start(self, started: Callable[[Server], None] = lambda _: None) -> Server:
        """Start the server and wait until it is ready; `started` is told of it at its first moment."""
        if limit := self.server_limit:
            limit.lift()  # it starts and warms up on the whole core: only the measured part is held to the share
        host = self.place.server
        server = start_server(
            host,
            self.sut,
            cores=self.server_cores,
            upload_dir=self.upload_dir,
            run_dir=self.attempt.scratch(host),
            limits=self.study.file.limits,
            log=self.attempt.there(host) / "server.log",
            group=limit.members if limit else None,
            runtime_metrics=self.sut.watched,
            started=started,
        )
        self.record["phases"] |= {"server_start_ns": server.start_ns, "server_ready_ns": server.ready_ns}
        self.record["processes"]["server"] = {
            "pids": [server.process.pid],
            "port": server.port,
            "cores": self.server_cores,
            "cpu_limit_pct": limit.pct if limit else None,
        }
        return server

    def _begin_beside(self, server: Server, watchers: Collectors) -> None:
        """Sample the server from its first moment on, and start the load generator, which makes itself ready."""
        if self.sut.watched:
            watchers.start_sampler("server", [server.process.pid], self.server_cores)
        if not self.place.rig.distributed:
            self._load = self._start_load(server)

    def _start_load(self, server: Server) -> driver.Load:
        host, cores = self.place.controller, self.place.controller_cores()
        spec, folder = self._spec(host, server), self.attempt.there(host)
        return driver.Load(host, self.study, spec, folder, cores, env=self._secrets)

    def _verify(self, server: Server, name: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
        host, cores = self.place.server, self.place.cores_beside("server")
        spec, folder = self._spec(host, server, before), self.attempt.there(host)
        try:
            verified = driver.ask(host, self.study, "verify", spec, folder, cores=cores, env=self._secrets)
        except driver.GateFailed as error:
            self.record["gates"].append(gate(name, False, None, "", None, str(error)))
            raise
        self.record["gates"].append(verified["gate"] | {"name": name})
        return verified

    def _measure(self, server: Server, watchers: dict[str, Collectors], verified: dict[str, Any]) -> Iterator[bool]:
        phases = self.record["phases"]
        if self.sut.watched and self.attempt.campaign.profile.capture:
            watchers["server"].start_capture(server.port)
        engines = self._start_engines(server, watchers)
        load = self._load or self._start_load(server)  # that of engines reaches them, so it comes after them
        answers = Answers(self._planned_s, emulated=self.place.rig.emulated)
        messages = load.follow(lambda: self._watch(server, engines, answers))
        of_injector = watchers.get("injector", watchers["server"])
        try:
            for message in messages:
                self._take_in(message, of_injector)
                if "ready" in message:
                    break
            written_ns = {role: one.wait_until_recording() for role, one in watchers.items()}
            if self.sut.watched:
                self.record["nmon_written_ns"] = written_ns["server"]["nmon"]
            self.attempt.read_clocks("before")
            if self.attempt.beside:  # one started after another was loaded needs up to 16 % less CPU
                yield from self._others_turn(server)
            phases["load_start_ns"] = time.time_ns()
            answers.wait_anew()
            load.begin(verified)
            for message in messages:
                answers.take_in(message)
                self._take_in(message, of_injector)
                if "background_s" in message:
                    self._wait_for_background_work(server, message["background_s"])
                    load.go_on()
                if "turn_over" in message:
                    yield from self._others_turn(server)
                    answers.wait_anew()
                    load.go_on()
        except LabError:
            # A server or an engine that has gone is why the load failed, so its end is the reason to record.
            self._watch(server, engines)
            raise
        phases["load_end_ns"] = time.time_ns()
        if self.server_limit:
            self.server_limit.lift()
        self.attempt.read_clocks("after")
        self.record["exit_codes"] |= {"load": 0} | (engines.stop() if engines else {})
        for one in watchers.values():
            self.record["exit_codes"] |= one.stop()
        phases["collectors_end_ns"] = time.time_ns()

    def _others_turn(self, server: Server) -> Iterator[bool]:
        """Let the others have their turns; meanwhile this server may not use the core for what it has put off."""
        self.place.processes.suspend(server.process.pid)  # turns are taken on this machine only
        yield False
        self.place.processes.resume(server.process.pid)

    def _start_engines(self, server: Server, watchers: dict[str, Collectors]) -> Engines | None:
        """Start the engines of a distributed load, and watch each; a plain load has none."""
        if not self.place.rig.distributed:
            return None
        engines = self._engines(server)
        for role, pids in engines.wait_until_ready(lambda: self._watch(server)).items():
            self._watch_injector(role, pids, watchers[role])
        return engines

    def _engines(self, server: Server) -> Engines:
        spec = partial(self._spec, server=server)
        return Engines(self.place, self.study, spec, self.attempt.there, self._secrets)

    def _take_in(self, message: dict[str, Any], watchers: Collectors) -> None:
        if "process" in message:
            self._watch_injector("injector", [message["process"]["pid"]], watchers)
        if "warmed_up" in message and self.server_limit:
            self.server_limit.put_on()
            self.record["phases"]["server_limited_ns"] = time.time_ns()
        if "progress" in message:
            self.attempt.report(message["progress"])

    def _wait_for_background_work(self, server: Server, most_s: float) -> None:
        """Leave the next load a server, and a disk, that has done what is left of the last one."""

        def cpu_pct() -> float:
            self._watch(server)
            return self.place.server.cpu_pct([server.process.pid], LOOK_S)

        self.place.server.write_back(self.disk_folder)
        work = wait_for_background_work(cpu_pct, most_s)
        self.record.setdefault("background_work", []).append(msgspec.to_builtins(work))

    def _watch_injector(self, role: str, pids: list[int], watchers: Collectors) -> None:
        cores = self.place.cores(role)
        self.record["processes"][role] = {"pids": pids, "cores": cores}
        if self.sut.watched:
            watchers.start_sampler(role, pids, cores)

    def _watch(self, server: Server, engines: Engines | None = None, answers: Answers | None = None) -> None:
        code = server.process.poll()
        if code is not None:
            raise LabError(f"{self.sut.key} ended with code {code} under load: {server.last_words}")
        if engines:
            engines.watch()
        if answers:
            answers.check(self.sut.key)

    def _stop(self, server: Server) -> None:
        stop = self.sut.system.stop
        code = self.record["exit_codes"]["server"] = server.where.stop(server.process, timeout_s=stop.timeout_s)
        self.record["phases"]["server_end_ns"] = time.time_ns()
        if trouble := trouble_at_the_end(server, code):
            raise LabError(trouble)

    def _check(self, server: Server, verified: dict[str, Any], verified_after: dict[str, Any], *, settle: bool) -> None:
        """Have the driver judge the run, and meanwhile leave the next one the disk and memory that this one found."""
        here = self.place.here
        spec = self._spec(here, server, verified, verified_after)
        with ThreadPoolExecutor(max_workers=1) as beside:
            settled = beside.submit(self.place.server.settle, self.disk_folder) if settle else None
            checked = driver.ask(here, self.study, "check", spec, self.attempt.folder)
            if settled:
                settled.result()
        self.record["phases"] |= checked["phases"]
        self.record |= {"counts": checked["counts"], "load": checked["load"], "settled": checked.get("settled")}
        self.record["gates"] += loaded_gates(self.attempt, self.disk_folder, checked)
        windows = checked.get("windows", [])
        for window in windows:
            window["gates"] += window_gates(self.attempt, window)
        self.record["windows"] = windows
        if self.place.rig.distributed:
            self.record["counts"]["requests_of"] = windows[0]["requests_of"]


def _little_space(host: Host, folder: Path) -> str:
    """Return a sentence when the disk that holds a folder is nearly full: it may be why a run failed."""
    with contextlib.suppress(LabError):  # the reason to record is the first
        if (free := host.space(folder)[1]) < LITTLE_SPACE_BYTES:
            return f"Only {free / 1e6:.1f} MB are free on the disk for the stored files."
    return ""
