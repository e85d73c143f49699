"""Size of the file against response time, a panel a system, by scenario."""

import altair as alt

from uploadlab.report.drawing import Chart, Choice, Dataset, colour, finished, source, value_axis
from uploadlab.report.results import Results
from uploadlab.report.sentences import captions
from uploadlab.tables.table_file import Value, number
from uploadlab.words.language import Language


def data(results: Results) -> Dataset:
    """Return how many requests of each cell have each size and response time."""
    cells = {cell.key: cell for cell in results.cells}
    rows: list[dict[str, Value]] = []
    for row in results.table("size_heat").rows:
        cell = cells.get(row["cell"])
        bounds = {name: number(row[name]) for name in ("from_bytes", "to_bytes", "from_ms", "to_ms", "requests")}
        if cell is None or any(value is None for value in bounds.values()):
            continue
        for low, high in (("from_bytes", "to_bytes"), ("from_ms", "to_ms")):
            if not bounds[low]:
                bounds[low] = (bounds[high] or 0) / 2
        rows.append({"scenario": cell.scenario, "system": cell.system, **bounds})
    columns = {"scenario": "string", "system": "string", "from_bytes": "number", "to_bytes": "number"}
    columns |= {"from_ms": "number", "to_ms": "number", "requests": "number"}
    return Dataset(name="sizes", columns=columns, rows=rows)


def chart(results: Results, data: Dataset, words: Language) -> Chart | None:
    """Return the chart with a chooser of the scenario, or None where sizes are not known."""
    present = {row["scenario"] for row in data.rows}
    scenarios = [one for one in results.scenarios.values() if one.key in present]
    shares = {row["cell"]: number(row.get("size_pct")) for row in results.table("variance").rows}
    if not scenarios or (results.declared.roles and not any(share is not None for share in shares.values())):
        return None  # messages of one size
    chosen = scenarios[len(scenarios) // 2].key
    measured = {row["system"] for row in data.rows}
    systems = [system for system in results.systems.values() if system.key in measured]
    panels = [
        alt.Chart(source(data))
        .transform_filter(f"datum.scenario === chosen && datum.system === {_text(system.key)}")
        .mark_rect(color=colour(system.index), clip=True)
        .encode(
            x=alt.X(
                "from_bytes:Q",
                title=words["axis_size"],
                scale=alt.Scale(type="log", nice=False),
                axis=value_axis(alt.Scale(type="log")),
            ),
            x2=alt.X2("to_bytes:Q"),
            y=alt.Y(
                "from_ms:Q",
                title=words["axis_elapsed"] if position == 0 else None,
                scale=alt.Scale(type="log", nice=False),
                axis=value_axis(alt.Scale(type="log"), extent_px=44),
            ),
            y2=alt.Y2("to_ms:Q"),
            opacity=alt.Opacity("requests:Q", scale=alt.Scale(type="log", range=[0.08, 0.95], nice=False), legend=None),
            tooltip=[
                alt.Tooltip("from_bytes:Q", title=words["axis_size"], format=",.3~s"),
                alt.Tooltip("from_ms:Q", title=words["axis_elapsed"], format=",.3~g"),
                alt.Tooltip("requests:Q", title=words["tip_requests"], format=","),
            ],
        )
        .properties(width=440, height=170, title=alt.Title(system.name))
        for position, system in enumerate(systems)
    ]
    picture = (
        alt.vconcat(*panels, spacing=16)
        .add_params(alt.param(name="chosen", value=chosen))
        .resolve_scale(x="shared", y="shared", opacity="shared")
    )
    choices = []
    for scenario in scenarios:
        cells = [cell for cell in results.cells if cell.scenario == scenario.key and cell.valid_runs]
        sentence = captions.sizes(words, results, scenario, [(cell, shares.get(cell.key)) for cell in cells])
        choices.append(Choice(value=scenario.key, label=words.scenario_long(scenario), sentence=sentence))
    return Chart(
        id="sizes",
        spec=finished(picture),
        datasets=(data.name,),
        title=words["chart_sizes"],
        note=words["sizes_note"],
        choices=tuple(choices),
        chosen=chosen,
        chosen_by="scenario",
        chooser=words["choose_scenario"],
    )


def _text(value: str) -> str:
    """Return `value` as a string literal of the expression language."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
