"""Rounds of one run as its repeats: two systems, each run once in three rounds whose means are known."""

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import stdev

import pytest
from campaigns import edited
from test_operations import MS, record

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.analysis.summarise import summarise
from uploadlab.table_file import read_table

CODE = {
    "claims.py": '''"""What the queue's authors claim."""
from uploadlab.claims import Evidence, Outcome, lower


def fast_is_faster(evidence: Evidence) -> Outcome:
    """fast is faster"""
    return lower(evidence, "latency", "fast", "slow")
''',
    "tables.py": '''"""What they print."""
from uploadlab.tables.study_tables import Columned, Measured, beside_paper


def means(measured: Measured) -> Columned:
    """Means"""
    by, of = ["system"], ["messages"]
    return beside_paper(measured, ["latency"], rows=by, columns=of, deviation="sd_ms", published="table.csv")


def speed_up(measured: Measured) -> Columned:
    """Speed-up"""
    ratio = ["slow", "fast"]
    return beside_paper(measured, ["latency"], rows=[], columns=["messages"], ratio=ratio, published="ratio.csv")
''',
}
ROUND_MEANS_MS = {"slow": (10.0, 11.0, 12.0), "fast": (4.0, 6.0, 5.0)}
MESSAGES, APART_MS, PAUSE_MS = 20, 2, 5000
STUDY = {
    "id": "queue",
    "title": "Queues",
    "words": {"operation": "message", "operations": "messages"},
    "roles": {"sender": {"place": "injector", "sends": True}, "taker": {"place": "server"}},
    "factors": {
        "messages": {"option": "messages", "levels": [20], "cell": "m{}", "describe": "messages of a round"},
        "round": {"levels": [1, 2, 3, 4], "kind": "rounds"},
    },
    "operation": {"from": ["sender", "sent"], "to": ["taker", "received"]},
    "metrics": {
        "latency": {"column": "mean_ms", "unit": "ms", "name": "latency", "question": True},
        "order": {"column": "out_of_order", "unit": "", "name": "out of order"},
        "rate": {"column": "delivered_per_s", "unit": "/s", "better": "higher", "question": True},
    },
}


def write_campaign(folder: Path, repeats: int = 1) -> Path:
    """Write a campaign as the lab leaves it; every repeat has the same records."""
    runs = [
        {"cell": f"m20-{system}", "repeat": f"{repeat:02}", "system": system, "stack": "current", "order": repeat}
        | {"block": repeat, "factors": {"messages": 20}}
        for repeat in range(1, repeats + 1)
        for system in ROUND_MEANS_MS
    ]
    document = {
        "schema": 1,
        "study": {**STUDY, "folder": str(folder / "study")},
        "profile": {"name": "published", "settings": {}},
        "seed": 1,
        "systems": {system: {"name": system.capitalize(), "stack": "current"} for system in ROUND_MEANS_MS},
        "rig": {"roles": {"server": {"host": "local", "cores": [0]}, "injector": {"host": "local", "cores": [1]}}},
        "runs": runs,
    }
    published = folder / "study" / "published"
    published.mkdir(parents=True)
    for name, text in CODE.items():
        (folder / "study" / name).write_text(text)
    (folder / "campaign.json").write_text(json.dumps(document))
    (published / "ratio.csv").write_text("messages,ratio\n20,4\n")
    (published / "table.csv").write_text("system,messages,mean_ms,sd_ms\nslow,20,8,1\nfast,20,16,2\n")
    rounds = [f"{number},20,{system},{mean}" for system, mean in (("slow", 8), ("fast", 16)) for number in (1, 2, 3)]
    scattered = "\n".join(f"{line}.{place}" for place, line in enumerate(rounds))
    (published / "rounds.csv").write_text(f"round,messages,system,round_mean_ms\n{scattered}\n")
    for run in runs:
        write_run(folder / "runs" / run["cell"] / run["repeat"], run)
    return folder


