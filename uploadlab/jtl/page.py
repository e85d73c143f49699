"""The page of result files, and what it and the terminal say of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from monitoring.pages import charts
from monitoring.pages.charts import BYTES, PERCENTILES, Axis
from monitoring.pages.document import Block, Chart, Column, Datums, Page, Section, Table, Text, table_of
from uploadlab.jtl.analysis import FileFacts, JtlAnalysis
from uploadlab.jtl.comparison import NO_INTERVAL
from uploadlab.jtl.figures import label_of
from uploadlab.metrics.figures import QUANTILES
from uploadlab.report.numbers import MISSING, counted, factor, number
from uploadlab.report.numbers import ratio as ratio_of
from uploadlab.requirements import Outcome
from uploadlab.table_file import Value, as_number

GENERATOR = "Upload Lab jtl"
HEADINGS = {
    "requests": "requests", "errors": "errors", "mean_ms": "mean, ms", "cv": "CV", "p50_ms": "p50", "p90_ms": "p90",
    "p95_ms": "p95", "p99_ms": "p99", "p999_ms": "p99.9", "max_ms": "max", "throughput_rps": "per s",
}  # fmt: skip
MOST_ROWS = 200
MOST_CURVES = 12
MOST_POINTS = 600
MOST_CORRELATIONS = 30
Row = Mapping[str, Value]


def page_of(analysis: JtlAnalysis, outcomes: Sequence[Outcome]) -> Page:
    """Return the page: a sentence and a table for each file, what was required, charts, and the details folded."""
    lead = changed(analysis.comparison[0]) if analysis.comparison else "; ".join(map(about, analysis.files))
    compared = [_table(comparison_rows(analysis, MOST_ROWS), "Before and after")] if analysis.comparison else []
    summaries = [_table(summary_rows(one, MOST_ROWS), one.name) for one in analysis.files]
    notes = [Text(text=f"{one.name}: {note}") for one in analysis.files for note in one.notes]
    return Page(
        title=" and ".join(one.name for one in analysis.files),
        over=" · ".join(filter(None, [part for one in analysis.files for part in (one.name, when(one))])),
        lead=lead,
        sections=[
            Section(title="", blocks=[*compared, *summaries]),
            *(
                [Section(title="Requirements", blocks=[Text(text=one.sentence) for one in outcomes])]
                if outcomes
                else []
            ),
            *([Section(title="Before you rely on it", blocks=notes)] if notes else []),
            Section(title="Charts", blocks=list(_charts(analysis))),
            *_server(analysis),
        ],
        series=[one.name for one in analysis.files],
        generator=GENERATOR,
    )


def about(one: FileFacts) -> str:
    """Return one line about a file's requests."""
    whole = one.summary[0]
    requests, errors, duration = (as_number(whole[name]) for name in ("requests", "errors", "duration_s"))
    within = f" in {number(duration)} s" if duration is not None else ""
    p50, p99, longest = (number(as_number(whole[name])) for name in ("p50_ms", "p99_ms", "max_ms"))
    most = f"99 of 100 within {p99} ms" if _shown(whole, "p99_ms") != MISSING else f"all within {longest} ms"
    failed = "an unknown number" if errors is None else f"{errors:,.0f}"
    return f"{counted(int(requests or 0), 'request')}{within}, half of them within {p50} ms, {most}; {failed} failed"


def when(one: FileFacts) -> str:
    """Return when a file's requests ran; empty where it does not say."""
    if one.begin_us is None or one.end_us is None:
        return ""
    begin, end = (f"{datetime.fromtimestamp(us // 10**6, UTC):%Y-%m-%d %H:%M:%S}" for us in (one.begin_us, one.end_us))
    return f"{begin} to {end}{'' if one.dated else ' UTC'}"


def summary_rows(one: FileFacts, most: int) -> list[list[str]]:
    """Return the heading and a row a label; a quantile that fewer requests than one lie beyond is not shown."""
    names = [name for name in HEADINGS if any(_shown(row, name) != MISSING for row in one.summary)]
    heading = ["label", *(HEADINGS[name] for name in names)]
    return [heading, *([label_of(row), *(_shown(row, name) for name in names)] for row in one.summary[:most])]


def _shown(row: Row, name: str) -> str:
    value, requests = as_number(row[name]), as_number(row["requests"]) or 0.0
    if name in QUANTILES and name != "p50_ms" and requests * (1 - QUANTILES[name]) < 1 - 1e-9:
        return MISSING
    return f"{value:,.0f}" if value is not None and name in ("requests", "errors") else number(value)


def changed(row: Row) -> str:
    """Say what changed in the mean response time of two files."""
    ratio, low, high = (as_number(row.get(name)) for name in ("mean_ratio", "mean_ratio_lo", "mean_ratio_hi"))
    if ratio is None:
        return f"{row['before']} and {row['after']} have no mean response times to compare."
    said = f"{row['after']}'s mean response time is {ratio_of(ratio, low, high)} times {row['before']}'s"
    if problem := row.get("no_interval"):
        return f"{said}; {NO_INTERVAL[str(problem)]}."
    return f"{said}, over {row['blocks']} blocks of time in each; another run may differ by more."


def comparison_rows(analysis: JtlAnalysis, most: int) -> list[list[str]]:
    """Return the heading and a row a label of what changed between two files."""
    heading = ["label", "before, ms", "after, ms", "ratio of means", "ratio of p99", "ratio of per s"]
    return [heading, *(_compared(row) for row in analysis.comparison[:most])]


