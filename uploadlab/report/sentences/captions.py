"""What is said under each chart: what one sees, computed from its data, and how to read it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from uploadlab.report.drawing import Dataset
from uploadlab.report.facts import STEADINESS, Doubts, Gap, Indicator, Profile
from uploadlab.report.facts import extent as extent_of
from uploadlab.report.facts import ratios as ratios_of
from uploadlab.report.figures import Figure
from uploadlab.report.results import Cell, Results, Run, Scenario, is_true
from uploadlab.report.sentences.answer import clock, extent
from uploadlab.statistics.correlations import Correlation
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

FEWEST_CORRELATED = 3
MOST_LEVELS = 8
"""Of more scenarios than this the sentence under the chart of paired levels would be a table."""
VISIBLE_GAP = 1.005
SHARES = {0.5: "half", 0.99: "of_hundred", 0.999: "of_thousand"}


def by_scenario(words: Language, results: Results, metric: str, profiles: Sequence[Profile], gap: Gap | None) -> str:
    """Say what a chart of a metric by scenario shows."""
    measure = words.say(f"measure_{metric}")
    if not profiles:
        return words.say("nothing_to_draw", measure=measure)
    parts = [
        words.say(
            "extent" if position == 0 else "extent_again",
            system=results.systems[found.system].name,
            measure=measure,
            extent=extent(words, found, metric),
        )
        for position, found in enumerate(profiles)
    ]
    text = capital(" ".join(parts))
    if metric == STEADINESS and max(found.high for found in profiles) > 1:
        text += f" {words.say('above_one')}"
    if metric == STEADINESS and (clocked := clock(words, results)):
        text += f" {clocked}"
    if gap is not None and gap.ratio >= VISIBLE_GAP:
        where = words.where([gap.scenario], list(results.scenarios.values()))
        furthest = words.say(
            "furthest" if len(results.scenarios) > 1 else "apart",
            where=where,
            more=results.systems[gap.more].name,
            less=results.systems[gap.less].name,
            ratio=words.figures.short(gap.ratio),
        )
        text += f" {capital(furthest)}"
    return text


def by_scenario_note(
    words: Language, doubts: Doubts, *, log: bool, invalid: int, intervals: bool, clocked: bool
) -> str:
    """Say how to read a chart by scenario, and its n."""
    text = _note(words, symbols=True, intervals=intervals, crosses=invalid > 0, clock=clocked, log=log)
    if doubts.requests_per_run is None:
        return f"{text}. {words.say('note_n_none')}"
    requests = words.counted(doubts.requests_per_run, "request")
    return f"{text}. {words.say('note_n', runs=words.counted(doubts.repeats, 'valid_run'), requests=requests)}"


def _note(words: Language, **parts: bool) -> str:
    """Say the parts of a note that hold, in their order."""
    return "".join(words.say(f"note_{part}") for part, holds in parts.items() if holds)


def paired_levels(words: Language, results: Results, shown: Sequence[Scenario], metric: str) -> str:
    """Say each system's figure at each level, with its interval."""
    said = []
    for system in results.systems.values():
        cells = [cell for one in shown if (cell := results.cell(one.key, system.key)) and cell.valid_runs]
        means = [
            words.say(
                "level_mean_interval" if (interval := cell.interval(metric)) else "level_mean",
                mean=words.amount(cell.value(metric), metric),
                interval=words.span(interval) if interval else "",
                scenario=words.scenario(results.scenarios[cell.scenario]),
            )
            for cell in cells
        ]
        if means and len(shown) <= MOST_LEVELS:
            said.append(words.say("level_means", system=system.name, means=words.join(means)))
    return " ".join(said)


def paired_levels_note(words: Language, results: Results, *, log: bool, intervals: bool) -> str:
    """Say how to read the chart of paired levels, and its n."""
    text = _note(words, symbols=True, intervals=intervals, levels=True, log=log)
    counts = [len(cell.valid_runs) for cell in results.cells if cell.valid_runs]
    return f"{text}. {words.say('note_levels_n', runs=words.counted((min(counts), max(counts)), 'valid_run'))}"


