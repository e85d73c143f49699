"""One profiled run of each cell, after the last block: it says where the CPU goes, and is no measurement."""

import shutil
import sys

import msgspec

from uploadlab.errors import LabError
from uploadlab.explain import profilers
from uploadlab.explain.explained import FOLDER, PROFILED_FILE, Profiled
from uploadlab.explain.stacks import own_packages
from uploadlab.paths import STAMPS
from uploadlab.planning import results
from uploadlab.planning.install import carry_out
from uploadlab.planning.placement import Placement
from uploadlab.planning.study import Study
from uploadlab.runs.attempt import RunContext
from uploadlab.runs.run import make_run


def make_ready(study: Study, place: Placement) -> None:
    """Have the profilers there; LabError where no server could be profiled."""
    if study.file.roles:
        raise LabError(f"--explain: the study '{study.file.study.id}' has no server that could be profiled.")
    if not place.server_is_here:
        raise LabError(f"--explain: servers are profiled on this machine only, and they run on {place.server.name}.")
    carry_out(profilers.ASYNC_PROFILER, profilers.HERE, STAMPS)
    if not profilers.perf_is_here():
        print(profilers.NO_PERF, file=sys.stderr)


def make_profiled_runs(context: RunContext) -> None:
    """Make a profiled run of each cell that has none yet; one that fails is said and left out."""
    campaign = context.campaign
    for run in campaign.runs():
        folder = campaign.folder / FOLDER / run.cell
        if run.block != 1 or run.baseline or results.status_of(folder) == "complete":
            continue
        shutil.rmtree(folder, ignore_errors=True)
        sut = next(sut for sut in campaign.systems if sut.key == run.key)
        print(f"Profiling {run.cell}", file=sys.stderr)
        record = make_run(context, run, profilers.profiled(sut, folder), folder)
        profilers.keep_perf_stacks(folder)
        if record["status"] != "complete":
            print(f"{run.cell} could not be profiled: {record['reason']}", file=sys.stderr)
            continue
        said = Profiled(
            cell=run.cell,
            system=run.key,
            factors=run.factors,
            folder=str(sut.folder),
            packages=own_packages(sut.folder),
        )
        (folder / PROFILED_FILE).write_bytes(msgspec.json.encode(said))
