"""The tables of a paper that a study declares by their ``kind``: ours, the paper's number beside each, the ratio."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from uploadlab.metrics.figures import valid_figures
from uploadlab.results.campaign import Campaign
from uploadlab.results.declarations import declarations
from uploadlab.statistics.correlations import Correlation, correlate_series
from uploadlab.statistics.quantisation import is_never_bare
from uploadlab.table_file import Value, as_number, number
from uploadlab.tables.cells import selected_repeat
from uploadlab.tables.comparisons import system_key
from uploadlab.tables.published import Key, Published, read_published

Row = Mapping[str, Value]
Columned = tuple[list[str], list[dict[str, Value]]]
"""The columns of a table, and its rows."""
PAPER_GB = 1.024e9
RESPONSE_FIGURES = ("mean_ms", "sd_ms", "mad_ms", "cpu_pct", "cpu_sd", "error_pct", "max_error_pct", "wait_pct")


class Selection:
    """The selected run of every cell of a campaign.

    A run is its row of ``runs.csv`` with ``max_error_pct``, the largest share of errors among the cell's repeats.
    """

    def __init__(self, campaign: Campaign, runs: Sequence[Row], factors: Sequence[str]) -> None:
        """Apply the paper's rule to the rows of ``runs.csv``, whose cells two factors tell apart."""
        self.systems = campaign.systems
        self.factors = first, second = tuple(factors)
        self._runs: dict[tuple[int, str, str], Row] = {}
        for cell in sorted({str(run["cell"]) for run in runs}):
            rows = [run for run in runs if run["cell"] == cell]
            repeat = selected_repeat(rows)
            level = rows[0].get(first)
            if repeat is None or not isinstance(level, int):
                continue
            chosen = next(row for row in rows if row["repeat"] == repeat)
            key = (level, str(rows[0].get(second)), system_key(rows[0]))
            self._runs[key] = {**chosen, "max_error_pct": max(valid_figures(rows, "error_pct"))}

    @property
    def scenarios(self) -> list[tuple[int, str]]:
        """The levels of both factors that were measured, sorted."""
        return sorted({key[:2] for key in self._runs})

    def others(self, level: int) -> list[str]:
        """Return the levels of the second factor that one of the first was measured at, sorted."""
        return [other for known, other in self.scenarios if known == level]

    def run(self, level: int, other: str, system: str) -> Row:
        """Return the selected run of a cell, an empty row where there is no valid one."""
        return self._runs.get((level, other, system), {})

    def figure(self, key: Key, system: str, column: str) -> float | None:
        """Return a figure of a cell's selected run; the cell has our levels of both factors."""
        return as_number(self.run(*key, system).get(column))


def correlation_rows(campaign: Campaign, runs: Sequence[Row]) -> list[dict[str, Value]]:
    """Return the rows of ``correlations.csv``: of context switches with the CV, ours and the paper's."""
    found = _selection(campaign, runs)
    return list(_correlation_rows(*found)) if found else []


def paper_tables(campaign: Campaign, runs: Sequence[Row]) -> dict[str, Columned]:
    """Return the tables of a paper that a study declares by their kind, by name: columns and rows."""
    selection, published = _selection(campaign, runs) or (None, None)
    if selection is None or published is None:
        return {}
    found: dict[str, Columned] = {}
    for name, table in declarations(campaign.record).tables.items():
        match table.get("kind"):
            case "inputs":
                found[name] = _input_table(selection, published)
            case "of_system":
                found[name] = _response_table(selection, published, str(table["system"]))
            case "selected":
                found[name] = _figure_table(selection, published, str(table["value"]))
            case "correlation":
                found[name] = _correlation_table(selection, published)
    return found


def _selection(campaign: Campaign, runs: Sequence[Row]) -> tuple[Selection, Published | None] | None:
    declared = declarations(campaign.record)
    published = read_published(campaign.folder, declared)
    factors = published.factors if published else tuple(campaign.told_apart[:2])
    if declared.roles or len(factors) < 2:
        return None
    return Selection(campaign, campaign.leading(runs), factors), published


