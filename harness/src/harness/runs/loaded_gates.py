"""The gates of a run whose load the driver makes: errors, disk, the server's cores, every load generator's, clocks."""

from pathlib import Path
from typing import Any

from harness.errors import LabError
from harness.runs.attempt import Attempt
from harness.runs.gates import (
    disk_gate,
    emulated_gate,
    gate,
    injector_gates,
    recorder_gates,
    server_gates,
    server_limit_gate,
    worst_of,
)
from monitoring.clocks import ClockAlignment
from monitoring.errors import RecordingError


class LoadedGates:
    """Judges one run from what the driver's `check` printed and what the collectors recorded."""

    def __init__(self, attempt: Attempt, upload_dir: Path) -> None:
        """`upload_dir` is where the server stored."""
        self.attempt, self.upload_dir = attempt, upload_dir
        self.run, self.place, self.folder = attempt.run, attempt.place, attempt.folder
        self.limits, self.record = attempt.context.gates, attempt.record
        self.injectors = self.place.rig.injectors

    def of(self, checked: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the gates of a run that the driver has `checked`; LabError where a recording cannot be read."""
        return [
            *checked["gates"],
            *self._of_server_limit(),
            self._of_errors(checked["counts"]),
            *self._of_disk(),
            *(self._of_recordings(checked) if self.attempt.sut.watched else []),
            *([emulated_gate()] if self.place.rig.emulated else []),
        ]

    def _of_errors(self, counts: dict[str, Any]) -> dict[str, Any]:
        limit = self.limits.error_pct
        error_pct = 100 * counts["errors"] / counts["requests"]
        sentence = f"{error_pct:.2f} % of the requests failed (at most {limit:g} %)."
        return gate("error_rate", error_pct <= limit, round(error_pct, 4), "% of requests", limit, sentence)

    def _of_disk(self) -> list[dict[str, Any]]:
        least = self.limits.disk_free_pct
        return [] if least is None else [disk_gate(self.place.server.describe_disk(self.upload_dir), least)]

    def _of_server_limit(self) -> list[dict[str, Any]]:
        """Return the gate on when the server was held to its share; none where it has its whole core."""
        if not self.attempt.context.server_limit(self.run):
            return []
        phases = self.record["phases"]
        start_ns = ClockAlignment.of(self.record.get("clock")).on_server(phases["measure_start_ns"])
        return [server_limit_gate(start_ns, phases.get("server_limited_ns"))]

    def _of_recordings(self, checked: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the gates that come from what nmon and the samplers recorded over the measured window."""
        start_ns, end_ns = (checked["phases"][f"measure_{edge}_ns"] for edge in ("start", "end"))
        clocks = ClockAlignment.of(self.record.get("clock"))
        on_server = {"start_ns": clocks.on_server(start_ns), "end_ns": clocks.on_server(end_ns)}
        windows = {role: self._window_on(role, start_ns, end_ns) for role in self.injectors}
        server, cores = self.folder / "server.samples.csv", len(self.place.cores("server"))
        try:
            return [
                *([] if self.run.baseline else worst_of(self._of_injectors(checked, windows))),
                *server_gates(
                    server, self.limits, start_ns=on_server["start_ns"], end_ns=on_server["end_ns"], cores=cores
                ),
                *worst_of(self._of_recorders(server, on_server, windows)),
                *([] if self.place.rig.one_host else [self.attempt.clock_gate()]),
            ]
        except RecordingError as error:
            raise LabError(str(error)) from error

    def _of_injectors(
        self, checked: dict[str, Any], windows: dict[str, dict[str, int]]
    ) -> dict[str, list[dict[str, Any]]]:
        requests = checked.get("requests_of") or {"injector": checked["counts"]["requests"]}
        return {
            self.place.rig.roles[role].host: injector_gates(
                self.folder / f"{role}.samples.csv",
                self.limits,
                **windows[role],
                cores=len(self.place.cores(role)),
                requests=requests[role],
                mean_ms=checked["mean_ms"],
            )
            for role in self.injectors
        }

    def _of_recorders(
        self, server: Path, on_server: dict[str, int], windows: dict[str, dict[str, int]]
    ) -> dict[str, list[dict[str, Any]]]:
        samples = {role: self.folder / f"{role}.samples.csv" for role in self.injectors}
        watched = {server: on_server, samples["injector"]: windows["injector"]}
        found = {"The server": recorder_gates(self.folder / "server.nmon", watched, self.limits, **on_server)}
        if self.place.rig.distributed:
            found |= {
                self.place.rig.roles[role].host: recorder_gates(
                    self.folder / f"{role}.nmon", {samples[role]: windows[role]}, self.limits, **windows[role]
                )
                for role in self.injectors
            }
        return found

    def _window_on(self, role: str, start_ns: int, end_ns: int) -> dict[str, int]:
        clocks = self.attempt.alignment(role)
        return {"start_ns": clocks.on_server(start_ns), "end_ns": clocks.on_server(end_ns)}
