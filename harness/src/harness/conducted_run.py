"""Make one run of a study whose systems have parts: start them, conduct them, and keep what they recorded."""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import driver
from harness.collectors import Collectors
from harness.conductor import Conductor, Progress
from harness.errors import LabError
from harness.gates import emulated_gate, look_until_quiet, recorder_gates, server_gates, worst_of
from harness.link import LOOPBACK, Ethernet
from harness.parts import Part, RunningPart, environments, joined, parts_of, start_part
from harness.plan import PlannedRun
from harness.run_context import Report, RunContext
from harness.study import link_level
from harness.system import Sut
from monitoring import RecordingError
from monitoring.records import ROW, epoch_ahead_ns, write_parquet

MEMORY = Path("/dev/shm")
READY_S = 60.0
SILENT_S = 60.0
"""How long no part may say anything, beyond what a phase takes."""
LEAD_NS = 500_000_000
"""From the word `measure` to the moment it names: every part has read it by then."""


class ConductedAttempt:
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
        self.host = self.place.server
        self.roles = self.study.file.roles
        self.memory = MEMORY / f"upload-lab-{os.getpid()}-records"
        self.network: Ethernet | None = None

    def carry_out(self) -> None:
        """Go through the phases in order; whatever happens, nothing that was started keeps running."""
        if not (self.place.one_host and self.place.server_is_here):
            raise LabError(f"The study '{self.study.file.study.id}' is conducted on one host, where the lab runs.")
        self.host.temporary(self.memory)
        self.host.make_empty(self.memory)
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self.place.stop_all)
                watchers = self._start_host_recorder()
                self._look_at_host()
                running = self._conduct(watchers)
            counted = self._keep_records(running)
        finally:
            self.host.make_empty(self.memory)
        self._check(counted)

    def _start_host_recorder(self) -> Collectors:
        self.record["phases"]["collectors_start_ns"] = time.time_ns()
        watchers = Collectors(
            self.host,
            self.folder,
            cores=self.place.cores_beside("server"),
            interval_ms=self.study.file.monitors.sampler_interval_ms,
            device_of=self.folder,
        )
        if self.sut.watched:
            watchers.start_nmon("server")
        return watchers

    def _look_at_host(self) -> None:
        limit = self.context.gates.host_busy_pct
        if limit is not None:
            cores = [*self.place.cores("server"), *self.place.cores("injector")]
            self.record["noise"], entry = look_until_quiet(lambda: {"host": self.host.noise(cores)}, limit)
            self.record["gates"].append(entry)

    def _conduct(self, watchers: Collectors) -> list[RunningPart]:
        """Start the parts and take them through all phases; return them, ended."""
        phases = self.record["phases"]
        conductor = Conductor(self.host, self._progress())
        phases["server_start_ns"] = time.time_ns()
        running = self._start(conductor, watchers)
        phases["server_ready_ns"] = time.time_ns()
        seconds = self.context.seconds_of(self.run.factors)
        conductor.verify(SILENT_S)
        phases["verified_ns"] = time.time_ns()
        watchers.wait_until_recording()
        conductor.warm_up(SILENT_S + seconds)
        phases["load_start_ns"] = time.time_ns()
        with self._counting():
            conductor.measure(time.monotonic_ns() + LEAD_NS, SILENT_S, at_most_s=SILENT_S + 5 * seconds)
        phases["load_end_ns"] = time.time_ns()
        self.record["exit_codes"] |= watchers.stop()
        phases["collectors_end_ns"] = time.time_ns()
        conductor.verify(SILENT_S)
        codes = conductor.stop(self.sut.system.stop.timeout_s)
        phases["server_end_ns"] = time.time_ns()
        self.record["exit_codes"] |= codes
        for one in running:
            if one.part.start.conducted and codes[one.part.name]:
                raise LabError(
                    f"{one.part.name} ended with code {codes[one.part.name]} when it was told to stop: "
                    f"{self.host.last_line(one.log)}"
                )
        return running

    def _start(self, conductor: Conductor, watchers: Collectors) -> list[RunningPart]:
        parts = self._joined(parts_of(self.roles, self.sut, self.run.factors, self.place))
        everyone = [part for some in parts.values() for part in some]
        capacity = self.context.records_of(self.run.factors)
        self._check_memory(sum(part.start.conducted for part in everyone) * capacity * ROW.itemsize)
        scratch = self.host.temporary(self.context.campaign.folder / "scratch") / f"{self.run.cell}-{self.run.repeat}"
        self.host.make_empty(scratch)
        common = {
            "SEED": str(self.context.campaign.seed),
            "REPEAT": str(int(self.run.repeat)),
            "RUN_DIR": str(scratch),
            "RECORDS_CAPACITY": str(capacity),
        }
        told = environments(parts, self.sut, {**self.load, **self.run.factors}, common)
        running: list[RunningPart] = []
        self.record["parts"] = []
        for role, some in parts.items():
            begun = []
            for part in some:
                files = {
                    "RECORDS_FILE": str(self.memory / f"{part.name}.records"),
                    "EVENTS_FILE": str(self.folder / f"{part.name}.events.jsonl"),
                }
                log = self.folder / f"{part.name}.log"
                begun.append(start_part(self.host, self.sut, part, told[part.name] | files, log))
                conductor.add(begun[-1])
                if self.roles[role].start == "one_after_another":
                    conductor.await_ready(begun[-1:], READY_S)
            if self.roles[role].start == "together":
                conductor.await_ready(begun, READY_S)
            self._watch(role, begun, watchers)
            running += begun
        return running

    def _joined(self, parts: dict[str, list[Part]]) -> dict[str, list[Part]]:
        """Return the parts as they reach each other over the scenario's link; it ends with all that was started."""
        name = link_level(self.study, self.run.factors)
        if name == LOOPBACK:
            return parts
        log = self.host.temporary(self.context.campaign.folder / "scratch") / "link.log"
        self.network = Ethernet(self.host, sum(map(len, parts.values())), log)
        return joined(parts, self.network)

    @contextlib.contextmanager
    def _counting(self) -> Iterator[None]:
        """Record what the link passed on meanwhile; nobody counts what loopback does."""
        if self.network is None:
            yield
            return
        before = self.network.counters()
        yield
        after = self.network.counters()
        self.record["link"] = {name: after[name] - before[name] for name in after}

    def _watch(self, role: str, running: list[RunningPart], watchers: Collectors) -> None:
        """Have a role's processes sampled, and record which they are."""
        cores = sorted({core for one in running for core in one.part.cores})
        pids = [pid for one in running for pid in one.pids]
        self.record["processes"][role] = {"pids": pids, "cores": cores, "port": running[0].part.port}
        self.record["parts"] += [
            {
                "role": role,
                "index": one.part.index,
                "pid": one.process.pid,
                "cores": one.part.cores,
                "address": one.part.address,
                "host": self.host.name,
            }
            for one in running
        ]
        if self.sut.watched:
            watchers.start_sampler(role, pids, cores)

    def _check_memory(self, wanted: int) -> None:
        free = self.host.space(MEMORY)[1]
        if wanted > free:
            raise LabError(
                f"{MEMORY}: the records of a run take {wanted / 1e6:.0f} MB, {free / 1e6:.0f} MB are free; choose a "
                "shorter run, or record fewer messages (stamp_every)."
            )

    def _progress(self) -> Progress:
        began = time.monotonic()

        def say(operations: int, errors: int) -> None:
            per_s = operations / max(0.1, time.monotonic() - began)
            self.report({"phase": "measuring", "requests": operations, "per_s": per_s, "errors": errors})

        return say

    def _keep_records(self, running: list[RunningPart]) -> dict[str, dict[str, Any]]:
        """Write each part's records beside its log, on one clock, and return what each says of itself."""
        ahead_ns = epoch_ahead_ns()
        self.record["clock_ahead_ns"] = ahead_ns
        counted: dict[str, dict[str, Any]] = {}
        spans = []
        for one in running:
            if not one.part.start.conducted:
                continue
            name = one.part.name
            counters = self._events(one)
            records = self.memory / f"{name}.records"
            if not records.exists():
                if self.roles[one.part.role].sends:
                    raise LabError(f"{name} left no file of records: expected what its RECORDS_FILE named.")
                continue  # a part that only answers may leave no record
            try:
                written = write_parquet(records, self.folder / f"{name}.records.parquet", ahead_ns=ahead_ns)
            except RecordingError as error:
                raise LabError(str(error)) from error
            if lost := sum(counter.get("lost_records", 0) for counter in counters):
                raise LabError(f"{name}: its file of records was full, {lost} records were lost.")
            counted[name] = {"records": written.rows}
            spans += [stamp for stamp in (written.first_ns, written.last_ns) if stamp is not None]
        if spans:
            self.record["clock_span_ns"] = [min(spans), max(spans)]
        return counted

    def _events(self, one: RunningPart) -> list[dict[str, Any]]:
        """Return a part's counters; LabError where its events are not its own, or cannot be read."""
        path = self.folder / f"{one.part.name}.events.jsonl"
        counters = []
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise LabError(f"{path}: cannot be read: {error.strerror}.") from error
        for number, line in enumerate(lines, start=1):
            try:
                event = json.loads(line)
            except json.JSONDecodeError as error:
                raise LabError(f"{path}, line {number}: no JSON: {error.msg}.") from error
            if event.get("event") == "started" and event.get("pid") not in (None, one.process.pid):
                raise LabError(
                    f"{path}, line {number}: the events of process {event['pid']}; {one.part.name} was process "
                    f"{one.process.pid}."
                )
            if event.get("event") == "counters":
                counters.append(event)
        return counters

    def _check(self, counted: dict[str, dict[str, Any]]) -> None:
        checked = driver.ask(self.place.here, self.study, "check", self._spec(counted), self.folder)
        self.record["phases"] |= checked["phases"]
        self.record["counts"] = checked["counts"]
        self.record["load"] = checked.get("load", self.load)
        self.record["settled"] = checked.get("settled")
        self.record["gates"] += [
            *checked["gates"],
            *(self._recorded_gates() if self.sut.watched else []),
            *([emulated_gate()] if self.place.rig.emulated else []),
        ]

    def _spec(self, counted: dict[str, dict[str, Any]]) -> dict[str, Any]:
        return {
            "factors": self.run.factors,
            "load": self.load,
            "seed": self.context.campaign.seed,
            "campaign": self.context.campaign.folder.name,
            "system": self.run.system,
            "cell": self.run.cell,
            "repeat": self.run.repeat,
            "baseline": self.run.baseline,
            "watched": self.sut.watched,
            "gates": self.study.file.gates,
            "driver": self.study.file.driver,
            "roles": self.study.declared.get("roles", {}),
            "operation": self.study.file.operation,
            "parts": self.record["parts"],
            "records": counted,
            "phases": self.record["phases"],
        }

    def _recorded_gates(self) -> list[dict[str, Any]]:
        """Return the gates on the cores of every measured role, from what was recorded over the measured window."""
        limits, phases = self.context.gates, self.record["phases"]
        window = {"start_ns": phases["measure_start_ns"], "end_ns": phases["measure_end_ns"]}
        samples = {role: self.folder / f"{role}.samples.csv" for role in self.record["processes"]}
        cores = {role: set(of["cores"]) for role, of in self.record["processes"].items()}
        beside = {
            role: [samples[other] for other in cores if other != role and cores[other] & cores[role]] for role in cores
        }
        measured = [role for role in samples if self.roles[role].measured]
        try:
            of_roles = {
                f"The {role}": server_gates(
                    samples[role], limits, **window, cores=len(cores[role]), beside=beside[role], whose=role
                )
                for role in measured
            }
            return [
                *worst_of(of_roles),
                *recorder_gates(self.folder / "server.nmon", dict.fromkeys(samples.values(), window), limits, **window),
            ]
        except RecordingError as error:
            raise LabError(str(error)) from error
