"""Campaigns of the tiny study whose server and load run on two hosts over SSH, and every way of being cut off."""

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Set
from pathlib import Path

import pytest
import two_hosts
from finished import gates_of
from tiny import LAB, copy_of_tiny, records_of, run_lab
from token_server import make_token_server
from two_hosts import TwoHosts
from waiting import PATIENCE_S, lines_until, read_process, running, wait_for, wait_until_none

from monitoring.clocks import ClockAlignment
from monitoring.samples_reader import read_samples
from uploadlab.errors import LabError
from uploadlab.hosts import ssh_link
from uploadlab.hosts.host import Host
from uploadlab.hosts.processes import Processes
from uploadlab.hosts.sources import sources
from uploadlab.planning.placement import Placement
from uploadlab.planning.rig import load_rig

pytestmark = two_hosts.NEEDED

OF_NODE = {"jmeter.log", "injector.gc.log", "server.runtime.jsonl"}
LEFT_ON_HOSTS = two_hosts.REPOSITORY / ".lab" / "campaigns"


@pytest.fixture
def tiny(tmp_path) -> Path:
    """Return a copy of the tiny study, its systems installed, whose runs last some seconds."""
    study = copy_of_tiny(tmp_path)
    for system in ("alpha", "beta"):
        (study / system / "made.txt").write_text("made")
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("requests = 200", "requests = 700"))
    return study


def _asked(hosts: TwoHosts, out: Path, *more: str) -> list[str]:
    return ["run", "--rig", str(hosts.rig()), "--out", str(out), "--sizes", "1", *more]


@contextlib.contextmanager
def _measuring(study: Path | str, asked: list[str]) -> Iterator["subprocess.Popen[str]"]:
    """Run the lab; the block begins when its first load is being measured."""
    with running([*LAB, study, *asked]) as lab:
        lines_until(lab, "measuring")
        yield lab


def _nothing_is_left(hosts: TwoHosts) -> None:
    hosts.wait_until_idle()
    assert not list((hosts.folder / "uploads").iterdir())
    assert not list(LEFT_ON_HOSTS.iterdir())


def test_a_campaign_on_two_emulated_hosts_keeps_the_same_files_knows_their_clocks_and_is_no_result(
    hosts, tiny, tmp_path
):
    out = tmp_path / "out"
    asked = ["run", "--rig", str(hosts.rig(emulated=True)), "--out", str(out), "--sizes", "1", "--systems", "alpha"]
    done = run_lab(tiny, *asked, "--repeats", "1", "--disks", "hdd", expect=1)
    assert "The processor was emulated: this run is not a valid result." in " ".join(done.stdout.split())
    [(name, record)] = records_of(out).items()
    assert name == "z1-hdd-alpha/01"
    raw = {"requests.jtl", "server.nmon", "injector.nmon", "server.samples.csv", "injector.samples.csv", "server.log"}
    assert record["status"] == "complete", record["reason"]
    assert [gate["sentence"] for gate in record["gates"] if not gate["passed"]] == [
        "The processor was emulated: this run is not a valid result."
    ]
    assert "clock" in gates_of(record)
    assert not record["valid"]
    assert raw <= set(record["files"])
    ended = {"load", "nmon", "nmon_injector", "sampler_server", "sampler_injector", "server"}
    assert record["exit_codes"] == dict.fromkeys(ended, 0)
    # Both hosts are this one: their clocks are, too, and the measured offset is none within its own uncertainty.
    clocks = ClockAlignment.of(record["clock"])
    assert all(
        abs(offset) <= 2 * uncertainty
        for offset, uncertainty in zip(clocks.offset_ns, clocks.uncertainty_ns, strict=True)
    )
    samples = read_samples(out / "runs" / "z1-hdd-alpha" / "01" / "server.samples.csv")
    assert samples["role_cpu_ns"][-1] > samples["role_cpu_ns"][0], "the sampler saw the server work"
    looks_s = (samples["time_ns"][:-1] - samples["time_ns"][0]) / 1e9  # but for the last, at the end
    assert all(seconds >= 0.98 * number for number, seconds in enumerate(looks_s)), "once a second, or later"
    kept = json.loads((out / "campaign.json").read_text())["rig"]
    assert kept["roles"]["server"] == {"host": "10.213.0.1", "cores": [0], "heap_mib": None}
    assert kept["disks"]["hdd"]["label"] == "emulated HDD"
    assert kept["disks"]["hdd"]["durability"] == "buffered"
    _nothing_is_left(hosts)


