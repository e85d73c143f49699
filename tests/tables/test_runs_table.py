import csv
import shutil

import campaigns
import pytest
import recomputation
from finished import read_rows, read_table

from uploadlab.analysis.analysis_files import write_analysis

START_S = campaigns.START_NS // campaigns.SECOND_NS


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    made = campaigns.write_campaign(
        tmp_path_factory.mktemp("runs") / "campaign", samples=(5, 8), repeats=2, requests=1000, threads=20
    )
    write_analysis(made.folder)
    return made


def test_runs_csv_agrees_to_the_last_digit_with_an_independent_recomputation(campaign):
    rows = read_table(campaign.folder, "runs")
    assert len(rows) == 8
    assert recomputation.differences(campaign.folder) == []


def test_the_recomputation_would_notice_a_wrong_digit(campaign, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(campaign.folder, copy)
    path = copy / "analysis" / "runs.csv"
    rows = read_rows(path)
    rows[0]["mean_ms"] = str(float(rows[0]["mean_ms"]) + 0.001)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert len(recomputation.differences(copy)) == 1


def test_one_run_worked_out_by_hand(tmp_path):
    folder = by_hand(tmp_path / "campaign")
    analysis = write_analysis(folder)
    row = analysis.runs[0]
    assert row["requests"] == 4
    assert row["error_pct"] == 25
    assert row["mean_ms"] == 550  # (100 + 200 + 700 + 1200) / 4
    assert row["mad_ms"] == 400  # (450 + 350 + 150 + 650) / 4
    assert row["p50_ms"] == 200
    assert row["p90_ms"] == row["max_ms"] == 1200
    assert row["throughput_rps"] == pytest.approx(4 / 3.7)  # the last ends 3.7 s after the first start
    assert row["nmon_snapshots"] == 2
    assert row["cpu_pct"] == 50  # core 0: (30 + 10 and 40 + 20) / 2
    assert row["cpu_sd"] == pytest.approx(200**0.5)
    assert row["pswitch_per_s"] == 1500
    assert row["server_cpu_us_per_request"] == pytest.approx(1000)  # 4 ms in all
    assert row["server_switches_per_request"] == pytest.approx(10)
    assert row["listen_overflows"] == 2
    assert row["core_work_ms"] == 8.25  # of core 0


def by_hand(folder):
    """A campaign of one run: window 0.5 s to 4.2 s after START, snapshots at 0, 1, 2, ... s."""
    start_ms = START_S * 1000 + 500
    made = campaigns.write_campaign(folder, samples=(5,), systems=("node",), repeats=1, requests=4, threads=1)
    run = made.run("s05-local-node", "01")
    rows = [(0, 100, "true"), (1000, 200, "true"), (2000, 700, "false"), (2500, 1200, "true")]
    lines = [f"{start_ms + at},{elapsed},Upload file,u 1-1,{success},1000,1,0" for at, elapsed, success in rows]
    (run / "requests.jtl").write_text(
        "timeStamp,elapsed,label,threadName,success,sentBytes,Latency,Connect\n" + "\n".join(lines) + "\n"
    )
    nmon = ["AAA,progname,nmon", "AAA,OS,Linux,6", "AAA,interval,1", "CPU001,CPU 1 h,User%,Sys%,Wait%,Idle%,Steal%"]
    nmon += ["CPU002,CPU 2 h,User%,Sys%,Wait%,Idle%,Steal%", "PROC,Processes h,Runnable,Blocked,pswitch"]
    # the window's first whole second is 0, its last 4: T0002 covers time before it, T0005 is stamped after it
    for number, second, user, system, switches in (
        (1, -1, 99, 0, 0.0),
        (2, 0, 99, 0, 9999.0),
        (3, 2, 30, 10, 1000.0),
        (4, 3, 40, 20, 2000.0),
        (5, 5, 99, 0, 9999.0),
    ):
        stamp = campaigns.datetime.fromtimestamp(START_S + second, campaigns.UTC)
        nmon += [
            f"ZZZZ,T{number:04d},{stamp:%H:%M:%S},{stamp:%d-%b-%Y}".upper(),
            f"CPU001,T{number:04d},{user}.0,{system}.0,0.0,{100 - user - system}.0,0.0",
            f"CPU002,T{number:04d},1.0,1.0,0.0,98.0,0.0",
            f"PROC,T{number:04d},1,0,{switches}",
        ]
    (run / "server.nmon").write_text("\n".join(nmon) + "\n")
    columns = "time_ns,role_cpu_ns,role_voluntary_switches,role_involuntary_switches,tcp_listen_overflows"
    window = (start_ms * 10**6, (start_ms + 3700) * 10**6)
    samples = [
        f"{window[0]},1000000,100,10,5",
        f"{(window[0] + window[1]) // 2},2000000,110,15,6",
        f"{window[1]},5000000,130,20,7",
    ]
    (run / "server.samples.csv").write_text("\n".join([columns, *samples]) + "\n")
    (run / "injector.samples.csv").write_text("\n".join([columns, *samples]) + "\n")
    with campaigns.edited(run / "run.json") as record:
        record |= {
            "phases": {"measure_start_ns": window[0], "measure_end_ns": window[1]},
            "counts": {"requests": 4, "errors": 1},
            "noise": {"host": {"busy_pct": {"0": 1.0, "1": 1.0}, "work_ms": {"0": 8.25, "1": 9.5}}},
            "files": {},
        }
    return folder


def test_the_percentile_curve_holds_the_runs_percentiles_and_ends_with_the_last_request_before_the_largest(campaign):
    of_run = ("s05-local-node", "01")
    run = next(row for row in read_table(campaign.folder, "runs") if (row["cell"], row["repeat"]) == of_run)
    rows = [row for row in read_table(campaign.folder, "percentiles") if (row["cell"], row["repeat"]) == of_run]
    curve = {row["quantile"]: int(row["elapsed_ms"]) for row in rows}
    first, *_, last_but_one, last = curve
    assert (first, float(last_but_one), last) == ("0", pytest.approx(1 - 1 / 1000, abs=1e-9), "1")
    assert list(curve.values()) == sorted(curve.values())
    after_90 = next(quantile for quantile in curve if quantile.startswith("0.9"))
    assert [curve[quantile] for quantile in ("0.5", after_90, "1")] == [
        int(run[name]) for name in ("p50_ms", "p90_ms", "max_ms")
    ]


def test_the_timeline_holds_every_request_once_and_every_switch(campaign):
    rows = read_table(campaign.folder, "timeline")
    for run in read_table(campaign.folder, "runs"):
        seconds = [row for row in rows if (row["cell"], row["repeat"]) == (run["cell"], run["repeat"])]
        assert [int(row["second"]) for row in seconds] == list(range(-5, len(seconds) - 5))
        assert sum(int(row["requests"]) for row in seconds) == int(run["requests"])
        assert sum(int(row["errors"]) for row in seconds) == int(run["errors"])
        assert sum(int(row["warmup_requests"]) for row in seconds) == 200
        switches = sum(float(row["server_switches_per_s"] or 0) for row in seconds)
        per_run = float(run["server_switches_per_request"]) * int(run["requests"])
        assert switches == pytest.approx(per_run, rel=0.01)
