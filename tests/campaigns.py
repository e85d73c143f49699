"""Synthetic campaigns: results folders as the harness writes them, made from numbers that are known."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

START_NS = 1_790_000_000_123_456_789  # 2026-09-21, an odd fraction of a second on purpose
SECOND_NS = 1_000_000_000
TICKS_PER_SECOND = 100
MEAN_BYTES = {1: 4, 2: 55, 3: 790, 4: 5403, 5: 22857, 6: 59864, 7: 96838, 8: 156702, 9: 253540, 10: 410243}
SYSTEMS = {
    "node": {"name": "Node.js", "description": "Express 5 and multer 2"},
    "tomcat": {"name": "Tomcat", "description": "servlet and commons-fileupload"},
    "null": {"name": "Null server", "description": "does nothing"},
}


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a cell's requests and its server are drawn from."""

    mean_ms: float = 100.0
    """Expectation of the response time over all runs."""
    cv: float = 1.0
    """sd / mean of the response time within a run, before drift."""
    between_runs: float = 0.05
    """Standard deviation of the log of a run's own factor."""
    drift: float = 0.1
    """Standard deviation of the log of a second's own factor (autoregressive, 0.8)."""
    size_share: float = 0.0
    """Share of the mean that is proportional to the size of the file."""
    error_rate: float = 0.0
    cpu_pct: float = 60.0
    wait_pct: float = 2.0
    switches_per_s: float = 20_000.0
    switches_follow_drift: float = 1.0
    """Exponent: switches per second are multiplied by (the second's factor) ** this."""
    server_cpu_us: float = 400.0
    server_switches: float = 18.0
    """Context switches of the server's threads per request."""
    server_wait_ms: float = 0.5
    """Run-queue wait of the server's threads per request."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A synthetic campaign: where it is, and the truth of each cell and run."""

    folder: Path
    truths: Mapping[str, Truth]
    run_factors: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def run(self, cell: str, repeat: str) -> Path:
        """Return the folder of one run."""
        return self.folder / "runs" / cell / repeat


def paper_like_truth(sample: int, system: str) -> Truth:
    """Return a truth of the paper's shape: Node lower and steadier but in sample 10, its CPU falling with size."""
    mean = {1: 40, 2: 42, 3: 44, 4: 48, 5: 75, 6: 95, 7: 120, 8: 150, 9: 80, 10: 9}[sample]
    cpu = {1: 69, 2: 70, 3: 68, 4: 66, 5: 62, 6: 54, 7: 36, 8: 36, 9: 26, 10: 4}[sample]
    size_share = min(0.6, MEAN_BYTES[sample] / 500_000)
    if system == "node":
        return Truth(
            mean_ms=mean,
            cv=2.0 if sample == 10 else 0.8,
            size_share=size_share,
            cpu_pct=cpu,
            switches_per_s=30_000 + 5_000 * (sample == 10),
        )
    return Truth(
        mean_ms=mean * 1.3,
        cv=1.8,
        size_share=size_share,
        cpu_pct=max(8.0, 70 - cpu),
        error_rate=0.005 if sample == 8 else 0.0,
        switches_per_s=60_000 - 4_000 * sample,
        server_cpu_us=520,
        server_switches=1.5,
        server_wait_ms=2.0,
    )


