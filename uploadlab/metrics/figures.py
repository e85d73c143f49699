"""Every figure of one run, from its raw files."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ONE_CLOCK, ClockAlignment
from monitoring.errors import RecordingError
from uploadlab.errors import LabError
from uploadlab.metrics.window_figures import window_figures
from uploadlab.raw.operations import ran_alone, read_operations, recorded_every
from uploadlab.raw.raw_files import recorded_file
from uploadlab.raw.recordings import Samples, Snapshots, read_samples_file, read_snapshots
from uploadlab.raw.request_file import RequestCounts, read_requests
from uploadlab.raw.runtime import Runtime, read_runtime
from uploadlab.raw.wire import WIRE_FIGURES, JoinedRequests, read_joined, wire_figures
from uploadlab.results.campaign import Run
from uploadlab.statistics.distribution import Distribution
from uploadlab.statistics.quantisation import clock_of
from uploadlab.table_file import Value, as_number

Found = TypeVar("Found")
NS_PER_MS = 1_000_000
LEAST_SAMPLED_NS = 1_000_000_000
"""Ten of the sampler's rows: over less, what lies between two of them would count for too much."""
NS_PER_SECOND = 1_000_000_000
LEAST_NMON_NS = 2 * NS_PER_SECOND
"""Whose snapshots are a second each: into less than two none need fit."""
MB = 1_000_000

QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p95_ms": 0.95, "p99_ms": 0.99, "p999_ms": 0.999, "p9999_ms": 0.9999}
REQUEST_FIGURES = (
    "requests", "errors", "error_pct", "mean_ms", "sd_ms", "mad_ms", "cv", "min_ms", *QUANTILES, "max_ms", "ttfb_ms",
    "connect_ms", "throughput_rps", "sent_bytes",
    "clock_mean_error_us", "clock_variance_pct", "sd_without_clock_ms", "cv_without_clock",
    "steady_from_s", "steady_to_s", "steady_requests", "steady_mean_ms", "steady_cv", "steady_cv_without_clock",
    "steady_p99_ms", "steady_late_over_early",
    "first_requests", "first_mean_ms", "first_max_ms", "first_variance_pct", "later_mean_ms", "later_cv",
    "later_p99_ms", "settled", "cut_requests", "whole_mean_ms", "whole_cv", "whole_p99_ms",
    "scheduled_mean_ms", "scheduled_p50_ms", "scheduled_p90_ms", "scheduled_p99_ms", "scheduled_p999_ms",
    "scheduled_max_ms", "late_mean_ms", "late_p99_ms",
)  # fmt: skip
_OF_TIMES = ("_ms", "cv", "without_clock", "variance_pct", "error_us")
FIGURES_OF_TIMES = tuple(
    name for name in REQUEST_FIGURES if name.endswith(_OF_TIMES) and name not in ("ttfb_ms", "connect_ms")
)
"""Those that an operation has which is one event, and takes no time: none of them."""
NMON_FIGURES = ("cpu_pct", "cpu_sd", "wait_pct", "steal_pct", "pswitch_per_s", "nmon_snapshots")
ROLE_SAMPLER_FIGURES = (
    "server_cpu_pct", "server_cpu_us_per_request", "server_cpu_of_thirds", "server_switches_per_request",
    "server_voluntary_per_request", "server_involuntary_per_request", "server_wait_ms_per_request", "injector_cpu_pct",
    "injector_wait_ms_per_request",
)  # fmt: skip
"""Those of the samplers that are of a role's own processes."""
HOST_SAMPLER_FIGURES = ("listen_overflows", "retransmits", "psi_cpu_pct", "psi_io_pct", "dirty_mb_max")
"""Those that are of the server's whole host, whoever else uses it."""
RUNTIME_FIGURES = ("gc_pauses", "gc_pct", "safepoint_pct", "loop_delay_mean_ms", "loop_delay_max_ms")
FIGURES = (
    *REQUEST_FIGURES, *NMON_FIGURES, *ROLE_SAMPLER_FIGURES, *HOST_SAMPLER_FIGURES, "core_work_ms", *RUNTIME_FIGURES,
    *WIRE_FIGURES,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Injector:
    """What the sampler saw of one host of the load generator, on the first one's clock."""

    samples: Samples
    cores: int


@dataclass(frozen=True, kw_only=True)
class RunRecordings:
    """The raw files of one run, read; a file that cannot be used is None and has a sentence in ``problems``."""

    requests: RequestCounts
    snapshots: Snapshots | None
    server: Samples | None
    injector: Samples | None
    further_injectors: tuple[Injector, ...]
    """Of a load that several hosts made: all but the first."""
    runtime: Runtime | None
    joined: JoinedRequests | None
    problems: tuple[str, ...]
    operations: Mapping[str, Value] = field(default_factory=dict)
    """Of a run whose parts recorded: what else their records say, by column."""


def read_recordings(run: Run, declared: Mapping[str, Any]) -> RunRecordings:
    """Read the raw files of a complete run; ``declared`` are the tables of its study.

    Raises LabError when the request file is missing, damaged, or does not hold as many requests as ``run.json``
    counted.
    """
    problems: list[str] = []
    operations: dict[str, Value] = {}
    label = label_of(run, declared)
    if run.conducted:
        requests, operations = read_operations(run, declared)
        operations |= _cpu_per_operation(run, declared, requests, operations, problems)
        operations |= at_least(gate_figures(run, declared), operations)
        if "at" in (declared.get("operation") or {}):
            operations = dict.fromkeys(FIGURES_OF_TIMES) | operations
    else:
        requests = read_requests(
            recorded_file(run, "requests.jtl"), origin_ms=run.window_ns[0] / NS_PER_MS, **measured_of(run, label)
        )
        counted = run.record.counts.requests
        found = int(requests.count.sum())
        if counted is not None and counted != found:
            raise LabError(
                f"{run.folder / 'requests.jtl'} holds {found} measured requests, run.json counted {counted}."
            )

    watched = run.record.watched  # else nothing was recorded, on purpose
    clocks = run.clocks
    return RunRecordings(
        requests=requests,
        snapshots=_usable(problems, lambda: _read_snapshots(run)) if watched else None,
        server=_samples(run, run.server_role, run.clock_of_role(run.server_role), problems) if watched else None,
        injector=_samples(run, "injector", ONE_CLOCK, problems) if watched and not run.conducted else None,
        further_injectors=_further_injectors(run, problems) if watched else (),
        runtime=_usable(problems, lambda: read_runtime(run.folder, clocks)),
        joined=_usable(problems, lambda: _read_joined(run, label)),
        problems=tuple(problems),
        operations=operations,
    )


def label_of(run: Run, declared: Mapping[str, Any]) -> str | None:
    """Return what the measured requests of a run are called; None where all are measured."""
    return run.window.label if run.window else (declared.get("operation") or {}).get("label")


def at_least(counted: Mapping[str, Value], recorded: Mapping[str, Value]) -> dict[str, Value]:
    """Return what the driver counted, or the records show if that is more: of many messages few are recorded."""

    def larger(name: str, figure: Value) -> Value:
        return max((one for one in (figure, recorded.get(name)) if isinstance(one, int | float)), default=None)

    return {name: larger(name, figure) for name, figure in counted.items()}


def gate_figures(run: Run, declared: Mapping[str, Any]) -> dict[str, Value]:
    """Return what the driver counted for its gates, messages out of order for one, where a metric is named so."""
    columns = {of.get("column") for of in (declared.get("metrics") or {}).values()}
    return {gate.name: gate.figure for gate in run.record.gates if gate.name in columns}


def _cpu_per_operation(
    run: Run,
    declared: Mapping[str, Any],
    requests: RequestCounts,
    told: Mapping[str, Value],
    problems: list[str],
) -> dict[str, Value]:
    """Return the CPU time for an operation, µs: of each measured role and, where all are known, of all together.

    Of a level of the factor that varies within the run it is the sampler's only if the level's operations had the time
    to themselves and that was long enough; else what the parts have told, who know it in coarse ticks.
    """
    measured = [name for name, role in (declared.get("roles") or {}).items() if role.get("measured")]
    columns = {name: f"{name}_cpu_us_per_operation" for name in measured}
    found: dict[str, Value] = {}
    if run.record.watched:
        found = _sampled_cpu(run, declared, requests, columns, problems)
    if not found:
        found = {column: told[column] for column in columns.values() if told.get(column) is not None}
    if not measured or len(found) < len(measured):
        return found
    return {**found, "cpu_us_per_operation": sum(float(str(value)) for value in found.values())}


def _sampled_cpu(
    run: Run,
    declared: Mapping[str, Any],
    requests: RequestCounts,
    columns: Mapping[str, str],
    problems: list[str],
) -> dict[str, Value]:
    """Return the CPU time of each role for an operation, µs, by the samplers; ``columns`` are named by role."""
    begin_ns, end_ns = run.window_ns
    if run.within_run is not None:
        begin_ns, end_ns = (int(end_ms * NS_PER_MS) for end_ms in (requests.start_ms, requests.end_ms))
        if end_ns - begin_ns < LEAST_SAMPLED_NS or not ran_alone(run, declared, begin_ns, end_ns):
            return {}
    window = np.array((begin_ns, end_ns), dtype=np.int64)
    made = int(requests.count.sum()) * recorded_every(run)
    found: dict[str, Value] = {}
    for name, column in columns.items():
        samples = _samples(run, name, run.clock_of_role(name), problems)
        grown = None if samples is None else finite(samples.increase("role_cpu_ns", window)[0])
        if grown is not None:
            found[column] = grown / 1000 / made
    return found


def _further_injectors(run: Run, problems: list[str]) -> tuple[Injector, ...]:
    found = []
    for role, cores in run.further_injectors.items():
        samples = _samples(run, role, run.clock_of_injector(role), problems)
        if samples is not None:
            found.append(Injector(samples=samples, cores=max(1, cores)))
    return tuple(found)


def _samples(run: Run, role: str, clock: ClockAlignment, problems: list[str]) -> Samples | None:
    """Return what the sampler saw of a role; None where its file cannot be used."""
    return _usable(problems, lambda: read_samples_file(recorded_file(run, f"{role}.samples.csv"), clock))


def _usable(problems: list[str], read: Callable[[], Found]) -> Found | None:
    """Return what is read; None, and a sentence added to the problems, where it cannot be."""
    try:
        return read()
    except LabError as error:
        problems.append(str(error))
    except RecordingError as error:
        problems.append(f"{error}.")
    return None


def measured_of(run: Run, label: str | None) -> dict[str, Any]:
    """Return which requests of a run's file are measured, in the parameters of `read_requests`."""
    if run.window:
        return {"label": label, "window_ns": run.window_ns}
    return {"label": label, "from_ms": cut_before(run, label)}


def cut_before(run: Run, label: str | None) -> float | None:
    """Return the instant before which requests are not measured, epoch ms; None where none are cut away.

    Those are requests that had not settled and, where no label tells it, the warm-up.
    """
    cut = run.record.counts.cut_requests
    if run.measure_start_ns is None or (label and not cut):
        return None
    return run.measure_start_ns / NS_PER_MS if cut else run.measure_start_ns // NS_PER_MS


def _read_snapshots(run: Run) -> Snapshots:
    started_ns, written_ns = run.record.phases.collectors_start_ns, run.record.nmon_written_ns
    path = recorded_file(run, "server.nmon")
    return read_snapshots(path, run.clocks, started_ns=started_ns, written_ns=written_ns)


def _read_joined(run: Run, label: str | None) -> JoinedRequests | None:
    """Join the packets of the server's port to the requests; None where nothing was captured."""
    port = run.processes_of("server").port
    return None if port is None else read_joined(run.folder, port, cut_before(run, label), run.clocks, label)


def run_figures(run: Run, recordings: RunRecordings, distribution: Distribution) -> dict[str, Value]:
    """Return the figures of ``runs.csv`` for one run, by column; unknown ones are None."""
    every = recorded_every(run)
    requests = every * int(recordings.requests.count.sum())
    if run.window and (ended := run.window.counts.ended) is not None:
        requests = ended
    return {
        **request_figures(recordings.requests, distribution, every),
        **settling_figures(run, recordings.requests),
        **nmon_figures(run, recordings.snapshots),
        **sampler_figures(run, recordings.server, _injectors(run, recordings), requests),
        "core_work_ms": core_work_ms(run),
        **runtime_figures(run, recordings.runtime),
        **wire_figures(recordings.joined),
        **recordings.operations,
        **window_figures(run, recordings.requests, recordings.server),
    }


def _injectors(run: Run, recordings: RunRecordings) -> list[Injector]:
    """Return every host of the load generator; none where one of them is not known: the rest would not be the whole."""
    if recordings.injector is None or len(recordings.further_injectors) < len(run.further_injectors):
        return []
    return [Injector(samples=recordings.injector, cores=max(1, len(run.injector_cores))), *recordings.further_injectors]


def request_figures(counts: RequestCounts, distribution: Distribution, every: int = 1) -> dict[str, Value]:
    """Return the figures that come from requests; parts that record may have recorded one operation in ``every``."""
    n = distribution.n
    errors = int(counts.count[counts.failed].sum())
    duration_s = (counts.end_ms - counts.start_ms) / 1000
    clock = clock_of(distribution)
    return {
        "requests": n,
        "errors": errors,
        "error_pct": 100 * errors / n,
        **statistics_of(distribution, ("mean_ms", "sd_ms", "mad_ms", "cv", "min_ms", *QUANTILES, "max_ms")),
        "ttfb_ms": counts.ttfb_ms,
        "connect_ms": counts.connect_ms,
        "throughput_rps": n * every / duration_s if duration_s > 0 else None,
        "sent_bytes": None if counts.sent_bytes is None else counts.sent_bytes * every,
        "clock_mean_error_us": clock.mean_error_us,
        "clock_variance_pct": clock.variance_pct,
        "sd_without_clock_ms": clock.sd_ms,
        "cv_without_clock": clock.cv,
        **_steady_figures(counts),
        **_first_figures(counts, distribution),
        **_schedule_figures(counts),
    }


def statistics_of(distribution: Distribution, names: Iterable[str], prefix: str = "") -> dict[str, Value]:
    """Return some statistics of a distribution of times (mean, sd, mad, cv, quantiles) by their columns."""
    quantiles = {"min_ms": 0.0, **QUANTILES, "max_ms": 1.0}
    return {
        prefix + name: distribution.percentile(quantiles[name])
        if name in quantiles
        else getattr(distribution, name.removesuffix("_ms"))
        for name in names
    }


def settling_figures(run: Run, counts: RequestCounts) -> dict[str, Value]:
    """Return whether the run settled and, where its window is the settled part, what the whole of it showed."""
    settled = run.record.settled
    figures: dict[str, Value] = {"settled": settled.settled if settled else None}
    if run.record.load.window != "settled":
        return figures
    whole = statistics_of(counts.whole, ("mean_ms", "cv", "p99_ms"), "whole_")
    return figures | {"cut_requests": run.record.counts.cut_requests} | whole


def _schedule_figures(counts: RequestCounts) -> dict[str, Value]:
    """Return response times from when requests were due, and how late they were sent (open arrivals)."""
    if counts.scheduled is None or counts.late is None:
        return {}
    names = ("mean_ms", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    late = statistics_of(counts.late, ("mean_ms", "p99_ms"), "late_")
    return statistics_of(counts.scheduled, names, "scheduled_") | late


def _steady_figures(counts: RequestCounts) -> dict[str, Value]:
    if counts.steady_from_ms is None or counts.steady_to_ms is None:
        return {}
    steady, (early, late) = counts.steady, counts.steady_thirds
    return {
        "steady_from_s": (counts.steady_from_ms - counts.origin_ms) / 1000,
        "steady_to_s": (counts.steady_to_ms - counts.origin_ms) / 1000,
        "steady_requests": steady.n,
        **statistics_of(steady, ("mean_ms", "cv", "p99_ms"), "steady_"),
        "steady_cv_without_clock": clock_of(steady).cv,
        "steady_late_over_early": late / early if early and late else None,
    }


def _first_figures(counts: RequestCounts, distribution: Distribution) -> dict[str, Value]:
    """Return what the users' first requests took, on new connections, and what is left without them (closed loops)."""
    first, later = counts.first, distribution.without(counts.first)
    if not first.n or not later.n or distribution.mean is None or distribution.sd is None:
        return {}
    total = (distribution.n - 1) * distribution.sd**2
    around_mean = float(np.sum(first.counts * (first.values - distribution.mean) ** 2))
    return {
        "first_requests": first.n,
        **statistics_of(first, ("mean_ms", "max_ms"), "first_"),
        "first_variance_pct": 100 * around_mean / total if total else None,
        **statistics_of(later, ("mean_ms", "cv", "p99_ms"), "later_"),
    }


def nmon_figures(run: Run, snapshots: Snapshots | None) -> dict[str, Value]:
    """Return the figures that come from nmon, over the snapshots inside the measured window."""
    if snapshots is None or run.in_turns:
        return dict.fromkeys(NMON_FIGURES)
    start_ns, end_ns = run.window_ns
    inside = snapshots.inside(start_ns, end_ns)
    cpu_pct = snapshots.cpu_pct(run.server_cores)[inside]
    return {
        "cpu_pct": mean_known(cpu_pct),
        "cpu_sd": _sd(cpu_pct),
        "wait_pct": mean_known(snapshots.share("wait", run.server_cores)[inside]),
        "steal_pct": mean_known(snapshots.share("steal", run.server_cores)[inside]),
        "pswitch_per_s": mean_known(snapshots.pswitch_per_s[inside]),
        "nmon_snapshots": int(inside.sum()),
    }


def nmon_problem(run: Run, snapshots: Snapshots | None, figures: Mapping[str, Value]) -> str | None:
    """Return why a usable nmon recording gives no CPU share; None where it gives one, or there is no recording."""
    if snapshots is None or run.in_turns or figures["cpu_pct"] is not None:
        return None
    start_ns, end_ns = run.window_ns
    if end_ns - start_ns < LEAST_NMON_NS:
        return None
    if not snapshots.inside(start_ns, end_ns).any():
        measured_s = (end_ns - start_ns) / NS_PER_SECOND
        return f"server.nmon: no snapshot lies entirely in the {measured_s:.1f} s that were measured."
    missing = [core for core in run.server_cores if core not in snapshots.cores]
    if missing or not snapshots.cores:
        cores = ", ".join(f"CPU{core + 1:03}" for core in missing) or "CPUnnn"
        return f"server.nmon has no rows {cores}, the shares of the server's cores."
    return "server.nmon has no CPU share of the server's cores in the part that was measured."


def sampler_figures(run: Run, server: Samples | None, injectors: Sequence[Injector], requests: int) -> dict[str, Value]:
    """Return the figures that come from the 100 ms samplers, over the measured window.

    Where several hosts made the load: the CPU of the busiest, the wait of all together per request.
    """
    window = np.array(run.window_ns, dtype=np.int64)
    window_ns = run.active_ns
    per_request = 1 / max(1, requests)

    def grew(samples: Samples, name: str) -> float:
        return float(samples.increase(name, window)[0])

    found: dict[str, float] = {}
    if server is not None and window_ns > 0:
        cpu_ns = grew(server, "role_cpu_ns")
        voluntary, involuntary = (grew(server, f"role_{kind}_switches") for kind in ("voluntary", "involuntary"))
        found |= {
            "server_cpu_pct": cpu_ns * (100 / window_ns),
            "server_cpu_us_per_request": cpu_ns * (per_request / 1000),
            "server_cpu_of_thirds": _cpu_of_thirds(run, server),
            "server_switches_per_request": (voluntary + involuntary) * per_request,
            "server_voluntary_per_request": voluntary * per_request,
            "server_involuntary_per_request": involuntary * per_request,
            "server_wait_ms_per_request": grew(server, "role_wait_ns") * (per_request / NS_PER_MS),
            "listen_overflows": np.rint(grew(server, "tcp_listen_overflows")),
            "retransmits": np.rint(grew(server, "tcp_retransmitted_segments")),
            "psi_cpu_pct": grew(server, "psi_cpu_some_us") * (100_000 / window_ns),
            "psi_io_pct": grew(server, "psi_io_some_us") * (100_000 / window_ns),
            "dirty_mb_max": server.largest("memory_dirty_bytes", window)[0] * (1 / MB),
        }
    if injectors and window_ns > 0:
        cpu_pct = [grew(one.samples, "role_cpu_ns") * (100 / window_ns / one.cores) for one in injectors]
        wait_ns = sum(grew(one.samples, "role_wait_ns") for one in injectors)
        found |= {
            "injector_cpu_pct": float(np.max(cpu_pct)),
            "injector_wait_ms_per_request": wait_ns * (per_request / NS_PER_MS),
        }
    figures: dict[str, Value] = {
        name: finite(found.get(name, np.nan)) for name in (*ROLE_SAMPLER_FIGURES, *HOST_SAMPLER_FIGURES)
    }
    if run.in_turns:
        figures |= dict.fromkeys(HOST_SAMPLER_FIGURES)
    # The samplers saw the whole run, of which this level is a part; or none ended in the window, under a load too high.
    if run.within_run is not None or requests == 0:
        figures |= dict.fromkeys(name for name in figures if name.endswith("_per_request"))
    return figures


def _cpu_of_thirds(run: Run, server: Samples) -> float:
    """Return the CPU per request in the dearest third of the window's whole seconds over that in the cheapest."""
    ended_per_s = run.record.counts.ended_per_s
    seconds = np.linspace(0, len(ended_per_s), 4).astype(np.int64)
    ended = np.array([sum(ended_per_s[begin:end]) for begin, end in itertools.pairwise(seconds)])
    if run.within_run is not None or not ended.all():
        return np.nan
    cpu_ns = server.increase("role_cpu_ns", run.window_ns[0] + seconds * NS_PER_SECOND) / ended
    return float(cpu_ns.max() / cpu_ns.min()) if cpu_ns.min() else np.nan


def core_work_ms(run: Run) -> float | None:
    """Return what a fixed piece of work cost the slowest of the server's cores just before the run, ms."""
    noise = run.record.noise
    seen = (noise.get("server") or noise.get("host") or {}).get("work_ms") or {}
    works_ms = [seen.get(str(core)) for core in run.processes_of("server").cores]
    return max(map(float, filter(None, works_ms)), default=None)


def runtime_figures(run: Run, runtime: Runtime | None) -> dict[str, Value]:
    """Return the figures that the server's runtime wrote about itself, over the measured window."""
    start_ns, end_ns = run.window_ns
    if runtime is None or end_ns <= start_ns:
        return dict.fromkeys(RUNTIME_FIGURES)
    window = np.array([start_ns, end_ns], dtype=np.int64)
    share = 100 * NS_PER_MS / run.active_ns
    delay, safepoints = runtime.loop_delay, runtime.safepoints
    return {
        "gc_pauses": int(runtime.collections.pauses(window)[0]),
        "gc_pct": share * float(runtime.collections.spent_ms(window)[0]),
        "safepoint_pct": share * float(safepoints.spent_ms(window)[0]) if safepoints else None,
        "loop_delay_mean_ms": finite(delay.means(window)[0]) if delay else None,
        "loop_delay_max_ms": delay.largest_ms(start_ns, end_ns) if delay else None,
    }


def finite(value: float) -> float | None:
    """Return a figure of an array, None for NaN."""
    return float(value) if np.isfinite(value) else None


def mean_known(values: NDArray[np.float64]) -> float | None:
    """Return the mean of the values that are known, None where none is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _sd(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else None


def valid_figures(rows: Sequence[Mapping[str, Value]], column: str) -> list[float]:
    """Return a column of the valid runs among some rows, unknown values left out."""
    values = (as_number(row.get(column)) for row in rows if row.get("valid") is True)
    return [value for value in values if value is not None]
