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
from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import Need, Needs
from uploadlab.planning.space import check_space
from uploadlab.planning.study import load_study

GB = 10**9


def _needs(each_bytes: int, disk: str = "hdd") -> Needs:
    scenarios = [
        Need(factors={"size": size, "disk": disk}, requests=1, seconds=1, upload_bytes=each_bytes) for size in (1, 2)
    ]
    return Needs(scenarios=scenarios)


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


def test_in_memory_what_one_run_stores_needs_room_and_of_servers_that_take_turns_what_all_store(tmp_path, monkeypatch):
    campaign = tiny.campaign(tmp_path, "one", levels={"size": [1], "disk": ["local"]})
    disk = {"filesystem": "tmpfs", "free_bytes": 15 * GB, "size_bytes": 100 * GB}
    monkeypatch.setattr(campaign.place.server, "space", lambda _: (1, disk["free_bytes"]))
    monkeypatch.setattr(campaign.place.server, "describe_disk", lambda _: disk)
    needs = _needs(10 * GB, "local")
    check_space(campaign, needs)
    in_turns = msgspec.structs.replace(campaign.profile, turn_ms=500)
    with pytest.raises(LabError, match=r"writes 21\.0 GB to .*, where 15\.0 GB are free"):
        check_space(msgspec.structs.replace(campaign, profile=in_turns), needs)
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


def test_the_doctor_looks_for_a_required_file_as_the_installation_does(tmp_path, monkeypatch):
    folder, there = copy_of_tiny(tmp_path), tmp_path / "there"
    there.touch()
    with (folder / "study.toml").open("a") as study:
        for path in (there, tmp_path / "gone"):
            study.write(f'\n[[requires]]\nfile = "{path}"\ndebian = "some-package"\n')
    monkeypatch.setattr(doctor, "STATE", tmp_path / "state")
    rows: list[tuple[str, ...]] = []
    monkeypatch.setattr(doctor.Table, "add_row", lambda _, *row: rows.append(row))
    doctor.doctor(load_study(folder), argparse.Namespace())
    found = {row[0]: row[1:] for row in rows}
    assert found[str(there)] == (doctor.GOOD, str(there))
    assert found[str(tmp_path / "gone")][0] == doctor.MISSING
