"""How long a server that was warmed up is left to its own work before it is measured."""

import subprocess
from pathlib import Path

import pytest
from finished import copy_of_upload_study, make_campaign, read_rows, runs_of, without_extra_repeats
from token_server import make_token_server
from waiting import wait_for

from monitoring import machine
from uploadlab.errors import LabError
from uploadlab.planning.space import is_in_memory
from uploadlab.runs.background_work import wait_for_background_work

TINY = ["--profile", "smoke", "--generator", "lean", "--baseline-repeats", "0", "--load", "warmup_loops=2"]
TINY += ["--load", "loops=4", "--load", "threads=5", "--load", "think_time_ms=0"]
TWO_LOADS = ["--profile", "quick", "--repeats", "1", "--samples", "7", "--load", "warmup_loops=5"]
TWO_LOADS += ["--load", "saturated_s=2", "--load", "share_s=2", "--load", "settling_s=1", "--load", "lead_in_s=0"]
BURN_ON_FIRST_UPLOAD = """
import threading


def burn(until_s):
    while time.monotonic() < until_s:
        pass
    pathlib.Path("burnt").write_text(str(time.time_ns()))


class Burning(Handler):
    begun = False

    def do_POST(self):
        super().do_POST()
        if not Burning.begun:
            Burning.begun = True
            threading.Thread(target=burn, args=(time.monotonic() + BURN_S,), daemon=True).start()


Handler = Burning
"""


def test_it_is_over_when_the_server_was_quiet_twice_in_a_row():
    compiler_ends = [38.0, 34.0]
    used = iter([96.0, 31.0, 88.0, *compiler_ends, 26.0, 25.0, 5.0])
    work = wait_for_background_work(lambda: next(used), most_s=60)
    assert (work.cpu_pct, work.ended) == (25.0, True)
    assert next(used) == 5.0


def test_one_that_never_ends_is_waited_for_no_longer_than_was_said():
    looks = []
    work = wait_for_background_work(lambda: looks.append(1) or 96.0, most_s=0)
    assert (work.cpu_pct, work.ended, len(looks)) == (96.0, False, 1)


@pytest.mark.parametrize(("child", "is_busy"), [("sleep 60", False), ("while :; do :; done", True)])
def test_the_cpu_time_is_that_of_a_process_and_of_what_it_started(child, is_busy, host):
    with subprocess.Popen(["sh", "-c", f"({child}) & wait"], start_new_session=True) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            wait_for(lambda: children.read_text().strip())
            wait_for(lambda: (host.cpu_pct([process.pid], 1.0) > 5) == is_busy)
        finally:
            subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=True)
    with pytest.raises(LabError, match="no process"):
        host.cpu_pct([process.pid], 0.1)


@pytest.mark.slow
@pytest.mark.alone  # where others take the core, the server's own work looks small
@pytest.mark.parametrize(("burn_s", "most_s", "settled"), [(4, 60, None), (60, 1, False)])
def test_what_a_server_does_after_its_warm_up_is_over_before_it_is_measured_or_the_run_says_so(
    burn_s, most_s, settled, tmp_path, monkeypatch
):
    monkeypatch.setenv("OTHER_TOKEN", "s3cret")
    app = make_token_server(tmp_path / "app")
    server = (app / "app.py").read_text()
    begin = "\nhttp.server.ThreadingHTTPServer.request_queue_size"
    burning = BURN_ON_FIRST_UPLOAD.replace("BURN_S", str(burn_s))
    (app / "app.py").write_text(server.replace(begin, burning + begin))
    campaign = make_campaign(tmp_path / "out", "--systems", str(app), *TINY, "--load", f"background_s={most_s}")
    [(_, record)] = runs_of(campaign)
    (work,), (window,) = record["background_work"], record["windows"]
    assert record["status"] == "complete", record["reason"]
    assert record["counts"]["warmup_requests"] > 2 * record["load"]["warmup_threads"], "the light load is no part of it"
    assert (work["ended"], window["settled"], record["settled"]["settled"]) == (settled is None, settled, settled)
    if work["ended"]:
        assert window["start_ns"] > int((app / "burnt").read_text())


@pytest.mark.slow
@pytest.mark.alone  # what others write would be taken for what this server stored
def test_what_a_load_stored_is_on_the_disk_before_the_next_one_is_measured(tmp_path, monkeypatch):
    if is_in_memory(machine.describe_disk(tmp_path)):
        pytest.skip("the temporary folder is in memory: no disk to write to")
    monkeypatch.setenv("OTHER_TOKEN", "s3cret")
    study = copy_of_upload_study(tmp_path / "study", without_extra_repeats)
    app = make_token_server(tmp_path / "app")
    campaign = make_campaign(tmp_path / "out", "--systems", str(app), *TWO_LOADS, study=study)
    [(run, record)] = runs_of(campaign)
    saturated, share = record["windows"]
    sent = [(int(row["timeStamp"]), int(row["sentBytes"])) for row in read_rows(run / "requests.jtl")]
    rows = read_rows(run / "server.samples.csv")
    samples = [(int(row["time_ns"]), int(row["disk_written_bytes"])) for row in rows]
    stored = sum(size for time_ms, size in sent if time_ms * 1_000_000 < saturated["end_ns"])
    written = next(done for time_ns, done in samples if time_ns >= share["start_ns"]) - samples[0][1]
    assert written > 0.9 * stored > 1_000_000, (written, stored)