@pytest.mark.long
def test_a_disk_that_fills_up_fails_the_run_with_the_reason_and_with_room_again_resume_completes_and_proves_all_uploads(
    small_disk, hosts, tmp_path
):
    run_lab("upload", "setup", expect=0)
    out = tmp_path / "out"
    # An emulated rig's runs are not repeated when this busy machine makes them invalid.
    rig = tmp_path / "rig.toml"
    rig.write_text(hosts.rig(emulated=True).read_text().replace(str(hosts.folder / "uploads"), str(small_disk)))
    asked = ["run", "--rig", str(rig), "--out", str(out), "--profile", "smoke", "--generator", "jmeter"]
    asked += ["--repeats", "2", "--systems", "node", "--samples", "1", "--disks", "ssd", "--baseline-repeats", "0"]
    ballast = small_disk / "ballast"
    with _measuring("upload", asked) as measuring:
        # Not buffered, or what did not fit any more would be written, and fail, when the file is closed.
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
        said = measuring.communicate(timeout=PATIENCE_S)[1]
    assert measuring.returncode == 2
    assert "Stopped: 2 runs of node in a row failed" in said.strip().splitlines()[-1]
    for record in records_of(out).values():
        assert record["status"] == "failed"
        reason = record["reason"]
        assert re.search(r"was answered with 507, not 200 to 299\. Only \d+\.\d MB are free on the disk", reason), (
            reason
        )
    ballast.unlink()
    run_lab("upload", "run", "--rig", str(rig), "--resume", str(out), expect=1)
    again = [record for name, record in records_of(out).items() if "failed" not in name]
    assert len(again) == 2
    for record in again:
        _proves_its_uploads(record, OF_NODE)
    assert not list(small_disk.iterdir())
    hosts.wait_until_idle()


@pytest.mark.long
def test_a_server_on_another_host_that_wants_a_token_and_a_field_gets_both_and_no_host_keeps_the_token(
    hosts, tmp_path, monkeypatch
):
    monkeypatch.setenv("OTHER_TOKEN", "s3cret")
    app, out = make_token_server(tmp_path / "app", "{uploads}"), tmp_path / "out"
    asked = [
        "run",
        "--rig",
        str(hosts.rig(emulated=True)),
        "--out",
        str(out),
        "--profile",
        "smoke",
        "--systems",
        str(app),
    ]
    asked += ["--generator", "lean,jmeter", "--repeats", "1", "--samples", "1", "--baseline-repeats", "0"]
    run_lab("upload", *asked, "--load", "warmup_loops=2", "--load", "loops=4", "--load", "threads=5", expect=1)
    records = list(records_of(out).values())
    assert len(records) == 2
    for record in records:
        _proves_its_uploads(record)
    kept = [path for folder in (out, hosts.folder, LEFT_ON_HOSTS) for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"s3cret" in path.read_bytes()]
    hosts.wait_until_idle()


def _proves_its_uploads(record: dict, files: Set[str] = frozenset()) -> None:
    """Every upload was counted, and proven before and after, on the host that stores it."""
    assert record["status"] == "complete", record["reason"]
    gates = gates_of(record)
    assert all(gates[name]["passed"] for name in ("contract", "contract_after", "requests_sent", "uploads_stored"))
    sent = record["counts"]["requests"] + record["counts"]["warmup_requests"]
    assert record["counts"]["stored_files"] == sent
    assert files <= set(record["files"])


def test_after_kill_9_nothing_runs_or_lies_on_the_hosts(hosts, tiny, tmp_path):
    out = tmp_path / "out"
    with _measuring(tiny, _asked(hosts, out, "--systems", "alpha", "--repeats", "1")) as lab:
        assert any("server.py" in line for line in hosts.processes("server"))
        assert any("driver load" in line for line in hosts.processes("injector"))
        lab.kill()
    _nothing_is_left(hosts)


def test_ctrl_c_leaves_nothing_on_the_hosts(hosts, tiny, tmp_path):
    with _measuring(tiny, _asked(hosts, tmp_path / "out")) as lab:
        lab.send_signal(signal.SIGINT)
        said = lab.communicate(timeout=PATIENCE_S)[1]
    assert lab.returncode == 130
    assert said.strip().splitlines()[-1] == "Interrupted; nothing was left running."
    hosts.wait_until_idle(0)
    _nothing_is_left(hosts)


def _ssh_of(lab: "subprocess.Popen[str]", address: str) -> int:
    """Return the pid of the lab's connection to a host."""
    children = Path(f"/proc/{lab.pid}/task/{lab.pid}/children").read_text().split()
    (pid,) = [pid for pid in children if address in read_process(pid, "cmdline")]
    return int(pid)


def test_a_lost_connection_fails_the_run_with_the_reason_and_the_campaign_connects_again(hosts, tiny, tmp_path):
    out = tmp_path / "out"
    with _measuring(tiny, _asked(hosts, out, "--systems", "alpha", "--repeats", "1")) as lab:
        os.kill(_ssh_of(lab, two_hosts.managed_at(0)), signal.SIGKILL)
        said = lab.communicate(timeout=PATIENCE_S)[1]
    assert "Traceback" not in said
    records = records_of(out)
    assert records["z1-ssd-alpha/01"]["status"] == "failed"
    assert records["z1-ssd-alpha/01"]["reason"].startswith("The connection to 10.213.0.1 was lost")
    assert records["z1-ssd-alpha/02"]["status"] == "complete", "made up for by one more repeat"
    assert lab.returncode == 0
    _nothing_is_left(hosts)


