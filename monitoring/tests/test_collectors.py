"""nmon and the sampler started for real, stopped, and left alone by a parent that dies."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import is_running, running, wait_for

from monitoring.collectors import NmonCollector, SamplerCollector
from monitoring.errors import CollectorError
from monitoring.nmon_reader import read_nmon
from monitoring.samples_reader import read_samples

README = Path(__file__).parents[1] / "README.md"


def start_sampler(out: Path, **changes) -> SamplerCollector:
    settings = {"role": "server", "pids": [os.getpid()], "role_cores": [0], "device_of": out.parent}
    return SamplerCollector(out, **(settings | changes))


def damages(recording) -> list:
    """Return what is damaged but for interfaces and mounts that came or went meanwhile, as those of another test."""
    others = ("NET", "NETPACKET", "JFSFILE", "JFSINODE")
    return [damage for damage in recording.damages if damage.section not in others]


def has_whole_rows(samples: Path) -> bool:
    """Return whether the last line has its end and every line a row: none has a wrong number of cells or no time."""
    text = samples.read_text()
    return text.endswith("\n") and len(read_samples(samples)["time_ns"]) == text.count("\n") - 1


def test_nmon_records_in_utc_wherever_the_machine_is(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    started_ns = time.time_ns()
    with NmonCollector(tmp_path / "server.nmon") as nmon:
        written_ns = nmon.wait_recording()
        assert nmon.stop() == 0
    recording = read_nmon(tmp_path / "server.nmon")
    assert started_ns < written_ns < time.time_ns()
    assert recording.time_ns[0] <= written_ns
    assert damages(recording) == []
    assert recording.interval_s == 1
    assert abs(recording.time_ns[0] - started_ns) < 15 * 60 * 10**9  # a wrong zone is off by half an hour or more
    assert "TOP" not in recording.tables
    assert sorted(recording.cores()) == sorted(range(os.cpu_count()))


def test_nmon_is_our_child_and_runs_where_it_is_told_to(tmp_path):
    core = max(os.sched_getaffinity(0))
    with NmonCollector(tmp_path / "server.nmon", cores=[core]) as nmon:
        nmon.wait_recording()
        assert os.sched_getaffinity(nmon.pid) == {core}
        fields = Path(f"/proc/{nmon.pid}/stat").read_text().rpartition(")")[2].split()
        assert int(fields[1]) == os.getpid()
        assert Path(f"/proc/{nmon.pid}/comm").read_text() == "nmon\n"


@pytest.mark.parametrize("start", [NmonCollector, start_sampler])
def test_a_file_that_exists_is_never_overwritten(tmp_path, start):
    out = tmp_path / "server.out"
    out.write_text("precious")
    with pytest.raises(CollectorError, match=r"server\.out exists already"):
        start(out)
    assert out.read_text() == "precious"


def test_without_nmon_the_error_gives_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CollectorError, match="nmon is not installed; install it with: apt-get install --yes nmon"):
        NmonCollector(tmp_path / "server.nmon")


def test_a_collector_that_is_not_stopped_is_gone_after_its_with_block(tmp_path):
    with NmonCollector(tmp_path / "server.nmon") as nmon, start_sampler(tmp_path / "a.samples.csv") as sampler:
        nmon.wait_recording()
        sampler.wait_recording()
    assert not is_running(nmon.pid)
    assert not is_running(sampler.pid)
    assert has_whole_rows(tmp_path / "a.samples.csv")


def test_both_end_by_themselves_with_whole_files_when_their_parent_is_killed(tmp_path):
    program = """
import os, sys, time
from pathlib import Path
from monitoring.collectors import NmonCollector, SamplerCollector
folder = Path(sys.argv[1])
nmon = NmonCollector(folder / "a.nmon")
sampler = SamplerCollector(folder / "a.csv", role="server", pids=[1], role_cores=[0], device_of=folder)
nmon.wait_recording()
sampler.wait_recording()
print(nmon.pid, sampler.pid, flush=True)
time.sleep(60)
"""
    with running([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE) as parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
    for pid in pids:
        wait_for(lambda pid=pid: not is_running(pid))
    assert damages(read_nmon(tmp_path / "a.nmon")) == []
    assert has_whole_rows(tmp_path / "a.csv")


def test_whenever_a_sampler_is_told_to_stop_it_ends_with_whole_rows(tmp_path):
    """Busy all the time, so that the signal comes while it reads or writes rather than while it waits."""
    for number in range(7):
        out = tmp_path / f"{number}.samples.csv"
        with start_sampler(out, interval_ms=1) as sampler:
            sampler.wait_recording()
            assert sampler.stop() == 0
        assert has_whole_rows(out)


def test_the_example_of_the_readme_works_as_it_stands_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, str(README), "exec"), names)
    assert len(names["switches"]) >= 2
    assert len(names["rates"]) >= 0