def write_run(folder: Path, run: dict) -> None:
    folder.mkdir(parents=True)
    rounds = [
        [(1000 + op * PAUSE_MS + seq * APART_MS, seq, mean_ms + (0.5 if seq % 2 else -0.5)) for seq in range(MESSAGES)]
        for op, mean_ms in enumerate(ROUND_MEANS_MS[run["system"].partition("@")[0]])
    ]
    record(folder, "sender-0", *([(at_ms, seq, "sent") for at_ms, seq, _ in one] for one in rounds))
    record(folder, "taker-0", *([(at_ms + took_ms, seq, "received") for at_ms, seq, took_ms in one] for one in rounds))
    phases = {"measure_start_ns": 1000 * MS, "measure_end_ns": 20_000 * MS}
    parts = [{"role": "taker", "index": 0, "cores": [0]}, {"role": "sender", "index": 0, "cores": [1]}]
    state = {"schema": 1, "status": "complete", "valid": True, "watched": False, "phases": phases, "parts": parts}
    counts = {"requests": MESSAGES * len(rounds)}
    gates = [{"name": "out_of_order", "passed": True, "figure": 0}]
    (folder / "run.json").write_text(json.dumps({**run, **state, "counts": counts, "gates": gates}))


@pytest.fixture(scope="module")
def analysed(tmp_path_factory) -> dict[int, Path]:
    """Campaigns of one and of two repeats, analysed."""
    folder = tmp_path_factory.mktemp("rounds")
    made = {repeats: write_campaign(folder / name, repeats) for repeats, name in ((1, "once"), (2, "twice"))}
    for one in made.values():
        write_analysis(one)
    return made


@pytest.fixture
def recorded(analysed, tmp_path) -> Callable[[int], Path]:
    """Return a function that copies such a campaign: its runs as they were analysed, and no table of them."""

    def copy(repeats: int = 1) -> Path:
        made, folder = analysed[repeats], tmp_path / "campaign"
        shutil.copytree(made, folder, ignore=shutil.ignore_patterns("analysis", "report"))
        shutil.copytree(made / "analysis" / "cache", folder / "analysis" / "cache")
        with edited(folder / "campaign.json") as campaign:
            campaign["study"]["folder"] = str(folder / "study")
        return folder

    return copy


@pytest.fixture(scope="module")
def once(analysed) -> Path:
    return analysed[1]


def cells(folder: Path) -> dict[str, dict[str, str]]:
    return {row["system"]: row for row in read_table(folder / "analysis/cells.csv")}


def test_each_round_has_a_row_of_its_own(once):
    rows = read_table(once / "analysis/rounds.csv")
    found = {(row["system"], int(row["round"])): float(row["mean_ms"]) for row in rows}
    assert found == {(name, n): mean for name, means in ROUND_MEANS_MS.items() for n, mean in enumerate(means, 1)}
    assert all(int(row["requests"]) == MESSAGES for row in rows)


def test_rounds_are_the_repeats_of_a_cell_that_was_run_once(once):
    slow = cells(once)["slow"]
    assert (slow["runs"], slow["valid_runs"]) == ("1", "1")
    assert slow["out_of_order"] == "0", "as the gate counted it"
    assert slow["cpu_pct"] == ""
    assert float(slow["mean_ms"]) == pytest.approx(11)
    assert float(slow["mean_ms_lo"]) < 11 < float(slow["mean_ms_hi"])
    latency = read_table(once / "analysis/comparisons.csv")[0]
    assert (latency["n_a"], latency["n_b"], latency["verdict"]) == ("3", "3", "higher")


