"""Checks of the harness itself that make a run invalid: was the server measured, alone, and seen as a whole?"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ClockAlignment
from monitoring.nmon_reader import read_nmon
from monitoring.samples_reader import read_samples
from uploadlab.planning.study import Gates

# The rest of a core's time is programs'. Idle time is measured; user and system time are only sampled at timer ticks,
# too coarse for this. Softirqs are the server's own network traffic.
OF_PROGRAMS = ("cpu_user_ticks", "cpu_system_ticks")
NOT_OF_PROGRAMS = ("cpu_idle_ticks", "cpu_iowait_ticks", "cpu_softirq_ticks", "cpu_steal_ticks")
TICK_NS = 1e9 / os.sysconf("SC_CLK_TCK")
CEILINGS = {
    "injector_cpu": (
        "% of its cores",
        "The load generator used {figure:.0f} % of its cores (at most {limit:g} %; beyond that it is the load "
        "generator that is measured, not the server).",
    ),
    "injector_wait": (
        "% of the mean response time",
        "The load generator's threads waited for a core for {figure:.1f} % of the mean response time "
        "(at most {limit:g} %): that share is not the server's.",
    ),
    "server_alone": (
        "% of its cores",
        "Other programs used {figure:.1f} % of the {whose}'s cores (at most {limit:g} %).",
    ),
    "server_steal": (
        "% of its cores",
        "The host of this virtual machine took {figure:.1f} % of the {whose}'s cores (at most {limit:g} %).",
    ),
    "nmon_complete": (
        "% of its seconds",
        "nmon's recording lacks {figure:.0f} % of the measured seconds (at most {limit:g} %).",
    ),
    "sampler_cpu": (
        "% of a core",
        "The lab's own sampler used {figure:.2f} % of a core (at most {limit:g} %; beyond that it disturbs what it "
        "watches).",
    ),
}
"""Of each gate on a share that may not be reached: its unit, and what a reader needs when it failed."""
LOOKS = 10
"""At a host that is not quiet, before a run is made all the same."""
Noise = Mapping[str, dict[str, Any]]
"""What each role's host did just before a run."""


class Window(TypedDict):
    """The measured window, on the clock of one host."""

    start_ns: int
    end_ns: int


def gate(
    name: str, passed: bool, figure: float | None, unit: str, threshold: float | None, sentence: str
) -> dict[str, Any]:
    """Return one gate as run.json keeps it; `sentence` is what a reader needs when it failed."""
    return {
        "name": name,
        "passed": passed,
        "figure": figure,
        "unit": unit,
        "threshold": threshold,
        "sentence": sentence,
    }


