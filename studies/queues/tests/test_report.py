"""The study's own tables and charts of rounds, in both languages, of a campaign as published: two rounds each."""

import html
import json
import re
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from keeping import keep, made_up
from queue_parts import QUEUES

from uploadlab.analysis.analysis_files import write_analysis
from uploadlab.planning.study import load_study
from uploadlab.report import write
from uploadlab.tables.table_file import read_table

MS = 1_000_000
ROUNDS_MS = {
    ("rabbitmq", 10000): (24.0, 26.0),
    ("rabbitmq", 200000): (480.0, 500.0),
    ("simplified", 10000): (3.0, 3.5),
    ("simplified", 200000): (46.0, 44.0),
}
RECORDED, APART_MS, PAUSE_MS = 40, 1, 5000
FIGURES = ("rounds_10000", "rounds_200000", "rounds_rabbitmq", "rounds_simplified")
TABLES = ("means", "speed_up", "throughput", "parts")


def write_run(folder: Path, run: dict) -> None:
    """Write a run of which few messages were recorded, each as late as its round's mean."""
    folder.mkdir(parents=True)
    of_rounds = ROUNDS_MS[run["system"], run["factors"]["messages"]]
    op, seq = (one.ravel() for one in np.indices((len(of_rounds), RECORDED)))
    begun_ms = 1000 + op * PAUSE_MS + seq * APART_MS

    def at(kind: str, times_ms: np.ndarray) -> np.ndarray:
        return made_up(kind, time_ns=np.rint(times_ms * MS), op=op, seq=seq, bytes=19)

    keep(folder, "producer-0", at("sent", begun_ms), at("accepted", begun_ms + 0.1))
    keep(folder, "consumer-0", at("received", begun_ms + np.array(of_rounds)[op]))
    depth = {"event": "depth", "at_ns": 1001 * MS, "messages": 7}
    (folder / "consumer-0.events.jsonl").write_text(f"{json.dumps(depth)}\n")
    gates = [{"name": name, "passed": True, "figure": 0} for name in ("lost", "out_of_order")]
    parts = [{"role": role, "index": 0, "cores": [0]} for role in ("broker", "consumer", "producer")]
    state = {"schema": 1, "status": "complete", "valid": True, "watched": False, "gates": gates, "parts": parts}
    state |= {"phases": {"measure_start_ns": 1000 * MS, "measure_end_ns": 20_000 * MS}}
    (folder / "run.json").write_text(json.dumps({**run, **state, "counts": {"requests": len(begun_ms)}}))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Path:
    folder, study = tmp_path_factory.mktemp("queues"), load_study(QUEUES)
    levels = {"loop": "published", "rate_per_s": 0, "message_bytes": 19, "delivery": "push"}
    levels |= {"ack": "none", "prefetch": 0}
    runs = [
        {"cell": f"published-m{messages}-b19-{system}", "repeat": "01", "system": system, "stack": "current"}
        | {"order": order, "block": 1, "factors": levels | {"messages": messages}}
        for order, (system, messages) in enumerate(ROUNDS_MS, 1)
    ]
    record = {
        "schema": 1,
        "study": {"id": "queues", "title": "Message queues", "claims": study.claims, **study.declared},
        "profile": {"name": "published", "settings": {}},
        "seed": 1,
        "systems": {key: {"name": name, "stack": "current"} for key, name in
                    (("rabbitmq", "RabbitMQ"), ("simplified", "Simplified"))},
        "rig": {"roles": {"server": {"host": "local", "cores": [0]}, "injector": {"host": "local", "cores": [1]}}},
        "runs": runs,
    }  # fmt: skip
    (folder / "campaign.json").write_text(json.dumps(record))
    (folder / "published").mkdir()
    for path in (QUEUES / "published").glob("*.csv"):
        (folder / "published" / path.name).write_text(path.read_text())
    for run in runs:
        write_run(folder / "runs" / run["cell"] / run["repeat"], run)
    assert write_analysis(folder).problems == []
    return folder


@pytest.fixture(scope="module")
def page(campaign) -> str:
    return write(campaign).read_text(encoding="utf-8")


def table(campaign: Path, name: str) -> dict[str, dict[str, str]]:
    return {row.get("system", ""): row for row in read_table(campaign / f"analysis/tables/{name}.csv")}


