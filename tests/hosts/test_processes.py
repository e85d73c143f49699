"""Processes: pinned, limited, and none left behind; and a word where many uploads were deleted a short while ago."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny
from waiting import is_running, running, wait_for

from monitoring import machine
from uploadlab.campaigns import execute
from uploadlab.errors import LabError
from uploadlab.hosts import deletions, local_host
from uploadlab.hosts.local_host import LocalHost
from uploadlab.hosts.processes import REMOVING, Processes, clean_up_after_crash, pinned
from uploadlab.planning.needs import Needs


def as_if_it_had_ended(state: Path) -> Path:
    """Make the one state file in a folder that of a lab that has ended here; return it."""
    [path] = state.glob("*.json")
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"lab": told["lab"] | {"start_ticks": 1}}))
    return path


def _start(processes: Processes, command: list[str], cwd: Path) -> "subprocess.Popen[bytes]":
    return processes.start("test", command, env=dict(os.environ), cwd=cwd, output=subprocess.PIPE)


def test_a_run_stores_in_an_empty_folder_that_ext4_places_by_its_name(processes, tmp_path):
    host, stored = LocalHost(processes), tmp_path / "stored"
    for number in (1, 2):
        host.make_storage(stored / "run-01")
        (stored / "run-01" / f"upload-{number}").touch()
    assert [path.relative_to(stored).as_posix() for path in stored.rglob("*")] == ["run-01", "run-01/upload-2"]
    if machine.describe_disk(stored)["filesystem"] == "ext4":
        marks = subprocess.run(["lsattr", "-d", stored], capture_output=True, text=True, check=True).stdout.split()[0]
        assert "T" in marks


def test_a_run_stores_where_creating_files_takes_least(processes, monkeypatch, tmp_path):
    taken, costs = {}, iter([3.0, 1.0, 2.0, 4.0])
    monkeypatch.setattr(
        local_host, "_cpu_of_creating_files", lambda place: taken.setdefault(place.stat().st_ino, next(costs))
    )
    LocalHost(processes).make_storage(tmp_path / "stored" / "run-01")
    assert taken[(tmp_path / "stored" / "run-01").stat().st_ino] == 1.0


def test_a_process_runs_on_its_cores_with_its_open_files(processes, tmp_path):
    core = max(os.sched_getaffinity(0))
    code = "import os, resource; print(os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_NOFILE))"
    process = _start(processes, pinned([sys.executable, "-c", code], [core], 700), tmp_path)
    assert process.communicate()[0].decode().strip() == f"{{{core}}} (700, 700)"


def test_ctrl_c_leaves_what_is_still_to_be_removed_to_the_next_start(monkeypatch, tmp_path):
    processes, folder = Processes(tmp_path / "state"), tmp_path / "stored"
    processes.temporary(folder)
    with monkeypatch.context() as slow_disk:
        slow_disk.setattr("shutil.rmtree", lambda *_, **__: signal.raise_signal(signal.SIGINT))
        handler = signal.getsignal(signal.SIGINT)
        processes.close()
        processes.close()
    assert signal.getsignal(signal.SIGINT) is handler
    state = as_if_it_had_ended(tmp_path / "state")
    clean_up_after_crash(tmp_path / "state")
    assert not folder.exists()
    assert not state.exists()


def test_stopping_a_process_ends_what_it_started(processes, tmp_path):
    process = _start(processes, ["sh", "-c", "sleep 1000 & echo $!; wait"], tmp_path)
    child = int(process.stdout.readline())
    assert is_running(child)
    processes.stop(process)
    wait_for(lambda: not is_running(child))


def test_a_process_that_ignores_the_signal_is_killed(processes, tmp_path):
    process = _start(processes, ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"], tmp_path)
    process.stdout.readline()
    assert processes.stop(process, timeout_s=0.2) == -signal.SIGKILL


def test_a_program_that_does_not_exist_is_one_sentence(processes, tmp_path):
    with pytest.raises(LabError, match="test could not be started"):
        _start(processes, ["/no/such/program"], tmp_path)


def test_closing_removes_temporary_folders_and_the_state(tmp_path):
    registry = Processes(tmp_path / "state")
    folder = registry.temporary(tmp_path / "uploads")
    (folder / "file").write_text("x")
    registry.close()
    assert not folder.exists()
    assert not list((tmp_path / "state").iterdir())


KILLED_LAB = """
import os, subprocess, sys
from pathlib import Path
from uploadlab.hosts.processes import Processes, pinned
registry = Processes(Path(sys.argv[1]) / "state")
registry.temporary(Path(sys.argv[1]) / "uploads")
command = ["sh", "-c", "sleep 1000 & echo $!; wait"]
command = pinned(command, [0]) if sys.argv[2] == "pinned" else command
process = registry.start("x", command, env=dict(os.environ), cwd=Path("/"), output=subprocess.PIPE)
print(process.pid, process.stdout.readline().decode(), flush=True)
import signal
signal.pause()
"""


def _kill_a_lab(tmp_path: Path, how: str) -> tuple[int, int]:
    with running([sys.executable, "-c", KILLED_LAB, str(tmp_path), how], stdout=subprocess.PIPE) as lab:
        parent, child = map(int, lab.stdout.readline().split())
    return parent, child


def test_when_the_lab_is_killed_the_kernel_ends_its_processes(tmp_path):
    parent, _ = _kill_a_lab(tmp_path, "pinned")
    wait_for(lambda: not is_running(parent))
    clean_up_after_crash(tmp_path / "state")


def test_a_process_whose_lab_died_before_it_could_ask_to_be_killed_with_it_does_not_begin(tmp_path):
    began = tmp_path / "began"
    command = pinned(["touch", str(began)], [0])
    subprocess.run(["sh", "-c", '"$@"; true', "sh", *command], check=True)  # the shell is its parent, not this process
    assert not began.exists()
    subprocess.run(command, check=True)
    assert began.exists()


def test_the_next_start_ends_what_a_killed_lab_left_and_says_so(tmp_path):
    parent, child = _kill_a_lab(tmp_path, "not pinned")
    assert is_running(parent)
    assert is_running(child)
    said = clean_up_after_crash(tmp_path / "state")
    wait_for(lambda: not is_running(parent) and not is_running(child))
    assert "ended 2 of its processes and removed 1 temporary folders" in said[0]
    assert not (tmp_path / "uploads").exists()
    assert clean_up_after_crash(tmp_path / "state") == []


def test_a_lab_that_still_runs_is_left_alone(processes, tmp_path):
    process = _start(processes, ["sleep", "1000"], tmp_path)
    assert clean_up_after_crash(tmp_path / "state") == []
    assert is_running(process.pid)


def test_a_process_that_got_a_recorded_number_later_is_not_ended(tmp_path):
    with running(["sleep", "1000"], start_new_session=True) as bystander:
        recorded = {"pid": bystander.pid, "start_ticks": 1}
        state = {"lab": {"pid": 2**22 - 1, "start_ticks": 1}, "processes": [recorded], "folders": []}
        (tmp_path / "1.json").write_text(json.dumps(state))
        clean_up_after_crash(tmp_path)
        assert is_running(bystander.pid)


def _noted(state: Path, seconds_ago: float, folder: Path) -> None:
    (folder / "upload").touch()
    with deletions.noted(state, [folder]):
        pass
    kept = json.loads((state / deletions.RECORD).read_text())
    (state / deletions.RECORD).write_text(json.dumps(kept | {"time_s": time.time() - seconds_ago}))


@pytest.fixture
def without_journal(monkeypatch):
    monkeypatch.setattr(deletions, "passes_over_freed_inodes", lambda _: True)


@pytest.mark.usefixtures("without_journal")
def test_a_campaign_soon_after_a_deletion_on_the_same_disk_is_warned_with_the_time_to_wait(tmp_path):
    _noted(tmp_path, 100, tmp_path)
    sentence = deletions.warning(tmp_path, [tmp_path])
    assert "deleted 100 s ago" in sentence
    assert "wait 260 s" in sentence


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts file systems, which takes root")
@pytest.mark.parametrize(("features", "passes_over"), [("has_journal", False), ("^has_journal", True)])
def test_only_ext4_without_a_journal_passes_over_freed_inodes(tmp_path, features, passes_over):
    image, folder = tmp_path / "image", tmp_path / "mounted"
    image.touch()
    os.truncate(image, 16_000_000)
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-O", features, image], check=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    try:
        assert deletions.passes_over_freed_inodes(folder) is passes_over
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.usefixtures("without_journal")
def test_what_an_interrupted_campaign_stored_is_removed_with_a_word_before_and_a_warning_after(tmp_path, capsys):
    state, stored = tmp_path / "state", tmp_path / "stored"
    Processes(state).temporary(stored)
    as_if_it_had_ended(state)
    (stored / "upload").touch()
    said: list[str] = []
    with pytest.MonkeyPatch.context() as watched:
        watched.setattr("shutil.rmtree", lambda *_, **__: said.append(capsys.readouterr().err))
        clean_up_after_crash(state)
    assert said == [f"{REMOVING}\n"]
    assert "deleted 0 s ago" in deletions.warning(state, [tmp_path])


def _fails(_: object) -> None:
    raise LabError("No disk can be made.")


@pytest.mark.usefixtures("without_journal")
def test_when_a_campaigns_files_went_is_noted_anew_once_their_removal_has_ended(tmp_path, monkeypatch):
    campaign = tiny.campaign(tmp_path, "one")
    stored, noted = campaign.storage()["local"], tmp_path / "state" / deletions.RECORD
    stored.mkdir()
    (stored / "upload").touch()

    def removed() -> None:
        noted.unlink()  # as if its time had passed meanwhile

    monkeypatch.setattr(execute, "STATE", noted.parent)
    monkeypatch.setattr(execute, "prepare", _fails)
    monkeypatch.setattr(campaign.place, "close", removed)
    with pytest.raises(LabError):
        execute.execute(campaign, Needs(scenarios=[]))
    assert "deleted 0 s ago" in deletions.warning(noted.parent, [stored])
    campaign.place.processes.close()
