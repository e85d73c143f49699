"""Synthetic campaigns whose runs have several windows, made from numbers that are known: capacity, times, memory."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from campaigns import MEAN_BYTES, SECOND_NS, START_NS, SYSTEMS, write_json

LABELS = {"saturated": "Upload file (saturated)", "as_given": "Upload file"}
LOAD_S = 4
GAP_S = 2
USERS = 50
HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect,start_us,elapsed_us,latency_us,connect_us,scheduled_ms,"
    "scheduled_us"
)


@dataclass(frozen=True, kw_only=True)
class Server:
    """What a server's runs are drawn from; each run has a factor of its own on each figure."""

    capacity_per_s: float = 500.0
    median_ms: float = 2.0
    """At a share of the capacity; times are exponential from it on."""
    tail_ms: float = 5.0
    """The mean of what is added to a quarter of the times."""
    cpu_us: float = 400.0
    idle_mb: float = 80.0
    per_upload_kb: float = 200.0
    scatter: float = 0.02
    """Standard deviation of the log of a run's own factor."""
    error_share: float = 0.0
    held: bool = True


def label_of(load: str | int) -> str:
    """Return what the requests of a window are called."""
    return LABELS.get(str(load), f"Upload file ({load} % of capacity)")


def write_windowed_campaign(
    folder: Path,
    servers: Mapping[str, Server | Mapping[int, Server]],
    *,
    seed: int = 1,
    samples: Sequence[int] = (1, 5),
    loads: Sequence[str | int] = ("saturated", 50),
    repeats: int = 4,
    minutes: int | None = 15,
    host_drift: float = 0.1,
    failed_gates: Sequence[tuple[str, str, str | int]] = (),
    apart: bool = False,
    at: Mapping[str | int, Mapping[str, Server]] | None = None,
) -> Path:
    """Write a results folder; a server may be another one for each sample.

    ``host_drift`` is the standard deviation of the log of a block's own factor, which both its runs share.
    ``failed_gates`` names (cell of the run, repeat, load) of windows whose gate failed. ``apart`` gives each load a
    run of its own; ``at`` then says of a load which servers are there.
    """
    generator = np.random.default_rng(seed)
    plan: list[dict[str, Any]] = []
    start_ns = START_NS
    for number in range(1, repeats + 1):
        for sample in samples:
            host = float(np.exp(generator.normal(0, host_drift)))
            for name in generator.permutation(list(servers)):
                server = servers[name]
                server = server[sample] if isinstance(server, Mapping) else server
                for measured in [[load] for load in loads] if apart else [list(loads)]:
                    server = (at or {}).get(measured[0], {name: server})[name]
                    mark = {"saturated": "saturated-"}.get(str(measured[0]), f"{measured[0]}pct-") if apart else ""
                    entry = {
                        "cell": f"s{sample:02d}-local-{mark}{name}",
                        "repeat": f"{number:02d}",
                        "order": len(plan) + 1,
                        "block": number,
                        "system": name,
                        "stack": "current",
                        "factors": {"sample": sample, "disk": "local"} | ({"load": measured[0]} if apart else {}),
                    }
                    plan.append(entry)
                    run = folder / "runs" / entry["cell"] / entry["repeat"]
                    failed = [
                        load for cell, repeat, load in failed_gates if (cell, repeat) == (run.parent.name, run.name)
                    ]
                    start_ns = write_run(run, entry, server, generator, start_ns, measured, host, failed)
    settings = {"repeats": repeats, "equal_margin_pct": 10, "minutes": minutes, "most_repeats": 6}
    write_json(
        folder / "campaign.json",
        {
            "schema": 1,
            "study": {"id": "upload", "title": "Uploads"},
            "profile": {"name": "quick", "settings": settings},
            "seed": seed,
            "levels": {"sample": list(samples), "disk": ["local"], "load": list(loads)},
            "windows_factor": "load",
            "inputs": {str(sample): {"mean_bytes": MEAN_BYTES[sample]} for sample in samples},
            "systems": {name: {**_named(name), "stack": "current", "settings": {}, "versions": {}} for name in servers},
            "runs": plan,
            "rig": {
                "name": "local",
                "roles": {
                    "server": {"host": "localhost", "cores": [0]},
                    "injector": {"host": "localhost", "cores": [1]},
                },
                "server_cpu_limit_pct": None,
                "disks": {"local": {"path": "/nowhere", "device": "vda", "filesystem": "ext4", "label": "local"}},
            },
            "machine": {"cpu": {"model": "Synthetic CPU", "cores": [0, 1], "cores_online": 2}, "memory_bytes": 2**34},
            "versions": {"lab": "0.1.0", "python": "3.11.7"},
            "command": ["./lab", "run"],
            "started_ns": START_NS - 10 * SECOND_NS,
        },
    )
    return folder


def _named(system: str) -> Mapping[str, Any]:
    return SYSTEMS.get(system, {"id": system, "name": system.title()})