def by_system(words: Language, results: Results, figure: Figure, cells: Sequence[Cell]) -> str:
    """Say each system's figure, and how many times what stands beside it that is."""
    said = []
    for metric in figure.metrics:
        values = [
            words.say("figure_value", system=results.systems[cell.system].name, value=words.measured(cell, metric))
            for cell in cells
            if cell.value(metric) is not None
        ]
        if values:
            said.append(
                words.say("figure_values", measure=capital(words.say(f"measure_{metric}")), values=words.join(values))
            )
    if figure.beside:
        ends = extent_of(
            first / second
            for cell in cells
            if (first := cell.value(figure.y)) is not None and (second := cell.value(figure.beside))
        )
        if ends:
            measures = {"first": words.say(f"measure_{figure.y}"), "second": words.say(f"measure_{figure.beside}")}
            said.append(capital(words.say("figure_times", times=words.span(ends), **measures)))
    return " ".join(said)


def by_level(words: Language, results: Results, metric: str, profiles: Sequence[Profile]) -> str:
    """Say between which figures each system's metric lies along a factor, and where."""
    measure = words.say(f"measure_{metric}")
    said = [
        words.say(
            "extent", system=results.systems[found.system].name, measure=measure, extent=extent(words, found, metric)
        )
        for found in profiles
    ]
    return " ".join(said) or words.say("nothing_to_draw", measure=measure)


def ratios(words: Language, results: Results, figure: Figure, cells: Sequence[Cell]) -> str:
    """Say between which figures the ratio of one system's metric to that of each other lies."""
    found: dict[tuple[str, str], list[float]] = {}
    for _, one in ratios_of(results, cells, figure.y, figure.ratio_of):
        found.setdefault((one.a, one.b), []).append(one.ratio or 0.0)
    return " ".join(
        words.say(
            "figure_ratio",
            system=results.systems[a].name,
            than=results.systems[b].name,
            times=words.span((min(of_pair), max(of_pair))),
        )
        for (a, b), of_pair in sorted(found.items(), key=lambda one: list(results.systems).index(one[0][1]))
    )


def levels_note(words: Language, results: Results, figure: Figure, *, intervals: bool, log: bool) -> str:
    """Say how to read a declared figure, its n, and what the paper gave of it."""
    text = _note(words, ratio=bool(figure.ratio_of), symbols=not figure.ratio_of, intervals=intervals)
    if figure.beside:
        text += words.say("note_beside", measure=words.say(f"measure_{figure.beside}"))
    printed = any(True for metric in figure.metrics for _ in figure.paper(results, metric))
    text += _note(words, printed=printed, log=log)
    text += f". {_replicates(words, results, figure)}"
    return text if printed or not figure.declared.get("paper") else f"{text} {words.say('note_picture')}"


def _replicates(words: Language, results: Results, figure: Figure) -> str:
    """Say of how many runs a cell's figure is, or of how many rounds where each cell has one valid run."""
    cells = figure.cells(results)
    runs = [len(cell.valid_runs) for cell in cells]
    of_cell = Counter(
        row["cell"] for row in results.table("rounds").rows if is_true(row.get("valid")) and row.get(figure.y)
    )
    rounds = [of_cell[cell.key] for cell in cells]
    if max(runs) == 1 and min(rounds) > 0:
        return words.say("note_rounds_n", rounds=words.counted((min(rounds), max(rounds)), "round"))
    return words.say("note_levels_n", runs=words.counted((min(runs), max(runs)), "valid_run"))


def over_levels(words: Language, figure: Figure, data: Dataset, names: Mapping[str, str]) -> str:
    """Say the mean of the rounds of each line, how they scatter, and between which figures they lie."""
    said = []
    for series, name in names.items():
        of_line = [row for row in data.rows if row["kind"] == "ours" and row["series"] == series]
        values = [float(str(row["value"])) for row in of_line]
        if len(values) > 1:
            mean, sd, low, high = (
                words.amount(one, figure.y) for one in (fmean(values), stdev(values), min(values), max(values))
            )
            said.append(words.say("rounds", name=name, mean=mean, sd=sd, low=low, high=high, n=len(values)))
    return " ".join(said)


