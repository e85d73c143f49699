"""A factor whose levels are shares of what every system can do: its capacities are the test's."""

import argparse
import contextlib
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import tiny
from tiny import TINY

from uploadlab.campaigns import calibrate
from uploadlab.cli import main
from uploadlab.errors import LabError
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.placement import Placement
from uploadlab.planning.study import Factor, Skip, load_study

CAPACITY_PER_S = {("alpha", 1): 1000.0, ("beta", 1): 800.0, ("alpha", 2): 90.0, ("beta", 2): 100.0}


def _campaign(tmp_path: Path, profile: str, **chosen: object) -> Campaign:
    study = load_study(TINY)
    share = Factor(
        option="share", describe="", cell="c{:02}", levels=["given", 10, 50, 95], unmarked="given", of_capacity=True
    )
    file = msgspec.structs.replace(study.file, factors={**study.file.factors, "share": share})
    return tiny.campaign(
        tmp_path,
        profile,
        study=msgspec.structs.replace(study, file=file),
        profile=msgspec.structs.replace(study.profile(profile), skip=[Skip(where={"size": 2, "share": 95})]),
        levels={"size": [1, 2], "disk": ["local"], "share": ["given"], **chosen},
    )


@pytest.fixture
def made(monkeypatch) -> list[tuple[str, int]]:
    """Give every system its capacity, and return for which systems and sizes it was asked."""
    asked: list[tuple[str, int]] = []

    def cell(_context, sut, factors):
        key = sut.system.system.id, factors["size"]
        asked.append(key)
        return SimpleNamespace(capacity_per_s=lambda: CAPACITY_PER_S[key])

    monkeypatch.setattr(calibrate, "_Cell", cell)
    monkeypatch.setattr(calibrate, "_short_runs_of", lambda _campaign: contextlib.nullcontext())
    monkeypatch.setattr(Placement, "set_up", lambda *_: None)
    return asked


def _asked(**values: object) -> argparse.Namespace:
    return argparse.Namespace(calibration=None, **{"dry_run": False, **values})


def test_each_scenario_is_sent_its_share_of_what_the_slowest_system_can_do(tmp_path, made):
    campaign = calibrate.with_calibration(_campaign(tmp_path, "open", share=[10, 95]), _asked())
    rates = {(one["size"], one["share"]): campaign.profile.load_of(one)["rate_per_s"] for one in campaign.scenarios()}
    assert rates == {(1, 10): 80.0, (1, 95): 760.0, (2, 10): 9.0}
    assert sorted(made) == sorted(CAPACITY_PER_S)  # once for each system and size, however many shares


def test_a_plan_alone_measures_nothing(tmp_path, made):
    campaign = _campaign(tmp_path, "open", share=[10, 95])
    assert calibrate.with_calibration(campaign, _asked(dry_run=True)) == campaign
    assert not made


def test_a_load_without_a_rate_has_no_share_of_one(tmp_path):
    with pytest.raises(LabError, match=r"--share: the load of 'quick' has no rate"):
        calibrate.with_calibration(_campaign(tmp_path, "quick", share=[50]), _asked())


def test_levels_named_on_the_command_line_are_run_though_the_profile_leaves_them_out(tmp_path, capsys):
    study = tmp_path / "study"
    study.mkdir()
    text = (TINY / "study.toml").read_text().replace('systems = ["alpha", "beta"]', f'systems = ["{TINY}/alpha"]')
    text = text.replace('driver = "driver"', f'driver = "{TINY}/driver"')
    (study / "study.toml").write_text(text + '\n[[profiles.quick.skip]]\nwhere = { size = 2, disk = "local" }\n')

    def planned(*options: str) -> str:
        assert main(["--study", str(study), "run", "--dry-run", "--repeats", "1", *options]) == 0
        return capsys.readouterr().out

    assert "z2-local" not in planned()
    assert "z2-local" not in planned("--sizes", "1,2")
    assert "z2-local" in planned("--sizes", "2", "--disks", "local")
    assert main(["--study", str(study), "run", "--dry-run", "--sizes", "2"]) == 2
    assert "leaves out every scenario" in capsys.readouterr().err
