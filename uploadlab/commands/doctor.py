"""`./lab doctor`: what this machine can and cannot measure, and what to change."""

import argparse
import contextlib
import os
import shutil
from pathlib import Path

from rich.console import Console
from rich.table import Table

from monitoring.idle_cores import why_asleep
from monitoring.machine import virtual_machine
from uploadlab.commands import Commands
from uploadlab.commands.campaign_options import DEFAULT_PROFILE
from uploadlab.commands.chosen_campaign import new_campaign
from uploadlab.commands.run import parse_options
from uploadlab.errors import LabError
from uploadlab.hosts import cpu_limit, link, throttled_disk
from uploadlab.hosts.processes import Processes, allowed_open_files
from uploadlab.paths import REPOSITORY, STATE
from uploadlab.planning import space
from uploadlab.planning.install import is_there
from uploadlab.planning.needs import needs_of
from uploadlab.planning.placement import Placement
from uploadlab.planning.rig import local_rig
from uploadlab.planning.study import Study
from uploadlab.runs.server import OPEN_FILES

GOOD, POOR, MISSING = "[green]good[/]", "[yellow]limited[/]", "[red]missing[/]"
Row = tuple[str, str, str]


def add_to(commands: Commands) -> None:
    """Declare the command."""
    commands.add_parser("doctor", help="what this machine can and cannot measure").set_defaults(action=doctor)


def doctor(study: Study, _: argparse.Namespace) -> int:
    """Print one row a check; return 1 when something is missing without which nothing can be measured."""
    rows = [_cores(), _cpu_limit(), *_programs(study), _scheduler(), _pressure(), _open_files()]
    rows += [_load(), _governor(), _idle_cores(), _space(study), _slow_disk(), _slow_link()]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("check", "", "what it means"):
        table.add_column(title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    return int(any(row[1] == MISSING for row in rows))


def _cores() -> Row:
    try:
        rig = local_rig()
    except LabError as error:
        return ("cores", MISSING, str(error))
    server, injector = rig.roles["server"].cores, rig.roles["injector"].cores
    said = f"server on core {server[0]}, load generator on {', '.join(map(str, injector))}"
    if len(injector) < 3:
        return ("cores", POOR, f"{said}; the recorders and the system run there, too: watch the load generator's gates")
    return ("cores", GOOD, said)


def _programs(study: Study) -> list[Row]:
    rows = []
    for requirement in study.file.requires:
        name, there = requirement.command or requirement.file, is_there(requirement)
        where = shutil.which(requirement.command) or requirement.file
        means = (
            where if there else f"install with: sudo apt-get install {requirement.debian} (./lab run does it as root)"
        )
        rows.append((name, GOOD if there else MISSING, means))
    for command in ("taskset", "prlimit", "setpriv"):
        if not shutil.which(command):
            rows.append((command, MISSING, "install with: sudo apt-get install util-linux"))
    return rows


def _scheduler() -> Row:
    known = Path("/proc/self/schedstat").exists()
    trouble = "" if known else "no /proc/PID/schedstat: the load generator's wait for a core can't be measured"
    return _row("run-queue wait", trouble, "the kernel counts how long threads wait for a core", MISSING)


def _cpu_limit() -> Row:
    obstacle = cpu_limit.why_not()
    trouble = obstacle and f"{obstacle}; --server-cpu can't be used"
    good = "the server can be held to a share of its core (--server-cpu)"
    return _row("CPU limit", trouble, good)


def _pressure() -> Row:
    trouble = ""
    try:
        Path("/proc/pressure/cpu").read_text(encoding="utf-8")
    except OSError:
        trouble = "PSI is off; boot with psi=1 to see stalls of CPU, memory and disk"
    return _row("pressure stalls", trouble, "PSI is on")


def _open_files() -> Row:
    limit = allowed_open_files(OPEN_FILES)
    trouble = f"servers may open {limit} files, not {OPEN_FILES}; raise the hard limit (ulimit -Hn)"
    return _row("open files", trouble if limit < OPEN_FILES else "", f"servers get {OPEN_FILES}")


def _load() -> Row:
    load = os.getloadavg()[0]
    busy = load > 0.3 * (os.cpu_count() or 1)
    said = f"load average {load:.2f}"
    return _row("other work", f"{said}: something else is running; close it before measuring" if busy else "", said)


def _governor() -> Row:
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    governor = path.read_text(encoding="utf-8").strip() if path.exists() else None
    trouble = f"governor '{governor}': set 'performance' for steady clocks" if governor != "performance" else ""
    if governor is None:
        trouble = "the governor cannot be read (a virtual machine?): frequency changes stay unseen"
    return _row("CPU frequency", trouble, "governor 'performance'")


def _idle_cores() -> Row:
    why = why_asleep()
    if why is None:
        return ("idle cores", GOOD, "they poll while a run is measured: waking them costs nothing")
    if virtual_machine() in (None, "none"):
        return ("idle cores", GOOD, f"they sleep: {why}")
    return ("idle cores", POOR, f"they sleep: {why}; whoever wakes one pays for it with CPU")


def _slow_disk() -> Row:
    obstacle = throttled_disk.why_not()
    good = "--disks hdd stores on a disk as slow as a hard disk, made for the campaign"
    return _row("slow disk", obstacle and f"--disks hdd: {obstacle}", good)


def _slow_link() -> Row:
    option, obstacle = f"--links {link.ETHERNET_100}", link.why_not()
    good = f"{option} joins a study's parts by a network of 100 Mb/s, made for each run"
    return _row("slow link", obstacle and f"{option}: {obstacle}", good)


def _space(study: Study) -> Row:
    free = shutil.disk_usage(REPOSITORY).free
    said = f"{free / 1e9:.0f} GB free for input files and what the servers store"
    try:
        wanted, kept_free = _wanted_bytes(study)
    except LabError as error:
        return ("disk", POOR, f"{said}; what the profile {DEFAULT_PROFILE} writes is not known: {error}")
    means = f"{said}; the profile {DEFAULT_PROFILE} writes about {wanted / 1e9:.0f} GB"
    means += f" and must leave {kept_free / 1e9:.0f} GB free" if kept_free else ""
    return _row("disk", "" if free > wanted + kept_free else means, means)


def _wanted_bytes(study: Study) -> tuple[int, int]:
    """Return what `./lab run` would write here and what must stay free, as it reckons to refuse what does not fit."""
    asked = parse_options(study, [])
    with contextlib.closing(Placement(local_rig(), Processes(STATE))) as place:
        campaign = new_campaign(study, asked, place)
        rooms = space.rooms(campaign, needs_of(campaign))
        return sum(room.wanted_bytes for room in rooms), sum(room.kept_free_bytes for room in rooms)


def _row(check: str, trouble: str | None, good: str, mark: str = POOR) -> Row:
    return (check, mark, trouble) if trouble else (check, GOOD, good)
