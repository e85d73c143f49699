"""What a campaign is taken up on again: the cores, disks and machines that it began with, and whole blocks in turns."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import tiny
from campaigns import edited

from uploadlab.campaigns import execute
from uploadlab.errors import LabError
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.kept_campaign import create, resume
from uploadlab.planning.needs import Need, Needs
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.results import run_folder, write_json
from uploadlab.planning.study import load_study
from uploadlab.runs.attempt import RunContext


@pytest.fixture
def campaign(tmp_path) -> Campaign:
    """Return a campaign that was just begun."""
    begun = msgspec.structs.replace(tiny.campaign(tmp_path, "quick"), folder=tmp_path / "out")
    needs = Needs(scenarios=[Need(factors=one, requests=1, seconds=0.1) for one in begun.scenarios()])
    create(begun, needs, ["lab", "run"])
    return begun


def _resumed(campaign: Campaign, change: Callable[[dict[str, Any]], object]) -> Campaign:
    """Take the campaign up again as if it had begun elsewhere."""
    with edited(campaign.folder / "campaign.json") as kept:
        change(kept)
    return resume(campaign.study, campaign.place, campaign.folder)


def test_a_campaign_goes_on_where_it_began_also_with_another_kernel_and_less_space(campaign):
    def after_a_reboot(kept: dict[str, Any]) -> None:
        kept["machine"] |= {"kernel": "2.6.32", "load_1m": 99.0}
        kept["rig"]["disks"]["local"] |= {"free_bytes": 1}

    assert _resumed(campaign, after_a_reboot).runs() == campaign.runs()


@pytest.mark.parametrize(
    ("change", "was"),
    [
        (
            lambda kept: kept["rig"]["roles"]["server"].update(cores=[0, 1]),
            "the server's list of cores was [0, 1] when",
        ),
        (lambda kept: kept["rig"]["roles"]["injector"].update(heap_mib=800), "the injector's heap in MiB was 800 when"),
        (lambda kept: kept["rig"]["disks"]["local"].update(device="sdz1"), "the disk 'local' was sdz1 ("),
        (lambda kept: kept["machine"].update(host="far"), "the server's machine was far when the campaign began, and"),
        (lambda kept: kept["machine"]["cpu"].update(model="Z80"), "the server's CPU was Z80 when the campaign began,"),
    ],
)
def test_a_campaign_is_not_continued_on_other_cores_memory_disks_or_machines(campaign, change, was):
    with pytest.raises(LabError) as error:
        _resumed(campaign, change)
    assert was in str(error.value)
    assert str(error.value).startswith(f"{campaign.folder / 'campaign.json'}: ")
    assert str(error.value).endswith(" now; start a new one.")


def test_a_campaign_whose_disk_is_gone_is_refused_in_a_sentence(campaign):
    with pytest.raises(LabError, match=r"campaign\.json: the campaign began with the disk 'ssd': it is gone\.$"):
        _resumed(campaign, lambda kept: kept["rig"]["disks"].update(ssd=kept["rig"]["disks"]["local"]))


def test_a_disk_without_a_device_is_known_by_its_place(campaign):
    memory = {"device": None, "mount_point": "/mnt/memory", "filesystem": "tmpfs"}
    with pytest.raises(LabError, match=r"the disk 'tmpfs' was /mnt/memory \(tmpfs\) when .* is /\S* \(\w+\) now"):
        _resumed(campaign, lambda kept: kept["rig"]["disks"].update(tmpfs=memory))


def test_a_block_in_turns_of_which_a_run_is_missing_is_made_again_whole(tmp_path, monkeypatch):
    def made(run: PlannedRun) -> dict[str, Any]:
        counted = {"status": "complete", "valid": True, "phases": {}, "counts": {"requests": 1, "errors": 0}}
        folder = run_folder(tmp_path, run)
        folder.mkdir(parents=True)
        write_json(folder / "run.json", msgspec.to_builtins(run) | counted)
        return msgspec.to_builtins(run) | counted

    profile = msgspec.structs.replace(load_study(tiny.TINY).profile("one"), repeats=1, turn_ms=500)
    campaign = tiny.campaign(tmp_path, "one", profile=profile, levels={"size": [1], "disk": ["local"]})
    block, together = campaign.runs(), []
    made(block[0])
    monkeypatch.setattr(execute, "_records_of", lambda _, runs, *__: together.append(runs) or list(map(made, runs)))
    needs = Needs(scenarios=[Need(factors=block[0].factors, requests=1, seconds=1)])
    execute._make_runs(RunContext(campaign=campaign, needs=needs), None)
    assert together == [block]
    assert [path.name for path in (tmp_path / "runs" / block[0].cell).iterdir() if path.name != "01"] == [
        "01-complete-1"
    ]
    campaign.place.close()
