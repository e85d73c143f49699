import csv
import io
import re

import numpy as np
import pytest
import vl_convert
from handmade import ENGLISH, PORTUGUESE, results_by_hand, run

from uploadlab.report.charts import by_scenario, percentiles, sizes, switches, timeline
from uploadlab.report.drawing import Dataset, plot_range, with_data


def rows_of(dataset):
    return list(csv.DictReader(io.StringIO(dataset.csv)))


def test_data_are_written_without_nan_and_without_exponents():
    columns = {"a": "number", "b": "string", "c": "number"}
    rows = [{"a": float("nan"), "b": None, "c": 1e-7}, {"a": 1234567.0, "b": "x,y", "c": True}]
    text = Dataset(name="d", columns=columns, rows=rows).csv
    assert text == 'a,b,c\n,,0.0000001\n1234567,"x,y",true\n'


def test_figures_over_more_than_a_factor_of_eight_get_a_logarithmic_axis():
    assert plot_range([10, 100], [])[1]
    assert not plot_range([10, 70], [])[1]
    assert not plot_range([0, 100], [])[1]


def test_a_very_wide_interval_does_not_flatten_the_picture():
    scale, _ = plot_range([10, 20], [1, 5000])
    assert scale.to_dict()["domain"] == [0, 40 * 1.05]


def test_the_chart_holds_the_mean_of_each_cell_and_every_run(tmp_path):
    runs = [
        run("s05-local-node", "01", mean_ms=10),
        run("s05-local-node", "02", mean_ms=30),
        run("s05-local-tomcat", "01", mean_ms=50, valid="false"),
    ]
    results = results_by_hand(tmp_path / "c", runs)
    rows = rows_of(by_scenario.data(results, "mean_ms"))
    assert [(row["kind"], row["system"], row["value"], row["n"]) for row in rows] == [
        ("cell", "node", "20", "2"),
        ("valid", "node", "10", ""),
        ("valid", "node", "30", ""),
        ("invalid", "tomcat", "50", ""),
    ]


def test_runs_that_do_not_count_are_drawn_only_on_request_unless_there_is_nothing_else(tmp_path):
    valid = run("s05-local-node", "01", mean_ms=10)
    invalid = run("s05-local-node", "02", mean_ms=20, valid="false")
    for runs, shown in (([valid, invalid], False), ([invalid], True)):
        results = results_by_hand(tmp_path / f"{shown}", runs)
        chart = by_scenario.chart(results, by_scenario.data(results, "mean_ms"), "mean_ms", ENGLISH)
        assert [(name, on) for name, _, on in chart.switches] == [("show", shown)]


def test_a_metric_that_no_run_has_gives_no_chart(tmp_path):
    results = results_by_hand(tmp_path / "c", [run("s05-local-node", mean_ms=10)])
    assert by_scenario.chart(results, by_scenario.data(results, "cv"), "cv", ENGLISH) is None


def test_an_interval_is_drawn_only_where_there_is_one(tmp_path):
    runs = [run("s05-local-node", mean_ms=10), run("s05-local-tomcat", mean_ms=20)]
    cells = [
        {"cell": "s05-local-node", "mean_ms": 10, "mean_ms_lo": 8, "mean_ms_hi": 12},
        {"cell": "s05-local-tomcat", "mean_ms": 20, "mean_ms_lo": "", "mean_ms_hi": ""},
    ]
    results = results_by_hand(tmp_path / "c", runs, tables={"cells": cells})
    data = by_scenario.data(results, "mean_ms")
    chart = by_scenario.chart(results, data, "mean_ms", ENGLISH)
    svg = vl_convert.vegalite_to_svg(with_data({**chart.spec, "width": 400}, [data]))
    assert svg.count('aria-roledescription="rule mark"') == 1
    assert "lo: 8; hi: 12" in svg or "8; hi: 12" in svg


def test_the_percentile_curve_leaves_out_what_has_no_place_and_runs_that_do_not_count(tmp_path):
    runs = [run("s05-local-node", "01"), run("s05-local-node", "02", valid="false")]
    curve = [
        {"cell": "s05-local-node", "repeat": repeat, "quantile": quantile, "elapsed_ms": 10}
        for repeat in ("01", "02", "all")
        for quantile in (0, 0.9, 1)
    ]
    results = results_by_hand(tmp_path / "c", runs, tables={"percentiles": curve})
    rows = rows_of(percentiles.data(results))
    assert [(row["repeat"], row["tail"]) for row in rows] == [("01", "1"), ("01", "10"), ("all", "1"), ("all", "10")]


def seconds(count, **series):
    return [{"cell": "s05-local-node", "repeat": "01", "second": second, **series} for second in range(count)]


def test_a_short_timeline_is_kept_second_by_second(tmp_path):
    table = seconds(3, requests=10, mean_ms=5, retransmits=1)
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], tables={"timeline": table})
    rows = rows_of(timeline.data(results))
    assert [(row["second"], row["requests"], row["mean_ms"], row["cpu_pct"]) for row in rows] == [
        ("0", "10", "5", ""),
        ("1", "10", "5", ""),
        ("2", "10", "5", ""),
    ]


def test_a_long_timeline_is_joined_by_requests(tmp_path, monkeypatch):
    monkeypatch.setattr(timeline, "MAX_ROWS", 1)
    table = [
        {"cell": "s05-local-node", "repeat": "01", "second": 0, "requests": 30, "mean_ms": 10, "p99_ms": 20},
        {"cell": "s05-local-node", "repeat": "01", "second": 1, "requests": 10, "mean_ms": 50, "p99_ms": 90},
    ]
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], tables={"timeline": table})
    [row] = rows_of(timeline.data(results))
    assert (row["requests"], row["mean_ms"], row["p99_ms"]) == ("20", "20", "90")


