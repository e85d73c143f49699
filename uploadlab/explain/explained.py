"""Where the CPU time of a profiled run went: the kernel's part as sampled, the rest as its profiler says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from monitoring.errors import RecordingError
from monitoring.samples_reader import read_samples
from uploadlab.explain import stacks
from uploadlab.explain.stacks import Place, Stack

FOLDER = "explain"
PROFILED_FILE = "profiled.json"
PLACES: tuple[Place, ...] = ("kernel", "gc", "runtime", "library", "own")


class Profiled(msgspec.Struct, frozen=True, kw_only=True):
    """What a profiled run leaves beside its profiles, for those who read them."""

    cell: str
    system: str
    """Its key."""
    factors: dict[str, int | str] = {}
    folder: str
    """The system's."""
    packages: list[str] = []
    """Of its own code, in Java."""


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One cell; `shares` are those of its CPU time, by place, and are none where nothing was profiled."""

    run: Profiled
    profiler: str
    shares: Mapping[Place, float]
    stacks: tuple[Stack, ...]


def explained(campaign: Path) -> Iterator[Explained]:
    """Yield what each profiled run of a campaign shows, by cell."""
    for path in sorted((campaign / FOLDER).glob(f"*/{PROFILED_FILE}")):
        run = msgspec.json.decode(path.read_bytes(), type=Profiled)
        profiler, found = stacks.stacks_in(path.parent, Path(run.folder), run.packages)
        yield Explained(
            run=run,
            profiler=profiler,
            shares=_shares(path.parent / "server.samples.csv", found) if found else {},
            stacks=tuple(found),
        )


def _shares(samples: Path, found: list[Stack]) -> dict[Place, float]:
    """Return how the CPU time of the server's whole life was spent.

    A profiler of a runtime sees no kernel and not all threads, so the kernel's share is that of the server's cores, and
    what no profiled code accounts for is the runtime's: its native code, its compilers, its pools of threads.
    """
    seen: dict[Place, float] = {
        place: sum(stack.seconds for stack in found if stack.place == place) for place in PLACES
    }
    try:
        total_s, kernel = _cpu_of(samples)
    except RecordingError:
        total_s, kernel = sum(seen.values()), seen["kernel"] / sum(seen.values())
    user_s = total_s * (1 - kernel)
    profiled: tuple[Place, ...] = ("gc", "library", "own")
    named = {place: seen[place] for place in profiled}
    scale = min(1.0, user_s / sum(named.values())) if sum(named.values()) else 0.0
    shares: dict[Place, float] = {"kernel": kernel}
    shares |= {place: scale * seconds / total_s for place, seconds in named.items()}
    return {place: shares.get(place, 1 - sum(shares.values())) for place in PLACES}


def _cpu_of(path: Path) -> tuple[float, float]:
    """Return the CPU time of the server in seconds, and the kernel's share of what its cores did meanwhile."""
    samples = read_samples(path)
    spent = {name: float(np.nanmax(samples[name]) - np.nanmin(samples[name])) for name in (
        "role_cpu_ns", "cpu_user_ticks", "cpu_system_ticks", "cpu_softirq_ticks",
    )}  # fmt: skip
    kernel = spent["cpu_system_ticks"] + spent["cpu_softirq_ticks"]
    return spent["role_cpu_ns"] / 1e9, kernel / (kernel + spent["cpu_user_ticks"])