def charts_of(page: str, language: str) -> dict:
    payload = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)
    return json.loads(payload[1])["languages"][language]["charts"]


@pytest.mark.parametrize(("system", "messages"), ROUNDS_MS)
def test_the_round_means_stand_beside_the_printed_ones(campaign, system, messages):
    row, rounds = table(campaign, "means")[system], ROUNDS_MS[system, messages]
    assert float(row[f"{messages}_latency"]) == pytest.approx(fmean(rounds), rel=1e-5)
    assert float(row[f"{messages}_sd_ms"]) == pytest.approx(stdev(rounds), rel=1e-5)
    printed = read_table(QUEUES / "published/table.csv")
    (paper,) = [one for one in printed if (one["system"], one["messages"]) == (system, str(messages))]
    assert float(row[f"{messages}_latency_paper"]) == pytest.approx(float(paper["mean_ms"]), rel=1e-5)
    assert float(row[f"{messages}_sd_ms_paper"]) == pytest.approx(float(paper["sd_ms"]), rel=1e-5)


def test_the_speed_up_is_that_of_the_means_and_the_rate_is_of_messages_delivered(campaign):
    (speed_up,) = table(campaign, "speed_up").values()
    assert float(speed_up["10000"]) == pytest.approx(3.25 / 25)
    assert (float(speed_up["10000_paper"]), float(speed_up["200000_paper"])) == (1.51, 5.86)
    rate = table(campaign, "throughput")["rabbitmq"]
    assert float(rate["10000"]) == pytest.approx(RECORDED / (0.001 * APART_MS * (RECORDED - 1)))
    assert float(rate["10000_paper"]) == 118


def test_depth_and_messages_on_their_way_are_figures_of_a_system(campaign):
    parts = [one for one in read_table(campaign / "analysis/tables/parts.csv") if one["system"] == "simplified"]
    few = next(one for one in parts if one["messages"] == "10000")
    assert float(few["depth"]) == 7
    # Of 40 messages 1 ms apart that take 3 ms each at most three are on their way, of those that take 3.5 ms four.
    assert float(few["in_flight"]) == pytest.approx((40 * 3 / 42 + 40 * 3.5 / 42.5) / 2)
    assert float(few["most_in_flight"]) == 3.5


def test_depth_and_messages_on_their_way_stand_beside_latency_in_each_second(campaign, page):
    rows = read_table(campaign / "report/data/timeline.csv")
    run = {int(row["second"]): row for row in rows if row["run"] == "published-m10000-b19-simplified/01"}
    assert (float(run[0]["mean_ms"]), float(run[0]["depth_mean"])) == (3, 7)
    assert float(run[0]["in_flight_mean"]) == pytest.approx(40 * 3 / 42, rel=1e-5)
    assert float(run[5]["in_flight_mean"]) == pytest.approx(40 * 3.5 / 42.5, rel=1e-5)
    assert {run[second][name] for second in (1, 4) for name in ("depth_mean", "in_flight_mean")} == {""}
    metrics = load_study(QUEUES).declared["metrics"]
    for language in ("en", "pt"):
        _, *others = charts_of(page, language)["timeline"]["spec"]["vconcat"]
        named = [metrics[name]["name"][language] for name in ("depth", "in_flight")]
        assert [panel["title"]["text"] for panel in others[:2]] == named


@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_page_has_the_four_charts_of_rounds_and_every_table_with_its_note(language, page):
    assert set(FIGURES) <= set(charts_of(page, language))
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    article = html.unescape(shown.split('id="pt"')[language == "pt"])
    declared = load_study(QUEUES).declared
    for kind, names in (("figures", FIGURES), ("tables", TABLES)):
        for name in names:
            assert declared[kind][name]["title"][language] in article
    notes = [of["note"][language] for of in declared["tables"].values() if "note" in of]
    assert len(notes) == 2
    assert all(note in article for note in notes)


def test_each_chart_has_every_round_of_ours_and_those_of_the_authors(page, campaign):
    for figure in FIGURES:
        kinds = [row["kind"] for row in read_table(campaign / f"report/data/{figure}.csv")]
        assert (kinds.count("ours"), kinds.count("paper")) == (4, 60), figure
