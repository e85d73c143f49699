"""Installation steps: carried out once, and again only when an input changed."""

import os
import signal
import sys
from pathlib import Path

import pytest
from waiting import running, wait_for

from uploadlab.errors import LabError
from uploadlab.planning import install
from uploadlab.planning.install import carry_out, require
from uploadlab.planning.system import Requirement, Step


@pytest.fixture
def step(tmp_path) -> Step:
    (tmp_path / "input.txt").write_text("one")
    return Step(command=["sh", "-c", "echo x >> output.txt"], inputs=["input.txt"], outputs=["output.txt"])


def test_a_step_is_carried_out_once(step, tmp_path):
    assert carry_out(step, tmp_path, tmp_path / "stamps")
    assert not carry_out(step, tmp_path, tmp_path / "stamps")
    assert (tmp_path / "output.txt").read_text() == "x\n"


def test_a_step_is_repeated_when_an_input_changes(step, tmp_path):
    carry_out(step, tmp_path, tmp_path / "stamps")
    (tmp_path / "input.txt").write_text("two")
    assert carry_out(step, tmp_path, tmp_path / "stamps")


def test_a_step_that_fails_says_why_and_is_tried_again(tmp_path):
    step = Step(command=["sh", "-c", "echo 'the registry said no' >&2; exit 3"])
    for _ in range(2):
        with pytest.raises(LabError, match="failed: the registry said no"):
            carry_out(step, tmp_path, tmp_path / "stamps")


def _program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_jdk_that_is_too_old_is_refused_with_the_command_that_helps(tmp_path, monkeypatch):
    _program(tmp_path, "javac", "echo 'javac 11.0.2'")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    wanted = Requirement(command="javac", debian="default-jdk-headless", minimum=17)
    with pytest.raises(LabError, match=r"javac is version 11, but 17 or newer is needed.*default-jdk-headless"):
        require([wanted])


def test_without_root_a_missing_program_is_named_with_the_exact_command(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        LabError, match=r"Missing: nmon\. Install with: sudo apt-get install -y --no-install-recommends nmon"
    ):
        require([Requirement(command="no-such-program", debian="nmon")])


@pytest.fixture
def policy(tmp_path, monkeypatch) -> Path:
    """Return where the policy is kept; the programs are the test's, and this process root."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(install, "POLICY", tmp_path / "policy-rc.d")
    return tmp_path / "policy-rc.d"


BROKER = Requirement(command="no-such-program", debian="broker", services=["broker.service"])


def _installs_by(folder: Path, script: str) -> None:
    """Have a script stand for apt-get, where systemd knows no service yet."""
    _program(folder, "systemctl", "exit 1")
    _program(folder, "apt-get", f'[ "$1" = update ] && exit 0\n{script}')


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_lab_when_the_packages_are_installed_and_its_policy_is_gone(number, policy, tmp_path):
    _installs_by(tmp_path, f"kill -{int(number)} $PPID\ntouch {tmp_path}/installed")
    heard: list[bool] = []
    before = signal.signal(number, lambda *_: heard.append(policy.exists()))
    try:
        require([BROKER])
    finally:
        signal.signal(number, before)
    assert heard == [False]
    assert (tmp_path / "installed").exists()


INSTALLING_LAB = """
import os, sys
from pathlib import Path
from uploadlab.planning import install
from uploadlab.planning.system import Requirement

os.geteuid = lambda: 0
install.POLICY = Path(sys.argv[1])
install.require([Requirement(command="no-such-program", debian="broker", services=["broker.service"])])
"""


def test_the_policy_of_a_lab_that_was_killed_is_removed_by_the_next_and_that_of_a_running_one_is_not(policy, tmp_path):
    _installs_by(tmp_path, f"touch {tmp_path}/begun\nexec setpriv --pdeathsig KILL sleep 1000")
    with running([sys.executable, "-c", INSTALLING_LAB, str(policy)]) as lab:
        wait_for((tmp_path / "begun").exists, beside=lab)
        require([])
        assert policy.exists()
        lab.kill()
        lab.wait()
        require([])
        assert not policy.exists()


@pytest.mark.parametrize("there_before", [False, True])
def test_a_service_that_a_package_brings_is_not_started_and_one_that_was_there_is_left_alone(
    there_before, policy, tmp_path
):
    told = tmp_path / "told"
    cat = f'[ "$1" = cat ] && exit {0 if there_before else 1}'
    _installs_by(tmp_path, f'{policy} 2> /dev/null\necho "policy $?" >> {told}')
    _program(tmp_path, "systemctl", f'{cat}\necho "systemctl $*" >> {told}')
    require([BROKER])
    assert not policy.exists()
    assert told.read_text().splitlines() == (
        ["policy 127"] if there_before else ["policy 101", "systemctl disable broker.service"]
    )


def test_a_lab_waits_for_another_that_installs_packages_and_installs_only_what_is_missing_then(policy, tmp_path):
    program = tmp_path / "no-such-program"
    _program(tmp_path, "made", "exit 0")
    _installs_by(
        tmp_path,
        f"echo once >> {tmp_path}/begun\nuntil [ -e {tmp_path}/go ]; do sleep 0.05; done\ncp {tmp_path}/made {program}",
    )
    lab = [sys.executable, "-c", INSTALLING_LAB, str(policy)]
    with running(lab) as first:
        wait_for((tmp_path / "begun").exists, beside=first)
        with running(lab) as second:
            wait_for(lambda: _waits_for_a_lock(second.pid), beside=second)
            (tmp_path / "go").touch()
            assert (first.wait(60), second.wait(60)) == (0, 0)
    assert (tmp_path / "begun").read_text() == "once\n"


def _waits_for_a_lock(pid: int) -> bool:
    return any("->" in line and f" {pid} " in line for line in Path("/proc/locks").read_text().splitlines())