def write_campaign(
    folder: Path,
    *,
    seed: int = 1,
    samples: Sequence[int] = (1, 5, 10),
    systems: Sequence[str] = ("node", "tomcat"),
    disk: str = "local",
    also_on: Mapping[str, Sequence[int]] | None = None,
    server_cpu_limit_pct: float | None = None,
    server_shares: Sequence[int] = (),
    repeats: int = 3,
    requests: int = 6000,
    threads: int = 20,
    warmup_requests: int = 200,
    truths: Mapping[str, Truth] | None = None,
    study: str = "upload",
    profile: str = "quick",
    invalid: Sequence[tuple[str, str]] = (),
    failed: Sequence[tuple[str, str]] = (),
    monitors: bool = True,
) -> Campaign:
    """Write a whole results folder and return where it is and what is true of it.

    ``truths`` maps a cell (``s05-local-node``) to its truth; others get `paper_like_truth`. ``invalid`` names
    (cell, repeat) pairs whose injector gate failed, ``failed`` those that were not completed. ``also_on`` maps further
    disks to the samples that are measured on them too. ``server_shares`` are the shares of its core that the server is
    measured at, the largest first, where they are a factor (``s05-local-cpu25-node``).
    """
    generator = np.random.default_rng(seed)
    disks = {disk: samples, **(also_on or {})}
    cells = {
        f"s{sample:02d}-{level}-{'' if share == 100 else f'cpu{share:02d}-'}{system}": (sample, level, share, system)
        for level, chosen in disks.items()
        for sample in chosen
        for share in server_shares or (100,)
        for system in systems
    }
    known = {
        cell: (truths or {}).get(cell) or paper_like_truth(sample, system.partition("@")[0])
        for cell, (sample, _, _, system) in cells.items()
    }
    order = [(cell, repeat) for repeat in range(1, repeats + 1) for cell in generator.permutation(list(cells))]
    factors: dict[tuple[str, str], float] = {}
    plan = []
    start_ns = START_NS
    for position, (cell, number) in enumerate(order, start=1):
        sample, level, share, system = cells[cell]
        name, _, stack = system.partition("@")
        repeat = f"{number:02d}"
        entry = {
            "cell": cell,
            "repeat": repeat,
            "order": position,
            "block": number,
            "system": name,
            "stack": stack or "current",
            "factors": {"sample": sample, "disk": level} | ({"server_cpu": share} if server_shares else {}),
        }
        plan.append(entry)
        truth = known[cell]
        factors[cell, repeat] = float(np.exp(generator.normal(-(truth.between_runs**2) / 2, truth.between_runs)))
        end_ns = write_run(
            folder / "runs" / cell / repeat,
            entry,
            truth=replace(truth, mean_ms=truth.mean_ms * factors[cell, repeat]),
            generator=generator,
            start_ns=start_ns,
            requests=requests,
            threads=threads,
            warmup_requests=warmup_requests,
            valid=(cell, repeat) not in invalid,
            complete=(cell, repeat) not in failed,
            monitors=monitors,
        )
        start_ns = end_ns + 5 * SECOND_NS
    write_json(
        folder / "campaign.json",
        {
            "schema": 1,
            "study": {"id": study, "title": "Uploads: Node.js or Tomcat"},
            "profile": {
                "name": profile,
                "settings": {"repeats": repeats, "threads": threads, "samples": list(samples)},
            },
            "seed": seed,
            **({"levels": {"server_cpu": list(server_shares)}} if server_shares else {}),
            "systems": {
                system: {
                    **SYSTEMS[system.partition("@")[0]],
                    "stack": system.partition("@")[2] or "current",
                    "settings": {"backlog": 511},
                    "versions": {"runtime": "1.2.3"},
                }
                for system in systems
            },
            "runs": plan,
            "rig": {
                "name": "local",
                "roles": {
                    "server": {"host": "localhost", "cores": [0]},
                    "injector": {"host": "localhost", "cores": [1]},
                },
                "server_cpu_limit_pct": server_cpu_limit_pct,
                "disks": {
                    level: {
                        "path": f"/nowhere/uploads/{level}",
                        "device": "vda",
                        "filesystem": "ext4",
                        "rotational": level == "hdd",
                        "label": level,
                    }
                    for level in disks
                },
            },
            "machine": {
                "cpu": {"model": "Synthetic CPU", "cores": [0, 1], "cores_online": 2, "governor": None},
                "memory_bytes": 24 * 2**30,
                "kernel": "6.18.0",
                "virtual_machine": "kvm",
                "clock_source": "tsc",
                "load_1m": 0.1,
            },
            "versions": {"lab": "0.1.0", "jmeter": "5.6.3", "nmon": "16n", "java": "17.0.15", "python": "3.11.7"},
            "command": ["./lab", "run", "--profile", profile],
            "started_ns": START_NS - 10 * SECOND_NS,
        },
    )
    return Campaign(folder=folder, truths=known, run_factors=factors)


