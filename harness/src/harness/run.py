"""Make one run: a fresh server, proven to keep the contract, watched, loaded, stopped, and judged by its gates."""

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from harness import collectors, driver, results
from harness.cpu_limit import CpuLimit
from harness.errors import LabError
from harness.gates import gate, injector_gates, recorder_gates, server_gates
from harness.plan import PlannedRun
from harness.processes import Processes
from harness.rig import Rig
from harness.server import Server, last_line, start_server
from harness.study import Gates, Study, storage_level
from harness.system import Sut
from monitoring import RecordingError

Report = Callable[[dict[str, Any]], None]


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs that is the same for the whole campaign."""

    study: Study
    rig: Rig
    gates: Gates
    seed: int
    campaign: Path
    uploads: dict[str, Path]
    processes: Processes
    server_limit: CpuLimit | None


def make_run(context: RunContext, run: PlannedRun, sut: Sut, load: dict[str, Any], report: Report) -> dict[str, Any]:
    """Make one run and write its run.json; return its content.

    A run that fails is recorded with the reason; only an interruption (Ctrl-C, SIGTERM) leaves no run.json.
    """
    folder = results.run_folder(context.campaign, run)
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
        "phases": {},
        "counts": {},
        "processes": {},
        "exit_codes": {},
    }
    try:
        _Attempt(context, run, sut, load, folder, record, report).carry_out()
        record["status"] = "complete"
        record["valid"] = all(entry["passed"] for entry in record["gates"])
    except LabError as error:
        record["reason"] = str(error)
    record["files"] = results.inventory(folder)
    results.write_json(folder / results.RUN_FILE, record)
    return record


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
        self.upload_dir = context.uploads[storage_level(context.study, run.factors)] / f"{run.cell}-{run.repeat}"
        self.server_cores = context.rig.roles["server"].cores
        self.injector_cores = context.rig.roles["injector"].cores
        # The server that does nothing is to be as fast as it can: the load generator is what it measures.
        self.server_limit = None if run.baseline else context.server_limit

    def carry_out(self) -> None:
        """Go through the phases in order; whatever happens, nothing that was started keeps running."""
        # What an interrupted try stored may not be counted as this run's.
        shutil.rmtree(self.upload_dir, ignore_errors=True)
        self.upload_dir.mkdir(parents=True)
        with contextlib.ExitStack() as stack:
            stack.callback(self.context.processes.stop_all)
            server = self._start()
            verified = self._verify(server, "contract")
            self.record["phases"]["verified_ns"] = time.time_ns()
            self._measure(server, verified)
            verified_after = self._verify(server, "contract_after")
            self._stop(server)
        self._check(server, verified, verified_after)

    def _start(self) -> Server:
        limit = self.server_limit
        if limit:  # it starts on the whole core: only the load is measured
            limit.lift()
        run_dir = self.context.campaign / "scratch" / f"{self.run.cell}-{self.run.repeat}"
        shutil.rmtree(run_dir, ignore_errors=True)
        server = start_server(
            self.context.processes,
            self.sut,
            cores=self.server_cores,
            upload_dir=self.upload_dir,
            run_dir=self.context.processes.temporary(run_dir),
            limits=self.context.study.file.limits,
            log=self.folder / "server.log",
            group=limit.members if limit else None,
            runtime_metrics=True,
        )
        self.record["phases"] |= {"server_start_ns": server.start_ns, "server_ready_ns": server.ready_ns}
        self.record["processes"]["server"] = {
            "pids": [server.process.pid],
            "cores": self.server_cores,
            "cpu_limit_pct": limit.pct if limit else None,
        }
        return server

    def _spec(
        self, server: Server, verified: dict[str, Any] | None = None, verified_after: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return {
            "factors": self.run.factors,
            "load": self.load,
            "seed": self.context.seed,
            "repeat": self.run.repeat,
            "gates": {} if self.run.baseline else msgspec.to_builtins(self.context.gates),
            "driver": self.context.study.file.driver,
            "server": {"host": server.host, "port": server.port, "upload": self.sut.system.upload},
            "upload_dir": str(self.upload_dir),
            "verified": verified,
            "verified_after": verified_after,
        }

    def _verify(self, server: Server, name: str) -> dict[str, Any]:
        verified = driver.ask(self.context.study, "verify", self._spec(server), self.folder, cores=self.injector_cores)
        self.record["gates"].append(verified["gate"] | {"name": name})
        return verified

    def _measure(self, server: Server, verified: dict[str, Any]) -> None:
        phases = self.record["phases"]
        watchers = collectors.Collectors(
            self.context.processes,
            self.folder,
            cores=self.injector_cores,
            interval_ms=self.context.study.file.monitors.sampler_interval_ms,
            device_of=self.upload_dir,
        )
        phases["collectors_start_ns"] = time.time_ns()
        watchers.start_nmon()
        watchers.start_sampler("server", [server.process.pid], self.server_cores)
        watchers.wait_until_recording()
        if self.server_limit:
            self.server_limit.put_on()
        phases["load_start_ns"] = time.time_ns()
        load = driver.Load(
            self.context.processes,
            self.context.study,
            self._spec(server, verified=verified),
            self.folder,
            self.injector_cores,
        )
        try:
            for message in load.follow(lambda: self._watch(server)):
                self._take_in(message, watchers)
        except LabError:
            # A server that has gone is why the load failed, so its end is the reason to record.
            self._watch(server)
            raise
        phases["load_end_ns"] = time.time_ns()
        if self.server_limit:
            self.server_limit.lift()
        self.record["exit_codes"] |= {"load": 0, **watchers.stop()}
        phases["collectors_end_ns"] = time.time_ns()

    def _take_in(self, message: dict[str, Any], watchers: collectors.Collectors) -> None:
        if "process" in message:
            pids = [message["process"]["pid"]]
            self.record["processes"]["injector"] = {"pids": pids, "cores": self.injector_cores}
            watchers.start_sampler("injector", pids, self.injector_cores)
        if "progress" in message:
            self.report(message["progress"])

    def _watch(self, server: Server) -> None:
        code = server.process.poll()
        if code is not None:
            raise LabError(f"{self.sut.key} ended with code {code} under load: {last_line(server.log)}")

    def _stop(self, server: Server) -> None:
        stop = self.sut.system.stop
        code = self.context.processes.stop(server.process, stop.signal, stop.timeout_s)
        self.record["exit_codes"]["server"] = code
        self.record["phases"]["server_end_ns"] = time.time_ns()
        if code:
            raise LabError(f"{self.sut.key} ended with code {code} when it was stopped: {last_line(server.log)}")

    def _check(self, server: Server, verified: dict[str, Any], verified_after: dict[str, Any]) -> None:
        checked = driver.ask(self.context.study, "check", self._spec(server, verified, verified_after), self.folder)
        self.record["phases"] |= checked["phases"]
        self.record["counts"] = checked["counts"]
        self.record["load"] = checked["load"]
        self.record["settled"] = checked.get("settled")
        limit = self.context.gates.error_pct
        error_pct = 100 * checked["counts"]["errors"] / checked["counts"]["requests"]
        sentence = f"{error_pct:.2f} % of the requests failed (at most {limit:g} %)."
        self.record["gates"] += [
            *checked["gates"],
            gate("error_rate", error_pct <= limit, round(error_pct, 4), "% of requests", limit, sentence),
            *self._recorded_gates(checked),
        ]

    def _recorded_gates(self, checked: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the gates that come from what nmon and the samplers recorded over the measured window."""
        limits = self.context.gates
        start_ns, end_ns = (checked["phases"][f"measure_{edge}_ns"] for edge in ("start", "end"))
        server, injector = (self.folder / f"{role}.samples.csv" for role in ("server", "injector"))
        nmon = self.folder / "server.nmon"
        try:
            of_injector = injector_gates(
                injector,
                limits,
                start_ns=start_ns,
                end_ns=end_ns,
                cores=len(self.injector_cores),
                requests=checked["counts"]["requests"],
                mean_ms=checked["mean_ms"],
            )
            return [
                *([] if self.run.baseline else of_injector),
                *server_gates(server, limits, start_ns=start_ns, end_ns=end_ns, cores=len(self.server_cores)),
                *recorder_gates(nmon, (server, injector), limits, start_ns=start_ns, end_ns=end_ns),
            ]
        except RecordingError as error:
            raise LabError(str(error)) from error
