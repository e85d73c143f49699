import csv
import json
import re
import shutil
import subprocess
import sys

import campaigns
import pytest
from campaigns import Truth
from finished import read_table

from uploadlab.analysis.__main__ import main
from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.report.terminal import lines

NOT_A_NUMBER = re.compile(r"\b(nan|inf|none|null)\b", re.IGNORECASE)
STEADY = Truth(mean_ms=100, cv=0, between_runs=0, drift=0)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A sound campaign of two cells and three repeats, analysed."""
    folder = campaigns.write_campaign(
        tmp_path_factory.mktemp("sound") / "campaign", samples=(5,), repeats=3, requests=400
    ).folder
    write_analysis(folder)
    return folder


@pytest.fixture
def raw(sound, tmp_path):
    """A copy of what was measured, to be damaged."""
    return shutil.copytree(sound, tmp_path / "campaign", ignore=shutil.ignore_patterns("analysis"))


@pytest.fixture
def campaign(sound, raw):
    """The same with the runs as they were analysed, so that only what was damaged is read again."""
    shutil.copytree(sound / "analysis" / "cache", raw / "analysis" / "cache")
    return raw


def summary_of(analysis):
    return "\n".join(lines(summarise(analysis)))


def hold_no_nan(folder, text=""):
    assert not NOT_A_NUMBER.search(text)
    for path in (folder / "analysis").rglob("*.csv"):
        with path.open(newline="") as file:
            for row in csv.reader(file):
                assert not any(NOT_A_NUMBER.fullmatch(field) for field in row), path


@pytest.mark.slow
def test_the_command_gives_tables_a_summary_that_names_an_invalid_run_and_last_the_path_of_the_report(tmp_path):
    folder = campaigns.write_campaign(
        tmp_path / "c", samples=(5,), repeats=2, requests=300, invalid=[("s05-local-tomcat", "02")]
    ).folder
    command = [sys.executable, "-m", "uploadlab.analysis", "report", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stderr  # 0 where all runs are valid
    assert done.stdout.splitlines()[-1] == str(folder / "report" / "index.html")
    assert (folder / "report" / "index.html").stat().st_size > 10_000
    assert "Node.js" in done.stdout
    assert "s05-local" in done.stdout
    assert "s05-local-tomcat/02 is invalid: The load generator used 91 % of its core" in done.stdout
    hold_no_nan(folder, done.stdout)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda folder: shutil.rmtree(folder), "is not a folder; expected a results folder"),
        (lambda folder: (folder / "campaign.json").unlink(), "is not a results folder: it has no campaign.json"),
        (lambda folder: (folder / "campaign.json").write_text("{"), "campaign.json, line 1: not valid JSON"),
        (lambda folder: (folder / "campaign.json").write_text("[]"), "expected a JSON object"),
        (lambda folder: (folder / "campaign.json").write_text('{"schema": 9}'), "this version reads schema 1"),
        (lambda folder: (folder / "campaign.json").write_text('{"schema": 1}'), "missing required field `study`"),
        (lambda folder: shutil.rmtree(folder / "runs"), "holds no complete run"),
        (
            lambda folder: [path.unlink() for path in folder.glob("runs/*/*/requests.jtl")],
            "requests.jtl is missing (6 runs are damaged; this is the first)",
        ),
    ],
)
def test_what_is_no_usable_results_folder_is_said_in_one_sentence_with_exit_code_2(raw, damage, sentence, capsys):
    damage(raw)
    assert main(["report", str(raw)]) == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]
    assert not (raw / "analysis").exists()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda run: (run / "run.json").write_text('{"schema": 1,'), "run.json, line 1: not valid JSON"),
        (lambda run: edit(run, cell="s01-local-node"), "it is the record of s01-local-node/02"),
        (lambda run: edit(run, status="half"), "Invalid enum value 'half' - at `$.status`"),
        (lambda run: edit(run, valid="yes"), "Expected `bool`, got `str` - at `$.valid`"),
        (lambda run: edit(run, phases={}), "phases.measure_start_ns is missing"),
        (lambda run: (run / "requests.jtl").unlink(), "requests.jtl is missing"),
        (lambda run: cut(run / "requests.jtl"), "it was cut off"),
        (lambda run: forget_files(run) or cut(run / "requests.jtl"), "requests.jtl"),
        (lambda run: change(run / "requests.jtl"), "its SHA-256 differs"),
        (lambda run: forget_files(run) or drop_last_line(run / "requests.jtl"), "run.json counted 400"),
    ],
)
def test_a_damaged_run_is_named_and_left_out_and_the_rest_is_analysed(campaign, damage, sentence):
    damage(campaign / "runs" / "s05-local-node" / "02")
    analysis = write_analysis(campaign)
    assert [(broken.cell, broken.repeat) for broken in analysis.damaged] == [("s05-local-node", "02")]
    assert sentence in analysis.damaged[0].sentence
    rows = read_table(campaign, "runs")
    broken = next(row for row in rows if (row["cell"], row["repeat"]) == ("s05-local-node", "02"))
    assert (len(rows), broken["status"], broken["valid"], broken["mean_ms"]) == (6, "damaged", "false", "")
    assert broken["reason"] == analysis.damaged[0].sentence
    assert (broken["system"], broken["scenario"], broken["sample"]) == ("node", "s05-local", "5")
    cells = read_table(campaign, "cells")
    assert [(cell["runs"], cell["valid_runs"]) for cell in cells] == [("3", "2"), ("3", "3")]
    hold_no_nan(campaign, summary_of(analysis))


@pytest.mark.parametrize("name", ["server.nmon", "server.samples.csv", "injector.samples.csv"])
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_run_without_one_recorder_keeps_its_response_times_and_says_what_is_missing(campaign, name, how):
    run = campaign / "runs" / "s05-local-node" / "02"
    forget_files(run)
    (run / name).unlink() if how == "missing" else (run / name).write_text("")
    analysis = write_analysis(campaign)
    assert len(analysis.problems) == 1
    assert name in analysis.problems[0]
    row = next(row for row in analysis.runs if (row["cell"], row["repeat"]) == ("s05-local-node", "02"))
    assert row["valid"] is True
    assert row["mean_ms"] > 0
    assert name in row["reason"]
    figure = {"server.nmon": "cpu_pct", "server.samples.csv": "server_cpu_pct"}.get(name, "injector_cpu_pct")
    assert row[figure] is None
    hold_no_nan(campaign, summary_of(analysis))
    assert "A recording is not complete" in summary_of(analysis)


@pytest.mark.parametrize("why", ["interrupted", "failed"])
def test_what_was_set_aside_of_an_interrupted_or_failed_run_is_never_used(campaign, why):
    run = campaign / "runs" / "s05-local-node" / "02"
    run.rename(run.with_name(f"02-{why}-1"))
    analysis = write_analysis(campaign)
    assert len(analysis.runs) == 5
    assert "1 of 6 runs are not made yet" in summary_of(analysis)


ODD = {
    "one repeat": {"repeats": 1},
    "one system": {"systems": ("node",)},
    "every request fails": {"truths": {"s05-local-node": Truth(error_rate=1)}},
    "no variance at all": {"truths": {"s05-local-node": STEADY, "s05-local-tomcat": STEADY}},
    "no monitors": {"monitors": False},
    "only invalid runs": {"repeats": 1, "invalid": [("s05-local-node", "01"), ("s05-local-tomcat", "01")]},
    "only failed runs": {"repeats": 1, "failed": [("s05-local-node", "01"), ("s05-local-tomcat", "01")]},
    "one cell fails": {"repeats": 1, "failed": [("s05-local-node", "01")]},
    "a request each": {"requests": 1, "threads": 1, "warmup_requests": 1},
    "two stacks": {"systems": ("node", "node@paper-2016", "tomcat")},
    "another study": {"study": "sockets"},
}


@pytest.mark.parametrize("case", ODD)
def test_odd_campaigns_get_every_table_and_never_a_nan(case, tmp_path):
    options = {"samples": (5,), "repeats": 2, "requests": 200, **ODD[case]}
    made = campaigns.write_campaign(tmp_path / "c", **options)
    analysis = write_analysis(made.folder)
    hold_no_nan(made.folder, summary_of(analysis))
    names = {path.name for path in (made.folder / "analysis").glob("*.csv")}
    assert names >= {"runs.csv", "cells.csv", "comparisons.csv", "claims.csv", "timeline.csv", "percentiles.csv"}
    assert all(row["why"] or row["verdict"] == "not measured" for row in analysis.claims)


def test_without_variance_equal_systems_are_equal_and_nothing_is_divided_by_0(tmp_path):
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=2, requests=300, **ODD["no variance at all"])
    rows = {row["metric"]: row for row in write_analysis(made.folder).comparisons}
    assert rows["mean_ms"]["verdict"] == "equal within 5 %"
    assert "ratio" not in rows["cv"]


def edit(run, **keys):
    record = json.loads((run / "run.json").read_text())
    campaigns.write_json(run / "run.json", record | keys)


def forget_files(run):
    edit(run, files={})


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 - 7])


def change(path):
    path.write_bytes(path.read_bytes()[:-2] + b"7\n")


def drop_last_line(path):
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
