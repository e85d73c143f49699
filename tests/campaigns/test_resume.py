"""What a campaign is taken up on again: the cores, disks and machines that it began with."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import tiny

from uploadlab.errors import LabError
from uploadlab.planning.campaign import Campaign, Need, Needs, create, resume


@pytest.fixture
def campaign(tmp_path) -> Campaign:
    """Return a campaign that was just begun."""
    begun = msgspec.structs.replace(tiny.campaign(tmp_path, "quick"), folder=tmp_path / "out")
    needs = Needs(scenarios=[Need(factors=one, requests=1, seconds=0.1) for one in begun.scenarios()])
    create(begun, needs, ["lab", "run"])
    return begun


def _resumed(campaign: Campaign, change: Callable[[dict[str, Any]], object]) -> Campaign:
    """Take the campaign up again as if it had begun elsewhere."""
    path = campaign.folder / "campaign.json"
    kept = json.loads(path.read_text())
    change(kept)
    path.write_text(json.dumps(kept))
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