def test_what_a_run_saw_is_the_same_however_many_seconds_a_point_stands_for(tmp_path, monkeypatch):
    table = [
        {"cell": "s05-local-node", "repeat": "01", "second": second, "requests": requests, "mean_ms": 10 + second}
        | {"retransmits": second, "listen_overflows": 2, "errors": 1, "cpu_pct": 50, "switches_per_s": 1000}
        for second, requests in enumerate((5, 30, 0, 30, 30, 30, 5))
    ]
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], tables={"timeline": table})
    said = []
    for most in (7, 3):
        monkeypatch.setattr(timeline, "MAX_ROWS", most)
        data = timeline.data(results)
        [choice] = timeline.chart(results, data, timeline.heat(results), ENGLISH).choices
        said.append((len(data.rows), choice.sentence.replace("\u00a0", " ")))
    assert [points for points, _ in said] == [7, 3]
    assert said[0][1] == said[1][1]
    assert "6 seconds of load" in said[1][1]
    assert "It saw 19 retransmitted segments, 12 listen-queue overflows and 6 failed" in said[1][1]


def test_the_heat_map_joins_seconds_and_loses_no_request(tmp_path, monkeypatch):
    monkeypatch.setattr(timeline, "MAX_HEAT_ROWS", 4)
    bins = [
        {"cell": "s05-local-node", "repeat": "01", "second": second, "width_s": 1, "from_ms": low, "to_ms": 2 * low}
        | {"requests": 7}
        for second in range(8)
        for low in (1, 2)
    ]
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], tables={"latency_heat": bins})
    rows = rows_of(timeline.heat(results))
    assert len(rows) == 4
    assert sum(float(row["requests"]) for row in rows) == 8 * 2 * 7


@pytest.mark.parametrize("value", ["s05-'x", 'a"b', "a\\b"])
def test_names_with_quotes_can_be_drawn(tmp_path, value):
    names = {"node": value, "tomcat": "Tomcat"}
    runs = [run("s05-local-node", mean_ms=10), run("s05-local-tomcat", mean_ms=20)]
    results = results_by_hand(tmp_path / "c", runs, names=names)
    data = by_scenario.data(results, "mean_ms")
    chart = by_scenario.chart(results, data, "mean_ms", ENGLISH)
    svg = vl_convert.vegalite_to_svg(with_data({**chart.spec, "width": 400}, [data]))
    assert svg.count('aria-roledescription="point"') == 4


def test_a_system_without_a_valid_run_gets_no_empty_panel_of_sizes(tmp_path):
    bins = {"from_bytes": 100, "to_bytes": 200, "from_ms": 1, "to_ms": 2, "requests": 9}
    tables = {"size_heat": [{"cell": "s05-local-node", **bins}]}
    runs = [run("s05-local-node"), run("s05-local-tomcat", valid="false")]
    results = results_by_hand(tmp_path / "c", runs, tables=tables)
    chart = sizes.chart(results, sizes.data(results), ENGLISH)
    assert [panel["title"]["text"] for panel in chart.spec["vconcat"]] == ["Node.js"]


def test_the_correlation_under_the_chart_is_that_of_the_points_drawn(tmp_path):
    figures = {1: (1000, 0.5), 5: (3000, 0.9), 6: (2000, 0.4), 7: (4000, 1.1)}
    runs = [
        run(f"s{sample:02}-local-node", repeat, pswitch_per_s=rate * by, cv=cv)
        for sample, (rate, cv) in figures.items()
        for repeat, by in (("01", 0.5), ("02", 1.5))
    ]
    runs.append(run("s07-tmpfs-node", pswitch_per_s=9000, cv=0.1))
    selected = [{"source": "ours", "series": "node", "n": 4, "pearson": -0.53}]
    levels = {"disk": ["local", "tmpfs"]}
    results = results_by_hand(
        tmp_path / "c", runs, tables={"correlations": selected}, levels=levels, check_factors=["disk"]
    )
    r = np.corrcoef(*zip(*figures.values(), strict=True))[0, 1]
    for words, said in ((ENGLISH, f"{r:.2f}"), (PORTUGUESE, f"{r:.2f}".replace(".", ","))):
        chart = switches.chart(results, switches.data(results), words)
        assert said in chart.sentence
        assert "n\u00a0=\u00a04" in chart.sentence, "the check is drawn, but not pooled with what it checks"


@pytest.mark.parametrize(
    ("cpu_pct", "drawn"),
    [((50, 50, 50), [0, 100, 100, 200, 200, 300, 300]), (("", 50, ""), [100, 200, 200])],
    ids=["last", "alone"],
)
def test_a_second_that_none_follows_is_drawn_as_wide_as_the_others(cpu_pct, drawn, tmp_path):
    table = [{**row, "cpu_pct": one} for row, one in zip(seconds(3, requests=10, mean_ms=5), cpu_pct, strict=True)]
    results = results_by_hand(tmp_path / "c", [run("s05-local-node")], tables={"timeline": table})
    data = timeline.data(results)
    spec = timeline.chart(results, data, timeline.heat(results), ENGLISH).spec
    (panel,) = [one for one in spec["vconcat"] if one["title"]["text"].startswith("CPU of the server's cores")]
    alone = {**panel, "params": [{"name": "chosen", "value": "s05-local-node/01"}], "layer": panel["layer"][:1]}
    svg = vl_convert.vegalite_to_svg(with_data({**alone, "width": 300, "config": spec["config"]}, [data]))
    (path,) = re.findall(r'aria-roledescription="line mark"[^>]* d="([^"]*)"|d="([^"]*)"[^>]*stroke-width="2"', svg)
    steps = [float(x) for x in re.findall(r"[ML]([\d.]+),", "".join(path))]
    assert steps == drawn
