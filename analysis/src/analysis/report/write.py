"""Writes report/: the page, the charts as files and their data."""

import copy
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import vl_convert

from analysis.report.charts import by_scenario, indicators, percentiles, sizes, switches, timeline, variance
from analysis.report.drawing import Chart, Dataset, Spec, with_data
from analysis.report.facts import QUESTIONS
from analysis.report.page import render
from analysis.report.results import Results, read_results
from analysis.report.words.english import ENGLISH
from analysis.report.words.language import Language
from analysis.report.words.portuguese import PORTUGUESE

LANGUAGES: tuple[Language, ...] = (ENGLISH, PORTUGUESE)
FILE_WIDTH_PX = 760


def write(campaign_dir: Path) -> Path:
    """Write `report/` of a campaign from its analysis and return the path of the page.

    Reads campaign.json, each run's run.json, and the CSV files in `analysis/`; all but campaign.json and runs.csv may
    be absent or hold no row. What was in `report/` before is replaced. Raises InputError, one sentence, where one of
    the files is damaged.
    """
    results = read_results(campaign_dir)
    datasets = _datasets(results)
    languages = {words: _charts(results, datasets, words) for words in LANGUAGES}
    used = {name for charts in languages.values() for chart in charts for name in chart.datasets}
    drawn = [dataset for dataset in datasets.values() if dataset.name in used]
    folder = campaign_dir.resolve()
    page = render(results, languages, drawn, [str(folder), str(campaign_dir)])

    report = campaign_dir / "report"
    for part in ("data", "charts"):
        shutil.rmtree(report / part, ignore_errors=True)
        (report / part).mkdir(parents=True)
    for dataset in drawn:
        (report / "data" / f"{dataset.name}.csv").write_text(dataset.csv, encoding="utf-8")
    for chart in languages[LANGUAGES[0]]:
        _draw(chart, datasets, report / "charts")
    path = report / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _datasets(results: Results) -> dict[str, Dataset]:
    made = [by_scenario.data(results, metric) for metric in QUESTIONS]
    made += [switches.data(results), percentiles.data(results), timeline.data(results), timeline.heat(results)]
    made += [sizes.data(results), variance.data(results), indicators.data(results)]
    return {dataset.name: dataset for dataset in made}


def _charts(results: Results, datasets: dict[str, Dataset], words: Language) -> Sequence[Chart]:
    charts = [by_scenario.chart(results, datasets[by_scenario.NAMES[metric]], metric, words) for metric in QUESTIONS]
    charts += [
        switches.chart(results, datasets["switches"], words),
        percentiles.chart(results, datasets["percentiles"], words),
        timeline.chart(results, datasets["timeline"], datasets["latency_heat"], words),
        sizes.chart(results, datasets["sizes"], words),
        variance.chart(results, datasets["variance"], words),
        indicators.chart(results, datasets["indicators"], words),
    ]
    return [chart for chart in charts if chart is not None]


def _draw(chart: Chart, datasets: dict[str, Dataset], folder: Path) -> None:
    """Write the chart as SVG and PNG, as it is when the page opens."""
    shown = [datasets[name].where(chart.chosen_by, chart.chosen) for name in chart.datasets]
    svg = _renumbered(vl_convert.vegalite_to_svg(_on_paper(with_data(chart.spec, shown))))
    (folder / f"{chart.id}.svg").write_text(svg, encoding="utf-8")
    (folder / f"{chart.id}.png").write_bytes(vl_convert.svg_to_png(svg, scale=2))


def _renumbered(svg: str) -> str:
    """Return the SVG with its clip paths counted from 0: Vega counts on through the life of the process."""
    ids: dict[str, str] = {}
    return re.sub(r"\bclip\d+\b", lambda found: ids.setdefault(found[0], f"clip{len(ids)}"), svg)


def _on_paper(spec: Spec) -> Spec:
    """Return the specification with a fixed width and a white background."""
    fixed = copy.deepcopy(spec)
    if fixed.get("width") == "container":
        fixed["width"] = FILE_WIDTH_PX
    fixed["config"]["background"] = "white"
    return fixed
