"""The project's own servers keep the contract, and are the same: the real processes, all of it."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from conformance import suite
from conformance.cases import BLACK_BOX
from conformance.clients import CLIENTS
from conformance.controlled import CONTROLLED
from conformance.differential import compare
from conformance.fuzz import Fuzzer
from conformance.provider import StartedSystem
from conformance.soak import Soak
from conformance.system import System

from .conftest import all_but

pytestmark = pytest.mark.slow
SYSTEMS = pytest.mark.parametrize("system", ["node", "tomcat"])
FUZZ_SEED = 20_261_120
SOAK_S = 20.0
MOST_SOAKS = 4
# A Java heap grows until it has been used once from end to end: one that so short a soak uses up in its warm-up.
SOAKED_HEAP_MB = "64"


# Of a server that serves for seconds: code that is loaded as it is and compiled soon, not well.
SOON = "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
QUICK_START = {"node": {}, "tomcat": {"JAVA_TOOL_OPTIONS": SOON}}


@contextmanager
def started(name, **environment):
    with StartedSystem(System.find(name), environment) as provider:
        yield provider


def test_both_servers_keep_the_contract_in_every_black_box_case_and_do_not_differ():
    with started("node") as node, started("tomcat", **QUICK_START["tomcat"]) as tomcat:
        outcome = compare(BLACK_BOX, node, tomcat, lambda _: None)
        assert node.deaths() + tomcat.deaths() == []
    assert outcome.compared == len(BLACK_BOX)
    assert [f"{found.server} {found.case.id} {found.case.name}: {found.reasons}" for found in outcome.violations] == []
    assert [f"{found.case.id}: {found.what}" for found in outcome.differences if not found.allowed] == []


def test_tomcat_keeps_the_contract_of_forms_with_its_other_search_for_the_end_of_a_file():
    forms = [case for case in BLACK_BOX if case.group in ("good", "framing", "broken", "limits")]
    with started("tomcat", DELIMITER_SEARCH="horspool", **QUICK_START["tomcat"]) as provider:
        results = suite.run(map(suite.as_trial, forms), provider, lambda _: None)
    assert all_but(results, suite.PASSED) == []
    assert results


@SYSTEMS
def test_the_server_keeps_the_contract_when_its_disk_process_or_descriptors_fail_and_serves_real_clients(system):
    with started(system, **QUICK_START[system]) as provider:
        controlled, clients = (suite.run(trials, provider, lambda _: None) for trials in (CONTROLLED, CLIENTS))
    assert all_but(controlled + clients, suite.PASSED, suite.NOT_RUN) == []
    assert sum(result.verdict == suite.PASSED for result in controlled) >= 20
    assert sum(result.verdict == suite.PASSED for result in clients) >= 4


@pytest.mark.long
@SYSTEMS
def test_20_000_fuzzed_requests_find_nothing(system):
    with started(system) as provider:
        target, store = provider.target("fuzzed")
        report = Fuzzer(target, store, FUZZ_SEED).run(range(20_000), lambda _: None)
        assert provider.deaths() == []
    assert report.requests == 20_000
    assert [f"{fault.index}: {fault.what}" for fault in report.faults] == []


@pytest.mark.long
@SYSTEMS
def test_a_short_soak_counts_every_file_and_finds_no_growth(system):
    with started(system, HEAP_MB=SOAKED_HEAP_MB) as provider:
        target, store = provider.target("standard")
        # On a slow machine pools still fill in the first soak, or the second; what leaks grows in each.
        for seed in range(MOST_SOAKS):
            report = Soak(target, store, seed).run(SOAK_S, lambda _: None)
            assert provider.deaths() == []
            assert report.files_answered == report.files_stored > 100
            assert len(report.growths) == 3
            grew = [growth.name for growth in report.growths if not growth.flat]
            assert len(report.faults) == len(grew), report.faults  # no soak may find anything else
            if not grew:
                break
    assert grew == []
