"""`./lab test`: the checks and tests of every component, as many as were asked for."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import msgspec

from uploadlab.commands import Commands
from uploadlab.commands.choice import set_up_everything
from uploadlab.paths import REPOSITORY, STUDIES
from uploadlab.planning.install import require
from uploadlab.planning.study import Study, load_study
from uploadlab.planning.system import Requirement, load_system

# What only tests need: a browser for the report, a screen for JMeter's GUI, what
# makes the guests of provisioning/ and checks their descriptions, a slow disk, hosts to log in to, packets, where live
# figures go, what the parts of the sockets and queues studies are built with, a broker, LaTeX.
PROGRAMS = {
    "chromium": "chromium", "Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick", "curl": "curl",
    "bats": "bats", "virsh": "libvirt-clients", "libvirtd": "libvirt-daemon-system", "xmllint": "libxml2-utils",
    "qemu-system-x86_64": "qemu-system-x86", "qemu-img": "qemu-utils", "mmdebstrap": "mmdebstrap",
    "grub-mkimage": "grub-pc-bin", "genisoimage": "genisoimage", "sfdisk": "fdisk", "uuidgen": "uuid-runtime",
    "rsync": "rsync", "ip": "iproute2", "iptables": "iptables", "dnsmasq": "dnsmasq-base", "fio": "fio",
    "mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs", "qemu-storage-daemon": "qemu-system-common",
    "sshd": "openssh-server",
    "tcpdump": "tcpdump", "influxd": "influxdb", "make": "make", "cc": "gcc", "pkg-config": "pkg-config",
    "go": "golang-go",
}  # fmt: skip
FILES = {
    "/usr/include/zmq.h": "libzmq3-dev",
    "/usr/include/nanomsg/nn.h": "libnanomsg-dev",
    "/usr/include/nng/nng.h": "libnng-dev",
}
"""Of each program and each file the Debian package that brings it."""
REQUIREMENTS = [
    *(Requirement(command=command, debian=package) for command, package in PROGRAMS.items()),
    *(Requirement(file=file, debian=package) for file, package in FILES.items()),
    Requirement(
        file="/usr/lib/rabbitmq/bin/rabbitmq-server",
        debian="rabbitmq-server",
        services=["rabbitmq-server.service", "epmd.service", "epmd.socket"],
    ),
]

PACKAGES = [
    *("workload_gen", "monitoring", "study_kit", "upload_study"),
    *("sockets_study", "queues_study", "rpc_study", "groups_study"),
    "uploadlab",
]
PYTEST = ["python", "-m", "pytest", "-q", "--durations=15"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One command that must succeed."""

    name: str
    command: list[str]
    folder: str = "."
    alone: bool = False
    """True of pytest, which has all cores to itself, and prints as it goes."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a check ended."""

    name: str
    result: Literal["ok", "FAILED"]
    seconds: float
    failures: list[str] = []
    """Of a check by pytest the names of the tests that failed, each with the first line of why."""


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("test", help="run the tests of every component")
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--fast", action="store_true", help="leave out what takes more than a few seconds")
    amount.add_argument(
        "--all",
        action="store_true",
        help="also what is long by nature: a campaign on emulated guests, known answers, simulations, large samples",
    )
    parser.set_defaults(action=test)


