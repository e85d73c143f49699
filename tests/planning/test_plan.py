"""The plan: which runs, in which order."""

import itertools
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tiny import RIG, TINY, two_systems

from uploadlab.cli import main
from uploadlab.commands.choice import load_settings
from uploadlab.errors import LabError
from uploadlab.paths import STUDIES
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.plan import PlannedRun, chosen_levels
from uploadlab.planning.study import Factor, Skip, Study, load_study
from uploadlab.planning.system import Sut, choose


@pytest.fixture
def study() -> Study:
    return load_study(TINY)


@pytest.fixture
def systems() -> list[Sut]:
    return two_systems()


def plan_runs(study, levels, systems, repeats, seed, baseline=None, baseline_repeats=0, skip=()):
    how = {"repeats": repeats, "baseline_repeats": baseline_repeats, "skip": list(skip)}
    return Campaign(
        study=study,
        profile_name="one",
        profile=msgspec.structs.replace(study.profile("one"), **how),
        systems=systems,
        baseline=baseline,
        place=None,
        levels=levels,
        seed=seed,
        folder=Path("campaign"),
        server_cpu_limit_pct=None,
    ).runs()


def _plan(study: Study, systems: list[Sut]) -> list[PlannedRun]:
    levels = chosen_levels(study, study.profile("quick"), RIG, {"disk": ["local", "tmpfs"]})
    return plan_runs(study, levels, systems, 4, 1)


def test_a_block_holds_one_repeat_of_every_cell_and_blocks_follow_each_other(study, systems):
    runs = _plan(study, systems)
    cells = {f"z{z}-{d}-{s}" for z in (1, 2) for d in ("local", "tmpfs") for s in ("alpha", "beta")}
    assert len(runs) == 4 * 8
    for block in range(1, 5):
        part = runs[(block - 1) * 8 : block * 8]
        assert {(run.block, run.repeat) for run in part} == {(block, f"{block:02}")}
        assert {run.cell for run in part} == cells


def test_the_systems_of_a_scenario_follow_each_other_and_each_is_first_once_in_two_blocks(study, systems):
    runs = _plan(study, systems)
    first: dict[str, list[str]] = {}
    for one, other in zip(runs[::2], runs[1::2], strict=True):
        assert one.factors == other.factors
        assert {one.system, other.system} == {"alpha", "beta"}
        first.setdefault(str(one.factors), []).append(one.system)
    for turns in first.values():
        assert {*turns[:2]} == {*turns[2:]} == {"alpha", "beta"}


def test_each_of_three_systems_has_each_place_once_in_three_blocks_and_follows_each_other_one(study, systems):
    three = [*systems, choose(TINY / "alpha", "current", {"greeting": "moin"})]
    three = [msgspec.structs.replace(sut, variant=str(number)) for number, sut in enumerate(three)]
    levels = chosen_levels(study, study.profile("one"), RIG, {})
    blocks = [
        [run.cell for run in plan_runs(study, levels, three, 60, 1) if run.block == number] for number in range(1, 61)
    ]
    for square in range(0, 60, 3):
        for place in range(3):
            assert len({block[place] for block in blocks[square : square + 3]}) == 3
    followers = Counter(pair for block in blocks for pair in itertools.pairwise(block))
    assert len(followers) == 6
    # 120 pairs, 20 of each expected; a square has either one cycle or the other, so 6 of 20 squares is 2 sigma
    assert min(followers.values()) >= 2 * 5


def test_an_unknown_level_is_refused_with_those_there_are(study):
    with pytest.raises(LabError, match="--sizes 9: the study has no such level; it has 1, 2"):
        chosen_levels(study, study.profile("quick"), RIG, {"size": ["9"]})
    with pytest.raises(LabError, match="--disks hdd: the rig 'local' has no such level; it has local, tmpfs"):
        chosen_levels(study, study.profile("quick"), RIG, {"disk": ["hdd"]})


def test_a_share_of_the_capacity_that_is_named_twice_is_measured_once():
    upload = load_study(STUDIES / "upload")
    levels = chosen_levels(upload, upload.profile("quick"), RIG, {"load": ["50", "050", "20", "saturated"]})
    assert levels["load"] == ["saturated", 50, 20]