def test_the_rounds_of_one_run_are_never_set_against_the_runs_of_another_system(recorded):
    folder = recorded(2)
    path = folder / "runs/m20-slow/01/run.json"
    with edited(path) as run:
        run |= {"valid": False, "reason": "The host was busy."}
    write_analysis(folder)
    latency = read_table(folder / "analysis/comparisons.csv")[0]
    assert (latency["n_a"], latency["n_b"], latency["verdict"]) == ("1", "2", "can't tell")
    assert (latency["lo"], latency["hi"]) == ("", "")
    runs = {(row["system"], row["repeat"]): row for row in read_table(folder / "analysis/runs.csv")}
    assert latency["a"] == runs["slow", "02"]["mean_ms"], "of the whole run"
    (claim,) = read_table(folder / "analysis/claims.csv")
    assert claim["verdict"] == "undecided"


def test_a_declared_table_has_the_deviation_of_the_round_means_beside_the_printed_one(once):
    rows = {row["system"]: row for row in read_table(once / "analysis/tables/means.csv")}
    assert float(rows["fast"]["20_latency"]) == pytest.approx(5)
    assert float(rows["fast"]["20_sd_ms"]) == pytest.approx(stdev(ROUND_MEANS_MS["fast"]))
    assert (rows["fast"]["20_latency_paper"], rows["fast"]["20_sd_ms_paper"]) == ("16", "2")


def test_a_table_of_a_ratio_holds_one_system_over_another_and_what_was_printed(once):
    (row,) = read_table(once / "analysis/tables/speed_up.csv")
    assert float(row["20"]) == pytest.approx(11 / 5)
    assert (row["20_paper"], float(row["20_ratio"])) == ("4", pytest.approx(11 / 5 / 4))


def test_a_claim_is_decided_on_our_rounds_on_what_was_printed_and_on_the_authors_rounds(once):
    (claim,) = read_table(once / "analysis/claims.csv")
    assert [claim[f"{whose}verdict"] for whose in ("", "paper_", "rounds_")] == ["holds", "fails", "fails"]
    assert " to " in claim["rounds_why"]
    assert " to " not in claim["paper_why"], "print has no interval"


def completed(folder: Path, *figures: int) -> list[tuple[object, ...]]:
    """Say of each run how many messages were out of order; return validity and count of the completed as claims see."""
    for path, figure in zip(sorted(folder.glob("runs/*/*/run.json")), figures, strict=True):
        gate = {"name": "out_of_order", "passed": not figure, "figure": figure, "sentence": f"{figure} out of order."}
        with edited(path) as run:
            run |= {"gates": [gate], "valid": not figure}
    (folder / "study" / "claims.py").write_text(
        "def seen(evidence):\n"
        '    """Fails, to be seen."""\n'
        "    raise ValueError([(run['valid'], run['out_of_order']) for run in evidence.completed])\n"
    )
    write_analysis(folder)
    (claim,) = read_table(folder / "analysis/claims.csv")
    found: list[tuple[object, ...]] = ast.literal_eval(claim["why"].partition("ValueError: ")[2])
    return found


def test_a_claim_sees_a_run_whose_rounds_are_its_repeats_once(recorded):
    assert completed(recorded(), 0, 0) == [(True, 0), (True, 0)]


def test_a_message_that_was_lost_and_not_recorded_is_lost_in_the_run_and_in_no_round_of_it(recorded):
    folder = recorded()
    with edited(folder / "campaign.json") as campaign:
        campaign["study"]["metrics"]["lost"] = {"column": "lost"}
    for path in folder.glob("runs/*/*/run.json"):
        with edited(path) as run:
            run["gates"].append({"name": "lost", "passed": False, "figure": 3})
            run |= {"valid": False, "load": {"stamp_every": 10}}
    write_analysis(folder)
    assert [row["lost"] for row in read_table(folder / "analysis/runs.csv")] == ["3", "3"]
    assert all(row.get("lost", "") == "" for row in read_table(folder / "analysis/rounds.csv"))


def of_levels(folder: Path) -> Path:
    """Make the rounds of a campaign levels that its runs have several of."""
    with edited(folder / "campaign.json") as campaign:
        campaign["study"]["factors"]["round"] = {"levels": [1, 2, 3], "kind": "within_run"}
    return folder


