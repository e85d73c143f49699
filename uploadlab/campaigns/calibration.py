"""Find the largest load that leaves a server a part of its core, and keep it for the machine it was found on."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ClockAlignment
from monitoring.samples_reader import read_samples
from uploadlab.errors import LabError
from uploadlab.hosts.local_collectors import recording
from uploadlab.planning import results
from uploadlab.records import read_json
from uploadlab.statistics.intervals import t_quantile

Floats = NDArray[np.float64]
TARGET_PCT = 80.0  # of the server's cores: the paper's rule
RESOLUTION = 0.05  # the search ends when the rates known to be too low and too high are this close
LEAST_STEP = 0.02
FIRST_GUESS = 0.4
"""Of the rate that a request's CPU time at saturation would allow: where fewer come at once each costs more."""
OPENING_SECONDS = 2
"""Of a run, left out: users open their connections, and the server does for the first time what that needs."""
LEAST_SECONDS = 5
"""Of the rest: with fewer its regression has less than three degrees of freedom."""
OF_THE_GENERATOR = ("injector_cpu", "injector_gc", "injector_heap")
KEPT_UP = 0.9
"""Of the rate asked for: what a generator that keeps up sends at least; by chance arrivals are some per cent off."""
BUSY_PCT = 90.0  # a closed loop that keeps the server busier than this has saturated it
SCHEMA = 2


class CpuShare(msgspec.Struct, frozen=True, kw_only=True):
    """The server's CPU at a rate, in per cent of what it may use, with the 95 % interval over the seconds of a run."""

    pct: float
    lo: float
    hi: float


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """One short run at a rate."""

    rate_per_s: float
    share: CpuShare
    failed_gates: list[str]
    """Sentences of the gates that it failed."""
    generator_kept_up: bool
    folder: str
    answered: bool = True
    """The server answered the requests, but for one in a hundred."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What the search came to."""

    rate_per_s: float
    share: CpuShare
    limited_by: str
    """`server`, or `load generator` where that could not have sent more."""
    probes: list[Probe]


class CellCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """The rate of one cell, and what it holds for."""

    found: Found
    saturation_per_s: float
    saturation_pct: float
    """The server's CPU at saturation: below 90 the load generator was the limit, not the server."""
    holds_for: dict[str, str]
    measured_ns: int
    seconds: float


class CalibrationFile(msgspec.Struct, kw_only=True):
    """The rates of the cells of one machine."""

    schema: int = SCHEMA
    target_cpu_pct: float = TARGET_PCT
    cells: dict[str, CellCalibration] = {}


def cpu_share(cpu_s: Floats, requests: Floats, rate_per_s: float, allowed_s: float) -> CpuShare:
    """Return the CPU share at a rate from the CPU time and the requests of each second, arrays of shape (n,), n >= 5.

    How many requests end in a second varies by chance, and its CPU time with it, but not in proportion: after a stall
    many end at once. So the CPU time at the rate is that of the regression on the requests, with its error (Cochran,
    Sampling Techniques, 1977, 7.3), and the share is that over `allowed_s`, what the server may use in a second.
    """
    n = len(cpu_s)
    varies, beside = requests - requests.mean(), rate_per_s - float(requests.mean())
    spread = float(varies @ varies)
    slope_s = float(varies @ cpu_s) / spread if spread else 0.0
    residual = cpu_s - cpu_s.mean() - slope_s * varies
    freedom = n - 2 if spread else n - 1
    leverage = 1 / n + (beside**2 / spread if spread else 0.0)
    half = t_quantile(freedom) * math.sqrt(float(residual @ residual) / freedom * leverage)
    at_rate_s = float(cpu_s.mean()) + slope_s * beside
    return CpuShare(
        pct=100 * at_rate_s / allowed_s,
        lo=100 * (at_rate_s - half) / allowed_s,
        hi=100 * (at_rate_s + half) / allowed_s,
    )


def share_of_run(folder: Path, record: dict[str, Any], rate_per_s: float, allowed_s: float) -> CpuShare:
    """Return the server's CPU share in a finished run but its opening, from its raw files."""
    ended = record["counts"]["ended_per_s"][OPENING_SECONDS:]
    if len(ended) < LEAST_SECONDS:
        raise LabError(f"{folder}: the load was too short to see the server's CPU.")
    seconds = OPENING_SECONDS + np.arange(len(ended) + 1)
    edges_ns = record["phases"]["measure_start_ns"] + seconds * 1_000_000_000
    clocks = ClockAlignment.of(record.get("clock"))
    on_server_ns = np.array([clocks.on_server(int(edge)) for edge in edges_ns])
    with recording():
        samples = read_samples(folder / "server.samples.csv")
    known = ~np.isnan(samples["role_cpu_ns"])
    used_s = np.diff(np.interp(on_server_ns, samples["time_ns"][known], samples["role_cpu_ns"][known])) / 1e9
    return cpu_share(used_s, np.array(ended, dtype=np.float64), rate_per_s, allowed_s)


def requests_per_s(record: dict[str, Any]) -> float:
    """Return the requests a second of a finished run."""
    window_ns = record["phases"]["measure_end_ns"] - record["phases"]["measure_start_ns"]
    return float(record["counts"]["requests"] / window_ns * 1e9)


def answered_per_s(record: dict[str, Any]) -> float:
    """Return the requests a second of a finished run that did not fail."""
    return requests_per_s(record) * (1 - float(record["counts"]["errors"] / record["counts"]["requests"]))


def answered(record: dict[str, Any]) -> bool:
    """Return whether the server answered the requests of a finished run, but for one in a hundred."""
    return bool(100 * record["counts"]["errors"] <= record["counts"]["requests"])


