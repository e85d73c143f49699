"""Make a campaign's runs, one after the other, until each cell has what was planned."""

import functools
import json
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from uploadlab.campaigns.explain import make_profiled_runs
from uploadlab.campaigns.live import LivePage
from uploadlab.campaigns.progress import Progress
from uploadlab.campaigns.report import decisions, report
from uploadlab.campaigns.schedule import Schedule
from uploadlab.errors import LabError
from uploadlab.hosts import deletions
from uploadlab.interruption import unheard
from uploadlab.paths import STATE
from uploadlab.planning import driver, results
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Needs, expected_seconds
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.system import Sut
from uploadlab.records import key_of
from uploadlab.runs.attempt import Report, RunContext, server_limits
from uploadlab.runs.engines import make_credentials
from uploadlab.runs.run import steps_of_run
from uploadlab.runs.turns import in_turns

FAILURES_IN_A_ROW = 2
REMOVING = "Removing what the servers stored. Ctrl-C stops that; the next campaign removes the rest before it begins."


def execute(
    campaign: Campaign,
    needs: Needs,
    live: LivePage | None = None,
    *,
    explain: bool = False,
    of_report: Sequence[str] = (),
) -> tuple[bool, int]:
    """Make every run that is not complete, then the report, with the options `of_report`.

    Returns whether each cell got its planned number of valid runs, and how the report ended. `explain` adds a profiled
    run of each cell at the end. `live` shows the progress, and after each run the report so far. The report is made
    before what the servers stored is removed: of some million files that takes minutes.

    Raises
    ------
    LabError
        Two runs of a system in a row failed: something is wrong that going on would not mend. A campaign that fills its
        time goes on without that system.
    Interrupted
        The lab was asked to stop; what was complete stays, `--resume` makes the rest.
    """
    try:
        prepare(campaign)
        context = RunContext(campaign=campaign, needs=needs, server_limits=server_limits(campaign))
        _make_runs(context, live)
        if explain:
            make_profiled_runs(context)
        reported = report(campaign.folder, of_report)
    finally:
        stored = campaign.storage().values() if campaign.place.server_is_here else []
        with unheard(), deletions.noted(STATE, stored):
            if campaign.disks_used():
                print(REMOVING, file=sys.stderr)
            campaign.place.close()
    planned = Counter(run.cell for run in campaign.runs())  # the baseline's among them
    return all(_valid_runs(campaign, cell) >= wanted for cell, wanted in planned.items()), reported


def prepare(campaign: Campaign) -> None:
    """Have the disks made that the lab makes, and the input data on every host.

    LabError when the input data are not the same everywhere.
    """
    campaign.place.make_disks(campaign.disks_used())
    make_credentials(campaign)
    made: dict[str, Any] = {}
    for host in campaign.place.hosts.values():
        folder = host.in_campaign(campaign.folder, campaign.folder / "input")
        made[host.name] = driver.ask(host, campaign.study, "prepare", campaign.spec(host), folder)
    if len({json.dumps(one, sort_keys=True) for one in made.values()}) > 1:
        raise LabError(f"The input data made on {' and '.join(made)} differ: {made}.")


def _make_runs(context: RunContext, live: LivePage | None) -> None:
    campaign, needs = context.campaign, context.needs
    systems = {sut.key: sut for sut in campaign.all_systems()}
    planned = campaign.runs()
    todo = [run for run in planned if results.status_of(results.run_folder(campaign.folder, run)) != "complete"]
    failures = dict.fromkeys(systems, 0)
    each_s = expected_seconds(campaign, needs) / max(1, len(planned))
    with Progress(len(todo), each_s, live, campaign.study.operations) as progress:
        schedule = Schedule(campaign, needs, functools.partial(decisions, campaign.study), progress.looked)
        if campaign.profile.minutes:
            progress.count_time(60 * campaign.profile.minutes, schedule.left_s)
        given_up: set[str] = set()
        blocks = schedule.blocks()
        together = (group for block in blocks for group in _together(campaign, block))
        for group in together:
            runs = _opened(campaign, [run for run in group if run.key not in given_up])
            if not runs:
                continue
            progress.runs_started(runs)
            for record in _records_of(context, runs, systems, progress.live):
                progress.run_ended(record)
                if live:
                    live.refresh_report()
                key = key_of(record["system"], record["stack"])
                failures[key] = failures[key] + 1 if record["status"] == "failed" else 0
                if failures[key] == FAILURES_IN_A_ROW:
                    failed = f"{FAILURES_IN_A_ROW} runs of {key} in a row failed, the last because: {record['reason']}"
                    if not campaign.profile.fills_time or len(given_up) + 1 == len(systems):
                        continue_with = results.continue_command(campaign.folder)
                        raise LabError(f"Stopped: {failed} Continue with: {continue_with}")
                    given_up.add(key)
                    print(f"Going on without {key}: {failed}", file=sys.stderr)


def _together(campaign: Campaign, block: list[PlannedRun]) -> list[list[PlannedRun]]:
    """Return the runs of a block in groups of those that take turns: all that are compared, or none of them."""
    if not campaign.profile.turn_ms:
        return [[run] for run in block]
    return [[run] for run in block if run.baseline] + [[run for run in block if not run.baseline]]


def _records_of(
    context: RunContext, runs: list[PlannedRun], systems: dict[str, Sut], report: Report
) -> list[dict[str, Any]]:
    """Make runs, in turns where there are several, and return their records."""
    folders = [results.run_folder(context.campaign.folder, run) for run in runs]
    return in_turns(
        [
            steps_of_run(
                context,
                run,
                systems[run.key],
                report,
                folder,
                beside=[other for other in folders if other != folder],
            )
            for run, folder in zip(runs, folders, strict=True)
        ],
        seed=zlib.crc32(f"{context.campaign.seed}/{runs[0].order}".encode()),
    )


def _opened(campaign: Campaign, group: list[PlannedRun]) -> list[PlannedRun]:
    """Return a group, all of it, where one of its runs is still to be made; what earlier tries left is set aside."""
    folders = [results.run_folder(campaign.folder, run) for run in group]
    statuses = [results.status_of(folder) for folder in folders]
    if all(status == "complete" for status in statuses):
        return []
    for folder, status in zip(folders, statuses, strict=True):
        if status != "absent":
            results.set_aside(folder, status)
    return group


def _valid_runs(campaign: Campaign, cell: str) -> int:
    cells = (campaign.folder / kind / cell for kind in ("runs", "baseline"))
    return sum(results.is_valid(folder) for path in cells for folder in results.tries(path))
