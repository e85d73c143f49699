"""Which tests `./lab test` runs."""

import pytest

from harness.paths import STUDIES
from harness.study import load_study
from harness.suite import checks

STUDY = load_study(STUDIES / "upload")


def commands(**amount: bool) -> dict[str, list[str]]:
    return {check.name: check.command for check in checks(STUDY, **amount)}


@pytest.mark.parametrize(
    ("amount", "chosen"),
    [
        ({"fast": True, "everything": False}, "not slow and not long and "),
        ({"fast": False, "everything": False}, "not long and "),
        ({"fast": False, "everything": True}, ""),
    ],
)
def test_what_is_long_runs_only_when_all_is_asked_for_and_what_is_slow_unless_fast_is(amount, chosen):
    assert commands(**amount)["Python"][-1] == f"{chosen}not alone"
    assert commands(**amount)["Python, one at a time"][-1] == f"{chosen}alone"


def test_each_system_says_in_its_sut_toml_how_it_is_tested():
    known = commands(fast=False, everything=False)
    assert known["node-server"] == ["npm", "run", "--silent", "test"]
    assert known["tomcat-server"] == ["mvn", "-q", "-B", "verify"]
    assert known["tomcat-server paper-2016"] == ["mvn", "-q", "-B", "verify"]


def test_only_what_is_fast_of_a_system_is_run_with_fast():
    known = commands(fast=True, everything=False)
    assert known["node-server"] == ["npm", "run", "--silent", "test:fast"]
    assert known["tomcat-server"] == ["mvn", "-q", "-B", "verify", "-DexcludedGroups=slow"]
    assert "tomcat-server paper-2016" not in known