def _compared(row: Row) -> list[str]:
    before, after, ratio, low, high, p99, rate = (
        as_number(row.get(name))
        for name in (
            "mean_ms_before",
            "mean_ms_after",
            "mean_ratio",
            "mean_ratio_lo",
            "mean_ratio_hi",
            "p99_ratio",
            "throughput_ratio",
        )
    )
    means = MISSING if ratio is None else ratio_of(ratio, low, high)
    others = [MISSING if value is None else factor(value) for value in (p99, rate)]
    return [label_of(row), number(before), number(after), means, *others]


def strongest(analysis: JtlAnalysis) -> Iterator[str]:
    """Say for each file and outcome which of the server's values goes closest with it."""
    seen = set()
    for row in analysis.correlations:
        if (row["file"], row["y"]) not in seen:
            seen.add((row["file"], row["y"]))
            yield (
                f"{row['file']}: closest to {row['y']} goes {row['indicator']}, r = {_correlation(row)} "
                f"over {counted(int(str(row['n'])), 'snapshot')}."
            )


def _correlation(row: Row) -> str:
    r, low, high = (as_number(row[name]) for name in ("pearson", "lo", "hi"))
    if r is None:
        return MISSING
    return f"{r:.2f}" if low is None or high is None else f"{r:.2f} ({low:.2f}–{high:.2f})"


def _table(rows: Sequence[Sequence[str]], title: str) -> Table:
    first, *others = rows[0]
    return table_of([first, *map(Column, others)], rows[1:], title=title, wide=True)


def _server(analysis: JtlAnalysis) -> Iterator[Section]:
    if analysis.correlations:
        rows = [
            [str(row["file"]), str(row["y"]), str(row["indicator"]), _correlation(row), str(row["n"])]
            for row in analysis.correlations[:MOST_CORRELATIONS]
        ]
        table = _table([["file", "outcome", "of the server", "r", "n"], *rows], "")
        said: list[Block] = [Text(text=text) for text in strongest(analysis)]
        yield Section(title="The server beside it", blocks=[*said, table], folded=True)


def _charts(analysis: JtlAnalysis) -> Iterator[Chart]:
    files, found = [one.name for one in analysis.files], analysis.figures
    ms = Axis(field="ms", title="ms", log=True)
    percentile = Axis(field="x", title="percentile", label=PERCENTILES, values=[0, 1, 2, 3, 4], zero=True)
    curves = list(_curves(found["percentiles"]))
    if curves:
        yield charts.lines(
            "percentiles",
            "Percentiles",
            curves,
            percentile,
            ms,
            series="file",
            order=files,
            points=False,
            choose="label",
        )
    if found["timeline"]:
        second = Axis(field="second", title="s", zero=True)
        titles = {"mean_ms": "Mean response time, second by second", "requests": "Requests a second"}
        titles |= {name: f"The server's {name.replace('_', ' ')}" for name in ("cpu_pct", "wait_pct", "switches_per_s")}
        for name, title in titles.items():
            if rows := _thinned(found["timeline"], name):
                y = Axis(field="value", title=title.removeprefix("The server's ").partition(",")[0], zero=True)
                yield charts.lines(f"timeline-{name}", title, rows, second, y, series="file", order=files, points=False)
    if found["latency_heat"]:
        x, y = Axis(field="second", title="s", zero=True), Axis(field="from_ms", title="ms", log=True)
        rows = [_rectangle(row, "second", as_number(row["width_s"])) for row in found["latency_heat"]]
        yield charts.heat("latency", "Response times over time", rows, x, y, count="requests", choose="file")
    if found["size_heat"]:
        x, y = (
            Axis(field="from_bytes", title="bytes sent or received", log=True, label=BYTES),
            Axis(field="from_ms", title="ms", log=True),
        )
        rows = [_rectangle(row, "from_bytes", None) for row in found["size_heat"]]
        note = "; ".join(
            f"{file}: a straight line on the bytes {which} explains {number(share, 2)}% of the variance"
            for (file, which), share in analysis.size_shares.items()
            if share is not None
        )
        yield charts.heat("sizes", "Response times by size", rows, x, y, count="requests", choose="bytes", note=note)


def _curves(percentiles: Sequence[Row]) -> Iterator[dict[str, Value]]:
    labels = list(dict.fromkeys(label_of(row) for row in percentiles))[:MOST_CURVES]
    for row in percentiles:
        quantile, ms = float(str(row["quantile"])), as_number(row["elapsed_ms"])
        if label_of(row) in labels and quantile < 1 and ms:
            yield {"file": row["file"], "label": label_of(row), "x": round(-math.log10(1 - quantile), 3), "ms": ms}


def _thinned(timeline: Sequence[Row], name: str) -> Datums:
    """Return a value over time, the seconds of a long run averaged so that a chart has no more points than it shows."""
    longest = max(int(str(row["second"])) for row in timeline) + 1
    width = 1 + (longest - 1) // MOST_POINTS
    found: dict[tuple[str, int], list[float]] = {}
    for row in timeline:
        if (value := as_number(row.get(name))) is not None:
            found.setdefault((str(row["file"]), int(str(row["second"])) // width * width), []).append(value)
    return [
        {"file": file, "second": second, "value": sum(values) / len(values)} for (file, second), values in found.items()
    ]


def _rectangle(row: Row, along: str, width: float | None) -> dict[str, Value]:
    at = as_number(row[along]) or 0.0
    to = at + width if width is not None else row[along.replace("from_", "to_")]
    drawn = {"file": row["file"], along: at, f"{along}_to": to, "from_ms": row["from_ms"], "from_ms_to": row["to_ms"]}
    return drawn | {name: row[name] for name in ("bytes", "requests") if name in row}
