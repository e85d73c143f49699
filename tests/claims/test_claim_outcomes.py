"""`./lab studies`: what became of each study's claims."""

import os
from pathlib import Path

import pytest

from uploadlab.analysis.__main__ import main
from uploadlab.claims.outcomes import GROUNDS, campaigns_in, study_claims
from uploadlab.errors import InputError

REPOSITORY = Path(__file__).parents[2]
STUDY = """
[study]
id = "tides"
title = "Tides: two harbours"
systems = ["here", "there"]
[profiles.quick]
title = "an answer in two minutes: one tide"
"""


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    folder = tmp_path / "studies" / "tides"
    for system in ("here", "there"):
        (folder / system).mkdir(parents=True)
        (folder / system / "sut.toml").write_text(f'[system]\nid = "{system}"\nname = "{system.title()}"\n')
    (folder / "study.toml").write_text(STUDY)
    (folder / "claims.toml").write_text("".join(f'[[claims]]\nid = "{name}"\n' for name in "abc"))
    return tmp_path / "studies"


def campaign(folder: Path, *rows: tuple[str, str, str, str]) -> Path:
    (folder / "analysis").mkdir(parents=True)
    lines = ["claim,stack,verdict,paper_verdict", *(",".join(row) for row in rows)]
    (folder / "analysis" / "claims.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_of_several_campaigns_the_newest_that_decided_a_claim_counts(studies: Path, tmp_path: Path) -> None:
    older = campaign(tmp_path / "1", ("a", "current", "holds", "fails"), ("b", "current", "holds", "undecided"))
    newer = campaign(tmp_path / "2", ("a", "current", "fails", "fails"), ("b", "current", "undecided", "undecided"))
    as_then = campaign(tmp_path / "3", ("c", "paper-1999", "holds", "undecided"))
    others = campaign(tmp_path / "4", ("z", "current", "holds", "holds"))
    (study,) = study_claims(studies, [older, newer, as_then, others])
    assert study.campaigns == (older, newer, as_then)
    assert (study.title, study.systems, study.quick) == ("Tides", ("Here", "There"), "two minutes")
    assert [study.said(ground) for ground in GROUNDS] == ["0/1/2", "1/1/1", "1/0/2"]


def test_a_campaign_is_as_old_as_its_start_however_late_it_was_reported_again(tmp_path: Path) -> None:
    for name, started_ns in (("b", 1), ("a", 2)):
        folder = campaign(tmp_path / name)
        (folder / "campaign.json").write_text(f'{{"started_ns": {started_ns}}}')
    campaign(tmp_path / "c")  # tables without their campaign
    os.utime(tmp_path / "b/analysis/claims.csv", (2e9, 2e9))
    assert campaigns_in(tmp_path) == [tmp_path / "c", tmp_path / "b", tmp_path / "a"]


def test_a_study_that_no_campaign_judged_has_dashes(studies: Path) -> None:
    (study,) = study_claims(studies, [])
    assert [study.said(ground) for ground in GROUNDS] == ["–", "–", "–"]


def test_a_folder_that_no_claims_were_judged_in_is_refused(studies: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"claims.csv is missing; the folder of a campaign that was analysed"):
        study_claims(studies, [tmp_path])


def test_the_command_prints_every_study_of_this_lab(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studies", str(REPOSITORY / "studies/sockets/example/quick")]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("upload", "sockets", "queues", "rpc", "groups", "sockets/example/quick"))
