"""`./lab doctor`: what this machine can and cannot measure, and what to change."""

import argparse
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from harness.errors import LabError
from harness.hosts import cpu_limit, link, throttled_disk
from harness.hosts.processes import allowed_open_files
from harness.paths import REPOSITORY
from harness.planning.rig import local_rig
from harness.planning.study import Study
from harness.runs.server import OPEN_FILES

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

GOOD, POOR, MISSING = "[green]good[/]", "[yellow]limited[/]", "[red]missing[/]"
ROOM_BYTES = 10_000_000_000


def add_to(commands: "Commands") -> None:
    """Declare the command."""
    commands.add_parser("doctor", help="what this machine can and cannot measure").set_defaults(action=doctor)


def doctor(study: Study, _: argparse.Namespace) -> int:
    """Print one row a check; return 1 when something is missing without which nothing can be measured."""
    rows = [_cores(), _cpu_limit(), *_programs(study), _scheduler(), _pressure(), _open_files()]
    rows += [_load(), _governor(), _space(), _slow_disk(), _slow_link()]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("check", "", "what it means"):
        table.add_column(title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    return int(any(row[1] == MISSING for row in rows))


def _cores() -> tuple[str, str, str]:
    try:
        rig = local_rig()
    except LabError as error:
        return ("cores", MISSING, str(error))
    server, injector = rig.roles["server"].cores, rig.roles["injector"].cores
    said = f"server on core {server[0]}, load generator on {', '.join(map(str, injector))}"
    if len(injector) < 3:
        return ("cores", POOR, f"{said}; the collectors and the system share the generator's: watch its gates")
    return ("cores", GOOD, said)


def _programs(study: Study) -> list[tuple[str, str, str]]:
    needed = [*study.file.requires]
    rows = []
    for requirement in needed:
        path = shutil.which(requirement.command)
        means = path or f"install with: sudo apt-get install {requirement.debian} (./lab run does it as root)"
        rows.append((requirement.command, GOOD if path else MISSING, means))
    for command in ("taskset", "prlimit", "setpriv"):
        if not shutil.which(command):
            rows.append((command, MISSING, "install with: sudo apt-get install util-linux"))
    return rows


def _scheduler() -> tuple[str, str, str]:
    if Path("/proc/self/schedstat").exists():
        return ("run-queue wait", GOOD, "the kernel counts how long threads wait for a core")
    return (
        "run-queue wait",
        MISSING,
        "this kernel has no /proc/PID/schedstat: the generator's share cannot be proven small",
    )


def _cpu_limit() -> tuple[str, str, str]:
    obstacle = cpu_limit.why_not()
    if obstacle:
        return ("CPU limit", POOR, f"{obstacle}; where the load generator can't keep up, runs will be invalid")
    return ("CPU limit", GOOD, "the server can be held to a share of its core, so that the load generator keeps up")


def _pressure() -> tuple[str, str, str]:
    try:
        Path("/proc/pressure/cpu").read_text(encoding="utf-8")
    except OSError:
        return ("pressure stalls", POOR, "PSI is off; boot with psi=1 to see stalls of CPU, memory and disk")
    return ("pressure stalls", GOOD, "PSI is on")


def _open_files() -> tuple[str, str, str]:
    limit = allowed_open_files(OPEN_FILES)
    if limit < OPEN_FILES:
        return (
            "open files",
            POOR,
            f"servers may open {limit} files, not {OPEN_FILES}; raise the hard limit (ulimit -Hn)",
        )
    return ("open files", GOOD, f"servers get {OPEN_FILES}")


def _load() -> tuple[str, str, str]:
    load = os.getloadavg()[0]
    if load > 0.3 * (os.cpu_count() or 1):
        return ("other work", POOR, f"load average {load:.2f}: something else is running; close it before measuring")
    return ("other work", GOOD, f"load average {load:.2f}")


def _governor() -> tuple[str, str, str]:
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if not path.exists():
        return (
            "CPU frequency",
            POOR,
            "the governor cannot be read (a virtual machine?): frequency changes stay unseen",
        )
    governor = path.read_text(encoding="utf-8").strip()
    if governor != "performance":
        return ("CPU frequency", POOR, f"governor '{governor}': set 'performance' for steady clocks")
    return ("CPU frequency", GOOD, "governor 'performance'")


def _slow_disk() -> tuple[str, str, str]:
    obstacle = throttled_disk.why_not()
    if obstacle:
        return ("slow disk", POOR, f"--disks hdd: {obstacle}")
    return ("slow disk", GOOD, "--disks hdd stores on a disk as slow as a hard disk, made for the campaign")


def _slow_link() -> tuple[str, str, str]:
    obstacle = link.why_not()
    if obstacle:
        return ("slow link", POOR, f"--links {link.ETHERNET_100}: {obstacle}")
    return (
        "slow link",
        GOOD,
        f"--links {link.ETHERNET_100} joins a study's parts by a network of 100 Mb/s, made for each run",
    )


def _space() -> tuple[str, str, str]:
    free = shutil.disk_usage(REPOSITORY).free
    mark = GOOD if free > ROOM_BYTES else POOR
    return (
        "disk",
        mark,
        f"{free / 1e9:.0f} GB free for input files and what the servers store; the profile quick writes about 7 GB",
    )
