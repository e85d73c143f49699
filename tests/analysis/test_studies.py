"""`./lab studies`: what became of each study's claims."""

import os
from pathlib import Path

import campaigns
import pytest

from uploadlab.analysis.__main__ import main
from uploadlab.analysis.studies import GROUNDS, campaigns_in, study_claims
from uploadlab.errors import LabError
from uploadlab.paths import STUDIES

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
    return tmp_path / "studies"


def test_of_several_campaigns_the_newest_that_decided_a_claim_counts(tmp_path: Path) -> None:
    made = [
        campaigns.write_campaign(
            tmp_path / name, samples=(1, 10), repeats=repeats, requests=300, seed=seed, systems=systems
        ).folder
        for name, repeats, seed, systems in (
            ("decided", 3, 1, ("node", "tomcat")),
            ("once", 1, 2, ("node", "tomcat")),
            ("then", 3, 3, ("node@paper-2016", "tomcat@paper-2016")),
        )
    ]
    newest_last, oldest_last = ([*study_claims(STUDIES, of)][-1] for of in (made, made[::-1]))
    assert list(newest_last.campaigns) == made
    assert newest_last.verdicts == oldest_last.verdicts, "a campaign that decides nothing changes nothing"
    assert newest_last.said("today's") != "–"
    assert newest_last.said("paper's") != "–"
    assert newest_last.said("printed") == "11/1/3"


def test_a_campaign_is_as_old_as_its_start_however_late_it_was_reported_again(tmp_path: Path) -> None:
    for name, started_ns in (("b", 1), ("a", 2), ("c", 0)):
        (tmp_path / name / "analysis").mkdir(parents=True)
        (tmp_path / name / "analysis" / "claims.csv").touch()
        (tmp_path / name / "campaign.json").write_text(f'{{"started_ns": {started_ns}}}')
    os.utime(tmp_path / "b/analysis/claims.csv", (2e9, 2e9))
    assert campaigns_in(tmp_path) == [tmp_path / "c", tmp_path / "b", tmp_path / "a"]


def test_a_study_without_claims_is_listed_with_dashes(studies: Path) -> None:
    (study,) = study_claims(studies, [])
    assert [study.said(ground) for ground in GROUNDS] == ["–", "–", "–"]
    assert (study.title, study.systems, study.quick) == ("Tides", ["Here", "There"], "two minutes")


def test_a_folder_that_is_no_campaign_is_refused(studies: Path, tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"campaign\.json"):
        study_claims(studies, [tmp_path])


def test_the_command_prints_every_study_of_this_lab(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = campaigns.write_campaign(tmp_path / "c", samples=(5,), repeats=1, requests=200)
    assert main(["studies", str(made.folder)]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("upload", "sockets", "queues", "rpc", "groups", str(made.folder)))