def over_levels_note(words: Language, figure: Figure, data: Dataset, *, log: bool) -> str:
    """Say how to read a figure of rounds."""
    text = words.say("note_rounds", level=words.column(figure.x))
    return f"{text}{_note(words, published=any(row['kind'] == 'paper' for row in data.rows), log=log)}."


def switches(words: Language, results: Results, correlations: Mapping[str, Correlation]) -> str:
    """Say how switches go with the CV; what has no interval in one sentence, differences only where there is one."""
    sentences, few = [], []
    for series, one in correlations.items():
        if results.declared.roles and one.n < FEWEST_CORRELATED:
            continue
        known = results.systems.get(series)
        name = known.name if known else words.table_text(series)
        if one.pearson is None or one.n < 3:
            sentences.append(words.say("correlation_none", series=name, scenarios=words.count(one.n, "scenario")))
            continue
        pearson = words.figures.exact(one.pearson, 2)
        interval = words.interval(one.lo, one.hi)
        if not interval:
            if known or len(results.systems) == 2:
                few.append(words.say("correlation_of", series=name, pearson=pearson, n=one.n))
            continue
        text = words.say("correlation_interval", series=name, pearson=pearson, interval=interval, n=one.n)
        if one.spearman is not None:
            text += words.say("correlation_spearman", spearman=words.figures.exact(one.spearman, 2))
        if one.loo_min is not None and one.loo_max is not None:
            low, high = (words.figures.exact(value, 2) for value in (one.loo_min, one.loo_max))
            text += words.say("correlation_left_out", low=low, high=high)
        sentences.append(f"{capital(text)}.")
    if few:
        sentences.append(f"{capital(words.say('correlations_few', parts=words.join(few)))}.")
    return " ".join(sentences) or words.say("correlation_unknown")


def percentiles(
    words: Language, results: Results, scenario: Scenario, cells: Iterable[tuple[Cell, Mapping[float, float]]]
) -> str:
    """Say what the percentile curves of a scenario show: each cell's percentiles and number of requests."""
    parts = []
    for cell, values in cells:
        name = results.systems[cell.system].name
        times = [
            words.say("within", share=words.say(share), time=words.figures.short(values[quantile]))
            for quantile, share in SHARES.items()
            if quantile in values
        ]
        if not times:
            parts.append(words.say("no_valid_run", system=name))
            continue
        n = {"requests": words.count(cell.requests, "request"), "runs": words.count(len(cell.valid_runs), "run")}
        parts.append(words.say("answered", system=name, times=words.join(times), **n))
    return f"{capital(words.scenario(scenario))}: {'; '.join(parts)}."


def timeline_note(words: Language, width_s: int) -> str:
    """Say how to read the timeline; a point stands for `width_s` seconds."""
    joined = f" {words.say('note_joined', seconds=words.count(width_s, 'second'))}" if width_s > 1 else ""
    return f"{words.say('note_timeline')}{joined}"


def run_label(words: Language, results: Results, run: Run) -> str:
    """Name a run in a chooser."""
    mark = "" if run.valid else f" ({words[run.status if run.status in ('failed', 'damaged') else 'invalid']})"
    scenario = words.scenario(results.scenarios[run.scenario])
    return words.say("run", system=results.systems[run.system].name, scenario=scenario, repeat=run.repeat) + mark


def timeline(
    words: Language, results: Results, run: Run, found: Mapping[str, tuple[float, float]], seconds: int
) -> str:
    """Say what happened in a run: the extents (low, high) of its series, of counts their sum as the high."""
    text = f"{run_label(words, results, run)}: {words.count(seconds, 'second_of_load')}"
    throughput = run.value("throughput_rps")
    if throughput is not None:
        text += words.say("at_rate", rate=words.figures.short(throughput))
    if "mean_ms" in found:
        low, high = (words.figures.short(value) for value in found["mean_ms"])
        text += words.say("mean_between", low=low, high=high)
    if "cpu_pct" in found:
        text += words.say("cpu_busy", percent=words.span(found["cpu_pct"]))
    if "switches_per_s" in found:
        text += words.say("switching", rate=words.span(found["switches_per_s"]))
    text += "."
    trouble = [
        words.count(found[name][1], noun)
        for name, noun in (
            ("retransmits", "retransmit"),
            ("listen_overflows", "listen_overflow"),
            ("errors", "failed_request"),
        )
        if name in found and found[name][1] > 0
    ]
    if trouble:
        text += f" {words.say('trouble', what=words.join(trouble))}"
    elif "retransmits" in found or "listen_overflows" in found:
        text += f" {words.say('no_trouble')}"
    return text