def write_run(
    folder: Path,
    entry: Mapping[str, Any],
    server: Server,
    generator: np.random.Generator,
    start_ns: int,
    loads: Sequence[str | int],
    host: float,
    failed_gates: Sequence[str | int],
) -> int:
    """Write one run whose first window begins 4 s after ``start_ns``; return when it ended."""
    folder.mkdir(parents=True)
    rows: list[str] = []
    windows = []
    begins, rates, levels = [], [], []
    own = {name: float(np.exp(generator.normal(0, server.scatter))) for name in ("capacity", "time", "cpu")}
    begin_ns = start_ns + 4 * SECOND_NS
    for load in loads:
        end_ns = begin_ns + LOAD_S * SECOND_NS
        shared = load if isinstance(load, int) else 100
        rate = server.capacity_per_s / host * own["capacity"] * shared / 100
        if isinstance(load, int):
            rate = server.capacity_per_s * shared / 100  # what is offered is the same for every run
        window, written = _window(server, generator, load, begin_ns, end_ns, rate, host * own["time"])
        window["gates"] = [
            {
                "name": "injector_cpu",
                "passed": load not in failed_gates,
                "figure": 91.0,
                "sentence": "The generator was busy.",
            }
        ]
        windows.append(window)
        rows += written
        begins.append((begin_ns, end_ns))
        rates.append(window["counts"]["ended"] * server.cpu_us * host * own["cpu"] * 1000)
        levels.append(_in_flight(written, begin_ns, end_ns))
        begin_ns = end_ns + GAP_S * SECOND_NS
    last_ns = begins[-1][1]
    (folder / "requests.jtl").write_text("\n".join([HEADER, *sorted(rows)]) + "\n")
    _write_samples(folder, server, start_ns, last_ns + 2 * SECOND_NS, begins, rates, levels)
    write_json(
        folder / "run.json",
        {
            "schema": 1,
            **entry,
            "load": {"threads": USERS},
            "status": "complete",
            "valid": not failed_gates,
            "gates": [{"name": "contract", "passed": True, "sentence": "Files were stored."}],
            "windows": windows,
            "phases": {
                "collectors_start_ns": start_ns,
                "load_start_ns": start_ns + SECOND_NS,
                "measure_start_ns": begins[0][0],
                "measure_end_ns": last_ns,
            },
            "counts": {"requests": len(rows)},
            "processes": {"server": {"pids": [1], "cores": [0]}, "injector": {"pids": [2], "cores": [1]}},
        },
    )
    return last_ns + 5 * SECOND_NS


def _window(
    server: Server,
    generator: np.random.Generator,
    load: str | int,
    begin_ns: int,
    end_ns: int,
    rate: float,
    slower: float,
) -> tuple[dict[str, Any], list[str]]:
    is_open = isinstance(load, int)
    n = round(rate * LOAD_S)
    starts_us = begin_ns // 1000 + np.sort(generator.integers(0, LOAD_S * 1_000_000, n))
    if is_open:
        times_us = (
            1000 * slower * (server.median_ms + (generator.random(n) < 0.25) * generator.exponential(server.tail_ms, n))
        )
    else:
        times_us = np.full(n, 1e6 * USERS / rate)
    times_us = times_us.astype(np.int64)
    failed = generator.random(n) < server.error_share
    label = label_of(load)
    rows = []
    # What a window's load does before it settles has its label, too.
    lead = [(begin_ns // 1000 - 500_000 + 1000 * number, 900_000, False) for number in range(20)]
    for start, took, bad in [*lead, *zip(starts_us.tolist(), times_us.tolist(), failed.tolist(), strict=True)]:
        due = (f"{start // 1000}", f"{start}") if is_open else ("null", "null")
        late = 100 if is_open else 0  # sent 0.1 ms after it was due
        rows.append(
            f"{(start + late) // 1000},{took // 1000},{label},{500 if bad else 200},,Uploads 1-1,text,"
            f"{'false' if bad else 'true'},,388,1000,1,1,,1,0,0,{start + late},{took},{took},0,{due[0]},{due[1]}"
        )
    ends_ns = (starts_us + times_us) * 1000
    ended = (ends_ns >= begin_ns) & (ends_ns <= end_ns)
    counts = {
        "requests": n,
        "errors": int(failed.sum()),
        "cut_requests": len(lead),
        "cut_errors": 0,
        "ended": int(ended.sum()) + (0 if is_open else USERS),  # those under way as the window begins end in it
        "ended_ok": int((ended & ~failed).sum()) + (0 if is_open else USERS),
    }
    window = {
        "load": load,
        "label": label,
        "start_ns": begin_ns,
        "end_ns": end_ns,
        "settled": True,
        "users": None if is_open else USERS,
        "rate_per_s": rate if is_open else None,
        "held": server.held if is_open else None,
        "counts": counts,
        "mean_ms": float(times_us.mean()) / 1000,
    }
    return window, rows


def _in_flight(rows: Sequence[str], begin_ns: int, end_ns: int) -> float:
    """Return how many of a window's uploads were in flight at a time, on average."""
    times_us = [int(fields[18]) for row in rows if int((fields := row.split(","))[17]) * 1000 >= begin_ns]
    return sum(times_us) * 1000 / (end_ns - begin_ns)


def _write_samples(
    folder: Path,
    server: Server,
    start_ns: int,
    end_ns: int,
    windows: Sequence[tuple[int, int]],
    cpu_ns: Sequence[float],
    in_flight: Sequence[float],
) -> None:
    """Write the samplers of both roles: CPU grows evenly within a window, memory is what is idle and in flight."""
    times = np.arange(start_ns, end_ns, SECOND_NS // 10)
    gone = [np.clip((times - begin) / (end - begin), 0, 1) for begin, end in windows]
    inside = [(times >= begin) & (times <= end) for begin, end in windows]
    used = sum(part * cpu for part, cpu in zip(gone, cpu_ns, strict=True))
    flying = sum(part * count for part, count in zip(inside, in_flight, strict=True))
    rss = server.idle_mb * 1e6 + 1000 * server.per_upload_kb * flying + 10_000_000  # 10 MB are another's, too
    for role, share in (("server", 1.0), ("injector", 0.3)):
        with (folder / f"{role}.samples.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["time_ns", "role_cpu_ns", "role_rss_bytes", "role_pss_bytes"])
            for number, (time, cpu, held) in enumerate(zip(times, used * share, rss, strict=True)):
                writer.writerow([time, int(cpu), int(held), "" if number % 5 else int(held - 10_000_000)])
