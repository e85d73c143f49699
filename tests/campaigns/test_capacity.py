"""A factor whose levels are loads of one run, among them shares of capacities, which are the test's."""

import argparse
from pathlib import Path

import msgspec
import pytest
import tiny
from tiny import TINY

from uploadlab.campaigns import capacity
from uploadlab.cli import main
from uploadlab.commands import run
from uploadlab.errors import LabError
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.placement import Placement
from uploadlab.planning.plan import chosen_levels, scenario_name
from uploadlab.planning.study import Factor, load_study

CAPACITY_PER_S = {("alpha", 1): 1000.0, ("beta", 1): 800.0, ("alpha", 2): 90.0, ("beta", 2): 100.0}
LOAD = Factor(
    option="share",
    describe="",
    cell="{}pct",
    levels=["given", "saturated"],
    unmarked="given",
    kind="loads",
    apart={"size": 2},
)


def _campaign(tmp_path: Path, *loads: int | str, apart: bool = False) -> Campaign:
    study = load_study(TINY)
    factor = msgspec.structs.replace(LOAD, apart={})
    file = msgspec.structs.replace(study.file, factors={**study.file.factors, "load": factor})
    return tiny.campaign(
        tmp_path,
        "quick",
        study=msgspec.structs.replace(study, file=file),
        profile=msgspec.structs.replace(study.profile("quick"), apart=apart),
        levels={"size": [1, 2], "disk": ["local"], "load": list(loads)},
    )


@pytest.fixture
def made(monkeypatch) -> list[tuple[str, int]]:
    """Give every system its capacity, and return for which systems and sizes it was asked."""
    asked: list[tuple[str, int]] = []

    def capacity_per_s(_context, sut, factors):
        assert "load" not in factors
        key = sut.system.system.id, factors["size"]
        asked.append(key)
        return CAPACITY_PER_S[key]

    monkeypatch.setattr(capacity, "_capacity_per_s", capacity_per_s)
    monkeypatch.setattr(capacity, "prepare", lambda _: None)
    monkeypatch.setattr(Placement, "set_up", lambda *_: None)
    return asked


def test_every_run_measures_all_loads_and_a_share_is_of_what_the_slowest_system_can_do(tmp_path, made):
    campaign = capacity.with_capacities(_campaign(tmp_path, "saturated", 10, 95))
    windows = {one["size"]: campaign.load_of(one)["windows"] for one in campaign.scenarios()}
    assert windows == {
        1: [{"load": "saturated"}, {"load": 95, "rate_per_s": 760.0}, {"load": 10, "rate_per_s": 80.0}],
        2: [{"load": "saturated"}, {"load": 95, "rate_per_s": 85.5}, {"load": 10, "rate_per_s": 9.0}],
    }
    assert sorted(made) == sorted(CAPACITY_PER_S)  # once for each system and size, however many shares
    assert [set(run.factors) for run in campaign.runs()] == [{"size", "disk"}] * 8


def test_a_run_measures_shares_from_the_highest_down_and_those_above_the_capacity_last(tmp_path, made):
    campaign = capacity.with_capacities(_campaign(tmp_path, "saturated", 20, 105, 80, 120, 50))
    loads = [one["load"] for one in campaign.load_of(campaign.scenarios()[0])["windows"]]
    assert loads == ["saturated", 80, 50, 20, 105, 120]


def test_a_profile_may_name_the_system_whose_capacity_the_shares_are_of(tmp_path, made):
    campaign = _campaign(tmp_path, "saturated", 50)
    campaign = msgspec.structs.replace(campaign, profile=msgspec.structs.replace(campaign.profile, shares_of="alpha"))
    campaign = capacity.with_capacities(campaign)
    rates = {one["size"]: campaign.load_of(one)["windows"][1]["rate_per_s"] for one in campaign.scenarios()}
    assert rates == {1: 500.0, 2: 45.0}
    assert sorted(made) == [("alpha", 1), ("alpha", 2)]


