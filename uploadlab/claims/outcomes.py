"""What became of each study's claims: on the printed numbers and in the campaigns there are, in one table."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uploadlab.claims.finding import FAILS, HOLDS, UNDECIDED
from uploadlab.errors import InputError
from uploadlab.table_file import read_table

if TYPE_CHECKING:
    from rich.console import Console

PRINTED = "printed"
ON_STACKS = {"current": "today's", "paper": "paper's"}
GROUNDS = (PRINTED, *ON_STACKS.values())
CAPTION = (
    "Claims that hold/fail/stay undecided: on the numbers that the paper prints, and as measured on today's versions "
    "of the systems and on the paper's."
)
HEADER = ("study", "what it compares", "quick takes", "claims", *GROUNDS)


@dataclass(frozen=True, kw_only=True)
class StudyClaims:
    """A study and what became of its claims.

    `verdicts` has, for each of GROUNDS that any campaign was judged on, each claim's verdict. Where several campaigns
    were, the newest that decided a claim counts; a claim that none decided is undecided.
    """

    id: str
    title: str
    systems: tuple[str, ...]
    quick: str
    claims: tuple[str, ...]
    verdicts: Mapping[str, Mapping[str, str]]
    campaigns: tuple[Path, ...]

    def said(self, ground: str) -> str:
        """Return how many claims hold, fail and stay undecided on a ground; a dash where none was judged."""
        if ground not in self.verdicts:
            return "–"
        count = Counter(self.verdicts[ground].values())
        return f"{count[HOLDS]}/{count[FAILS]}/{count[UNDECIDED]}"


def campaigns_in(results: Path) -> list[Path]:
    """Return the campaigns of a folder that have judged claims, oldest first."""
    return sorted((path.parents[1] for path in results.glob("*/analysis/claims.csv")), key=_started_ns)


def study_claims(studies: Path, campaigns: Sequence[Path]) -> list[StudyClaims]:
    """Return each study with what the campaigns, oldest first, say of its claims.

    Raises InputError for a folder without `analysis/claims.csv`.
    """
    judged = {folder: _rows(folder) for folder in campaigns}
    return [_study(path.parent, judged) for path in sorted(studies.glob("*/study.toml"))]


def print_studies(found: Sequence[StudyClaims], console: "Console") -> None:
    """Print the table for a terminal, and the campaigns that it rests on."""
    from rich import box  # here: decisions are asked for between runs, and print no table
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=CAPTION, caption_justify="left")
    for name in HEADER:
        is_text = name in HEADER[:3]
        table.add_column(name, justify="left" if is_text else "right", no_wrap=name != HEADER[1])
    for study in found:
        table.add_row(*_cells(study))
    console.print(table)
    for study in found:
        for folder in study.campaigns:
            console.print(f"{study.id}: {folder}", highlight=False, markup=False, soft_wrap=True)
    if not any(study.campaigns for study in found):
        console.print("No campaign has judged any claim yet: ./lab run, or ./lab --study NAME run.", highlight=False)


def _cells(study: StudyClaims) -> list[str]:
    grounds = [study.said(ground) for ground in GROUNDS]
    return [study.id, f"{study.title}: {', '.join(study.systems)}", study.quick, str(len(study.claims)), *grounds]


def _study(folder: Path, judged: Mapping[Path, list[dict[str, str]]]) -> StudyClaims:
    file = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    claims = tuple(claim["id"] for claim in _declared_claims(folder, file))
    verdicts: dict[str, dict[str, str]] = {}
    own = [path for path, rows in judged.items() if rows and {row["claim"] for row in rows} <= set(claims)]
    for row in (row for path in own for row in judged[path]):
        for ground, verdict in _grounds(row):
            known = verdicts.setdefault(ground, dict.fromkeys(claims, UNDECIDED))
            if verdict != UNDECIDED:
                known[row["claim"]] = verdict
    return StudyClaims(
        id=file["study"]["id"],
        title=file["study"]["title"].split(":")[0],
        systems=tuple(_names(folder, file)),
        quick=file["profiles"].get("quick", {}).get("title", "").split(":")[0].removeprefix("an answer in "),
        claims=claims,
        verdicts=verdicts,
        campaigns=tuple(own),
    )


def _declared_claims(folder: Path, file: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the claims of a study; it need not have any."""
    path = folder / file["study"].get("claims", "claims.toml")
    if not path.is_file():
        return []
    claims: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["claims"]
    return claims


def _grounds(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield PRINTED, row["paper_verdict"]
    kind = row["stack"].partition(",")[0].partition("-")[0]
    if kind in ON_STACKS:
        yield ON_STACKS[kind], row["verdict"]


def _names(folder: Path, file: Mapping[str, Any]) -> Iterator[str]:
    for system in file["study"]["systems"]:
        yield tomllib.loads((folder / system / "sut.toml").read_text(encoding="utf-8"))["system"]["name"]


def _rows(folder: Path) -> list[dict[str, str]]:
    path = folder / "analysis" / "claims.csv"
    if not path.is_file():
        raise InputError(f"{path} is missing; the folder of a campaign that was analysed was expected.")
    return [row for row in read_table(path) if row["claim"]]


def _started_ns(folder: Path) -> int:
    """Return when a campaign began; one without a `campaign.json` that says so is older than all that have one."""
    try:
        return int(json.loads((folder / "campaign.json").read_text(encoding="utf-8"))["started_ns"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
