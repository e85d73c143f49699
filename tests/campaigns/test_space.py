"""Whether what a campaign writes fits: the same reckoning refuses a campaign and is said beforehand."""

import argparse
import shutil
from types import SimpleNamespace

import msgspec
import pytest
import tiny
from tiny import copy_of_tiny

from uploadlab.commands import doctor
from uploadlab.errors import LabError
from uploadlab.hosts import throttled_disk
from uploadlab.planning.campaign import Campaign, Need, Needs, check_space
from uploadlab.planning.rig import Disk
from uploadlab.planning.study import load_study

GB = 10**9


def _needs(each_bytes: int, disk: str = "hdd") -> Needs:
    scenarios = [
        Need(factors={"size": size, "disk": disk}, requests=1, seconds=1, upload_bytes=each_bytes) for size in (1, 2)
    ]
    return Needs(scenarios=scenarios)


@pytest.mark.parametrize(("free_gb", "fits_gb", "too_much_gb"), [(1000, 64, 66), (50, 37, 39)])
def test_a_disk_that_the_lab_makes_has_64_gib_at_most_and_four_fifths_of_what_is_free(
    free_gb, fits_gb, too_much_gb, tmp_path, monkeypatch
):
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["hdd"]})
    made_in = tmp_path / "hdd"
    slow = Disk(label="slow", folder=throttled_disk.stored_in(made_in), made_in=made_in)
    place = campaign.place
    place.rig = msgspec.structs.replace(place.rig, disks={"hdd": slow})
    monkeypatch.setattr(place.server, "space", lambda _: (1, free_gb * GB))
    runs = len(campaign.runs())
    check_space(campaign, _needs(fits_gb * GB // runs))
    size_gb = throttled_disk.size_on(free_gb * GB) / GB
    with pytest.raises(LabError, match=rf"No space: .* to {made_in}/.*, where {size_gb:.1f} GB are free"):
        check_space(campaign, _needs(too_much_gb * GB // runs))
    place.close()


def _gated(campaign: Campaign, least_pct: float) -> Campaign:
    gates = msgspec.structs.replace(campaign.study.gates, disk_free_pct=least_pct)
    return msgspec.structs.replace(campaign, study=msgspec.structs.replace(campaign.study, gates=gates))


def test_what_the_gate_wants_free_at_the_end_is_needed_too_and_the_sentence_says_why(tmp_path, monkeypatch):
    campaign = _gated(tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["local"]}), 5.0)
    disk = {"filesystem": "ext4", "free_bytes": 50 * GB, "size_bytes": 100 * GB}
    monkeypatch.setattr(campaign.place.server, "space", lambda _: (1, disk["free_bytes"]))
    monkeypatch.setattr(campaign.place.server, "describe_disk", lambda _: disk)
    runs = len(campaign.runs())
    check_space(campaign, _needs(42 * GB // runs, "local"))  # 44.1 GB with a twentieth to spare, and 5 GB
    said = (
        r"writes 46\.2 GB to .*, where 50\.0 GB are free and 51\.2 GB are needed, because runs that leave less than 5 "
        r"% of the disk free, 5\.0 GB, are invalid; choose"
    )
    with pytest.raises(LabError, match=said):
        check_space(campaign, _needs(44 * GB // runs, "local"))
    campaign.place.close()


def test_no_gate_looks_at_the_disk_that_the_disk_of_the_uploads_is_made_on(tmp_path, monkeypatch):
    campaign = _gated(tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["hdd"]}), 5.0)
    made_in, place = tmp_path / "hdd", campaign.place
    slow = Disk(label="slow", folder=throttled_disk.stored_in(made_in), made_in=made_in)
    place.rig = msgspec.structs.replace(place.rig, disks={"hdd": slow})
    monkeypatch.setattr(place.server, "describe_disk", lambda _: {"filesystem": "ext4", "size_bytes": 1000 * GB})
    monkeypatch.setattr(place.server, "space", lambda _: (1, 50 * GB))  # 40 GB for the made one, of which 2 GB are kept
    runs = len(campaign.runs())
    check_space(campaign, _needs(36 * GB // runs))
    with pytest.raises(LabError, match=r"where 40\.0 GB are free and 41\.9 GB are needed"):
        check_space(campaign, _needs(38 * GB // runs))
    place.close()


def test_the_baseline_stores_nothing_and_needs_no_room(tmp_path, monkeypatch):
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["local"]})
    runs = len(campaign.runs())
    profile = msgspec.structs.replace(campaign.profile, baseline_repeats=2)
    campaign = msgspec.structs.replace(campaign, profile=profile, baseline=tiny.two_systems()[0])
    assert len(campaign.runs()) > runs
    monkeypatch.setattr(campaign.place.server, "space", lambda _: (1, 50 * GB))
    check_space(campaign, _needs(45 * GB // runs, "local"))
    campaign.place.close()


def test_the_doctor_says_what_the_profile_quick_writes_by_the_drivers_reckoning(tmp_path, monkeypatch):
    folder = copy_of_tiny(tmp_path)
    driver = folder / "driver"
    driver.write_text(driver.read_text().replace('"upload_bytes": 1000', '"upload_bytes": 10**10'))
    monkeypatch.setattr(doctor, "STATE", tmp_path / "state")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=100 * GB, free=80 * GB))
    rows: list[tuple[str, ...]] = []
    monkeypatch.setattr(doctor.Table, "add_row", lambda _, *row: rows.append(row))
    doctor.doctor(load_study(folder), argparse.Namespace())
    # 2 sizes, 2 systems, 2 repeats of 10 GB each, and a twentieth to spare
    [(mark, said)] = [row[1:] for row in rows if row[0] == "disk"]
    assert said.endswith("80 GB free for input files and what the servers store; the profile quick writes about 84 GB")
    assert mark == doctor.POOR