def test_a_setting_of_the_load_from_the_command_line_holds_in_every_scenario(study):
    settings = load_settings(["requests=7", "pace=0.5", "warm=true", "reader=csv_read"])
    assert settings == {"requests": 7, "pace": 0.5, "warm": True, "reader": "csv_read"}
    profile = study.profile("quick").with_load(settings)
    assert profile.load_of({"size": 1, "disk": "local"}) == settings
    assert profile.load_of({"size": 2, "disk": "local"}) == settings


def test_the_baseline_follows_the_systems_in_the_first_blocks_and_on_the_first_disk_only(study, systems):
    levels = chosen_levels(study, study.profile("quick"), RIG, {"disk": ["local", "tmpfs"]})
    compared, baseline = systems[:1], systems[1]
    runs = plan_runs(study, levels, compared, 3, 1, baseline, 2)
    of_baseline = [run for run in runs if run.baseline]
    assert {(run.cell, run.repeat) for run in of_baseline} == {
        (f"z{z}-local-beta", repeat) for z in (1, 2) for repeat in ("01", "02")
    }
    for run in of_baseline:
        before = runs[run.order - 2]
        assert (before.factors, before.block, before.system) == (run.factors, run.block, "alpha")


def test_an_unmarked_level_is_the_one_taken_without_a_choice_and_leaves_no_mark_in_a_cells_name(study, systems):
    tool = Factor(option="tool", describe="what makes the load", cell="{}", levels=["heavy", "light"], unmarked="heavy")
    file = msgspec.structs.replace(study.file, factors=study.file.factors | {"tool": tool})
    with_tool = msgspec.structs.replace(study, file=file)
    before = chosen_levels(study, study.profile("quick"), RIG, {})
    alone = chosen_levels(with_tool, study.profile("quick"), RIG, {})
    both = chosen_levels(with_tool, study.profile("quick"), RIG, {"tool": ["heavy", "light"]})
    names = [sorted({run.cell for run in plan_runs(with_tool, levels, systems, 1, 1)}) for levels in (alone, both)]
    assert alone["tool"] == ["heavy"]
    assert names[0] == sorted({run.cell for run in plan_runs(study, before, systems, 1, 1)})
    assert set(names[1]) - set(names[0]) == {name.replace("-local-", "-local-light-") for name in names[0]}
    # A campaign that was planned before there was the factor goes on under its names.
    assert {run.cell for run in plan_runs(with_tool, before, systems, 1, 1)} == set(names[0])


def test_shares_of_the_servers_core_are_a_factor_only_where_several_are_named(study, systems):
    alone = chosen_levels(study, study.profile("one"), RIG, {})
    both = chosen_levels(study, study.profile("one"), RIG, {"cpu": ["100", "5"]})
    assert "cpu" not in alone
    assert both["cpu"] == [100, 5]
    runs = plan_runs(study, both, systems, 3, 1)
    assert {run.cell for run in runs} == {f"z1-local{mark}-{s}" for mark in ("", "-cpu05") for s in ("alpha", "beta")}
    for number in range(1, 4):  # a round has a block of each share, and a block a run of each system
        assert Counter(run.factors["cpu"] for run in runs if run.block == number) == {100: 2, 5: 2}
    for one, other in zip(runs[::2], runs[1::2], strict=True):
        assert one.factors == other.factors
    # A cell of the whole core is named, and its block is ordered, whether or not there are others.
    assert {run.cell for run in plan_runs(study, alone, systems, 1, 1)} == {"z1-local-alpha", "z1-local-beta"}


def test_a_profile_leaves_scenarios_out_of_the_product_of_its_levels(study, systems):
    levels = {"size": [1, 2], "disk": ["local", "tmpfs"]}
    skip = [Skip(where={"size": 2, "disk": ["tmpfs", "ssd"]})]
    runs = plan_runs(study, levels, systems, 2, 1, skip=skip)
    assert Counter(run.cell.rsplit("-", 1)[0] for run in runs) == {"z1-local": 4, "z1-tmpfs": 4, "z2-local": 4}


def test_what_a_rule_says_of_a_system_holds_also_where_its_levels_are_named(capsys):
    asked = ["--study", "queues", "run", "--delivery", "pull", "--dry-run"]
    assert main([*asked, "--baseline-repeats", "1"]) == 0
    plan = capsys.readouterr().out
    assert "pull-simplified" in plan
    assert "relay" not in plan
    assert main([*asked, "--systems", "relay", "--baseline-repeats", "0"]) == 2
    assert "leaves relay out of every scenario asked for; name other systems or levels." in capsys.readouterr().err