def write_run(
    folder: Path,
    entry: Mapping[str, Any],
    *,
    truth: Truth,
    generator: np.random.Generator,
    start_ns: int = START_NS,
    requests: int = 6000,
    threads: int = 20,
    warmup_requests: int = 200,
    valid: bool = True,
    complete: bool = True,
    monitors: bool = True,
) -> int:
    """Write one run folder measured from ``start_ns`` + 4 s on; return when it ended (epoch ns)."""
    folder.mkdir(parents=True)
    measure_ns = start_ns + 4 * SECOND_NS
    share = entry["factors"].get("server_cpu", 100)
    mean_bytes = MEAN_BYTES.get(entry["factors"].get("sample", 5), 22857)
    start_ms, elapsed_ms, sent_bytes, drift = draw_requests(
        truth, generator, requests=requests, threads=threads, start_ms=measure_ns // 1_000_000, mean_bytes=mean_bytes
    )
    failed = generator.random(len(elapsed_ms)) < truth.error_rate
    warm_ms = measure_ns // 1_000_000 - 2500 + np.sort(generator.integers(0, 2000, warmup_requests))
    warm_elapsed = np.minimum(generator.lognormal(4, 1, warmup_requests).astype(np.int64), 400)
    write_requests(
        folder / "requests.jtl",
        start_ms=np.concatenate([warm_ms, start_ms]),
        elapsed_ms=np.concatenate([warm_elapsed, elapsed_ms]),
        sent_bytes=np.concatenate([np.full(warmup_requests, mean_bytes + 390), sent_bytes]),
        failed=np.concatenate([np.zeros(warmup_requests, bool), failed]),
        measured=np.arange(warmup_requests + len(start_ms)) >= warmup_requests,
        user=np.concatenate(
            [np.arange(warmup_requests) % threads, np.repeat(np.arange(threads), len(start_ms) // threads)]
        ),
        threads=threads,
    )
    first_ns = int(start_ms.min()) * 1_000_000
    last_ns = int((start_ms + elapsed_ms).max()) * 1_000_000
    end_ns = last_ns + 3 * SECOND_NS
    if monitors:
        write_nmon(
            folder / "server.nmon", truth, generator, start_ns=start_ns, end_ns=end_ns, drift=drift, first_ns=first_ns
        )
        write_samples(folder, truth, generator, start_ns, end_ns, drift, first_ns, last_ns, len(elapsed_ms))
    for log in ("server.log", "jmeter.log", "load.log"):
        (folder / log).write_text("")
    sentence = "The load generator used 62 % of its core, below the limit of 80 %."
    if not valid:
        sentence = "The load generator used 91 % of its core; above 80 % it is the generator that was measured."
    errors = int(failed.sum())
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".jtl", ".nmon", ".csv")]
    write_json(
        folder / "run.json",
        {
            "schema": 1,
            **entry,
            "load": {
                "threads": threads,
                "loops": max(1, requests // threads),
                "requests": len(elapsed_ms),
                "warmup_requests": warmup_requests,
                "reader": "csv_data_set",
            },
            "settings": {"backlog": 511},
            "status": "complete" if complete else "failed",
            **({} if complete else {"reason": "JMeter ended with exit code 1."}),
            "valid": valid and complete,
            "gates": [
                {
                    "name": "injector_cpu",
                    "passed": valid,
                    "figure": 62.0 if valid else 91.0,
                    "unit": "%",
                    "threshold": 80.0,
                    "sentence": sentence,
                },
                {
                    "name": "errors",
                    "passed": True,
                    "figure": 100 * errors / len(elapsed_ms),
                    "unit": "%",
                    "threshold": 5.0,
                    "sentence": f"{errors} of {len(elapsed_ms)} requests failed.",
                },
            ],
            "phases": {
                "server_start_ns": start_ns - 3 * SECOND_NS,
                "server_ready_ns": start_ns - 2 * SECOND_NS,
                "verified_ns": start_ns - SECOND_NS,
                "collectors_start_ns": start_ns,
                "load_start_ns": start_ns + SECOND_NS,
                "measure_start_ns": first_ns,
                "measure_end_ns": last_ns,
                "load_end_ns": last_ns + SECOND_NS,
                "collectors_end_ns": end_ns,
                "server_end_ns": end_ns + SECOND_NS,
            },
            "counts": {
                "requests": len(elapsed_ms),
                "errors": errors,
                "warmup_requests": warmup_requests,
                "stored_files": len(elapsed_ms) - errors,
            },
            "processes": {
                "server": {"pids": [101], "cores": [0], **({"cpu_limit_pct": share} if share < 100 else {})},
                "injector": {"pids": [102], "cores": [1]},
            },
            "exit_codes": {"server": 0, "load": 0, "nmon": 0, "sampler": 0},
            "files": {path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in files},
        },
    )
    return end_ns


def draw_requests(
    truth: Truth, generator: np.random.Generator, *, requests: int, threads: int, start_ms: int, mean_bytes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw a closed load of ``threads`` users.

    Returns start_ms, elapsed_ms, sent_bytes (each as long as there are requests), and the factor of each second.
    """
    loops = max(1, requests // threads)
    sigma = np.sqrt(np.log1p(truth.cv**2))
    base = generator.lognormal(-(sigma**2) / 2, sigma, (threads, loops))
    size_sigma = np.sqrt(np.log1p(0.58**2))
    sizes = mean_bytes * generator.lognormal(-(size_sigma**2) / 2, size_sigma, (threads, loops))
    drift = draw_drift(truth.drift, generator, 4 * int(loops * truth.mean_ms / 1000) + 60)
    shape = (1 - truth.size_share) * base + truth.size_share * sizes / mean_bytes
    clock = generator.uniform(0, 20, threads)
    starts = np.empty((threads, loops))
    elapsed = np.empty((threads, loops))
    for loop in range(loops):
        starts[:, loop] = clock
        second = np.minimum((clock // 1000).astype(int), len(drift) - 1)
        elapsed[:, loop] = truth.mean_ms * shape[:, loop] * drift[second]
        clock = clock + elapsed[:, loop]
    begin = start_ms + np.floor(starts).astype(np.int64)
    end = start_ms + np.floor(starts + elapsed).astype(np.int64)
    return begin.ravel(), (end - begin).ravel(), (sizes.astype(np.int64) + 390).ravel(), drift


def draw_drift(sd: float, generator: np.random.Generator, seconds: int) -> np.ndarray:
    """Draw a factor for each second, mean 1: the exponential of an autoregressive series of coefficient 0.8."""
    noise = generator.normal(0, sd * np.sqrt(1 - 0.8**2), seconds)
    level = np.empty(seconds)
    level[0] = generator.normal(0, sd)
    for second in range(1, seconds):
        level[second] = 0.8 * level[second - 1] + noise[second]
    return np.exp(level - sd**2 / 2)


def write_requests(
    path: Path,
    *,
    start_ms: np.ndarray,
    elapsed_ms: np.ndarray,
    sent_bytes: np.ndarray,
    failed: np.ndarray,
    measured: np.ndarray,
    user: np.ndarray,
    threads: int,
) -> None:
    """Write a JMeter CSV in order of completion."""
    order = np.argsort(start_ms + elapsed_ms, kind="stable")
    columns = {"start": start_ms, "elapsed": elapsed_ms, "sent": sent_bytes, "bad": failed, "real": measured}
    rows = {name: values[order] for name, values in {**columns, "thread": user + 1}.items()}
    with duckdb.connect() as database:
        database.register("drawn", rows)
        database.execute(
            f"""
            COPY (
              SELECT start AS "timeStamp", elapsed, if(real, 'Upload file', 'Warm-up upload') AS label,
                if(bad, '500', '200') AS "responseCode", if(bad, 'Internal Server Error', 'OK') AS "responseMessage",
                if(real, 'Uploads 1-', 'Warm-up 1-') || thread AS "threadName", 'text' AS "dataType",
                if(bad, 'false', 'true') AS success,
                if(bad, 'Test failed: code expected to match "200", got 500', '') AS "failureMessage",
                388 AS bytes, sent AS "sentBytes", {threads} AS "grpThreads", {threads} AS "allThreads",
                'http://127.0.0.1:3000/getimages' AS "URL", greatest(elapsed - 1, 0) AS "Latency", 0 AS "IdleTime",
                if(thread % 7 = 0, least(elapsed, 1), 0) AS "Connect"
              FROM drawn
            ) TO '{path}' (HEADER, DELIMITER ',')
            """
        )


def write_nmon(
    path: Path,
    truth: Truth,
    generator: np.random.Generator,
    *,
    start_ns: int,
    end_ns: int,
    drift: np.ndarray,
    first_ns: int,
) -> None:
    """Write an nmon 16 file of a 2-core host, one snapshot a second, the first one's switch rate 0 as on Linux."""
    first = datetime.fromtimestamp(start_ns // SECOND_NS, UTC)
    lines = [
        "AAA,progname,nmon",
        "AAA,command,nmon -F server.nmon -s 1 -c 86400",
        "AAA,version,16n",
        "AAA,host,synthetic",
        "AAA,OS,Linux,6.18.0,#1 SMP,x86_64",
        f"AAA,time,{first:%H:%M.%S}",
        f"AAA,date,{first:%d-%b-%Y}".upper().replace("AAA,DATE", "AAA,date"),
        "AAA,interval,1",
        "AAA,snapshots,86400",
        "AAA,cpus,2",
        "CPU001,CPU 1 synthetic,User%,Sys%,Wait%,Idle%,Steal%",
        "CPU002,CPU 2 synthetic,User%,Sys%,Wait%,Idle%,Steal%",
        "CPU_ALL,CPU Total synthetic,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs",
        "PROC,Processes synthetic,Runnable,Blocked,pswitch,syscall,read,write,fork,exec,sem,msg",
        "BBBP,000,/etc/release",
        'BBBP,001,/etc/release,"NAME=QDebian GNU/LinuxQ"',
    ]
    for number, second in enumerate(range(start_ns // SECOND_NS + 1, end_ns // SECOND_NS + 1), start=1):
        at = datetime.fromtimestamp(second, UTC)
        offset = (second * SECOND_NS - first_ns) // SECOND_NS
        factor = drift[min(max(offset, 0), len(drift) - 1)]
        cpu = min(99.0, max(0.0, generator.normal(truth.cpu_pct, 5)))
        user, system = round(cpu * 0.6, 1), round(cpu * 0.4, 1)
        wait = round(min(100 - user - system, truth.wait_pct), 1)
        idle = round(100 - user - system - wait, 1)
        switches = 0.0 if number == 1 else truth.switches_per_s * factor**truth.switches_follow_drift
        tag = f"T{number:04d}"
        lines += [
            f"ZZZZ,{tag},{at:%H:%M:%S},{f'{at:%d-%b-%Y}'.upper()}",
            f"CPU001,{tag},{user},{system},{wait},{idle},0.0",
            f"CPU002,{tag},20.0,10.0,0.0,70.0,0.0",
            f"CPU_ALL,{tag},{(user + 20) / 2:.1f},{(system + 10) / 2:.1f},{wait / 2:.1f},{(idle + 70) / 2:.1f},0.0,,2",
            f"PROC,{tag},2,0,{switches:.1f},-1.0,-1.0,-1.0,0.0,-1.0,-1.0,-1.0",
        ]
    path.write_text("\n".join(lines) + "\n")


def write_samples(
    folder: Path,
    truth: Truth,
    generator: np.random.Generator,
    start_ns: int,
    end_ns: int,
    drift: np.ndarray,
    first_ns: int,
    last_ns: int,
    requests: int,
) -> None:
    """Write the 100 ms samplers of both roles: cumulative counters that rise evenly within each second of load."""
    times = np.arange(start_ns, end_ns, SECOND_NS // 10) + generator.integers(
        0, 2_000_000, (end_ns - start_ns - 1) // (SECOND_NS // 10) + 1
    )
    done = np.clip((times - first_ns) / (last_ns - first_ns), 0, 1)  # share of the measured window gone by
    second = np.clip((times - first_ns) // SECOND_NS, 0, len(drift) - 1).astype(int)
    busy = np.where((times >= first_ns) & (times <= last_ns), 1.0, 0.1)
    step_s = np.diff(times, prepend=times[0]) / SECOND_NS
    switches = np.cumsum(step_s * busy * truth.switches_per_s * drift[second] ** truth.switches_follow_drift)
    ticks = np.cumsum(step_s * TICKS_PER_SECOND)
    role_cpu = {"server": truth.server_cpu_us * 1000, "injector": 200_000.0}
    for role in ("server", "injector"):
        cpu = truth.cpu_pct if role == "server" else 62.0
        columns: dict[str, np.ndarray] = {
            "time_ns": times,
            "ctxt": 10_000_000 + switches,
            "procs_running": generator.integers(1, 5, len(times)),
            "procs_blocked": generator.integers(0, 2, len(times)),
            "cpu_user_ticks": 1000 + np.cumsum(step_s * busy) * cpu * 0.6,
            "cpu_system_ticks": 1000 + np.cumsum(step_s * busy) * cpu * 0.35,
            "cpu_idle_ticks": 5000 + ticks - np.cumsum(step_s * busy) * (cpu + truth.wait_pct),
            "cpu_iowait_ticks": 10 + np.cumsum(step_s * busy) * truth.wait_pct,
            "cpu_softirq_ticks": 10 + np.cumsum(step_s * busy) * cpu * 0.05,
            "cpu_steal_ticks": np.full(len(times), 3),
            "role_cpu_ns": 1_000_000_000 + done * requests * role_cpu[role],
            "role_wait_ns": 5_000_000 + done * requests * truth.server_wait_ms * 1_000_000,
            "role_voluntary_switches": 500 + done * requests * truth.server_switches * 0.9,
            "role_involuntary_switches": 50 + done * requests * truth.server_switches * 0.1,
            "role_threads": np.full(len(times), 15),
            "role_rss_bytes": np.full(len(times), 120 * 2**20),
            "psi_cpu_some_us": 1000 + np.cumsum(step_s * busy) * 300_000,
            "psi_io_some_us": 1000 + np.cumsum(step_s * busy) * 20_000,
            "psi_io_full_us": 1000 + np.cumsum(step_s * busy) * 10_000,
            "psi_memory_some_us": np.full(len(times), 0),
            "psi_memory_full_us": np.full(len(times), 0),
            "tcp_listen_overflows": 7 + (done >= 0.5) * 3,
            "tcp_listen_drops": 7 + (done >= 0.5) * 3,
            "tcp_retransmitted_segments": 100 + done * 12,
            "tcp_syn_retransmits": np.full(len(times), 1),
            "memory_available_bytes": np.full(len(times), 20 * 2**30),
            "memory_dirty_bytes": (20 + 80 * done) * 1_000_000,
            "memory_writeback_bytes": np.full(len(times), 0),
            "disk_read_bytes": np.full(len(times), 4096),
            "disk_written_bytes": 8192 + done * requests * 20_000,
            "disk_busy_ms": 100 + done * 500,
            "disk_queue_ms": 100 + done * 900,
            "sampler_cpu_ns": 1_000_000 + np.cumsum(step_s) * 5_000_000,
        }
        with (folder / f"{role}.samples.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(
                np.column_stack([np.floor(column).astype(np.int64) for column in columns.values()]).tolist()
            )


def write_json(path: Path, value: object) -> None:
    """Write a JSON file as the harness does: indented, UTF-8, a newline at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def edited(path: Path) -> Iterator[dict[str, Any]]:
    """Give the object in a JSON file, to be changed, and write it again."""
    record: dict[str, Any] = json.loads(path.read_text())
    yield record
    write_json(path, record)


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