def _correlation_rows(selection: Selection, published: Published | None) -> Iterator[dict[str, Value]]:
    for series, correlation in our_correlations(selection).items():
        yield {"source": "ours", "series": series, "x": "pswitch_per_s", "y": "cv", **correlation.row()}
    if published is None:
        return
    for series, correlation in published_correlations(published).items():
        printed = number(published.correlations.get(series, ""))
        head = {"source": "published", "series": series, "x": "pswitch_per_s", "y": "cv", "printed": printed}
        yield {**head, **correlation.row()}


def published_correlations(published: Published) -> dict[str, Correlation]:
    """Recompute the paper's correlations from its tables, rows that a system lacks left out as it did."""
    return _correlated(published.factors, published.main_keys, published.figures, published.figure)


def our_correlations(selection: Selection) -> dict[str, Correlation]:
    """Correlate context switches with the CV across our scenarios, as the paper did: each system, and differences."""
    return _correlated(selection.factors, selection.scenarios, selection.systems, selection.figure)


def _correlated(
    factors: Sequence[str],
    keys: Sequence[Key],
    systems: Iterable[str],
    figure: Callable[[Key, str, str], float | None],
) -> dict[str, Correlation]:
    points = {
        system: {
            f"{factors[0]} {key[0]} ({key[1]})": (figure(key, system, "pswitch_per_s"), figure(key, system, "cv"))
            for key in keys
        }
        for system in systems
    }
    return correlate_series(points)


def _ratio(ours: float | None, paper: float | None) -> float | None:
    return ours / paper if ours is not None and paper else None


def _beside(column: str, ours: float | None, paper: float | None) -> dict[str, Value]:
    return {column: ours, f"{column}_paper": paper, f"{column}_ratio": _ratio(ours, paper)}


def _rows_of(selection: Selection, published: Published, system: str) -> list[tuple[int, str, Key | None]]:
    """Return (level, ours of the second factor, the paper's row) for every row of ours and every row of the paper."""
    rows: list[tuple[int, str, Key | None]] = []
    for level in sorted({*published.inputs, *(key[0] for key in selection.scenarios)}):
        ours = [(level, other, published.key(level, other, system)) for other in selection.others(level)]
        taken = {key for _, _, key in ours}
        theirs = [key for key in published.figures.get(system, {}) if key[0] == level and key not in taken]
        rows += [*ours, *((level, "", key) for key in theirs)]
    return rows


def _place(published: Published, level: Value, other: str, paper: str) -> dict[str, Value]:
    first, second = published.factors
    return {first: level, second: other, f"{second}_paper": paper}


def _input_table(selection: Selection, published: Published) -> tuple[list[str], list[dict[str, Value]]]:
    rows: list[dict[str, Value]] = []
    for level, printed in published.inputs.items():
        for other in selection.others(level) or [""]:
            runs = {system: selection.run(level, other, system) for system in selection.systems}
            first = next(filter(None, runs.values()), {})
            requests, threads, sent = (as_number(first.get(name)) for name in ("requests", "threads", "sent_bytes"))
            mean_sent = sent / requests if sent is not None and requests else None
            row: dict[str, Value] = {
                **_place(published, level, other, printed[published.factors[1]]),
                "scale_paper": printed["scale"],
                "sd_bytes_paper": printed["sd_bytes"],
                "pareto_k_paper": printed["pareto_k"],
                "mean_sent_bytes": mean_sent,
                "mean_bytes_paper": number(printed["mean_bytes"]),
                **_beside("threads", threads, number(printed["threads"])),
                **_beside("loops", requests / threads if requests and threads else None, number(printed["loops"])),
                **_beside("load_gb", sent / PAPER_GB if sent is not None else None, number(printed["load_gb"])),
            }
            for system in selection.systems:
                row[f"selected_{system}"] = runs[system].get("repeat")
                row[f"selected_{system}_paper"] = printed.get(f"selected_{system.partition('@')[0]}")
            rows.append(row)
    return list(rows[0]), rows