def test_each_load_may_have_a_run_of_its_own(tmp_path, made):
    campaign = capacity.with_capacities(_campaign(tmp_path, "saturated", 50, apart=True))
    found = {scenario_name(campaign.study, one): campaign.load_of(one)["windows"] for one in campaign.scenarios()}
    assert found == {
        "z1-local-saturated": [{"load": "saturated"}],
        "z1-local-50pct": [{"load": 50, "rate_per_s": 400.0}],
        "z2-local-saturated": [{"load": "saturated"}],
        "z2-local-50pct": [{"load": 50, "rate_per_s": 45.0}],
    }
    assert sorted(made) == sorted(CAPACITY_PER_S)


def test_the_level_of_another_factor_may_give_each_load_a_run_of_its_own(tmp_path):
    campaign = _campaign(tmp_path, "saturated", 50)
    file = msgspec.structs.replace(campaign.study.file, factors={**campaign.study.file.factors, "load": LOAD})
    campaign = msgspec.structs.replace(campaign, study=msgspec.structs.replace(campaign.study, file=file))
    names = [scenario_name(campaign.study, one) for one in campaign.scenarios()]
    assert names == ["z1-local", "z2-local-saturated", "z2-local-50pct"]


def test_the_capacities_of_what_there_is_no_time_for_are_not_looked_for(tmp_path, made):
    def first_size_alone(campaign):
        assert [one.factors["size"] for one in campaign.profile.capacities] == [1]
        assert campaign.profile.overhead_s is not None
        return msgspec.structs.replace(campaign, levels=campaign.levels | {"size": [1]})

    campaign = capacity.with_capacities(_campaign(tmp_path, "saturated", 50), first_size_alone)
    assert [one["size"] for one in campaign.scenarios()] == [1]
    assert sorted(made) == [key for key in sorted(CAPACITY_PER_S) if key[1] == 1]


def test_what_has_no_room_on_the_disk_is_refused_before_all_capacities_are_looked_for(tmp_path, made, monkeypatch):
    def refuse(campaign, _needs):
        raise LabError(f"No space for {len(campaign.scenarios())} scenarios.")

    campaign = msgspec.structs.replace(_campaign(tmp_path, "saturated", 50), folder=tmp_path / "campaign")
    monkeypatch.setattr(run, "new_campaign", lambda *_: campaign)
    monkeypatch.setattr(run, "check_space", refuse)
    asked = argparse.Namespace(explain=False, resume=None, dry_run=False, live=None)
    with pytest.raises(LabError, match="No space for 2 scenarios"):
        run._run(campaign.study, asked, campaign.place, None)
    assert {size for _, size in made} == {1}


def test_a_plan_alone_measures_nothing_but_counts_the_time_that_finding_the_capacities_takes(tmp_path, made):
    planned = capacity.with_capacities(_campaign(tmp_path, "saturated", 50), dry_run=True)
    assert not made
    assert planned.profile.capacities_took_s > 0
    assert planned.load_of(planned.scenarios()[0])["windows"] == [{"load": "saturated"}, {"load": 50}]


def test_shares_are_asked_for_in_per_cent_and_saturation_is_measured_with_them(tmp_path):
    campaign = _campaign(tmp_path, "given")
    levels = chosen_levels(campaign.study, campaign.profile, tiny.RIG, {"load": ["20", "80"]})
    assert levels["load"] == ["saturated", 20, 80]
    for wrong in ("0", "half", "201", "²"):
        with pytest.raises(LabError, match=r"--share .*: expected shares of the capacity in per cent, 1 to 200"):
            chosen_levels(campaign.study, campaign.profile, tiny.RIG, {"load": [wrong]})


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


def test_how_long_runs_take_beside_their_loads_is_told_without_the_time_that_their_input_data_took(
    tmp_path, made, monkeypatch
):
    now_s, capacity_per_s = [0.0], capacity._capacity_per_s

    def take(seconds: float) -> None:
        now_s[0] += seconds

    monkeypatch.setattr(capacity.time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(capacity, "_capacity_per_s", lambda *given: take(10) or capacity_per_s(*given))
    profiles = []
    for prepared_s in (0, 60):
        monkeypatch.setattr(capacity, "prepare", lambda _, took_s=prepared_s: take(took_s))
        profiles.append(capacity.with_capacities(_campaign(tmp_path, "saturated", 50)).profile)
    assert profiles[0].overhead_s == profiles[1].overhead_s > 0
    assert profiles[1].capacities_took_s == profiles[0].capacities_took_s + 60
