"""The study's own servers, in the same suite as the one with faults."""

import pytest

from uploadlab.commands.choice import choose_systems
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.system import started
from uploadlab.paths import STUDIES
from uploadlab.planning.study import load_study

KNOWN = {"node": {"smuggling/te-1.0"}, "tomcat": {"smuggling/te-1.0"}}
"""The must that they fail: named in their README."""
TAKES_MINUTES = ("stall", "memory")


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_a_documented_server_keeps_every_must_but_those_its_readme_names(name):
    study = load_study(STUDIES / "upload")
    [sut] = choose_systems(study, [name], ["current"], [])
    readme = (sut.folder / "README.md").read_text(encoding="utf-8")
    assert all(case in readme for case in KNOWN[name])
    with started(sut, study.file.limits) as system:
        cases = [case for case in all_cases(system.endpoint) if case.measure not in TAKES_MINUTES]
        results = Runner(system.endpoint, system).run(cases, lambda _: None)
    # On a busy machine a second response may come too late to be seen.
    assert {result.case.id: result.why for result in results if result.failed_as == "must"}.keys() <= KNOWN[name]
