"""What `run.json` keeps is what a run of each profile says."""

import tomllib

import msgspec
import pytest

from uploadlab.paths import STUDIES
from uploadlab.records import Load

CONDUCTED = ("sockets", "queues", "rpc", "groups")


def profiles(study: str) -> dict[str, dict[str, object]]:
    return tomllib.loads((STUDIES / study / "study.toml").read_text(encoding="utf-8"))["profiles"]


@pytest.mark.parametrize(("study", "profile"), [(study, name) for study in CONDUCTED for name in profiles(study)])
def test_the_load_of_every_profile_whose_parts_are_conducted_can_be_recorded(study, profile):
    msgspec.convert(profiles(study)[profile]["load"], Load)