def without_limit(gates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return gates that every run passes: on what meets all runs alike that take turns."""
    return [entry | {"passed": True, "threshold": None} for entry in gates]


def injector_gates(
    samples: Path,
    gates: Gates,
    *,
    start_ns: int,
    end_ns: int,
    cores: int,
    requests: int,
    mean_ms: float,
    active_ns: int | None = None,
) -> list[dict[str, Any]]:
    """Return the two gates on the generator's own share, from its `injector.samples.csv` over the measured window.

    `active_ns` is how long it made load in it; None: all the time.
    """
    rows = read_samples(samples)
    cpu_ns = _growth(rows, "role_cpu_ns", start_ns, end_ns)
    wait_ns = _growth(rows, "role_wait_ns", start_ns, end_ns)
    cpu_pct = None if cpu_ns is None else 100 * cpu_ns / ((active_ns or end_ns - start_ns) * cores)
    wait_ms = None if wait_ns is None or not requests else wait_ns / requests / 1e6
    wait_pct = None if wait_ms is None or not mean_ms else 100 * wait_ms / mean_ms
    waited = _ceiling("injector_wait", wait_pct, gates.injector_wait_pct)
    if wait_ms is not None and wait_pct is not None:
        waited["passed"] |= wait_ms <= gates.injector_wait_ms
    return [_ceiling("injector_cpu", cpu_pct, gates.injector_cpu_pct), waited]


def server_gates(
    samples: Path,
    gates: Gates,
    *,
    start_ns: int,
    end_ns: int,
    cores: int,
    beside: Sequence[Path] = (),
    whose: str = "server",
) -> list[dict[str, Any]]:
    """Return the gates on the server's cores, from `server.samples.csv`: who else used them in the measured window.

    `beside` are the samples of what may use them, too: other parts of the same system, servers that take turns with it.
    """
    rows = read_samples(samples)
    core_ns = (end_ns - start_ns) * cores
    names = ("role_cpu_ns", *OF_PROGRAMS, *NOT_OF_PROGRAMS)
    grew = {name: _growth(rows, name, start_ns, end_ns) for name in names}
    known = {name: value for name, value in grew.items() if value is not None}
    others_pct = steal_pct = None
    if len(known) == len(grew):
        # The rest holds interrupts that wake an idle core, too; which program a tick hits is chance.
        rest_ns = core_ns - TICK_NS * sum(known[name] for name in NOT_OF_PROGRAMS)
        programs_ns = min(rest_ns, TICK_NS * sum(known[name] for name in OF_PROGRAMS))
        of_parts_ns = [_growth(read_samples(path), "role_cpu_ns", start_ns, end_ns) for path in beside]
        own_ns = known["role_cpu_ns"] + sum(used or 0.0 for used in of_parts_ns)
        others_pct = max(0.0, 100 * (programs_ns - own_ns) / core_ns)
        steal_pct = 100 * known["cpu_steal_ticks"] * TICK_NS / core_ns
    return [
        _ceiling("server_alone", others_pct, gates.server_others_pct, whose),
        _ceiling("server_steal", steal_pct, gates.server_steal_pct, whose),
    ]


def all_gates(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the gates of a run and those of its windows."""
    return [*record["gates"], *(entry for window in record.get("windows", []) for entry in window["gates"])]


def server_limit_gate(measure_start_ns: int, limited_ns: int | None) -> dict[str, Any]:
    """Return the gate on when the server, which warms up on its whole cores, was held to its share of them.

    `limited_ns` is on the same clock as the start of the measured window; None: the driver never said when to.
    """
    early_ms = None if limited_ns is None else round((measure_start_ns - limited_ns) / 1e6, 3)
    in_time = early_ms is not None and early_ms >= 0
    if early_ms is None:
        sentence = "The limit on the server's CPU was never applied."
    else:
        when = f"{abs(early_ms):.0f} ms {'before' if in_time else 'after'} the measured part began"
        sentence = f"The limit on the server's CPU was applied {when}."
    return gate("server_limited", in_time, early_ms, "ms before the measured part", 0, sentence)


def recorder_gates(
    nmon: Path, samples: Mapping[Path, Window], gates: Gates, *, start_ns: int, end_ns: int
) -> list[dict[str, Any]]:
    """Return the gates on the recorders: is nmon's recording whole, and was the sampler cheap?

    `samples` maps each sampler's file to the measured window on its clock, `start_ns` and `end_ns` are on nmon's.
    """
    missing_s = _seconds_without_a_snapshot(read_nmon(nmon).time_ns, start_ns, end_ns)
    missing_pct = min(100.0, 100 * missing_s / ((end_ns - start_ns) / 1e9))
    used_ns = [_growth(read_samples(path), "sampler_cpu_ns", **window) for path, window in samples.items()]
    known_ns = [used for used in used_ns if used is not None]
    sampler_pct = 100 * max(known_ns) / (end_ns - start_ns) if len(known_ns) == len(used_ns) and known_ns else None
    return [
        _ceiling("nmon_complete", missing_pct, gates.nmon_missing_pct),
        _ceiling("sampler_cpu", sampler_pct, gates.sampler_cpu_pct),
    ]


def _seconds_without_a_snapshot(times_ns: NDArray[np.int64], start_ns: int, end_ns: int) -> int:
    """Count the seconds that nmon skipped in a window: of each gap, and of the ends of the window, all but the first.

    One more is forgiven: nmon's times are whole seconds, and a snapshot that comes late by a little skips one.
    """
    first = max(0, int(np.searchsorted(times_ns, start_ns, side="right")) - 1)
    last = int(np.searchsorted(times_ns, end_ns, side="left"))
    around = times_ns[first : last + 1]
    if not around.size or around[0] > start_ns:
        around = np.insert(around, 0, start_ns)
    if around[-1] < end_ns:
        around = np.append(around, end_ns)
    skipped = np.maximum(np.diff(around) // 1_000_000_000 - 1, 0)
    return max(0, int(skipped.sum()) - 1)


def worst_of(by_host: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return of each gate that several hosts have the one whose figure is the highest, or that could not be computed.

    Where there are several, the sentence says whose it is.
    """
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for host, entries in by_host.items():
        for entry in entries:
            found.setdefault(entry["name"], []).append((host, entry))
    worst = [max(some, key=_figure) for some in found.values()]
    if len(by_host) == 1:
        return [entry for _, entry in worst]
    return [entry | {"sentence": f"{host}: {entry['sentence']}"} for host, entry in worst]


def _figure(of_host: tuple[str, dict[str, Any]]) -> float:
    figure: float | None = of_host[1]["figure"]
    return math.inf if figure is None else figure


def clock_gate(clocks: ClockAlignment, bin_ms: float) -> dict[str, Any]:
    """Return the gate on the clocks of two hosts: did they keep their distance to within the sampler's bin?"""
    drift_ms = clocks.largest_drift_ns / 1e6
    sentence = (
        f"The clocks of the two hosts drifted by up to {drift_ms:.1f} ms during the load (at most {bin_ms:g} ms; "
        "beyond that what the hosts recorded can't be put on one clock)."
    )
    return gate("clock", drift_ms <= bin_ms, round(drift_ms, 3), "ms", bin_ms, sentence)


def emulated_gate() -> dict[str, Any]:
    """Return the gate that no run on an emulated processor passes."""
    return gate("emulated", False, None, "", 0, "The processor was emulated: this run is not a valid result.")


def look_until_quiet(look: Callable[[], Noise], limit_pct: float, looks: int = LOOKS) -> tuple[Noise, dict[str, Any]]:
    """Look at the hosts until they pass the gate, `looks` times at most; return what was seen last and the gate.

    What a run leaves to be written to disk keeps a core busy for some seconds of the next one.
    """
    for _ in range(looks):
        noise = look()
        entry = noise_gate(noise, limit_pct)
        if entry["passed"]:
            break
    return noise, entry


def noise_gate(noise: Noise, limit_pct: float) -> dict[str, Any]:
    """Return the gate on what the cores of each role did just before the run; `noise` is by role."""
    busiest = {role: max(seen["busy_pct"].values()) for role, seen in noise.items()}
    role = max(busiest, key=lambda name: busiest[name])
    seen, figure = noise[role], busiest[role]
    also = [f"load {seen['load_1m']:g}"]
    also += [f"governor {name}" for name in seen["governors"] if name != "performance"]
    also += [f"{seen['temperature_c']:.0f} °C"] if seen["temperature_c"] is not None else []
    whose = "load generator" if role == "injector" else role
    sentence = (
        f"Before the run other programs kept a core of the {whose} busy for {figure:.0f} % of the time "
        f"(at most {limit_pct:g} %; {', '.join(also)})."
    )
    return gate("host_noise", figure <= limit_pct, figure, "% of the busiest core", limit_pct, sentence)


def disk_gate(disk: Mapping[str, Any], least_pct: float) -> dict[str, Any]:
    """Return the gate on the space left on the disk that a run stores on."""
    free_pct = 100 * disk["free_bytes"] / max(1, disk["size_bytes"])
    sentence = (
        f"After the run {free_pct:.1f} % of the disk for the stored files was free (at least {least_pct:g} %): a disk "
        "that is nearly full creates files more slowly."
    )
    return gate("disk_free", free_pct >= least_pct, round(free_pct, 1), "% of the disk", least_pct, sentence)


def _ceiling(name: str, figure: float | None, limit: float, whose: str = "") -> dict[str, Any]:
    unit, sentence = CEILINGS[name]
    if figure is None:
        return gate(name, False, None, unit, limit, f"The gate {name} could not be computed: its samples are missing.")
    said = sentence.format(figure=figure, limit=limit, whose=whose)
    return gate(name, figure < limit, round(figure, 3), unit, limit, said)


def _growth(rows: dict[str, NDArray[np.float64]], column: str, start_ns: int, end_ns: int) -> float | None:
    """Return how much a cumulative counter grew between two times, by linear interpolation; None without samples."""
    known = ~np.isnan(rows[column])
    if known.sum() < 2:
        return None
    at = np.interp([start_ns, end_ns], rows["time_ns"][known], rows[column][known])
    return float(at[1] - at[0])
