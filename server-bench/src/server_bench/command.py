"""The command line. Exit codes: 0 measured, 1 the generator was the bottleneck, 2 could not be done."""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from server_bench.contestant import Contestant, floors, library_floors, server
from server_bench.generator import Generator, Request
from server_bench.measurement import Measurement, Running
from server_bench.table import Row, markdown, markdown_against, markdown_targets, rows, write_csv
from uploadlab.errors import LabError
from uploadlab.hosts.local_host import LocalHost, ask_versions
from uploadlab.hosts.processes import Processes, clean_up_after_crash
from uploadlab.paths import STATE, STUDIES
from uploadlab.planning.install import set_up_systems
from uploadlab.planning.study import Study, load_study
from uploadlab.runs.server import start_server

GOOD, GENERATOR_WAS_BOTTLENECK, IMPOSSIBLE = 0, 1, 2
SERVER_CORE, GENERATOR_CORE = 0, 1
SERVERS = ["node", "tomcat", "tomcat,delimiter_search=horspool"]
WARM_UP_ROUNDS = 2  # until the just-in-time compilers have done most of their work
SIZES = "4096,23552,99328,419840"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        return _bench(asked)
    except LabError as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    except KeyboardInterrupt:
        print("Interrupted; nothing was left running.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./lab bench", description="Benchmarks of the lab's parts.")
    servers = parser.add_subparsers(metavar="WHAT", required=True).add_parser(
        "servers",
        help="CPU per upload and uploads a second of the servers, as ratios to two floors",
        description="Each server on core 0 in turn with two floors that do the least work for the same bytes, the "
        "generator on core 1. Ratios are within a round, medians over rounds. A server is held to the least that its "
        "own runtime and libraries need, the last table; the floors that all share are for information.",
    )
    servers.add_argument(
        "--server",
        dest="servers",
        action="append",
        metavar="SYSTEM[@STACK][,SETTING=VALUE]...",
        help=f"what to measure; repeatable (default: {' and '.join(SERVERS)})",
    )
    servers.add_argument("--sizes", type=_sizes, default=_sizes(SIZES), help=f"bytes of a file (default: {SIZES})")
    servers.add_argument(
        "--processes", type=_positive, default=3, help="of each server and floor, one after the other (default: 3)"
    )
    servers.add_argument(
        "--rounds", type=_positive, default=2, help=f"of each process, after {WARM_UP_ROUNDS} that do not count (2)"
    )
    servers.add_argument(
        "--uploads", type=_positive, default=6000, help="of one turn (default: 6,000), as many of each connection"
    )
    servers.add_argument("--megabytes", type=_positive, default=600, help="of one turn at most (default: 600)")
    servers.add_argument("--connections", type=_positive, default=16, help="at the same time (default: 16)")
    servers.add_argument("--disk", type=Path, default=Path("/dev/shm"), help="where to store (default: /dev/shm)")
    servers.add_argument("--no-library-floors", action="store_true", help="leave out the floors of Node.js and Go")
    servers.add_argument("--csv", type=Path, metavar="FILE", help="also write every single measurement")
    return parser


def _sizes(text: str) -> list[int]:
    sizes = [_positive(size.strip()) for size in text.split(",")]
    if len(set(sizes)) < len(sizes):
        raise argparse.ArgumentTypeError(f"expected each size once, not '{text}'")
    return sizes


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not '{text}'")
    return int(text)


def _bench(asked: argparse.Namespace) -> int:
    study = load_study(STUDIES / "upload")
    names = asked.servers or SERVERS
    for name in names:
        if names.count(name) > 1:
            raise LabError(f"--server {name} is given twice: each needs a name of its own, as node and node@current.")
    contestants = [
        *floors(),
        *([] if asked.no_library_floors else library_floors()),
        *(server(study, name) for name in names),
    ]
    _check_machine(asked)
    set_up_systems(contestant.sut for contestant in contestants)
    for contestant in contestants:
        ran = ", ".join(
            f"{name} {version}"
            for name, version in ask_versions(contestant.sut.folder, contestant.sut.stack.versions.command).items()
        )
        print(f"{contestant.name}: {ran}", file=sys.stderr)
    measurements = _measure(study, contestants, asked)
    table = rows(measurements)
    print(markdown(table))
    if not asked.no_library_floors:
        print(f"\n{markdown_against(measurements, [floor.name for floor in library_floors()])}")
    targets = {one.name: one.target for one in contestants if one.target is not None}
    print(f"\n{markdown_targets(measurements, targets)}")
    if asked.csv:
        with _opened(asked.csv, "w") as file:
            write_csv(measurements, file)
    return _verdict(table)