def test(study: Study, asked: argparse.Namespace) -> int:
    """Run the checks, print how each but the last ended, which says it itself, and return 1 when one failed."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As a shell starts what is to run in the background: whatever is started here would not hear Ctrl-C either.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    require(REQUIREMENTS)
    set_up_everything(study)
    planned = list(checks(study, fast=asked.fast, everything=asked.all))
    python = [check for check in planned if check.alone]
    # Two Mavens at once would download into one repository, which Maven 3.8 does not lock.
    maven = [check for check in planned if check.command[0] == "mvn"]
    outcomes = at_once([check for check in planned if check not in maven and check not in python], maven)
    for check in python:
        if check is python[-1]:
            _print(outcomes)  # now, so that what is printed last are the test runner's own last lines
        outcomes.append(carry_out(check))
    failed = [one.name for one in outcomes if one.result == "FAILED"]
    if failed:
        # Last and together, so that they are in what a CI keeps of a long output.
        tests = [f"  {failure}" for one in outcomes for failure in one.failures]
        print("\n".join([f"Failed: {', '.join(failed)}.", *tests]), file=sys.stderr)
    return 1 if failed else 0


def at_once(*queues: Sequence[Check]) -> list[Outcome]:
    """Carry out several queues of checks at once, those of a queue in turn, and return the outcomes, queue by queue.

    Each check prints all it says when it has ended. Ctrl-C ends those that run.
    """
    running: list[subprocess.Popen[str]] = []
    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(max_workers=1)) for _ in queues]
        carried_out = [
            pool.submit(_beside_another, check, running)
            for pool, queue in zip(pools, queues, strict=True)
            for check in queue
        ]
        try:
            # Looked at again and again: Python sleeps through a Ctrl-C that comes just before it waits for a lock.
            while wait(carried_out, timeout=1).not_done:
                pass
            return [one.result() for one in carried_out]
        except KeyboardInterrupt:
            for pool in pools:
                pool.shutdown(wait=False, cancel_futures=True)
            while not all(one.done() for one in carried_out):
                _end(running)
                time.sleep(0.1)
            raise


def _beside_another(check: Check, running: list[subprocess.Popen[str]]) -> Outcome:
    began = time.monotonic()
    process = subprocess.Popen(
        check.command,
        cwd=REPOSITORY / check.folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # a process group, to be ended with all that it started
    )
    running.append(process)
    said, _ = process.communicate()
    print(f"{_heading(check)}\n{said}", end="", flush=True)
    return _outcome(check, process.returncode, began)


def _end(running: Sequence[subprocess.Popen[str]]) -> None:
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)


def carry_out(check: Check) -> Outcome:
    """Run a check by pytest, which prints as it goes; what fails once has failed."""
    began = time.monotonic()
    print(_heading(check), flush=True)
    with tempfile.TemporaryDirectory(prefix="upload-lab-") as folder:
        report = Path(folder) / "tests.xml"
        command = [*check.command, f"--junit-xml={report}"]
        done = subprocess.run(command, cwd=REPOSITORY / check.folder, env=_environment(), check=False)
        outcome = _outcome(check, done.returncode, began)
        return msgspec.structs.replace(outcome, failures=_failures(report) if report.exists() else [])


def _failures(report: Path) -> list[str]:
    """Return the failed tests in a report in the form of JUnit."""
    cases = ElementTree.parse(report).iter("testcase")
    found = ((case, what) for case in cases for what in (*case.findall("failure"), *case.findall("error")))
    return [
        f"{case.get('classname')}::{case.get('name')}: {(what.get('message') or '').partition(chr(10))[0]}"
        for case, what in found
    ]


def _outcome(check: Check, code: int, began: float) -> Outcome:
    return Outcome(name=check.name, result="FAILED" if code else "ok", seconds=time.monotonic() - began)


def _heading(check: Check) -> str:
    return f"\n== {check.name}: {' '.join(check.command)}"


def _print(outcomes: list[Outcome]) -> None:
    """Print how each check has ended and the seconds it took."""
    print()
    for one in outcomes:
        print(f"{one.result:<8}{one.seconds:>6.0f} s  {one.name}")


def checks(study: Study, *, fast: bool, everything: bool) -> Iterator[Check]:
    """Yield what is checked, in order: `fast` leaves out what is slow, `everything` brings what is long by nature."""
    yield Check(name="ruff format", command=["ruff", "format", "--check", "."])
    yield Check(name="ruff check", command=["ruff", "check", "."])
    yield Check(name="mypy", command=["mypy", *[part for package in PACKAGES for part in ("-p", package)]])
    of_studies = [str(path.relative_to(REPOSITORY)) for path in sorted(STUDIES.glob("*/*.py"))]
    yield Check(name="mypy of studies", command=["mypy", "--explicit-package-bases", *of_studies])
    yield Check(name="import-linter", command=["lint-imports", "--no-logo"])
    scripts = _tracked_files(b"#!/usr/bin/env bash", b"#!/usr/bin/env bats")
    sourced = _tracked_files(b"# shellcheck shell=bash")  # which shellcheck reads where it is sourced
    yield Check(name="shellcheck", command=["shellcheck", "--external-sources", *scripts])
    yield Check(name="shfmt", command=["shfmt", "-d", "-i", "2", *scripts, *sourced])
    yield Check(name="bats", command=["bats", "provisioning/tests"])
    yield from _checks_of_systems(study, fast=fast)
    left_out = [mark for mark, out in (("slow", fast), ("long", not everything)) if out]
    chosen = "".join(f"not {mark} and " for mark in left_out)
    # Twice as many processes as cores: much of a test is waiting, for a guest, a timeout or the end of a run.
    parallel = ["-n", "4", "--dist", "loadgroup", "--no-loadscope-reorder"]
    yield Check(name="Python", command=[*PYTEST, *parallel, "-m", f"{chosen}not alone"], alone=True)
    if not fast:  # no test that measures is fast, and to choose none is an error of pytest's
        yield Check(name="Python, one at a time", command=[*PYTEST, "-m", f"{chosen}alone"], alone=True)


def _checks_of_systems(study: Study, *, fast: bool) -> Iterator[Check]:
    """Yield the tests that each compared system names in its `sut.toml`: of this study, then of the lab's others."""
    others = [
        path.parent for path in sorted(STUDIES.glob("*/study.toml")) if path.parent.resolve() != study.folder.resolve()
    ]
    studies = [study, *map(load_study, others)]
    for folder in (folder for one in studies for folder in one.system_folders().values()):
        for tests in load_system(folder).tests:
            command = tests.fast if fast and tests.fast is not None else tests.command
            where = folder / tests.folder
            if command:
                yield Check(name=f"{folder.name} {tests.folder}".removesuffix(" ."), command=command, folder=str(where))


def _tracked_files(*first_lines: bytes) -> list[str]:
    """Return the tracked files whose first line is, or begins with, one of these."""
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if _first_line(name).startswith(first_lines)]


def _first_line(name: str) -> bytes:
    path = REPOSITORY / name
    if not path.is_file() or path.suffix not in ("", ".sh", ".bash", ".bats"):
        return b""
    with path.open("rb") as file:
        return file.readline().rstrip()


def _environment() -> dict[str, str]:
    """Return this environment with the lab's own programs first."""
    return {**os.environ, "PATH": f"{REPOSITORY / '.venv/bin'}:{os.environ['PATH']}"}