def kept_up(record: dict[str, Any], rate_per_s: float) -> bool:
    """Return whether the generator of a finished run sent at the rate asked for, and passed its own gates.

    That some were a little late (the gate `pacing`) matters to response times, not to the server's CPU.
    """
    failed = {gate["name"] for gate in record["gates"] if not gate["passed"]}
    return requests_per_s(record) >= KEPT_UP * rate_per_s and failed.isdisjoint(OF_THE_GENERATOR)


def search(
    probe: Callable[[float], Probe], saturation_per_s: float, first_per_s: float, may_go_on: Callable[[], bool]
) -> Found:
    """Return the largest rate at which the server's CPU stays below the target, as far as time allows.

    A rate passes when the server answers it, and the upper end of its 95 % interval is below the target. It is
    confirmed by a second run of its own: that of both together must be below the target, and the second run's CPU, else
    it is as one that did not pass.
    Between a rate that passed and one that did not, the next is where the CPU, growing in proportion, would meet the
    target, else the middle.

    Parameters
    ----------
    probe : makes one run
    saturation_per_s : the server does no more than this
    first_per_s : where to begin
    may_go_on : False when the time is up for another run; one is always kept for the confirmation

    Raises
    ------
    LabError
        When no rate passed in time.
    """
    high = saturation_per_s
    passed: list[Probe] = []
    probes: list[Probe] = []
    rate = min(first_per_s, 0.95 * saturation_per_s)
    while may_go_on() or passed or not probes:
        low = passed[-1].rate_per_s if passed else 0.0
        confirming = bool(passed) and (high - low <= RESOLUTION * high or not may_go_on())
        seen = probe(low if confirming else rate)
        probes.append(seen)
        share = _together(passed.pop().share, seen.share) if confirming else seen.share
        has_room = share.hi <= TARGET_PCT and seen.share.pct <= TARGET_PCT
        passes = seen.generator_kept_up and seen.answered and has_room
        if confirming and passes:
            return Found(rate_per_s=low, share=share, limited_by=_limit(probes), probes=probes)
        if passes:
            passed.append(seen)
        else:
            high = seen.rate_per_s
        rate = _between(passed[-1].rate_per_s if passed else 0.0, high, seen)
    raise LabError(
        f"no rate was found in {len(probes)} short runs that leaves the server {100 - TARGET_PCT:g} % of its CPU; "
        f"the lowest tried was {min(one.rate_per_s for one in probes):.0f} a second. "
        + " ".join(probes[-1].failed_gates)
    )


def _together(one: CpuShare, other: CpuShare) -> CpuShare:
    """Return the mean of two independent shares, with its interval."""
    pct = (one.pct + other.pct) / 2
    half = math.hypot(one.hi - one.pct, other.hi - other.pct) / 2
    return CpuShare(pct=pct, lo=pct - half, hi=pct + half)


def _between(low: float, high: float, last: Probe) -> float:
    """Return the next rate to try: where the CPU would meet the target, growing in proportion, else the middle.

    The CPU of a server that had all it may use does not say how far above the target the rate is.
    """
    if last.share.pct > BUSY_PCT or not last.answered:
        return (low + high) / 2
    meets = last.rate_per_s * TARGET_PCT / last.share.hi
    if not low:  # one that just failed is followed by one below it, not by half of it
        return min(meets, high * (1 - RESOLUTION))
    return meets if low * (1 + LEAST_STEP) < meets < high * (1 - LEAST_STEP) else (low + high) / 2


def _limit(probes: list[Probe]) -> str:
    """Say who set the limit: the generator where a rate failed by it while the server had room."""
    by_generator = any(not one.generator_kept_up and one.share.hi <= TARGET_PCT for one in probes)
    return "load generator" if by_generator else "server"


def read_file(path: Path) -> CalibrationFile:
    """Return the calibrations kept in a file, none where it does not exist; LabError when it is not one."""
    if not path.exists():
        return CalibrationFile()
    try:
        file = msgspec.convert(read_json(path), CalibrationFile)
    except msgspec.ValidationError as error:
        raise LabError(f"{path}: not a calibration of this lab: {error}.") from error
    if file.schema != SCHEMA or file.target_cpu_pct != TARGET_PCT:
        raise LabError(f"{path}: a calibration of another version of the lab; remove it.")
    return file


def keep(path: Path, cell: str, calibration: CellCalibration) -> None:
    """Add the calibration of a cell to a file, in place of an earlier one."""
    file = read_file(path)
    file.cells[cell] = calibration
    path.parent.mkdir(parents=True, exist_ok=True)
    results.write_json(path, msgspec.to_builtins(file))


def why_not(file: CalibrationFile, cell: str, holds_for: dict[str, str]) -> str | None:
    """Return why a cell's calibration cannot be used here and now, None when it can."""
    kept = file.cells.get(cell)
    if kept is None:
        return f"{cell} has not been calibrated"
    for name, now in holds_for.items():
        if (then := kept.holds_for.get(name)) != now:
            return f"{cell} was calibrated with another {name} ({then} then, {now} now)"
    return None


class Clock:
    """Says whether there is time for another run of the length of the longest so far, and one more to confirm."""

    def __init__(self, seconds: float) -> None:
        self._began = self._last = time.monotonic()
        self._seconds = seconds
        self._longest = 0.0

    def run_ended(self) -> None:
        """Take note of the end of a run."""
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last)
        self._last = now

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._began

    def may_go_on(self) -> bool:
        """True when a further run and its confirmation fit."""
        return self.elapsed_s + 2 * self._longest <= self._seconds
