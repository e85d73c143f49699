"""The six tables of the upload paper: our selected runs, the paper's number beside each, the ratio.

A run is its row of `runs.csv` with `max_error_pct`, the largest share of errors among the cell's repeats. Beside a disk
of ours that the paper has not stands its SSD, else its mechanical disk, as the paper itself puts them together.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from uploadlab.metrics.figures import valid_figures
from uploadlab.statistics.correlations import CORRELATION_COLUMNS, Correlation, correlate_series
from uploadlab.statistics.quantisation import is_never_bare
from uploadlab.table_file import Value, as_number, number
from uploadlab.tables.cells import selected_repeat
from uploadlab.tables.comparisons import system_key
from uploadlab.tables.study_tables import Columned, Measured

Row = Mapping[str, Value]
Key = tuple[int, str]
"""A sample and a disk."""
LETTERS = {"hdd": "D", "ssd": "S"}
OTHERWISE = ("ssd", "hdd")
PAPER_GB = 1.024e9
RESPONSE_FIGURES = ("mean_ms", "sd_ms", "mad_ms", "cpu_pct", "cpu_sd", "error_pct", "max_error_pct", "wait_pct")
FILES = ("table2_node.csv", "table3_tomcat.csv", "table4_cv.csv", "table5_pswitch.csv")


def table1(measured: Measured) -> Columned:
    """Table 1: The samples"""
    ours = Selection(measured)
    rows: list[dict[str, Value]] = []
    for printed in measured.printed("table1_samples.csv"):
        sample = int(printed["sample"])
        for disk in ours.disks(sample) or [""]:
            runs = {system: ours.run((sample, disk), system) for system in ours.systems}
            first = next(filter(None, runs.values()), {})
            requests, threads, sent = (as_number(first.get(name)) for name in ("requests", "threads", "sent_bytes"))
            row: dict[str, Value] = {
                **_place(sample, disk, printed["disk"]),
                "scale_paper": printed["scale"],
                "sd_bytes_paper": printed["sd_bytes"],
                "pareto_k_paper": printed["pareto_k"],
                "mean_sent_bytes": sent / requests if sent is not None and requests else None,
                "mean_bytes_paper": number(printed["mean_bytes"]),
                **_beside("threads", threads, number(printed["threads"])),
                **_beside("loops", requests / threads if requests and threads else None, number(printed["loops"])),
                **_beside("load_gb", sent / PAPER_GB if sent is not None else None, number(printed["load_gb"])),
            }
            for system in ours.systems:
                row[f"selected_{system}"] = runs[system].get("repeat")
                row[f"selected_{system}_paper"] = printed.get(f"selected_{system.partition('@')[0]}")
            rows.append(row)
    return list(rows[0]), rows


def table2(measured: Measured) -> Columned:
    """Table 2: Node.js: response time, CPU, errors, wait"""
    return _responses(measured, "node")


def table3(measured: Measured) -> Columned:
    """Table 3: Tomcat: response time, CPU, errors, wait"""
    return _responses(measured, "tomcat")


def table4(measured: Measured) -> Columned:
    """Table 4: Coefficient of variation of the response time"""
    return _by_system(measured, "cv")


def table5(measured: Measured) -> Columned:
    """Table 5: Context switches per second"""
    return _by_system(measured, "pswitch_per_s")


def table6(measured: Measured) -> Columned:
    """Table 6: Correlation of switches with the coefficient of variation"""
    ours, theirs = _our_correlations(Selection(measured)), Printed(measured).correlations()
    printed = measured.printed("table6_correlation.csv")[0]
    rows: list[dict[str, Value]] = []
    for series in {**ours, **theirs}:
        mine, paper = ours.get(series), theirs.get(series.partition("@")[0])
        told = number(printed.get(series.partition("@")[0], ""))
        rows.append(
            {
                "series": series,
                "ours": mine.pearson if mine else None,
                "lo": mine.lo if mine else None,
                "hi": mine.hi if mine else None,
                "n": mine.n if mine else 0,
                "printed": told,
                "recomputed": paper.pearson if paper else None,
                "ratio": _ratio(mine.pearson if mine else None, told),
            }
        )
    return ["series", "ours", "lo", "hi", "n", "printed", "recomputed", "ratio"], rows


def correlations(measured: Measured) -> Columned:
    """Table 6 with its certainty"""
    printed = measured.printed("table6_correlation.csv")[0]
    head: dict[str, Value] = {"x": "pswitch_per_s", "y": "cv"}
    ours = _our_correlations(Selection(measured)).items()
    rows = [{"source": "ours", "series": series, **head, **of.row()} for series, of in ours]
    for series, of in Printed(measured).correlations().items():
        told = number(printed.get(series, ""))
        rows.append({"source": "published", "series": series, **head, "printed": told, **of.row()})
    return list(CORRELATION_COLUMNS), rows


class Selection:
    """The selected run of every cell of a campaign."""

    def __init__(self, measured: Measured) -> None:
        """Apply the paper's rule to the rows of ``runs.csv``."""
        self.systems = measured.campaign.systems
        self._runs: dict[tuple[Key, str], Row] = {}
        runs = measured.campaign.leading(measured.runs)
        for cell in sorted({str(run["cell"]) for run in runs}):
            rows = [run for run in runs if run["cell"] == cell]
            repeat, sample = selected_repeat(rows), rows[0].get("sample")
            if repeat is None or not isinstance(sample, int):
                continue
            chosen = next(row for row in rows if row["repeat"] == repeat)
            key = (sample, str(rows[0].get("disk")))
            self._runs[key, system_key(rows[0])] = {**chosen, "max_error_pct": max(valid_figures(rows, "error_pct"))}

    @property
    def keys(self) -> list[Key]:
        """The samples and disks that were measured, sorted."""
        return sorted({key for key, _ in self._runs})

    def disks(self, sample: int) -> list[str]:
        """Return the disks that a sample was measured on, sorted."""
        return [disk for known, disk in self.keys if known == sample]

    def run(self, key: Key, system: str) -> Row:
        """Return the selected run of a cell, an empty row where there is no valid one."""
        return self._runs.get((key, system), {})

    def figure(self, key: Key, system: str, column: str) -> float | None:
        """Return a figure of a cell's selected run."""
        return as_number(self.run(key, system).get(column))


