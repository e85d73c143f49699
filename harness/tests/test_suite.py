"""Which tests `./lab test` runs."""

import pytest

from harness.suite import checks


@pytest.mark.parametrize(
    ("amount", "chosen"),
    [
        ({"fast": True, "everything": False}, "not slow and not long and "),
        ({"fast": False, "everything": False}, "not long and "),
        ({"fast": False, "everything": True}, ""),
    ],
)
def test_what_is_long_runs_only_when_all_is_asked_for_and_what_is_slow_unless_fast_is(amount, chosen):
    commands = {check.name: check.command for check in checks(**amount)}
    assert commands["Python"][-1] == f"{chosen}not alone"
    assert commands["Python, one at a time"][-1] == f"{chosen}alone"
    assert ("-DexcludedGroups=slow" in commands["tomcat-server"]) == amount["fast"]
    assert ("test:fast" in commands["node-server"]) == amount["fast"]
