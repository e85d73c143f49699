"""Writes report/: the page, the charts as files and their data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from altair.utils.schemapi import debug_mode

from uploadlab.report.chart_files import draw
from uploadlab.report.charts import (
    by_scenario,
    indicators,
    levels,
    load_curves,
    over_levels,
    paired_levels,
    percentiles,
    sizes,
    switches,
    timeline,
    variance,
    wire,
)
from uploadlab.report.drawing import Chart, Dataset, with_data
from uploadlab.report.figures import Figure, figures, of_question
from uploadlab.report.latex import latex_table
from uploadlab.report.page import render
from uploadlab.report.results import Results, read_results
from uploadlab.report.sentences.method import method
from uploadlab.report.setup import setup
from uploadlab.words.language import Language
from uploadlab.words.languages import LANGUAGES


def write(campaign_dir: Path) -> Path:
    """Write `report/` of a campaign from its analysis and return the path of the page.

    Reads campaign.json, each run's run.json, and the CSV files in `analysis/`; all but campaign.json and runs.csv may
    be absent or hold no row. What was in `report/` before is replaced. Raises InputError, one sentence, where one of
    the files is damaged.
    """
    results = read_results(campaign_dir)
    datasets = _datasets(results)
    languages = _in_languages(results, datasets)
    drawn = _drawn(datasets, languages)
    page = _page(campaign_dir, results, languages, drawn)

    report = campaign_dir / "report"
    charts = next(iter(languages.values()))
    _keep_only(report / "data", [f"{dataset.name}.csv" for dataset in drawn])
    _keep_only(report / "charts", [f"{chart.id}.{kind}" for chart in charts for kind in ("svg", "png")])
    for dataset in drawn:
        (report / "data" / f"{dataset.name}.csv").write_text(dataset.csv, encoding="utf-8")
    for chart in charts:
        shown = [datasets[name].where(chart.chosen_by, chart.chosen) for name in chart.datasets]
        draw(with_data(chart.spec, shown), report / "charts", chart.id)
    _export(results, list(languages), report / "export")
    path = report / "index.html"
    unfinished = path.with_name("index.html.unfinished")
    unfinished.write_text(page, encoding="utf-8")
    unfinished.replace(path)
    return path


def page_of(campaign_dir: Path) -> str:
    """Return the page that `write` writes, without any file: to draw the charts as files takes longer."""
    results = read_results(campaign_dir)
    datasets = _datasets(results)
    languages = _in_languages(results, datasets)
    return _page(campaign_dir, results, languages, _drawn(datasets, languages))


def _page(
    campaign_dir: Path, results: Results, languages: Mapping[Language, Sequence[Chart]], drawn: Sequence[Dataset]
) -> str:
    return render(results, languages, drawn, [str(campaign_dir.resolve()), str(campaign_dir)])


def _in_languages(results: Results, datasets: dict[str, Dataset]) -> dict[Language, Sequence[Chart]]:
    spoken = [one.of(results.declared) for one in LANGUAGES.values()]
    return {words: _charts(results, datasets, words) for words in spoken}


def _drawn(datasets: dict[str, Dataset], languages: Mapping[Language, Sequence[Chart]]) -> list[Dataset]:
    used = {name for charts in languages.values() for chart in charts for name in chart.datasets}
    return [dataset for dataset in datasets.values() if dataset.name in used]


def _export(results: Results, languages: Sequence[Language], folder: Path) -> None:
    """Write what is cited elsewhere: the method as a paragraph and the main results as a LaTeX table."""
    texts = {}
    for words in languages:
        texts[f"method.{words.code}.txt"] = f"{method(words, results, setup(results))}\n"
        texts[f"results.{words.code}.tex"] = latex_table(results, words)
    _keep_only(folder, list(texts))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _keep_only(folder: Path, names: Sequence[str]) -> None:
    """Make the folder, and take out of it what an earlier report left."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()


def _datasets(results: Results) -> dict[str, Dataset]:
    made = [
        levels.data(results, figure) if (figure := of_question(results, metric)) else by_scenario.data(results, metric)
        for metric in results.declared.questions
    ]
    made += [
        load_curves.data(results),
        *(_drawn_as(figure).data(results, figure) for figure in figures(results)),
        switches.data(results),
        percentiles.data(results),
        timeline.data(results),
        timeline.heat(results),
    ]
    made += [sizes.data(results), wire.data(results), variance.data(results), indicators.data(results)]
    return {dataset.name: dataset for dataset in made}


def _drawn_as(figure: Figure) -> ModuleType:
    return {"paired_levels": paired_levels, "over_levels": over_levels}.get(figure.kind, levels)


# To hold each part of a chart to its schema takes longer than all else: tests hold whole pages to it.
@debug_mode(False)
def _charts(results: Results, datasets: dict[str, Dataset], words: Language) -> Sequence[Chart]:
    charts = [
        levels.chart(results, figure, datasets[metric], words)
        if (figure := of_question(results, metric))
        else by_scenario.chart(results, datasets[by_scenario.NAMES.get(metric, metric)], metric, words)
        for metric in results.declared.questions
    ]
    charts += [
        load_curves.chart(results, datasets["load_curves"], words),
        *(_drawn_as(one).chart(results, one, datasets[one.id], words) for one in figures(results)),
        switches.chart(results, datasets["switches"], words),
        percentiles.chart(results, datasets["percentiles"], words),
        timeline.chart(results, datasets["timeline"], datasets["latency_heat"], words),
        sizes.chart(results, datasets["sizes"], words),
        wire.chart(results, datasets["wire"], words),
        variance.chart(results, datasets["variance"], words),
        indicators.chart(results, datasets["indicators"], words),
    ]
    return [chart for chart in charts if chart is not None]
