"""What became of each study's claims: on the printed numbers and in the campaigns there are, in one table."""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uploadlab.analysis.analysis_files import claims_of
from uploadlab.claims import FAILS, HOLDS, NOT_MEASURED, UNDECIDED
from uploadlab.claims.judge import load_claims, printed_evidence
from uploadlab.results.declarations import declarations, published_files

if TYPE_CHECKING:
    from rich.console import Console

PRINTED = "printed"
ON_STACKS = {"current": "today's", "paper": "paper's"}
GROUNDS = (PRINTED, *ON_STACKS.values())
OPEN = (UNDECIDED, NOT_MEASURED)
CAPTION = (
    "Claims that hold/fail/stay undecided: on the numbers that the paper prints, and as measured on today's versions "
    "of the systems and on the paper's."
)
HEADER = ("study", "what it compares", "quick takes", "claims", *GROUNDS)


@dataclass(frozen=True, kw_only=True)
class StudyClaims:
    """A study and what became of its claims.

    `verdicts` has, for each of GROUNDS that there is, each claim's verdict. Where several campaigns were judged, the
    newest that decided a claim counts; a claim that none decided is undecided.
    """

    id: str
    title: str
    systems: Sequence[str]
    quick: str
    claims: Sequence[str]
    verdicts: Mapping[str, Mapping[str, str]]
    campaigns: Sequence[Path]

    def said(self, ground: str) -> str:
        """Return how many claims hold, fail and stay undecided on a ground; a dash where none was judged."""
        if not self.verdicts.get(ground):
            return "–"
        count = Counter(self.verdicts[ground].values())
        return f"{count[HOLDS]}/{count[FAILS]}/{sum(count[verdict] for verdict in OPEN)}"


def campaigns_in(results: Path) -> list[Path]:
    """Return the campaigns of a folder that were analysed, oldest first."""
    return sorted((path.parents[1] for path in results.glob("*/analysis/claims.csv")), key=_started_ns)


def study_claims(studies: Path, campaigns: Sequence[Path]) -> list[StudyClaims]:
    """Return each study with what the campaigns, oldest first, say of its claims.

    Raises LabError for a folder that is no campaign's.
    """
    judged: dict[str, dict[Path, Sequence[Mapping[str, Any]]]] = {}
    for folder in campaigns:
        study, rows = claims_of(folder)
        judged.setdefault(study, {})[folder] = rows
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


def _study(folder: Path, judged: Mapping[str, Mapping[Path, Sequence[Mapping[str, Any]]]]) -> StudyClaims:
    file = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    study, campaigns = file["study"], judged.get(file["study"]["id"], {})
    found, record = load_claims(folder), {"study": {**file, "id": study["id"], "folder": str(folder)}}
    paper = printed_evidence(published_files(record), declarations(record), found.conventions)
    claims = [claim.id for claim in found.claims]
    verdicts = {PRINTED: {claim.id: str(claim.decide(paper).verdict) for claim in found.claims}}
    for row in (row for rows in campaigns.values() for row in rows):
        ground = ON_STACKS.get(str(row["stack"]).partition(",")[0].partition("-")[0])
        if ground is not None:
            known = verdicts.setdefault(ground, dict.fromkeys(claims, str(UNDECIDED)))
            if row["verdict"] not in OPEN:
                known[str(row["claim"])] = str(row["verdict"])
    return StudyClaims(
        id=study["id"],
        title=study["title"].split(":")[0],
        systems=[_name(folder / system) for system in study["systems"]],
        quick=file["profiles"].get("quick", {}).get("title", "").split(":")[0].removeprefix("an answer in "),
        claims=claims,
        verdicts=verdicts,
        campaigns=list(campaigns),
    )


def _name(folder: Path) -> str:
    return str(tomllib.loads((folder / "sut.toml").read_text(encoding="utf-8"))["system"]["name"])


def _started_ns(folder: Path) -> int:
    """Return when a campaign began; one without a `campaign.json` that says so is older than all that have one."""
    try:
        return int(json.loads((folder / "campaign.json").read_text(encoding="utf-8"))["started_ns"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
