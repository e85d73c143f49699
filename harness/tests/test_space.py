"""Whether what a campaign writes fits: the same reckoning refuses a campaign and is said beforehand."""

import argparse
import shutil
from types import SimpleNamespace

import msgspec
import pytest
import tiny
from tiny import copy_of_tiny

from harness.campaigns.campaign import Need, Needs, check_space
from harness.commands import doctor
from harness.errors import LabError
from harness.hosts import throttled_disk
from harness.planning.rig import Disk
from harness.planning.study import load_study

GB = 10**9


def _needs(each_bytes: int) -> Needs:
    scenarios = [
        Need(factors={"size": size, "disk": "hdd"}, requests=1, seconds=1, upload_bytes=each_bytes) for size in (1, 2)
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