class Printed:
    """Tables 2 to 5 of the paper."""

    def __init__(self, measured: Measured) -> None:
        """Read them."""
        self.samples = [int(row["sample"]) for row in measured.printed("table1_samples.csv")]
        self.figures: dict[str, dict[Key, dict[str, str]]] = {}
        for row in (row for name in FILES for row in measured.printed(name)):
            key = (int(row["sample"]), row["disk"])
            self.figures.setdefault(row["system"], {}).setdefault(key, {}).update(row)

    def key(self, sample: int, disk: str, system: str) -> Key | None:
        """Return the paper's row for one of ours, None where there is none."""
        found = ((sample, other) for other in (disk, *OTHERWISE))
        return next((key for key in found if key in self.figures.get(system, {})), None)

    def figure(self, key: Key | None, system: str, column: str) -> float | None:
        """Return a printed figure; None if not printed."""
        return None if key is None else number(self.figures.get(system, {}).get(key, {}).get(column, ""))

    def beside(self, ours: Selection, system: str) -> list[tuple[Key, Key | None]]:
        """Return our sample and disk with the paper's row, for every row of ours and every row of the paper."""
        rows: list[tuple[Key, Key | None]] = []
        for sample in sorted({*self.samples, *(key[0] for key in ours.keys)}):
            here = [((sample, disk), self.key(sample, disk, system)) for disk in ours.disks(sample)]
            taken = {key for _, key in here}
            theirs = [key for key in self.figures.get(system, {}) if key[0] == sample and key not in taken]
            rows += [*here, *(((sample, ""), key) for key in theirs)]
        return rows

    def correlations(self) -> dict[str, Correlation]:
        """Recompute the paper's correlations from its tables, rows that a system lacks left out as it did."""
        first, *others = self.figures.values()
        keys = [key for key in first if all(key in rows for rows in others)]
        return _correlated(keys, self.figures, self.figure, lambda key: LETTERS[key[1]])


def _our_correlations(ours: Selection) -> dict[str, Correlation]:
    """Correlate context switches with the CV across our scenarios, as the paper did: each system, and differences."""
    return _correlated(ours.keys, ours.systems, ours.figure, lambda key: key[1])


