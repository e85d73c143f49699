"""Whole campaigns of the tiny study: real servers, nmon, samplers and loads, and every way of being cut off."""

import ctypes
import json
import mmap
import random
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from campaigns import edited
from control_groups import needs_groups
from finished import failed_gates
from tiny import LAB, copy_of_tiny, lab_here, records_of, refused, run_lab
from waiting import PATIENCE_S, lines_until, processes_that_name, running, wait_for, wait_until_none

from monitoring.samples_reader import read_samples
from uploadlab.hosts import cpu_limit
from uploadlab.hosts.ports import free_port, is_free
from uploadlab.planning.space import is_in_memory

pytestmark = pytest.mark.slow

STATE = Path(__file__).parents[2] / ".lab" / "state"
ONE_RUN = ("run", "--sizes", "1", "--systems", "alpha", "--repeats", "1")


@pytest.fixture
def tiny(tmp_path) -> Path:
    return copy_of_tiny(tmp_path)


@pytest.fixture
def out(tmp_path) -> Path:
    """Return the folder of a campaign, which is not there yet."""
    return tmp_path / "out"


def _lab_until(part: str, study: Path, *arguments: str) -> str:
    """Run the lab until it says something, return what it has said, and interrupt it: no report is made."""
    with running([*LAB, str(study), *arguments]) as lab:
        said = "".join(lines_until(lab, part))
        lab.send_signal(signal.SIGINT)
        lab.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in said
    return said


@dataclass(frozen=True, kw_only=True)
class Made:
    """A campaign that several tests read; who changes anything of it takes a copy."""

    study: Path
    out: Path
    done: "subprocess.CompletedProcess[str]"
    """The lab that made it."""

    @property
    def records(self) -> dict[str, dict]:
        return records_of(self.out)

    def copy(self, folder: Path) -> tuple[Path, Path]:
        """Return a copy of the study, and of the campaign's folder."""
        return Path(shutil.copytree(self.study, folder / "study")), Path(shutil.copytree(self.out, folder / "campaign"))


def _change(study: Path, old: str, new: str) -> None:
    path = study / "study.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.fixture
def started(tiny, out) -> Iterator["subprocess.Popen[str]"]:
    """Start a campaign of 1 run and end it in any case."""
    with running([*LAB, str(tiny), *ONE_RUN, "--out", str(out)]) as lab:
        yield lab


OWN_INPUTS = '"scenarios": rows, "inputs": {"own": {"mean_bytes": 10.5}}}'
"""What the driver says of input data of its own."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Made:
    """A campaign of two systems with two runs each, of a study with input data."""
    folder = tmp_path_factory.mktemp("whole")
    study, out = copy_of_tiny(folder), folder / "out"
    driver = study / "driver"
    driver.write_text(driver.read_text().replace('"scenarios": rows}', OWN_INPUTS))
    return Made(study=study, out=out, done=run_lab(study, "run", "--sizes", "1", "--out", str(out), expect=0))


GATES = [
    "contract", "contract_after", "tiny", "injector_cpu", "injector_wait", "server_alone", "server_steal",
    "nmon_complete", "sampler_cpu",
]  # fmt: skip
PHASES = [
    "run_start", "collectors_start", "server_start", "server_ready", "verified", "load_start", "measure_start",
    "measure_end", "load_end", "collectors_end", "server_end", "run_end",
]  # fmt: skip


def test_a_campaign_makes_every_planned_run_and_keeps_its_raw_files(whole):
    done, out, records = whole.done, whole.out, whole.records
    assert set(records) == {f"z1-local-{s}/{r}" for s in ("alpha", "beta") for r in ("01", "02")}
    for record in records.values():
        assert record["status"] == "complete"
        assert record["valid"]
        assert record["phases"]["collectors_start_ns"] < record["nmon_written_ns"] < record["phases"]["load_start_ns"]
        assert [gate["name"] for gate in record["gates"]] == GATES
        assert [record["phases"][f"{name}_ns"] for name in PHASES] == sorted(record["phases"].values())
        assert set(record["exit_codes"].values()) == {0}
        assert {"requests.jtl", "server.nmon", "server.samples.csv", "injector.samples.csv"} <= set(record["files"])
        spec = out / "runs" / record["cell"] / record["repeat"] / "verify.spec.json"
        assert json.loads(spec.read_text())["stored_in"].startswith(str(out / "stored"))
    assert "valid  200 requests, 0 errors" in done.stderr
    assert done.stdout.strip().endswith("report/index.html")
    assert not (out / "stored").exists()
    assert not (out / "scratch").exists()
    assert json.loads((out / "campaign.json").read_text())["inputs"] == {"own": {"mean_bytes": 10.5}}
    wait_until_none(lambda: processes_that_name(whole.study))


def test_a_campaign_is_not_continued_with_other_inputs_or_versions(whole, tmp_path):
    study, out = whole.copy(tmp_path)
    driver = study / "driver"
    driver.write_text(driver.read_text().replace("10.5", "11.5"))
    assert "the input data of 'own' changed" in refused(study, "run", "--resume", str(out))
    with edited(out / "campaign.json") as kept:
        kept["systems"]["alpha"]["versions"]["python"] = "2.7"
    assert "alpha changed its versions" in refused(study, "run", "--resume", str(out))


def _pages_in_memory(path: Path) -> int:
    """Return how many pages of a file are in memory, as the kernel's mincore says."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        pages = (ctypes.c_ubyte * -(-len(mapped) // mmap.PAGESIZE))()
        place = ctypes.c_void_p(ctypes.addressof(first))
        failed = ctypes.CDLL(None).mincore(place, ctypes.c_size_t(len(mapped)), pages)
        del first  # else the mapping cannot be closed
    assert not failed
    return sum(page & 1 for page in pages)


