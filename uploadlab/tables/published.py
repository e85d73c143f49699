"""The numbers a study's paper printed, kept beside the study as CSV files.

A row is one scenario's, of one system: most files are so. The ``kind`` of a table says how its file becomes such rows
where it is not so: it is one system's own (``of_system``), or has a column for each system (``selected``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from uploadlab.results.declarations import Declarations, published_files
from uploadlab.table_file import number, read_table

Row = Mapping[str, str]
Key = tuple[int, str]
"""Level of the first factor, and of the second as the paper calls it."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """The paper's tables of systems that were measured at the levels of two factors."""

    factors: tuple[str, str]
    inputs: Mapping[int, Row]
    """What was sent, by the first factor."""
    figures: Mapping[str, Mapping[Key, Row]]
    """By system, in the paper's order."""
    correlations: Row
    """Of each system, and of their ``differences``."""
    letters: Mapping[str, str]
    """What the paper calls our levels of the second factor."""
    otherwise: Sequence[str]
    """Beside a level of ours that it has not stands the first of these that it has."""

    def key(self, level: int, other: str, system: str) -> Key | None:
        """Return the paper's row for a level at one of our levels of the second factor, None where there is none."""
        candidates = [self.letters.get(other), *self.otherwise]
        found = ((level, letter) for letter in candidates if letter is not None)
        return next((key for key in found if key in self.figures.get(system, {})), None)

    def figure(self, key: Key | None, system: str, column: str) -> float | None:
        """Return a printed figure; None if not printed."""
        return None if key is None else number(self.figures.get(system, {}).get(key, {}).get(column, ""))

    @property
    def main_keys(self) -> tuple[Key, ...]:
        """The rows that all systems have."""
        systems = list(self.figures.values())
        return tuple(key for key in systems[0] if all(key in rows for rows in systems))


def printed_rows(folder: Path, declared: Declarations) -> Iterator[Row]:
    """Yield what was printed of one scenario and system, from every file of a results folder's study.

    Raises InputError when a table is there but cannot be read.
    """
    tables = {Path(str(table["published"])).name: table for table in declared.tables.values() if table.get("published")}
    for path in published_files(folder, declared.study):
        table = tables.get(path.name, {})
        kind = table.get("kind")
        for row in read_table(path) if kind not in ("inputs", "correlation") else ():
            if kind == "of_system":
                yield {"system": str(table["system"]), **row}
            elif kind == "selected":
                levels = {name: text for name, text in row.items() if name in declared.factors}
                of_systems = ((name, text) for name, text in row.items() if name not in levels and text != "-")
                yield from ({**levels, "system": name, str(table["value"]): text} for name, text in of_systems)
            else:
                yield row


def read_published(folder: Path, declared: Declarations) -> Published | None:
    """Read the tables of a paper that a study declares by their ``kind``; None when it has none.

    Raises InputError when a table is there but cannot be read.
    """
    kinds = {str(table.get("kind")): str(table.get("published")) for table in declared.tables.values()}
    files = {path.name: path for path in published_files(folder, declared.study)}
    if not {"inputs", "of_system", "correlation"} <= kinds.keys():
        return None
    inputs = read_table(files[kinds["inputs"]])
    first, second = (name for name in declared.factors if name in inputs[0])
    figures: dict[str, dict[Key, Row]] = {}
    for row in printed_rows(folder, declared):
        of_system, key = figures.setdefault(row["system"], {}), (int(row[first]), row[second])
        of_system[key] = {**of_system.get(key, {}), **row}
    printed = declared.factors[second].get("printed") or {}
    return Published(
        factors=(first, second),
        inputs={int(row[first]): row for row in inputs},
        figures=figures,
        correlations=read_table(files[kinds["correlation"]])[0],
        letters=printed.get("levels") or {},
        otherwise=printed.get("else") or (),
    )
