"""A run whose server's host had another clock gives the figures of the same run on one clock."""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import campaigns
import pytest

from uploadlab.metrics.result import RunResult, analyse_run
from uploadlab.results.campaign import read_run

AHEAD_S = 3605  # more than an hour: nothing would overlap without the alignment


@pytest.fixture
def run_folder(tmp_path) -> Path:
    made = campaigns.write_campaign(tmp_path / "campaign", samples=(5,), systems=("node",), repeats=1)
    return made.run("s05-local-node", "01")


def _write_ahead(samples: Path, of: Path) -> None:
    """Write samples that were taken on a clock that was ahead."""
    with of.open(newline="") as file:
        header, *rows = csv.reader(file)
    rows = [[str(int(row[0]) + AHEAD_S * 10**9), *row[1:]] for row in rows]
    samples.write_text("".join(",".join(row) + "\n" for row in [header, *rows]))


def _readings(record: dict) -> tuple[dict, dict]:
    """Return, as run.json has it, what was read of a clock that is ours, and of the one that was ahead."""
    here = {"at_ns": record["phases"]["measure_start_ns"], "offset_ns": 0, "uncertainty_ns": 1000}
    there = here | {"offset_ns": AHEAD_S * 10**9}
    return {"before": here, "after": here}, {"before": there, "after": there}


def _set_ahead(folder: Path) -> None:
    """Make the recordings of a run those of a server whose clock was ahead, and say so in run.json."""
    samples = folder / "server.samples.csv"
    _write_ahead(samples, samples)
    nmon = folder / "server.nmon"
    nmon.write_text("".join(map(_line_ahead, nmon.read_text().splitlines(keepends=True))))
    with campaigns.edited(folder / "run.json") as record:
        ours, ahead = _readings(record)
        record["clock"] = {"injector": ours, "server": ahead}
        for path in (samples, nmon):
            record["files"][path.name] = {"bytes": path.stat().st_size, "sha256": campaigns.sha256(path)}


def _line_ahead(line: str) -> str:
    if not line.startswith("ZZZZ,"):
        return line
    mark, number, time, date = line.strip().split(",")
    at = datetime.strptime(f"{date} {time}", "%d-%b-%Y %H:%M:%S").replace(tzinfo=UTC) + timedelta(seconds=AHEAD_S)
    return f"{mark},{number},{at:%H:%M:%S},{at:%d-%b-%Y}\n".upper()


def analysed(folder: Path) -> RunResult:
    return analyse_run(read_run(folder), {"operation": {"label": "Upload file"}})


def test_a_server_on_another_clock_has_the_figures_and_the_timeline_of_one_clock(run_folder):
    one_clock = analysed(run_folder)
    _set_ahead(run_folder)
    two_clocks = analysed(run_folder)
    assert two_clocks.problems == one_clock.problems
    assert one_clock.figures["cpu_pct"] is not None
    assert one_clock.figures["server_cpu_us_per_request"] is not None
    assert dict(two_clocks.figures) == pytest.approx(dict(one_clock.figures), nan_ok=True)
    assert list(two_clocks.timeline) == list(one_clock.timeline)


def _add_injector(folder: Path) -> None:
    """Give a run a second host of the load generator: what the first recorded, on a clock ahead and one core of two."""
    second = folder / "injector-2.samples.csv"
    _write_ahead(second, folder / "injector.samples.csv")
    with campaigns.edited(folder / "run.json") as record:
        ours, ahead = _readings(record)
        record["clock"] = {"injector": ours, "server": ours, "injector-2": ahead}
        record["processes"]["injector-2"] = {"pids": [1], "cores": [0, 1]}
        record["files"][second.name] = {"bytes": second.stat().st_size, "sha256": campaigns.sha256(second)}


def test_of_several_hosts_that_made_a_load_the_busiest_counts_and_the_wait_of_all(run_folder):
    alone = analysed(run_folder).figures
    _add_injector(run_folder)
    together = analysed(run_folder)
    assert not together.problems
    assert together.figures["injector_cpu_pct"] == pytest.approx(alone["injector_cpu_pct"])
    assert together.figures["injector_wait_ms_per_request"] == pytest.approx(2 * alone["injector_wait_ms_per_request"])
    (run_folder / "injector-2.samples.csv").unlink()
    without = analysed(run_folder)
    assert without.figures["injector_cpu_pct"] is None
    assert without.figures["injector_wait_ms_per_request"] is None
    assert [problem.rpartition("/")[2] for problem in without.problems] == ["injector-2.samples.csv is missing."]
