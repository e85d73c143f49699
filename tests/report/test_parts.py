"""The page of a study that declares everything itself: four systems of two parts, none of them a server of files."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from handmade import comparison, run, write_results, write_table
from parts import DECLARED, write_parts
from recomputation import read_csv
from test_page import hold_the_schema, tables_of, visible

from uploadlab.errors import InputError
from uploadlab.report import page_of, write
from uploadlab.report.figures import figures
from uploadlab.report.grids import paper_tables
from uploadlab.report.results import read_results
from uploadlab.report.sentences.method import method
from uploadlab.report.setup import setup
from uploadlab.results.declarations import STUDIES, declarations, published_files
from uploadlab.words.languages import ENGLISH, PORTUGUESE, EveryLanguage, Said
from uploadlab.words.study_words import in_words_of


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """Berkeley before ZeroMQ before nanomsg, of which nng cannot be told by more than the margin."""
    folder = write_parts(tmp_path_factory.mktemp("parts") / "four")
    return folder, write(folder).read_text(encoding="utf-8")


def texts(table):
    return [[re.sub(r"\s+", " ", field["text"]).strip() for field in row] for row in table]


def test_the_first_screen_says_who_is_best_and_by_whom_each_is_beaten(four):
    ranks = {row[0]: row[1:] for row in texts(tables_of(four[1])["who ranks"])[1:]}
    assert ranks["Berkeley"] == ["best in 4 of 4", "best in 3 of 4, equal to the best in 1"]
    assert ranks["ZeroMQ"] == ["beaten by Berkeley in 4", "equal to the best in 1 beaten by Berkeley in 3"]
    assert ranks["nanomsg"][0] == "beaten by Berkeley in 4 and ZeroMQ in 4"
    assert ranks["nng"][0] == ranks["nanomsg"][0]


def test_every_figure_of_the_paper_is_one_that_the_schema_of_vega_lite_allows(four):
    hold_the_schema(four[1], "grafico1", "grafico5")


def test_every_pair_stands_in_a_table(four):
    rows = texts(tables_of(four[1])["who pairs"])[1:]
    assert len(rows) == 6
    assert ["nanomsg – nng", "equal in 4", "equal in 4"] in rows
    assert ["ZeroMQ – nng", "ZeroMQ in 4", "ZeroMQ in 3, equal in 1"] in rows


def test_verdicts_name_the_cores_of_each_role(four):
    assert "Cores: responder on core 0; requester on core 1." in visible(four[1])


def test_roles_and_units_have_portuguese_names_where_the_study_gives_them(tmp_path):
    roles = {
        name: role | {"name": {"en": name, "pt": said}}
        for (name, role), said in zip(DECLARED["roles"].items(), ("respondedor", "requisitante"), strict=True)
    }
    throughput = DECLARED["metrics"]["throughput"] | {"unit": {"en": "messages/s", "pt": "mensagens/s"}}
    metrics = DECLARED["metrics"] | {"throughput": throughput}
    folder = write_parts(tmp_path / "c", systems=("berkeley", "nng"), roles=roles, metrics=metrics)
    english, _, portuguese = visible(page_of(folder)).partition(PORTUGUESE["skip"])
    assert "Cores: responder on core 0; requester on core 1." in english
    assert "Núcleos: respondedor no núcleo 0; requisitante no núcleo 1." in portuguese
    assert "\u00a0messages/s" in english
    assert "\u00a0mensagens/s" in portuguese
    assert not re.search("messages/s|requester", portuguese.partition("Calculado pelo")[0])


def test_a_sentence_of_a_comparison_has_the_unit_in_its_own_language():
    declared = declarations({"study": {"id": "own"}})
    assert [words.of(declared).unit("throughput_rps") for words in (ENGLISH, PORTUGUESE)] == [
        "requests/s",
        "requisições/s",
    ]
    assert EveryLanguage.of(declared).unit("mean_ms") == Said("ms", "ms")


def test_the_method_says_the_level_of_each_factor_that_does_not_vary(tmp_path):
    results = read_results(write_parts(tmp_path / "c", systems=("berkeley", "nng")))
    ping_pong = {key: one for key, one in results.scenarios.items() if one.factors["loop"] == "ping_pong"}
    words = in_words_of(ENGLISH, results.declared)
    assert "The same in every run" not in method(words, results, setup(results))  # all three factors vary
    said = method(words, replace(results, scenarios=ping_pong), setup(results))
    assert "The same in every run: who waits for whom: ping pong; messages due a second: 0." in said


def test_the_cores_are_those_that_the_runs_had(tmp_path):
    folder = write_parts(tmp_path / "c", systems=("berkeley", "nng"))
    cell = "paced-r30-b10240-nng"
    run = folder / "runs" / cell / "01"
    run.mkdir(parents=True)
    parts = [{"role": "responder", "cores": [2, 3]}, {"role": "requester", "cores": [1]}]
    (run / "run.json").write_text(json.dumps({"parts": parts}))
    assert "Cores: responder on core 2 and 3; requester on core 1." in visible(page_of(folder))


def test_two_systems_get_no_table_of_ranks(tmp_path):
    tables = tables_of(page_of(write_parts(tmp_path / "c", systems=("berkeley", "nng"))))
    assert "who ranks" not in tables
    assert "who" in tables


def test_more_is_better_where_the_study_says_so(four):
    assert "Berkeley has the higher throughput in ping pong (3\u00a0scenarios): its throughput is 43" in visible(
        four[1]
    )


def test_times_below_a_tenth_of_a_millisecond_are_in_microseconds(four):
    cells = {(row[1], row[0]): row[3:] for row in texts(tables_of(four[1])["cells"])[1:]}
    assert cells["Ping pong, 100 B", "Berkeley"][0] == "70.1\u00a0µs".replace("\u00a0", " ")
    assert cells["Ping pong, 10240 B", "ZeroMQ"][0] == "0.120"


def test_the_papers_timer_stands_beside_the_round_trip(four):
    assert "Ratio of paper's timer to round trip: 221 to 397." in visible(four[1]).replace("&#39;", "'")
    assert "The paper prints this figure as a picture only, without numbers." in four[1]
    rows = [row for row in read_csv(four[0] / "report" / "data" / "grafico1.csv") if row["kind"] == "cell"]
    timer = {row["system"]: float(row["value"]) for row in rows if row["metric"] == "server_loop_mean_ms"}
    assert timer == {key: pytest.approx(1000 / 30, rel=1e-4) for key in ("berkeley", "zeromq", "nanomsg", "nng")}


def test_what_the_paper_printed_of_a_figure_is_drawn_and_said(four):
    printed = [row for row in read_csv(four[0] / "report" / "data" / "grafico5.csv") if row["kind"] == "paper"]
    assert [(row["system"], row["level"], float(row["value"])) for row in printed] == [("berkeley", "102400", 9000.0)]
    assert "crosses: printed in the paper" in four[1]


IN_A_SECOND = {
    "depth": {"column": "depth_mean", "name": {"en": "waiting messages", "pt": "mensagens à espera"}},
    "way": {"column": "in_flight_mean", "name": {"en": "messages on their way", "pt": "mensagens a caminho"}},
}


def panels_of_one_run(folder, seconds):
    """Return the titles of the panels of the chart of one run, in each language, and the page."""
    write_table(folder / "analysis" / "timeline.csv", tuple(seconds[0]), seconds)
    page = write(folder).read_text(encoding="utf-8")
    payload = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)
    languages = json.loads(payload[1])["languages"].items()
    charts = {code: said["charts"]["timeline"]["spec"]["vconcat"] for code, said in languages}
    return {code: [panel["title"]["text"] for panel in panels] for code, panels in charts.items()}, page


def test_what_a_queue_held_in_each_second_is_drawn_below_latency_under_the_names_of_the_metrics(tmp_path):
    folder = write_parts(tmp_path / "c", systems=("berkeley", "nng"), metrics={**DECLARED["metrics"], **IN_A_SECOND})
    run = {"cell": "paced-r30-b10240-nng", "repeat": "01"}
    figures = {"requests": 30, "mean_ms": 2, "p50_ms": 2, "p99_ms": 3}
    held = ((7, 12.5), (8, 13), ("", ""))
    seconds = [
        {**run, "second": second, **figures, "depth_mean": depth, "in_flight_mean": way}
        for second, (depth, way) in enumerate(held)
    ]
    titles, page = panels_of_one_run(folder, seconds)
    assert titles["en"][1:3] == ["waiting messages", "messages on their way"]
    assert titles["pt"][1:3] == ["mensagens à espera", "mensagens a caminho"]
    hold_the_schema(page, "timeline")
    rows = read_csv(folder / "report" / "data" / "timeline.csv")
    assert [(row["depth_mean"], row["in_flight_mean"]) for row in rows] == [("7", "12.5"), ("8", "13"), ("", "")]
    nothing_held = [{**one, "depth_mean": "", "in_flight_mean": ""} for one in seconds]
    titles, _ = panels_of_one_run(folder, nothing_held)
    assert titles["en"] == [titles["en"][0], "requests per second"]


def test_a_figure_of_ratios_draws_how_many_times_one_system_is_each_other(tmp_path):
    figure = {"kind": "by_level", "x": "message_bytes", "y": "throughput", "where": {"loop": "ping_pong"}}
    folder = write_parts(
        tmp_path / "c", figures={"figure1b": {**figure, "paper": "Fig. 1 (b)", "ratio_of": "berkeley"}}
    )
    page = write(folder).read_text(encoding="utf-8")
    rows = read_csv(folder / "report" / "data" / "figure1b.csv")
    ratios = {(row["system"], row["level"]): float(row["value"]) for row in rows}
    assert len(rows) == len(ratios) == 3 * 3, "three others at three sizes, and no run by itself"
    assert ratios["zeromq", "100"] == pytest.approx(0.100 / 0.070, rel=1e-4)
    assert all(float(row["lo"]) < float(row["value"]) < float(row["hi"]) for row in rows)
    assert "Ratio of Berkeley to ZeroMQ: 1.43. Ratio of Berkeley to nanomsg: 1.79." in visible(page)
    assert "Razão entre Berkeley e ZeroMQ: 1,43." in page


def test_what_the_paper_printed_by_its_own_clock_stands_beside_a_system_on_an_older_stack(four):
    results = read_results(four[0])
    metrics = {key: replace(one, printed="by_watch_ms") for key, one in results.declared.metrics.items()}
    systems = {f"{key}@older": of for key, of in results.systems.items()}
    older = replace(results, systems=systems, declared=replace(results.declared, metrics=metrics))
    figure = replace(
        next(one for one in figures(results) if one.id == "grafico5"),
        y="mean_ms",
        where={"system": ["zeromq"]},
        printed=({"system": "zeromq", "by_watch_ms": "7"}, {"system": "nng", "by_watch_ms": "8"}),
    )
    assert [(system, value) for system, _, value in figure.paper(older, "mean_ms")] == [("zeromq", 7.0)]
    assert older.keys_of("zeromq") == ("zeromq@older",)


def test_a_figure_beside_printed_numbers_draws_what_was_measured_by_the_papers_own_clock(four):
    results = read_results(four[0])

    def drawn(clock: str, **more: str) -> str:
        response = replace(results.declared.metrics["response"], printed=clock)
        metrics = {**results.declared.metrics, "response": response}
        declared = replace(
            results.declared, metrics=metrics, figures={"one": {"kind": "by_system", "y": "response", **more}}
        )
        (figure,) = figures(replace(results, declared=declared))
        return figure.y

    assert drawn("server_loop_mean_ms", published="grafico5.csv") == "server_loop_mean_ms"
    assert drawn("server_loop_mean_ms") == "mean_ms"
    assert drawn("by_watch_ms", published="grafico5.csv") == "mean_ms"


def test_a_declared_table_holds_ours_the_printed_number_and_the_ratio(four):
    rows = read_csv(four[0] / "analysis" / "tables" / "round_trips.csv")
    assert [row["message_bytes"] for row in rows] == ["100", "10240", "102400"]
    assert float(rows[2]["zeromq"]) == pytest.approx(0.3)
    assert (float(rows[2]["zeromq_paper"]), float(rows[2]["zeromq_ratio"])) == (0.5, pytest.approx(0.6))
    assert rows[0]["zeromq_paper"] == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (ENGLISH, ["round trip, ms", "throughput, messages/s"]),
        (PORTUGUESE, ["tempo de ida e volta, ms", "vazão, messages/s"]),
    ],
)
def test_where_a_table_has_several_metrics_beside_each_other_each_is_named_with_its_unit(words, expected, tmp_path):
    table = {"rows": ["message_bytes", "system"], "columns": [], "value": ["response", "throughput"]}
    results = read_results(write_parts(tmp_path / "c", tables={"both": table}))
    (grid,) = paper_tables(results, words.of(results.declared))
    assert grid.headings[-2:] == expected


def test_a_table_of_facts_holds_what_each_system_declares_and_what_the_paper_wrote(four):
    rows = {row["system"]: row for row in read_csv(four[0] / "analysis" / "tables" / "table2.csv")}
    assert (rows["zeromq"]["lines"], rows["zeromq"]["lines_paper"], rows["zeromq"]["ease_paper"]) == (
        "11",
        "9",
        "Muito",
    )
    assert rows["nng"]["lines_paper"] == ""
    assert "Table 2. Lines of a client" in four[1]
    assert "Tabela 2. Linhas de um cliente" in four[1]


def test_nothing_on_the_page_speaks_of_another_study(four):
    english = visible(four[1]).partition("Pular para")[0]
    for word in ("upload", "sample", "disk", "JMeter", "load generator", "amostra"):
        assert not re.search(rf"\b{word}", english.replace("Upload Lab", ""), re.IGNORECASE), word


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"metrics": {"a": {"unit": "ms"}}}, "[metrics.a] names no column"),
        ({"metrics": {"a": {"column": "mean_ms", "better": "more"}}}, "better is 'more'; expected lower or higher"),
        ({"metrics": {"a": {"column": "mean_ms"}}, "report": {"questions": ["b"]}}, "[report] names 'b'"),
        ({"figures": {"a": {"kind": "pie", "y": "paper"}}}, "[figures.a] kind is 'pie'; expected one of by_system"),
        ({"figures": {"a": {"kind": "by_level", "y": "paper"}}}, "[figures.a] has no x"),
        (
            {"figures": {"a": {"kind": "by_system", "y": "paper", "beside": "response", "ratio_of": "nng"}}},
            "[figures.a] has ratio_of; a ratio has nothing beside it",
        ),
        ({"words": {"en": {"hedline": "x"}}}, "[words.en] has 'hedline', which the report never says"),
        ({"tables": {"a": {"value": "paper"}}}, "[tables.a] needs rows"),
        (
            {"tables": {"a": {"rows": ["loop"], "value": "paper", "published": "no.csv"}}},
            "there is no published/no.csv",
        ),
    ],
)
def test_a_slip_in_a_declaration_is_one_sentence(tmp_path, declared, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        write(write_parts(tmp_path / "c", systems=("berkeley", "nng"), **declared))


@pytest.mark.parametrize("language", [ENGLISH, PORTUGUESE], ids=lambda language: language.code)
def test_a_bound_language_leaves_no_place_of_a_study_open(language):
    bound = language.of(declarations({"study": DECLARED | {"id": "echo"}}))
    for said in (*bound.labels.values(), *bound.columns.values()):
        assert not re.search(r"\{\w+\}", said), said


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*/study.toml")), ids=lambda path: path.parent.name)
def test_what_each_study_declares_can_be_read_and_said(path):
    declared = declarations({"study": tomllib.loads(path.read_text()) | {"id": path.parent.name}})
    for language in (ENGLISH, PORTUGUESE):
        words = language.of(declared)
        assert all(words[f"axis_{column}"] and words.say(f"measure_{column}") for column in declared.questions)
    assert all(declared.metric(table["y"]) in declared.metrics.values() for table in declared.figures.values())
    named = [
        table["published"] for table in (*declared.tables.values(), *declared.figures.values()) if "published" in table
    ]
    assert {Path(name).name for name in named} <= {one.name for one in published_files(path.parent, declared.study)}


def test_a_metric_is_a_question_only_where_the_study_asks_it(tmp_path):
    throughput = DECLARED["metrics"]["throughput"] | {"where": {"loop": "ping_pong"}}
    folder = write_parts(tmp_path / "c", metrics=DECLARED["metrics"] | {"throughput": throughput})
    ranks = {row[0]: row[1:] for row in texts(tables_of(page_of(folder))["who ranks"])[1:]}
    assert ranks["Berkeley"] == ["best in 4 of 4", "best in 3 of 3"]


def test_an_interval_that_reaches_anywhere_is_said_to_be_beyond_a_thousand_percent():
    assert (ENGLISH.percent(4807.29), ENGLISH.percent(-27782.49)) == (">\u00a01,000", "−>\u00a01,000")


def test_a_question_that_no_scenario_of_the_campaign_can_answer_is_not_asked():
    study = {
        "id": "own",
        "metrics": {
            "time": {"column": "mean_ms", "question": {"en": "Who is faster?"}},
            "wire": {"column": "wire_bytes", "question": {"en": "Who sends less?"}, "where": {"link": ["slow"]}},
        },
    }
    on = {level: {"study": study, "runs": [{"factors": {"link": level}}]} for level in ("slow", "loopback")}
    assert declarations(on["slow"]).questions == ("mean_ms", "wire_bytes")
    assert declarations(on["loopback"]).questions == ("mean_ms",)


@pytest.mark.parametrize("column", ["mean_ms", "p99_ms", "cv", "throughput_rps", "retransmits"])
def test_a_study_may_ask_by_any_column_without_a_name_for_it(tmp_path, column):
    cells = [f"s{sample:02d}-local-{system}" for sample in (5, 6) for system in ("node", "tomcat")]
    runs = [run(cell, repeat, **{column: 5}) for cell in cells for repeat in ("01", "02")]
    rows = [
        comparison("s05-local", column, 0.8, lo=0.7, hi=0.9, verdict="lower", better="node"),
        comparison("s06-local", column, 1.1, lo=0.7, hi=1.5, more_repeats=6),
    ]
    study = {"id": "own", "metrics": {"tail": {"column": column}}, "report": {"questions": ["tail"]}}
    page = visible(page_of(write_results(tmp_path / "c", runs, rows, study=study)))
    for language in (ENGLISH, PORTUGUESE):
        words = language.of(declarations({"study": study}))
        assert words[f"who_{column}"] in page
        assert all(words.say(f"{kind}_{column}", systems="a and b") for kind in ("better", "equal"))


def test_what_is_known_of_a_column_stays_where_some_of_its_words_are_missing():
    words = ENGLISH.of(declarations({"study": {"id": "own", "metrics": {"tail": {"column": "p99_ms"}}}}))
    assert (words["who_p99_ms"], words.say("better_p99_ms")) == ("Shorter tail", "has the shorter tail")
    assert words["axis_p99_ms"] == "99th percentile of the response time, ms"
    assert words["chart_p99_ms"] == "99th percentile of the response time"