def _response_table(
    selection: Selection, published: Published, system: str
) -> tuple[list[str], list[dict[str, Value]]]:
    """The selected run's figures of a system, on each of its stacks."""
    columns = [*_place(published, None, "", ""), "system", "repeat"]
    columns += [name for figure in RESPONSE_FIGURES for name in (figure, f"{figure}_paper", f"{figure}_ratio")]
    keys = [key for key in selection.systems if key.partition("@")[0] == system] or [system]
    rows: list[dict[str, Value]] = []
    for key in keys:
        of_stack: list[dict[str, Value]] = []
        for level, other, paper_key in _rows_of(selection, published, system):
            run = selection.run(level, other, key)
            row: dict[str, Value] = {
                **_place(published, str(level), other, paper_key[1] if paper_key else ""),
                "system": key,
                "repeat": run.get("repeat"),
            }
            for figure in RESPONSE_FIGURES:
                row |= _beside(figure, as_number(run.get(figure)), published.figure(paper_key, system, figure))
            of_stack.append(row)
        rows += [*of_stack, *_totals(published.factors[0], key, of_stack)]
    return columns, rows


def _totals(first: str, system: str, rows: Sequence[Row]) -> list[dict[str, Value]]:
    """Return the paper's last two lines, over the rows where both have a number: sums, and deviation over mean."""
    both = [row for row in rows if row["mean_ms"] is not None and row["mean_ms_paper"] is not None]
    if not both:
        return []
    sums: dict[str, Value] = {first: f"sum of {len(both)}", "system": system}
    for figure in ("mean_ms", "sd_ms", "mad_ms", "cpu_pct", "cpu_sd"):
        sums |= _beside(figure, _total(both, figure), _total(both, f"{figure}_paper"))
    ratios: dict[str, Value] = {first: "deviation / mean", "system": system}
    for deviation, mean in (("sd_ms", "mean_ms"), ("cpu_sd", "cpu_pct")):
        ours = _ratio(as_number(sums[deviation]), as_number(sums[mean]))
        paper = _ratio(as_number(sums[f"{deviation}_paper"]), as_number(sums[f"{mean}_paper"]))
        ratios |= _beside(deviation, ours, paper)
    return [sums, ratios]


def _total(rows: Sequence[Row], column: str) -> float | None:
    values = [as_number(row[column]) for row in rows]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _figure_table(selection: Selection, published: Published, figure: str) -> tuple[list[str], list[dict[str, Value]]]:
    """One figure, a column a system; the rows are those of the first system of the paper, which has the most."""
    columns = [*_place(published, None, "", "")]
    beside = ("", "_without_clock", "_paper", "_ratio") if figure == "cv" else ("", "_paper", "_ratio")
    columns += [f"{system}{part}" for system in selection.systems for part in beside]
    rows: list[dict[str, Value]] = []
    for level, other, paper_key in _rows_of(selection, published, next(iter(published.figures))):
        row = _place(published, level, other, paper_key[1] if paper_key else "")
        for system in selection.systems:
            paper = published.figure(paper_key, system.partition("@")[0], figure)
            row |= _beside(system, selection.figure((level, other), system, figure), paper)
            if figure == "cv" and is_never_bare(selection.figure((level, other), system, "mean_ms")):
                row[f"{system}_without_clock"] = selection.figure((level, other), system, "cv_without_clock")
        rows.append(row)
    return columns, rows


def _correlation_table(selection: Selection, published: Published) -> tuple[list[str], list[dict[str, Value]]]:
    ours, theirs = our_correlations(selection), published_correlations(published)
    rows: list[dict[str, Value]] = []
    for series in {**ours, **theirs}:
        mine, printed = ours.get(series), number(published.correlations.get(series.partition("@")[0], ""))
        paper = theirs.get(series.partition("@")[0])
        rows.append(
            {
                "series": series,
                "ours": mine.pearson if mine else None,
                "lo": mine.lo if mine else None,
                "hi": mine.hi if mine else None,
                "n": mine.n if mine else 0,
                "printed": printed,
                "recomputed": paper.pearson if paper else None,
                "ratio": _ratio(mine.pearson if mine else None, printed),
            }
        )
    return ["series", "ours", "lo", "hi", "n", "printed", "recomputed", "ratio"], rows