def _check_machine(asked: argparse.Namespace) -> None:
    if not {SERVER_CORE, GENERATOR_CORE} <= os.sched_getaffinity(0):
        raise LabError(f"Cores {SERVER_CORE} and {GENERATOR_CORE} are needed: one for the server, one for the load.")
    if not asked.disk.is_dir():
        raise LabError(f"--disk {asked.disk}: expected a folder.")
    needed = 2 * asked.megabytes * 10**6
    free = shutil.disk_usage(asked.disk).free
    if free < needed:
        raise LabError(f"--disk {asked.disk}: {free / 1e6:,.0f} MB are free, but {needed / 1e6:,.0f} MB are needed.")
    if asked.csv:
        with _opened(asked.csv, "a"):
            pass


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[IO[str]]:
    """Open the file of --csv; LabError when it cannot be written."""
    try:
        with path.open(mode, encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise LabError(f"--csv {path} cannot be written: {error.strerror}.") from error


def _measure(study: Study, contestants: Sequence[Contestant], asked: argparse.Namespace) -> list[Measurement]:
    """Measure each contestant in several processes: those of one contestant can differ more than their rounds do."""
    measurements = []
    for before in range(0, asked.processes * asked.rounds, asked.rounds):
        with _running(study, contestants, asked.disk) as (folder, generator, all_running):
            requests = [Request(folder, size) for size in asked.sizes]
            for round in range(before + 1 - WARM_UP_ROUNDS, before + asked.rounds + 1):
                turns = [*all_running[round % len(all_running) :], *all_running[: round % len(all_running)]]
                counts = round > before
                stage = f"round {round} of {asked.processes * asked.rounds}" if counts else "warming up"
                measured = _take_turns(turns, generator, requests, asked, round, stage)
                measurements += measured if counts else []
    return measurements


def _take_turns(
    turns: Sequence[Running],
    generator: Generator,
    requests: Sequence[Request],
    asked: argparse.Namespace,
    round: int,
    stage: str,
) -> list[Measurement]:
    measurements = []
    for request in requests:
        print(f"{stage}, {len(request.content):,} bytes", file=sys.stderr)
        each = min(asked.uploads, asked.megabytes * 10**6 // len(request.content)) // asked.connections
        uploads = max(1, each) * asked.connections
        measurements += [
            one.measure(generator, request, round=round, uploads=uploads, connections=asked.connections)
            for one in turns
        ]
    return measurements


@contextmanager
def _running(
    study: Study, contestants: Sequence[Contestant], disk: Path
) -> Iterator[tuple[Path, Generator, list[Running]]]:
    """Start the generator and every contestant; whatever happens, nothing of them is left."""
    for sentence in clean_up_after_crash(STATE):
        print(sentence, file=sys.stderr)
    processes = Processes(STATE)
    host = LocalHost(processes)
    try:
        host.keep_awake()  # else a server pays for waking the generator's core, the more the more often it does
        folder = processes.temporary(Path(tempfile.mkdtemp(prefix="server-bench-", dir=disk)))
        generator = Generator(processes, study, GENERATOR_CORE)
        yield folder, generator, [_start(host, study, one, folder / str(i)) for i, one in enumerate(contestants)]
    finally:
        host.close()
        processes.close()


def _start(host: LocalHost, study: Study, contestant: Contestant, folder: Path) -> Running:
    upload_dir, run_dir = folder / "uploads", folder / "run"
    upload_dir.mkdir(parents=True)
    run_dir.mkdir()
    started = start_server(
        host,
        contestant.sut,
        cores=[SERVER_CORE],
        upload_dir=upload_dir,
        run_dir=run_dir,
        limits=study.file.limits,
        log=folder / "server.log",
    )
    return Running(contestant=contestant, server=started, upload_dir=upload_dir)


def _verdict(table: Sequence[Row]) -> int:
    dear = [f"{row.contestant} at {row.file_bytes:,} bytes" for row in table if not row.generator_was_cheaper]
    if not dear:
        return GOOD
    print(f"The generator needed more CPU than {', '.join(dear)}: uploads a second say nothing there.", file=sys.stderr)
    return GENERATOR_WAS_BOTTLENECK
