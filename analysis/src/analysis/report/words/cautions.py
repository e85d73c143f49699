"""What a reader must know before any figure: it stands first on the page."""

from collections.abc import Mapping

from analysis.report.facts import Doubts
from analysis.report.results import Results, number
from analysis.report.words.language import Language, capital

MOST_GROUPS = 4
"""Of more cells than this the sentence about groups gives the number, not each."""


def cautions(words: Language, results: Results, doubts: Doubts) -> list[str]:
    """Say what would mislead who reads only the answer: a server held to a share of its core, runs of two kinds."""
    said = []
    if doubts.server_cpu_limit_pct is not None:
        said.append(words.say("caution_limit", percent=words.figures.plain(doubts.server_cpu_limit_pct)))
    return said + groups(words, results)


def groups(words: Language, results: Results) -> list[str]:
    """Say which cells have runs of two kinds, by the first of the figures that show it."""
    cells = {cell.key: cell for cell in results.cells}
    found: dict[str, Mapping[str, str]] = {}
    for row in results.table("groups").rows:
        if row["cell"] in cells:
            found.setdefault(row["cell"], row)
    if len(found) > MOST_GROUPS:
        return [words.say("groups_many", cells=words.count(len(found), "cell"))]
    return [
        capital(
            words.say(
                "groups_one",
                system=results.systems[cells[key].system].name,
                scenario=words.scenario(results.scenarios[cells[key].scenario]),
                measure=words.say(f"groups_{row['metric']}"),
                low=words.span((number(row["low_from"]) or 0.0, number(row["low_to"]) or 0.0), 3),
                n_low=words.count(int(row["n_low"]), "run"),
                high=words.span((number(row["high_from"]) or 0.0, number(row["high_to"]) or 0.0), 3),
                n_high=words.count(int(row["n_high"]), "run"),
            )
        )
        for key, row in found.items()
    ]
