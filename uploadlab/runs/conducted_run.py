"""Make one run of a study whose systems have parts: start them, conduct them, and keep what they recorded."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from monitoring.records import ROW
from uploadlab.errors import LabError
from uploadlab.hosts.link import ETHERNET_100, Ethernet
from uploadlab.planning.needs import run_seconds
from uploadlab.planning.study import link_level
from uploadlab.runs.attempt import Attempt
from uploadlab.runs.collectors import Collectors
from uploadlab.runs.conducted_gates import check
from uploadlab.runs.conductor import Conductor, Progress
from uploadlab.runs.gates import gate
from uploadlab.runs.kept_records import keep_records
from uploadlab.runs.parts import SERVER, Part, RunningPart, environments, host_of, joined, parts_of, start_part

MEMORY = Path("/dev/shm")
READY_S = 120.0
SILENT_S = 180.0
"""How long no part may say anything, beyond what a phase takes."""
LEAD_NS = 500_000_000
"""From the word `measure` to the moment it names: every part has read it by then."""
Watchers = dict[str, Collectors]
"""What records each host, by the role of the rig that it is needed for."""


class ConductedRun:
    """One try of one run; fills the attempt's record as it goes."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.context, self.record = attempt, attempt.context, attempt.record
        self.run, self.sut, self.study, self.place = attempt.run, attempt.sut, attempt.study, attempt.place
        self.roles = self.study.file.roles
        self.memory = MEMORY / f"upload-lab-{os.getpid()}-records"
        self.network: Ethernet | None = None

    def carry_out(self) -> None:
        """Go through the phases in order; whatever happens, nothing that was started keeps running."""
        hosts = self.place.hosts.values()
        self.attempt.make_folders()
        for host in hosts:
            host.temporary(self.memory)
            host.make_empty(self.memory)
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self.place.stop_all)
                watchers = self.attempt.watch_hosts()
                running = self._conduct(watchers)
            counted = keep_records(self.attempt, running, self.memory)
        except LabError:
            with contextlib.suppress(LabError):  # the reason to record is the first
                self.attempt.fetch()
            raise
        finally:
            with contextlib.suppress(LabError):  # a host that cannot be reached has removed it itself
                for host in hosts:
                    host.make_empty(self.memory)
        check(self.attempt, counted)

    def _conduct(self, watchers: Watchers) -> list[RunningPart]:
        """Start the parts and take them through all phases; return them, ended."""
        phases = self.record["phases"]
        conductor = Conductor(self._progress())
        phases["server_start_ns"] = time.time_ns()
        running = self._start(conductor, watchers)
        phases["server_ready_ns"] = time.time_ns()
        seconds = run_seconds(self.context.needs, self.run.factors)
        with self._gate("contract", "Known messages came through unchanged before the load."):
            conductor.verify(SILENT_S)
        phases["verified_ns"] = time.time_ns()
        for one in watchers.values():
            one.wait_until_recording()
        conductor.warm_up(SILENT_S + seconds)
        self.attempt.read_clocks("before")
        phases["load_start_ns"] = time.time_ns()
        with self._gate("parts", "All parts ran until the load had ended."), self._counting():
            conductor.measure(self._begin(), SILENT_S, at_most_s=SILENT_S + 5 * seconds)
        phases["load_end_ns"] = time.time_ns()
        self.attempt.read_clocks("after")
        for one in watchers.values():
            self.record["exit_codes"] |= one.stop()
        phases["collectors_end_ns"] = time.time_ns()
        with self._gate("contract_after", "Known messages came through unchanged after the load."):
            conductor.verify(SILENT_S)
        codes = conductor.stop(self.sut.system.stop.timeout_s)
        phases["server_end_ns"] = time.time_ns()
        self.record["exit_codes"] |= codes
        _check_ends(running, codes)
        return running

    def _begin(self) -> Callable[[RunningPart], int]:
        """Choose the instant at which the parts begin; return what the monotonic clock of a part's host shows then."""
        clock = self.record.get("clock", {})
        behind_ns = {
            where: (clock[where]["before"]["offset_ns"] if clock else 0) - host.epoch_ahead_ns()
            for where, host in self.place.hosts.items()
        }
        instant_ns = time.time_ns() + LEAD_NS
        return lambda running: instant_ns + behind_ns.get(running.part.place, behind_ns[SERVER])

    def _start(self, conductor: Conductor, watchers: Watchers) -> list[RunningPart]:
        parts = self._joined(parts_of(self.roles, self.sut, self.run.factors, self.place))
        capacity = self.context.needs.of(self.run.factors).records
        self._check_memory([part for some in parts.values() for part in some], capacity * ROW.itemsize)
        scratch = {where: str(self.attempt.scratch(host)) for where, host in self.place.hosts.items()}
        common = {
            "SEED": str(self.context.campaign.seed),
            "REPEAT": str(self.run.block),
            "RECORDS_CAPACITY": str(capacity),
        }
        told = environments(parts, self.sut, {**self.attempt.load, **self.run.factors}, common)
        running: list[RunningPart] = []
        self.record["parts"] = []
        for role, some in parts.items():
            begun: list[RunningPart] = []
            for part in some:
                own = {"RUN_DIR": scratch.get(part.place, scratch[SERVER])}
                begun.append(self._start_part(part, told[part.name] | own))
                conductor.add(begun[-1])
                if self.roles[role].start == "one_after_another":
                    conductor.await_ready(begun[-1:], READY_S)
            if self.roles[role].start == "together":
                conductor.await_ready(begun, READY_S)
            for one in begun:
                one.host.hold_records(self._records_of(one.part))
            self._watch(role, begun, watchers)
            running += begun
        return running

    def _start_part(self, part: Part, environment: dict[str, str]) -> RunningPart:
        host = host_of(self.place, part.place)
        there = self.attempt.there(host)
        files = {
            "RECORDS_FILE": str(self._records_of(part)),
            "EVENTS_FILE": str(there / f"{part.name}.events.jsonl"),
        }
        return start_part(host, self.sut, part, environment | files, there / f"{part.name}.log")

    def _records_of(self, part: Part) -> Path:
        return self.memory / f"{part.name}.records"

    def _joined(self, parts: dict[str, list[Part]]) -> dict[str, list[Part]]:
        """Return the parts as they reach each other over the scenario's link; it ends with all that was started."""
        if link_level(self.study, self.run.factors) != ETHERNET_100:
            return parts
        host = self.place.here
        log = host.temporary(self.context.campaign.folder / "scratch") / "link.log"
        self.network = Ethernet(host, sum(map(len, parts.values())), log)
        return joined(parts, self.network)

    @contextlib.contextmanager
    def _gate(self, name: str, sentence: str) -> Iterator[None]:
        """Record a gate on a phase: it passes where the parts come through it, and says why where they don't."""
        try:
            yield
        except LabError as error:
            self.record["gates"].append(gate(name, False, None, "", None, str(error)))
            raise
        self.record["gates"].append(gate(name, True, None, "", None, sentence))

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

    def _watch(self, role: str, running: list[RunningPart], watchers: Watchers) -> None:
        """Have a role's processes sampled on their host, and record which they are."""
        cores = sorted({core for one in running for core in one.part.cores})
        pids = [pid for one in running for pid in one.pids]
        where = running[0].part.place
        self.record["processes"][role] = {"pids": pids, "cores": cores, "port": running[0].part.port, "place": where}
        self.record["parts"] += [
            {
                "role": role,
                "index": one.part.index,
                "pid": one.process.pid,
                "cores": one.part.cores,
                "address": one.part.address,
                "host": one.host.name,
            }
            for one in running
        ]
        if self.sut.watched:
            watchers.get(where, watchers[SERVER]).start_sampler(role, pids, cores)

    def _check_memory(self, parts: list[Part], each: int) -> None:
        for where, host in self.place.hosts.items():
            there = [part for part in parts if host_of(self.place, part.place) is self.place.hosts[where]]
            wanted, free = each * sum(part.start.conducted for part in there), host.space(MEMORY)[1]
            if wanted > free:
                raise LabError(
                    f"{MEMORY}: the records of a run take {wanted / 1e6:.0f} MB, {free / 1e6:.0f} MB are free; choose "
                    "a shorter run, or record fewer messages (stamp_every)."
                )

    def _progress(self) -> Progress:
        began = time.monotonic()

        def say(operations: int, errors: int) -> None:
            per_s = operations / max(0.1, time.monotonic() - began)
            self.attempt.report({"phase": "measuring", "requests": operations, "per_s": per_s, "errors": errors})

        return say


def _check_ends(running: list[RunningPart], codes: dict[str, int]) -> None:
    for one in running:
        if one.part.start.conducted and (code := codes[one.part.name]):
            raise LabError(f"{one.part.name} ended with code {code} when it was told to stop: {one.last_words}")
