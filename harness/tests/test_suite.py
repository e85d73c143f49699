"""`./lab test`: which commands it is made of."""

from harness.paths import STUDIES
from harness.study import load_study
from harness.suite import _checks


def names(*, fast: bool) -> dict[str, list[str]]:
    study = load_study(STUDIES / "upload")
    return {check.name: check.command for check in _checks(study, fast=fast, everything=False)}


def test_each_system_says_in_its_sut_toml_how_it_is_tested():
    assert names(fast=False)["node-server"] == ["npm", "run", "--silent", "test"]
    assert names(fast=False)["tomcat-server"] == ["mvn", "-q", "-B", "verify"]
    assert names(fast=False)["tomcat-server paper-2016"] == ["mvn", "-q", "-B", "verify"]


def test_only_what_is_fast_of_a_system_is_run_with_fast():
    assert names(fast=True)["node-server"] == ["npm", "run", "--silent", "test:fast"]
    assert names(fast=True)["tomcat-server"] == ["mvn", "-q", "-B", "verify", "-DexcludedGroups=slow"]
    assert "tomcat-server paper-2016" not in names(fast=True)
