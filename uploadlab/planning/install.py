"""Make ready what a command needs: programs of this machine, and installation steps whose inputs have changed."""

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from uploadlab.errors import LabError
from uploadlab.hosts.processes import start_ticks
from uploadlab.interruption import uninterrupted
from uploadlab.paths import STAMPS
from uploadlab.planning.study import Study
from uploadlab.planning.system import Requirement, Step, Sut


def set_up_load(study: Study) -> None:
    """Make the load generator ready."""
    require(study.file.requires)
    for step in study.file.install:
        carry_out(step, study.folder, STAMPS)


def set_up_systems(systems: Iterable[Sut]) -> None:
    """Make the systems ready, each on its stack; a stack's warning is said."""
    for sut in systems:
        require([*sut.system.requires, *sut.stack.requires])
        for step in sut.stack.install:
            carry_out(step, sut.folder, STAMPS)
        if sut.stack.warning:
            _say(f"{sut.key}: {sut.stack.warning}")


def require(requirements: Iterable[Requirement]) -> None:
    """Make sure that every program and file is there, and programs new enough.

    As root on Debian what is missing is installed after saying so; otherwise LabError gives the exact command.
    """
    _remove_leftover()
    requirements = list(requirements)
    if not all(map(is_there, requirements)):
        with _one_at_a_time():
            _install_packages([one for one in requirements if not is_there(one)])
    for requirement in requirements:
        _check_version(requirement)


def is_there(requirement: Requirement) -> bool:
    """Return whether the program, or the file, is on this machine."""
    return shutil.which(requirement.command) is not None if requirement.command else Path(requirement.file).exists()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait for other labs of this machine that install packages: apt-get refuses two at a time."""
    place = os.open(POLICY.parent, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


def _install_packages(missing: list[Requirement]) -> None:
    if not missing:  # another lab has installed them meanwhile
        return
    packages = sorted({one.debian for one in missing})
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise LabError(f"Missing: {', '.join(packages)}. Install with: sudo {' '.join(command)}")
    _say(f"Missing: {', '.join(packages)}. Installing with: {' '.join(command)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with _kept_from_starting([service for one in missing for service in one.services]):
        for step in (["apt-get", "update"], command):
            done = subprocess.run(step, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LabError(f"`{' '.join(step)}` failed: {_last_line(done.stderr or done.stdout)}")


# Debian asks this program whether the installation of a package may start its services (invoke-rc.d(8)).
POLICY = Path("/usr/sbin/policy-rc.d")
OURS = "# Upload Lab installs packages: process {}, started at {}"


@contextmanager
def _kept_from_starting(services: list[str]) -> Iterator[None]:
    """Let no service of these start while packages are installed, nor at the next boot; those there before stay."""
    new = [service for service in services if not _systemctl("cat", service)]
    ours = bool(new) and not POLICY.exists()
    with uninterrupted((signal.SIGTERM, signal.SIGHUP)):
        if ours:
            POLICY.write_text(f"#!/bin/sh\n{OURS.format(os.getpid(), start_ticks(os.getpid()))}\nexit 101\n")
            POLICY.chmod(0o755)
        try:
            yield
        finally:
            if ours:
                POLICY.unlink()
            for service in new:
                _systemctl("disable", service)


def _remove_leftover() -> None:
    """Remove the policy of a lab that was killed while it installed packages: no service would ever start again."""
    with suppress(OSError, UnicodeDecodeError):
        found = re.search(OURS.format(r"(\d+)", r"(\d+)"), POLICY.read_text(encoding="utf-8"))
        if found and start_ticks(int(found[1])) != int(found[2]):
            POLICY.unlink()


def _systemctl(verb: str, service: str) -> bool:
    """Return whether it succeeded; without systemd nothing does, and nothing starts at the next boot either."""
    if shutil.which("systemctl") is None:
        return False
    return subprocess.run(["systemctl", verb, service], capture_output=True, check=False).returncode == 0


def _check_version(requirement: Requirement) -> None:
    if requirement.minimum is None:
        return
    asked = [requirement.command, "-version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    found = re.search(r"\d+", done.stdout + done.stderr)
    if done.returncode or not found:
        raise LabError(
            f"`{' '.join(asked)}` printed no version; {requirement.command} {requirement.minimum} is needed."
        )
    if int(found.group()) < requirement.minimum:
        raise LabError(
            f"{requirement.command} is version {found.group()}, but {requirement.minimum} or newer is needed; "
            f"on Debian: sudo apt-get install {requirement.debian}"
        )


def carry_out(step: Step, base: Path, stamps: Path) -> bool:
    """Run a step unless it has been run on the same inputs and its outputs are there; return whether it was run."""
    folder = (base / step.folder).resolve()
    stamp = stamps / hashlib.sha256(f"{folder}\0{step.command}".encode()).hexdigest()[:16]
    digest = _digest(folder, step)
    if stamp.exists() and stamp.read_text() == digest and all((folder / output).exists() for output in step.outputs):
        return False
    _say(f"Setting up {folder.name}: {' '.join(step.command)}")
    try:
        done = subprocess.run(step.command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(f"{folder}: `{' '.join(step.command)}` could not be started: {error.strerror}.") from error
    stamps.mkdir(parents=True, exist_ok=True)
    if done.returncode:
        log = stamps / f"{folder.name}.failed.log"
        log.write_text(done.stdout + done.stderr)
        reason = _last_line(done.stderr or done.stdout)
        raise LabError(f"{folder}: `{' '.join(step.command)}` failed: {reason} (whole output: {log})")
    stamp.write_text(digest)
    return True


def _digest(folder: Path, step: Step) -> str:
    """Hash the command and the content of its inputs."""
    digest = hashlib.sha256(repr(step.command).encode())
    for name in step.inputs:
        path = folder / name
        if not path.exists():
            raise LabError(f"{path}: missing; it is an input of `{' '.join(step.command)}`.")
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["no output"])[-1 if not errors else 0]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