def test_of_a_level_within_a_run_the_settled_part_counts_and_one_that_never_settled_is_left_out_alone(recorded):
    folder = of_levels(recorded())
    eleventh_ns = (1000 + 10 * APART_MS) * MS
    settled = {"settled": True, "cut": False, "requests_before": 0, "from_ns": 0, "sentence": ""}
    levels = [
        settled | {"cut": True, "requests_before": 10, "from_ns": eleventh_ns},
        settled | {"settled": False, "sentence": "They never settled."},
        settled,
    ]
    path = folder / "runs/m20-slow/01/run.json"
    with edited(path) as run:
        run |= {"settled": {"settled": False, "levels": levels}, "load": {"window": "settled"}}
    write_analysis(folder)
    runs = [row for row in read_table(folder / "analysis/runs.csv") if row["system"] == "slow"]
    found = [(row["round"], row["valid"], row["requests"], row["cut_requests"], row["reason"]) for row in runs]
    assert found == [
        ("1", "true", "10", "10", ""),
        ("2", "false", "20", "0", "They never settled."),
        ("3", "true", "20", "0", ""),
    ]


def test_a_damaged_run_of_several_levels_is_each_of_them_and_none_counts_as_not_made(recorded):
    folder = of_levels(recorded(2))
    (folder / "runs/m20-slow/01/run.json").write_text('{"schema": 1,')
    analysis = write_analysis(folder)
    slow = [row for row in read_table(folder / "analysis/runs.csv") if row["system"] == "slow"]
    assert [(row["cell"], row["repeat"], row["status"], row["round"]) for row in slow] == [
        (f"m20-round{level}-slow", repeat, status, str(level))
        for level in (1, 2, 3)
        for repeat, status in (("01", "damaged"), ("02", "complete"))
    ]
    found = [(row["cell"], row["runs"], row["valid_runs"]) for row in read_table(folder / "analysis/cells.csv")]
    assert found == [
        (f"m20-round{level}-{system}", "2", valid)
        for level in (1, 2, 3)
        for system, valid in (("fast", "2"), ("slow", "1"))
    ]
    assert analysis.campaign.missing == ()
    [left_out] = summarise(analysis).left_out
    assert left_out.run == "m20-round1-slow/01", "once, however many cells its levels are"


def test_samples_of_any_role_that_were_damaged_or_repaired_since_are_noticed(recorded):
    folder = recorded()
    path = folder / "runs/m20-slow/01/run.json"
    with edited(path) as run:
        run["watched"] = True
    samples = path.with_name("taker.samples.csv")

    def problems() -> list[str]:
        return [problem for problem in write_analysis(folder).problems if samples.name in problem]

    samples.write_text("time_ns,role_cpu_ns\n" + "".join(f"{at * MS},{at}\n" for at in range(0, 20_000, 100)))
    assert problems() == []
    samples.write_text("")
    assert len(problems()) == 1


def test_a_level_within_a_run_has_the_baselines_figures_at_that_level(recorded):
    folder = of_levels(recorded())
    with edited(folder / "campaign.json") as campaign:
        of_baseline = campaign["runs"][1]
        campaign["baseline"] = {"name": "Fast", "runs": [of_baseline]}
    write_run(folder / "baseline" / of_baseline["cell"] / of_baseline["repeat"], of_baseline)
    write_analysis(folder)
    beside = {
        (row["system"], row["round"]): (row["generator_runs"], float(row["generator_mean_ms"]))
        for row in read_table(folder / "analysis/cells.csv")
    }
    levels = enumerate(ROUND_MEANS_MS["fast"], 1)
    assert beside == {(name, str(n)): ("1", mean) for n, mean in levels for name in ROUND_MEANS_MS}
    assert len(read_table(folder / "analysis/generator.csv")) == 3