def _correlated(
    keys: Sequence[Key],
    systems: Iterable[str],
    figure: Callable[[Key, str, str], float | None],
    disk: Callable[[Key], str],
) -> dict[str, Correlation]:
    points = {
        system: {
            f"sample {key[0]} ({disk(key)})": (figure(key, system, "pswitch_per_s"), figure(key, system, "cv"))
            for key in keys
        }
        for system in systems
    }
    return correlate_series(points)


def _responses(measured: Measured, system: str) -> Columned:
    """The selected run's figures of a system, on each of its stacks."""
    ours, theirs = Selection(measured), Printed(measured)
    columns = [*_place(None, "", ""), "system", "repeat"]
    columns += [name for figure in RESPONSE_FIGURES for name in (figure, f"{figure}_paper", f"{figure}_ratio")]
    keys = [key for key in ours.systems if key.partition("@")[0] == system] or [system]
    rows: list[dict[str, Value]] = []
    for key in keys:
        of_stack: list[dict[str, Value]] = []
        for place, printed in theirs.beside(ours, system):
            run = ours.run(place, key)
            row = _place(str(place[0]), place[1], _letter(printed)) | {"system": key, "repeat": run.get("repeat")}
            for figure in RESPONSE_FIGURES:
                row |= _beside(figure, as_number(run.get(figure)), theirs.figure(printed, system, figure))
            of_stack.append(row)
        rows += [*of_stack, *_totals(key, of_stack)]
    return columns, rows


def _totals(system: str, rows: Sequence[Row]) -> list[dict[str, Value]]:
    """Return the paper's last two lines, over the rows where both have a number: sums, and deviation over mean."""
    both = [row for row in rows if row["mean_ms"] is not None and row["mean_ms_paper"] is not None]
    if not both:
        return []
    sums: dict[str, Value] = {"sample": f"sum of {len(both)}", "system": system}
    for figure in ("mean_ms", "sd_ms", "mad_ms", "cpu_pct", "cpu_sd"):
        sums |= _beside(figure, _total(both, figure), _total(both, f"{figure}_paper"))
    ratios: dict[str, Value] = {"sample": "deviation / mean", "system": system}
    for deviation, mean in (("sd_ms", "mean_ms"), ("cpu_sd", "cpu_pct")):
        ours = _ratio(as_number(sums[deviation]), as_number(sums[mean]))
        paper = _ratio(as_number(sums[f"{deviation}_paper"]), as_number(sums[f"{mean}_paper"]))
        ratios |= _beside(deviation, ours, paper)
    return [sums, ratios]


def _total(rows: Sequence[Row], column: str) -> float | None:
    values = [as_number(row[column]) for row in rows]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _by_system(measured: Measured, figure: str) -> Columned:
    """One figure, a column a system; the rows are those of the paper's Node.js, which has the most."""
    ours, theirs = Selection(measured), Printed(measured)
    beside = ("", "_without_clock", "_paper", "_ratio") if figure == "cv" else ("", "_paper", "_ratio")
    columns = [*_place(None, "", ""), *(f"{system}{part}" for system in ours.systems for part in beside)]
    rows: list[dict[str, Value]] = []
    for place, printed in theirs.beside(ours, "node"):
        row = _place(place[0], place[1], _letter(printed))
        for system in ours.systems:
            paper = theirs.figure(printed, system.partition("@")[0], figure)
            row |= _beside(system, ours.figure(place, system, figure), paper)
            if figure == "cv" and is_never_bare(ours.figure(place, system, "mean_ms")):
                row[f"{system}_without_clock"] = ours.figure(place, system, "cv_without_clock")
        rows.append(row)
    return columns, rows


def _place(sample: Value, disk: str, paper: str) -> dict[str, Value]:
    return {"sample": sample, "disk": disk, "disk_paper": paper}


def _letter(key: Key | None) -> str:
    return LETTERS[key[1]] if key else ""


def _beside(column: str, ours: float | None, paper: float | None) -> dict[str, Value]:
    return {column: ours, f"{column}_paper": paper, f"{column}_ratio": _ratio(ours, paper)}


def _ratio(ours: float | None, paper: float | None) -> float | None:
    return ours / paper if ours is not None and paper else None
