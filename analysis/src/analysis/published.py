"""The numbers a study's paper printed, kept beside the study as CSV files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.table_file import number, read_table

STUDIES = Path(__file__).resolve().parents[3] / "studies"
DISKS = {"hdd": "D", "ssd": "S"}
"""The paper's letter for a disk of ours; other disks have none."""

Row = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Published:
    """The upload paper's tables, by (sample, letter of the disk)."""

    samples: Mapping[int, Row]
    """Table 1."""
    responses: Mapping[str, Mapping[tuple[int, str], Row]]
    """Tables 2 and 3, by system."""
    cv: Mapping[tuple[int, str], Row]
    """Table 4: a column a system."""
    pswitch: Mapping[tuple[int, str], Row]
    """Table 5: a column a system."""
    correlations: Row
    """Table 6: ``node``, ``tomcat``, ``differences``."""

    def key(self, sample: int, disk: str, system: str) -> tuple[int, str] | None:
        """Return the paper's row for a sample on one of our disks: the same kind of disk, else SSD, else HDD."""
        rows = self.responses.get(system, {})
        letter = DISKS.get(disk)
        for candidate in (letter, "S", "D"):
            if candidate is not None and (sample, candidate) in rows:
                return sample, candidate
        return None

    def figure(self, key: tuple[int, str] | None, system: str, column: str) -> float | None:
        """Return a printed figure: a column of tables 2 and 3, ``cv`` or ``pswitch_per_s``; None if not printed."""
        if key is None:
            return None
        if column in ("cv", "pswitch_per_s"):
            row = (self.cv if column == "cv" else self.pswitch).get(key, {})
            return number(row.get(system, ""))
        return number(self.responses.get(system, {}).get(key, {}).get(column, ""))

    @property
    def main_keys(self) -> tuple[tuple[int, str], ...]:
        """The rows that both systems have: the ten samples, sample 5 on SSD."""
        systems = list(self.responses.values())
        return tuple(key for key in systems[0] if all(key in rows for rows in systems))


def read_published(study: str, studies: Path = STUDIES) -> Published | None:
    """Read the published tables of a study; None when it has none.

    Raises
    ------
    InputError
        When a table is there but cannot be read.
    """
    folder = studies / study / "published"
    if not (folder / "table1_samples.csv").is_file():
        return None
    return Published(
        samples={int(row["sample"]): row for row in read_table(folder / "table1_samples.csv")},
        responses={
            "node": _by_sample_and_disk(folder / "table2_node.csv"),
            "tomcat": _by_sample_and_disk(folder / "table3_tomcat.csv"),
        },
        cv=_by_sample_and_disk(folder / "table4_cv.csv"),
        pswitch=_by_sample_and_disk(folder / "table5_pswitch.csv"),
        correlations=read_table(folder / "table6_correlation.csv")[0],
    )


def _by_sample_and_disk(path: Path) -> dict[tuple[int, str], Row]:
    rows = read_table(path)
    for row in rows:
        if row.get("mean_abs_dev_ms") is not None:
            row["mad_ms"] = row["mean_abs_dev_ms"]
            row["max_error_pct"] = row["max_error_pct_of_4"]
    return {(int(row["sample"]), row["disk"]): row for row in rows}