@pytest.fixture
def stored(host, tmp_path) -> Path:
    """Return a file that was just written: the kernel drops it from memory only once it is on its disk."""
    path = tmp_path / "stored" / "by an earlier run"
    path.parent.mkdir()
    if is_in_memory(host.describe_disk(path.parent)):
        pytest.skip("the temporary folder is in memory")  # no disk to write to: what a run stores there is deleted
    path.write_bytes(bytes(32_000_000))
    return path


def test_a_settled_folder_is_on_its_disk_and_no_longer_in_memory(host, stored, tmp_path):
    beside = tmp_path / "beside"
    beside.write_bytes(bytes(1_000_000))
    host.settle(stored.parent)
    assert _pages_in_memory(stored) == 0
    assert _pages_in_memory(beside) > 0


def test_after_kill_9_at_five_random_moments_resume_makes_all_runs_none_twice_and_leaves_no_process(tiny, out):
    generator = random.Random(20)
    arguments = ["run", "--out", str(out), *([] if cpu_limit.why_not() else ["--server-cpu", "50"])]
    killed = []
    for _ in range(5):
        lab = subprocess.Popen([*LAB, str(tiny), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for((out / "campaign.json").exists)
        try:
            lab.wait(generator.uniform(0.5, 9.0))
        except subprocess.TimeoutExpired:
            lab.kill()
        lab.wait()
        killed.append(lab.pid)
        arguments = ["run", "--resume", str(out)]
    finished = {name: record["phases"] for name, record in records_of(out).items()}
    run_lab(tiny, *arguments, expect=0)
    wait_until_none(lambda: processes_that_name(tiny))
    records = records_of(out)
    assert set(records) == {f"z{z}-local-{s}/{r}" for z in (1, 2) for s in ("alpha", "beta") for r in ("01", "02")}
    assert {record["status"] for record in records.values()} == {"complete"}
    assert {name: records[name]["phases"] for name in finished} == finished, "a complete run was made again"
    assert sorted(record["order"] for record in records.values()) == list(range(1, 9))
    assert not (out / "stored").exists()
    assert not [group for pid in killed for group in Path("/sys/fs/cgroup").glob(f"**/upload-lab-{pid}-*")]


@needs_groups
def test_shares_of_the_servers_core_are_kept_and_compared_in_one_campaign_that_can_be_taken_up_again(tiny, out):
    # An answer burns 2 ms of CPU: without a limit the load would take several times as much of the core.
    arguments = ["--sizes", "1", "--repeats", "1", "--server-cpu", "10,100,010", "--set", "alpha.cost_ms=2"]
    said = run_lab(tiny, "run", *arguments, "--out", str(out), expect=0).stderr
    assert "The server gets 10 % of its core in some of the cells" in said
    campaign = json.loads((out / "campaign.json").read_text())
    assert campaign["levels"]["cpu"] == [100, 10]
    assert campaign["rig"]["server_cpu_limit_pct"] is None
    records = records_of(out)
    cells = {f"z1-local{mark}-{system}/01" for mark in ("", "-cpu10") for system in ("alpha", "beta")}
    assert set(records) == cells
    for name, record in records.items():
        at_10 = "cpu10" in name
        assert record["factors"]["cpu"] == (10 if at_10 else 100)
        assert record["processes"]["server"].get("cpu_limit_pct") == (10 if at_10 else None)
        assert ("server_limited_ns" in record["phases"]) == at_10
    limited = "z1-local-cpu10-alpha/01"
    assert 0 < _share_used_pct(out / "runs" / limited, records[limited]) < 10 * 1.2
    shares = (out / "analysis" / "server_shares.csv").read_text()
    assert "z1-local-cpu10,z1-local,alpha,mean_ms" in shares
    shutil.rmtree(out / "runs" / "z1-local-cpu10-alpha" / "01")
    assert "run 1 of 1  z1-local-cpu10-alpha" in _lab_until("valid", tiny, "run", "--resume", str(out))
    assert set(records_of(out)) == cells


def _share_used_pct(run: Path, record: dict) -> float:
    """Return the share of a core that a server used under load from when it was limited on."""
    phases = record["phases"]
    assert phases["load_start_ns"] < phases["server_limited_ns"] < phases["measure_start_ns"]
    rows = read_samples(run / "server.samples.csv")
    inside = (rows["time_ns"] >= phases["server_limited_ns"]) & (rows["time_ns"] <= phases["measure_end_ns"])
    used_ns, time_ns = rows["role_cpu_ns"][inside], rows["time_ns"][inside]
    return float(100 * (used_ns[-1] - used_ns[0]) / (time_ns[-1] - time_ns[0]))


@needs_groups
def test_a_run_whose_load_never_says_that_it_has_warmed_up_did_not_hold_the_server_to_its_share(tiny, out):
    _change(tiny, "requests = 200", "requests = 200, silent = true")
    said = _lab_until("INVALID", tiny, *ONE_RUN, "--disks", "tmpfs", "--server-cpu", "10", "--out", str(out))
    assert "The server gets 10 % of its core:" in said
    assert json.loads((out / "campaign.json").read_text())["rig"]["server_cpu_limit_pct"] == 10
    assert set().union(*map(failed_gates, records_of(out).values())) == {"server_limited"}


def test_an_interrupted_campaign_says_so_leaves_no_process_but_what_its_run_wrote_and_is_made_good(tiny, out, started):
    lines_until(started, "measuring")
    _interrupt(started, signal.SIGINT, tiny, out)
    _change(tiny, 'mode = "good"', 'mode = "first_is_invalid"')
    run_lab(tiny, "run", "--resume", str(out), expect=0)
    (aside,) = (out / "runs").glob("*/*-interrupted-1")
    assert (aside / "requests.jtl").exists()
    assert {name: record["valid"] for name, record in records_of(out).items()} == {
        "z1-local-alpha/01": False,
        "z1-local-alpha/02": True,
    }


def _interrupt(lab: "subprocess.Popen[str]", number: signal.Signals, tiny: Path, out: Path) -> None:
    """End the lab by a signal, and hold it to it that nothing is left running or stored."""
    lab.send_signal(number)
    rest = lab.communicate(timeout=PATIENCE_S)[1]
    assert lab.returncode == 130
    assert rest.strip().splitlines()[-1] == "Interrupted; nothing was left running."
    assert not processes_that_name(tiny)
    assert not (out / "stored").exists()
    assert not list(STATE.glob(f"*-{lab.pid}.json"))


def test_an_invalid_run_is_kept_and_repeated_up_to_the_bound(tiny, out):
    _change(tiny, 'mode = "good"', 'mode = "invalid"')
    done = run_lab(tiny, *ONE_RUN, "--out", str(out), expect=1)
    assert set(records_of(out)) == {"z1-local-alpha/01", "z1-local-alpha/02"}
    assert not any(record["valid"] for record in records_of(out).values())
    assert "Not every cell has its planned number of valid runs" in done.stderr.strip().splitlines()[-1]


DECIDES = """#!/usr/bin/env python3
import json, pathlib, sys

folder = pathlib.Path(sys.argv[1])
answers = []
for size in (1, 2):
    blocks = min(len(list(folder.glob(f"runs/z{size}-local-{name}/[0-9][0-9]/run.json"))) for name in ("alpha", "beta"))
    verdict = "lower" if size == 1 or blocks >= 3 else "open"
    factors = {"size": size, "disk": "local"}
    answers.append({"factors": factors, "systems": ["alpha", "beta"], "metric": "mean_ms", "verdict": verdict})
print(json.dumps({"comparisons": answers}))
"""
"""What stands in for the analysis: it counts runs."""


def _decided_by(tiny: Path, program: str) -> None:
    (tiny / "decide").write_text(program)
    (tiny / "decide").chmod(0o755)
    _change(tiny, 'driver = "driver"', 'driver = "driver"\ndecisions = "decide"')


def test_with_minutes_what_is_not_decided_is_repeated_and_an_invalid_run_at_once_however_often_it_was_ended(tiny, out):
    _decided_by(tiny, "#!/bin/sh\necho 'the table is upside down.' >&2\nexit 2\n")
    _change(tiny, 'mode = "good"', 'mode = "first_is_invalid"')
    _change(tiny, 'title = "all of it"', 'title = "all of it"\nminutes = 30')
    asked = ("run", "--load", "requests=20", "--out", str(out))
    assert run_lab(tiny, *asked, expect=2).stderr.strip().splitlines()[-1] == (
        "The analysis could not say which comparisons are open: the table is upside down. "
        f"The runs are kept; continue with: ./lab --study {tiny} run --resume {out}"
    )
    again = {f"z{z}-local-{s}/01b" for z in (1, 2) for s in ("alpha", "beta")}
    first = {f"z{z}-local-{s}/{r:02}" for z in (1, 2) for s in ("alpha", "beta") for r in (1, 2)}
    assert set(records_of(out)) == first | again
    (tiny / "decide").write_text(DECIDES)
    with running([*LAB, str(tiny), "run", "--resume", str(out)]) as lab:
        lines_until(lab, "After 2 blocks 1 of 2 comparisons are decided")
        _interrupt(lab, signal.SIGTERM, tiny, out)
    _lab_until("z2-local              3 blocks  1 of 1 decided", tiny, "run", "--resume", str(out))
    assert set(records_of(out)) == first | again | {f"z2-local-{s}/03" for s in ("alpha", "beta")}
    records = {name: record for name, record in records_of(out).items() if name not in again}
    assert sorted(record["order"] for record in records.values()) == list(range(1, 11))
    assert {record["block"] for name, record in records_of(out).items() if name in again} == {1}
    assert {name for name, record in records_of(out).items() if not record["valid"]} == {one[:-1] for one in again}
    looks = [json.loads(line)["look"] for line in (out / "looks.jsonl").read_text().splitlines()]
    assert looks in ([1, 2, 3], [1, 2])  # two where the third block was made before the interruption came


def test_minutes_are_refused_for_one_system_and_beside_repeats_and_the_plan_says_what_they_do(tiny):
    assert "one system has nothing to compare" in refused(tiny, "run", "--systems", "alpha", "--minutes", "5")
    assert "not allowed with argument" in refused(tiny, "run", "--repeats", "2", "--minutes", "5")
    assert "expected a number of minutes above 0" in refused(tiny, "run", "--minutes", "0")
    assert "expected a number of per cent above 0 and below 100" in refused(tiny, "run", "--margin", "100")
    plan = lab_here(tiny, "run", "--minutes", "30", "--dry-run", expect=0).stdout
    assert re.search(r"12 runs \(3 blocks of each scenario, about \d min\), then more where comparisons are open", plan)
    assert "30 min are over, or a scenario has 40 blocks. Decided: one is better, or they are equal within 5 %." in plan
    short = lab_here(tiny, "run", "--minutes", "0.5", "--dry-run", expect=0).stdout
    assert re.search(r"about \d min\), the fewest that can decide, though they take more than the 0.5 min given", short)


@pytest.fixture(scope="module")
def variants(tmp_path_factory) -> Made:
    """A campaign of a server that ends in two ways, with and without recorders."""
    folder = tmp_path_factory.mktemp("variants")
    study, out = copy_of_tiny(folder), folder / "out"
    asked = ("--profile", "one", "--repeats", "1", "--set", "alpha.broken=uncaught,as_java", "--observer")
    done = run_lab(study, "run", "--systems", "alpha", *asked, "--out", str(out), expect=0)
    return Made(study=study, out=out, done=done)


def _cell(end: str, watched: str) -> str:
    return f"z1-local-alpha@current,broken={end},watched={watched}"


@pytest.mark.parametrize(("end", "code"), [("uncaught", -15), ("as_java", 143)])
def test_a_server_that_ends_by_the_very_signal_it_was_sent_was_stopped(variants, end, code):
    record = variants.records[f"{_cell(end, 'yes')}/01"]
    assert (record["status"], record["valid"], record["exit_codes"]["server"]) == ("complete", True, code)


RECORDED = {"server.nmon", "server.samples.csv", "injector.samples.csv"}


def _files(out: Path, cell: str) -> set[str]:
    return {path.name for path in (out / "runs" / cell / "01").iterdir()}


def test_with_the_observer_option_each_system_is_run_with_and_without_recorders(variants):
    # Of recorders that were not to run nothing is missed; so short a load may have no whole snapshot of nmon's.
    said = variants.done.stdout
    assert all("no snapshot lies entirely" in line for line in said.splitlines() if "Not complete" in line)
    assert {record["reason"] for record in variants.records.values()} == {""}
    assert all(record["valid"] for record in variants.records.values())
    assert _files(variants.out, _cell("uncaught", "yes")) >= RECORDED
    assert not RECORDED & _files(variants.out, _cell("uncaught", "no"))


NOT_EXPECTED = "{driver} check: printed something unexpected: "
FAULTS = {
    "no_requests": NOT_EXPECTED + "Expected `int` >= 1 - at `$.counts.requests`.",
    "no_phases": NOT_EXPECTED + "Object missing required field `measure_start_ns` - at `$.phases`.",
    "babbles": "load: printed no JSON object, but: one moment please",
    "refuses_at_verify": "the server answered with another page",
    "under_load": "{system} ended with code 9 under load: out of greetings",
    "at_end": "{system} ended with code 7 when it was stopped: its log is empty",
    "deaf": "{system} had to be killed 5 s after SIGTERM: its log is empty",
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory) -> Made:
    """A campaign of a server with every fault, its own or the driver's; it stops where one fails a second time."""
    folder = tmp_path_factory.mktemp("faulty")
    study, out = copy_of_tiny(folder), folder / "out"
    _change(study, 'mode = "good"', 'mode = "of_cell"')
    asked = (*ONE_RUN, "--set", f"alpha.broken={','.join(FAULTS)}")
    return Made(study=study, out=out, done=run_lab(study, *asked, "--out", str(out), expect=2))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_driver_or_a_server_that_does_not_do_as_it_should_is_a_failed_run_with_the_reason(faulty, fault):
    system = f"alpha@current,broken={fault}"
    record = faulty.records[f"z1-local-{system}/01"]
    assert record["status"] == "failed"
    assert record["reason"] == FAULTS[fault].format(driver=faulty.study / "driver", system=system)
    if fault == "refuses_at_verify":
        failed = [(gate["name"], gate["sentence"]) for gate in record["gates"] if not gate["passed"]]
        assert failed == [("contract", FAULTS[fault])]
        assert record["counts"] == {}


@pytest.mark.parametrize("verb", ["needs", "prepare"])
def test_a_driver_that_cannot_begin_stops_the_campaign_with_its_sentence(tiny, out, verb):
    _change(tiny, 'mode = "good"', f'mode = "fails_at_{verb}"')
    done = run_lab(tiny, "run", "--out", str(out), expect=2)
    assert done.stderr.strip().splitlines()[-1] == f"the driver was told to fail at {verb}"


def test_a_dry_run_prints_the_plan_named_after_the_systems_it_compares_and_writes_nothing(tiny, out):
    plan = lab_here(tiny, "run", "--dry-run", "--out", str(out), expect=0).stdout
    assert plan.startswith("Two tiny servers: Alpha against Beta. Profile quick: all of it.\n")
    assert "8 runs, about 1 min" in plan
    assert plan.count("z1-local-alpha") == 2
    of_one = lab_here(tiny, "run", "--systems", "beta", "--dry-run", "--out", str(out), expect=0).stdout
    assert of_one.startswith("Two tiny servers: Beta. Profile quick: all of it.\n")
    assert not out.exists()
    assert not list(tiny.glob("*/made.txt"))


def test_bad_input_is_refused_in_one_sentence_and_nothing_is_written(tiny, out):
    asked = ["run", "--out", str(out)]
    assert "--rig moon" in refused(tiny, *asked, "--rig", "moon")
    for repeats in ("0", "100"):
        assert "expected a whole number from 1 to 90" in refused(tiny, *asked, "--repeats", repeats)
    assert not out.exists()


def test_a_server_that_is_not_the_studys_is_named_by_its_folder_and_two_failures_of_it_stop_the_campaign_until_resumed(
    tiny, tmp_path, out
):
    own = tmp_path / "own"
    shutil.copytree(tiny / "alpha", own)
    text = (own / "sut.toml").read_text().replace('id = "alpha"', 'id = "own"').replace('"Alpha"', '"My own"')
    (own / "sut.toml").write_text(text.replace("../server.py", str(tiny / "server.py")))
    only = ["run", "--sizes", "1", "--systems", f"alpha,{own}", "--repeats", "1", "--out", str(out)]
    done = run_lab(tiny, *only, "--set", "own.broken=at_start", expect=2)
    assert "Stopped: 2 runs of own in a row failed" in done.stderr.splitlines()[-1]
    failed = {record["reason"] for record in records_of(out).values() if record["status"] == "failed"}
    assert failed == {"own ended with code 1 before it was ready: no greeting today"}
    record = json.loads((out / "campaign.json").read_text())
    assert record["study"]["title"] == "Two tiny servers: Alpha against My own"
    assert (record["systems"]["own"]["folder"], "folder" in record["systems"]["alpha"]) == (str(own), False)
    run_lab(tiny, "run", "--resume", str(out), expect=2)
    assert len(list((out / "runs").glob("z1-local-own/01-failed-1/run.json"))) == 1
    wait_until_none(lambda: processes_that_name(tiny))


def test_a_folder_that_is_not_a_campaign_is_not_resumed_and_with_something_in_it_never_written_to(tiny, out):
    out.mkdir()
    kept, resume = out / "campaign.json", ("run", "--resume", str(out))
    assert "not a results folder (it has no campaign.json)" in refused(tiny, *resume)
    kept.write_text('{"schema": 1,\n oops}')
    assert "campaign.json, line 2: not valid JSON" in refused(tiny, *resume)
    kept.write_text('{"schema": 1}')
    assert "campaign.json: not a campaign of this lab" in refused(tiny, *resume)
    kept.rename(out / "thesis.txt")
    assert "not an empty folder" in refused(tiny, "run", "--out", str(out))
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_a_campaign_that_cannot_fit_the_disk_is_refused_before_it_begins(tiny, out):
    driver = tiny / "driver"
    driver.write_text(driver.read_text().replace('"upload_bytes": 1000', '"upload_bytes": 10**15'))
    said = refused(tiny, "run", "--out", str(out))
    assert said.startswith("No space: the campaign writes 8400000.0 GB")
    assert not out.exists()


def test_serve_answers_on_the_port_it_was_given_and_ends_on_sigterm(tiny, tmp_path):
    port = free_port()
    with running([*LAB, str(tiny), "serve", "alpha", "--port", str(port), "--upload-dir", str(tmp_path / "up")]) as lab:
        wait_for(lambda: not is_free("127.0.0.1", port))
        assert "another program listens there" in refused(tiny, "serve", "alpha", "--port", str(port))
        lab.terminate()
        lab.communicate(timeout=PATIENCE_S)
    assert lab.returncode == 0
    wait_until_none(lambda: processes_that_name(tiny))
