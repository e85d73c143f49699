"""The stacks that a profiler saw, with the time each took and whose code was running."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from uploadlab.explain.profilers import INTERVAL_MS, PERF_HZ, PERF_STACKS

Place = Literal["kernel", "gc", "runtime", "library", "own"]
NOT_WORK = ("(idle)", "(root)")
JAVA_KINDS = re.compile(r"_\[[ij01]\]$")
KERNEL_FRAME = "_[k]"
JAVA_GC = re.compile(
    r"GCTask|WorkerThread::run|GangWorker|VM_G1|VM_GenCollect|VM_Parallel|ConcurrentGCThread|CollectedHeap"
)
JAVA_RUNTIME = ("java/", "javax/", "jdk/", "sun/", "com/sun/")
GO_GC = re.compile(r"^runtime\.(gcBgMarkWorker|gcAssistAlloc|bgsweep|bgscavenge|gcStart|gcMarkDone)")
FROM_PACKAGES = ("/node_modules/", "/site-packages/")
COMPILED_AT_RUN_TIME = ("//anon", "/tmp/perf-", "[JIT]", "[anon")
SOURCES = ("*.java", "*.kt", "*.scala", "*.groovy")
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Frames from the outermost to the one that ran."""

    frames: tuple[str, ...]
    seconds: float
    place: Place


def own_packages(folder: Path) -> list[str]:
    """Return the packages of Java's that the sources below a system's folder are in, as profilers write them."""
    found = (PACKAGE.search(path.read_text("utf-8", "replace")) for kind in SOURCES for path in folder.rglob(kind))
    return sorted({match[1].replace(".", "/") for match in found if match})


def stacks_in(folder: Path, system: Path, packages: Sequence[str]) -> tuple[str, list[Stack]]:
    """Return who profiled a run, in a word, and what it saw; the runtime's own profiler goes before `perf`."""
    if found := sorted(folder.glob("node-*.cpuprofile")):
        return "V8's profiler", together(stack for path in found for stack in of_node(path))
    if found := sorted(folder.glob("java-*.stacks")):
        return "async-profiler", together(stack for path in found for stack in of_java(path, packages))
    if (path := folder / PERF_STACKS).exists():
        return "perf", together(of_perf(path, system))
    return "", []


def together(stacks: Iterable[Stack]) -> list[Stack]:
    """Return each stack once, with the time of all."""
    seconds: dict[tuple[tuple[str, ...], Place], float] = defaultdict(float)
    for stack in stacks:
        seconds[stack.frames, stack.place] += stack.seconds
    return [Stack(frames=frames, seconds=of, place=place) for (frames, place), of in seconds.items()]


def of_node(path: Path) -> Iterator[Stack]:
    """Yield the stacks of a `.cpuprofile`."""
    profile: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    nodes = {node["id"]: node for node in profile["nodes"]}
    parents = {child: node["id"] for node in profile["nodes"] for child in node.get("children", ())}
    spent: dict[int, float] = defaultdict(float)
    for node, delta_us in zip(profile["samples"], profile["timeDeltas"], strict=True):
        spent[node] += max(delta_us, 0) / 1e6
    for node, seconds in spent.items():
        at = nodes[node]["callFrame"]
        if at["functionName"] in NOT_WORK:
            continue
        frames, place = [], node
        while place in parents:
            frames.append(_node_frame(nodes[place]["callFrame"]))
            place = parents[place]
        yield Stack(frames=tuple(reversed(frames)), seconds=seconds, place=_place_in_node(at))


def _node_frame(at: dict[str, Any]) -> str:
    name, url = at["functionName"] or "(anonymous)", at["url"].removeprefix("file://")
    _, packages, inside = url.rpartition("/node_modules/")
    where = inside if packages else url if url.startswith("node:") else Path(url).name
    return f"{name} {where}:{at['lineNumber'] + 1}" if where else name


def _place_in_node(at: dict[str, Any]) -> Place:
    if at["functionName"] == "(garbage collector)":
        return "gc"
    if not at["url"] or at["url"].startswith("node:"):
        return "runtime"
    return "library" if FROM_PACKAGES[0] in at["url"] else "own"


def of_java(path: Path, packages: Sequence[str]) -> Iterator[Stack]:
    """Yield async-profiler's collapsed stacks, whose frames say how they ran (`ann`)."""
    for line in path.read_text("utf-8", "replace").splitlines():
        text, _, count = line.rpartition(" ")
        frames = text.split(";")
        seconds = int(count) * INTERVAL_MS / 1000
        yield Stack(
            frames=tuple(JAVA_KINDS.sub("", frame) for frame in frames),
            seconds=seconds,
            place=_place_in_java(frames, packages),
        )


def _place_in_java(frames: Sequence[str], packages: Sequence[str]) -> Place:
    if frames[-1].endswith(KERNEL_FRAME):
        return "kernel"
    if any(JAVA_GC.search(frame) for frame in frames):
        return "gc"
    if not JAVA_KINDS.search(frames[-1]) or frames[-1].startswith(JAVA_RUNTIME):
        return "runtime"
    package = JAVA_KINDS.sub("", frames[-1]).rpartition(".")[0].rpartition("/")[0]
    return "own" if package in packages or not package else "library"


def of_perf(path: Path, system: Path) -> Iterator[Stack]:
    """Yield the stacks that `perf script` prints, the innermost frame first."""
    frames: list[tuple[str, str]] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in [*lines, ""]:
            if line.startswith(("\t", " ")) and line.strip():
                _, _, rest = line.strip().partition(" ")
                symbol, _, dso = rest.rpartition(" (")
                frames.append((symbol.strip() or "[unknown]", dso.removesuffix(")")))
            elif frames and not line.strip():
                names = tuple(symbol for symbol, _ in reversed(frames))
                yield Stack(frames=names, seconds=1 / PERF_HZ, place=_place_in_perf(frames, system))
                frames = []


def _place_in_perf(frames: Sequence[tuple[str, str]], system: Path) -> Place:
    symbol, dso = frames[0]
    if dso.startswith("[kernel") or dso.startswith("[guest.kernel"):
        return "kernel"
    if any(GO_GC.match(name) for name, _ in frames):
        return "gc"
    if any(name.startswith("runtime.goexit") for name, _ in frames):
        first = symbol.partition("/")[0]
        own = symbol.startswith("main.")
        return "own" if own else "library" if "." in first and "/" in symbol else "runtime"
    if any(packages in dso for packages in FROM_PACKAGES):
        return "library"
    return "own" if dso.startswith((str(system), *COMPILED_AT_RUN_TIME)) else "runtime"