@pytest.mark.long
def test_a_host_that_is_cut_off_ends_what_runs_on_it_the_campaign_stops_with_the_reason_and_resume_completes(
    hosts, tiny, tmp_path
):
    out = tmp_path / "out"
    with _measuring(tiny, _asked(hosts, out, "--systems", "alpha", "--repeats", "1")) as lab:
        hosts.set_link("injector", "down")
        try:
            hosts.wait_until_idle()  # without a word from the lab
            said = lab.communicate(timeout=PATIENCE_S)[1]
        finally:
            hosts.set_link("injector", "up")
    assert lab.returncode == 2
    assert "Stopped: 2 runs of alpha in a row failed" in said.strip().splitlines()[-1]
    reasons = [record["reason"] for record in records_of(out).values()]
    assert any("10.213.0.2 was lost" in reason for reason in reasons)
    assert any("10.213.0.2 cannot be reached over SSH" in reason for reason in reasons)
    wait_until_none(lambda: list(LEFT_ON_HOSTS.iterdir()))
    run_lab(tiny, "run", "--rig", str(hosts.rig()), "--resume", str(out), expect=0)
    assert records_of(out)["z1-ssd-alpha/01"]["status"] == "complete"


@pytest.fixture
def server(hosts, tmp_path) -> Iterator[Host]:
    """Return the server's host, connected by this process."""
    place = Placement(load_rig(str(hosts.rig())), Processes(tmp_path / "state"))
    with contextlib.closing(place):
        yield place.server


def test_files_are_brought_to_a_host_once_and_come_back_commands_give_what_they_said_and_idle_cores_do_not_sleep(
    server, tmp_path
):
    given = tmp_path / "my own sizes.txt"
    given.write_text("1000\n")
    there = server.given(given)
    assert there != given
    assert there.read_text() == "1000\n"
    assert server.given(given) == there
    campaign = tmp_path / "a campaign"
    run = campaign / "runs" / "cell" / "01"
    run.mkdir(parents=True)
    server.make_empty(server.in_campaign(campaign, run))
    server.write(server.in_campaign(campaign, run) / "server.log", "said\nlast\n")
    assert server.last_line(server.in_campaign(campaign, run) / "server.log") == "last"
    server.fetch(campaign, run)
    assert (run / "server.log").read_text() == "said\nlast\n"
    done = server.run(["sh", "-c", "echo out; echo err >&2; exit 3"], cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")
    much = server.run(["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"], cwd=tmp_path)
    assert len(much.stdout) == 3_000_000
    with pytest.raises(LabError, match=r"On 10\.213\.0\.1: .*No such file"):
        server.run(["true"], cwd=tmp_path / "nowhere")
    assert server.keep_awake() == server.describe()["why_idle_cores_sleep"], "awake, or it says why not"


def test_a_host_with_another_version_of_the_lab_is_refused_and_named(server, monkeypatch):
    monkeypatch.setattr(ssh_link, "sources", lambda: sources() | {"uploadlab/runs/run.py": "another"})
    with pytest.raises(LabError, match=r"10\.213\.0\.1: .*runs/run\.py differs from the one here"):
        server.cores()


def test_when_the_agent_is_killed_the_kernel_ends_its_processes_and_its_folders_are_removed_later(
    server, hosts, tmp_path
):
    process = server.start("x", ["sleep", "1000"], cwd=tmp_path, cores=[0], log=tmp_path / "x.log")
    (folder,) = LEFT_ON_HOSTS.iterdir()
    os.kill(int(folder.name), signal.SIGKILL)
    with pytest.raises(LabError, match=r"The connection to 10\.213\.0\.1 was lost"):
        wait_for(lambda: bool(process.read(0.1)))
    wait_for(lambda: not any("sleep" in line for line in hosts.processes("server")))
    server.make_empty(tmp_path / "again")  # by the next agent, unless a lab that started meanwhile has removed them
    assert not folder.exists()


def test_what_a_host_lacks_is_one_sentence_before_anything_is_measured(hosts, tiny, tmp_path):
    (tiny / "alpha" / "made.txt").unlink()
    last = run_lab(tiny, *_asked(hosts, tmp_path / "out"), expect=2).stderr.strip().splitlines()[-1]
    assert last.startswith(
        f"10.213.0.1: {tiny / 'alpha' / 'made.txt'} is missing; `sh -c echo made > made.txt` makes it"
    )
    assert not (tmp_path / "out").exists()