def sizes(words: Language, results: Results, scenario: Scenario, shares: Sequence[tuple[Cell, float | None]]) -> str:
    """Say how much of a scenario's variance the file's size explains: each cell's percent."""
    name = capital(words.scenario(scenario))
    parts = [
        words.say(
            "size_share" if share is not None else "size_share_unknown",
            percent=words.figures.short(share, 2),
            system=results.systems[cell.system].name,
            requests=words.count(cell.requests, "request"),
        )
        for cell, share in shares
    ]
    return words.say("size_explains", scenario=name, parts=words.join(parts)) if parts else f"{name}."


def variance(words: Language, results: Results, largest: Mapping[str, tuple[str, float, float]]) -> str:
    """Say which part of the variance is the largest: system to (part, lowest and highest percent)."""
    parts = [
        words.say(
            "largest_part",
            system=results.systems[system].name,
            part=words[f"part_{part}"].lower(),
            percent=words.span((low, high)),
        )
        for system, (part, low, high) in largest.items()
    ]
    return f"{capital('; '.join(parts))}."


def wire(words: Language, of_generator: Mapping[str, tuple[tuple[float, float], tuple[float, float] | None]]) -> str:
    """Say how much is the load generator's: a system's name to the extents of its share of the mean and variance."""
    return " ".join(
        words.say(
            "of_generator" if of_variance else "of_generator_mean",
            system=name,
            mean=words.span(of_mean, 2),
            variance=words.span(of_variance, 2) if of_variance else "",
        )
        for name, (of_mean, of_variance) in of_generator.items()
    )


def indicators(words: Language, results: Results, found: Sequence[Indicator]) -> tuple[str, ...]:
    """Say which indicator goes best with the variability of each system, how sure that is, and where it fails."""
    return tuple(
        words.say(
            f"indicator_{one.level}_{one.outcome}",
            system=results.systems[one.system].name,
            indicator=words.column(one.name),
            r=words.figures.exact(one.r, 2),
            interval=words.say("indicator_interval", interval=words.interval(*one.interval)) if one.interval else "",
            n=one.n,
            runs=words.count(one.n, "run"),
            sure=_how_sure(words, one),
        )
        for one in found
    )


def _how_sure(words: Language, one: Indicator) -> str:
    share = words.figures.short(100 * (one.top_share or 0), 2)
    reasons = []
    if not one.is_apart_from_0:
        reasons.append(words.say("unsure_interval" if one.interval else "unsure_no_interval"))
    if not one.is_often_first:
        reasons.append(words.say("unsure_share", share=share))
    if not one.rests_on_none and one.left_out:
        low, high = (words.figures.exact(end, 2) for end in one.left_out)
        reasons.append(words.say("unsure_left_out", low=low, high=high))
    return (
        words.say("indicator_unsure", reasons=words.join(reasons))
        if reasons
        else words.say("indicator_sure", share=share)
    )


def problem(words: Language, run: Run) -> str:
    """Say why a run does not count where its own reason is empty."""
    return words["no_reason_failed" if run.status == "failed" else "no_reason_invalid"]


def claims(words: Language, counts: Mapping[str, int]) -> str:
    """Say how many claims hold, fail and are undecided."""
    parts = [words.count(counts[verdict], f"claims_{verdict}") for verdict in counts if counts[verdict]]
    total = words.count(sum(counts.values()), "claim")
    return words.say("claims_counted", claims=total, parts=words.join(parts))
