"""What the study declares fits together: every profile's scenarios, each system, the claims."""

import itertools
import tomllib

import pytest
from conducting import SOCKETS

from sockets_study.needs import needs
from study_kit.spec import Scenario
from uploadlab.planning.study import load_study
from uploadlab.results.declarations import declarations

STUDY = load_study(SOCKETS)


def _scenarios(profile):
    chosen = [profile.levels.get(name, [factor.unmarked]) for name, factor in STUDY.file.factors.items()]
    every = [dict(zip(STUDY.file.factors, levels, strict=True)) for levels in itertools.product(*chosen)]
    return [levels for levels in every if not any(skip.leaves_out(levels) for skip in profile.skip)]


@pytest.mark.parametrize(("name", "scenarios"), [("smoke", 1), ("quick", 3), ("published", 5), ("corrected", 9)])
def test_the_driver_takes_every_scenario_of_a_profile(name, scenarios):
    profile = STUDY.profile(name)
    given = [Scenario(factors=levels, load=profile.load_of(levels)) for levels in _scenarios(profile)]
    assert len(given) == scenarios
    told = [needs(one) for one in given]
    # 24 bytes a row, two parts, in memory: what the quick look takes must fit a small machine.
    if name != "published":
        assert max(one["records"] for one in told) * 24 * 2 < 500e6


def test_response_times_are_compared_where_messages_are_answered_and_count_from_when_they_were_due_in_an_open_loop():
    file = tomllib.loads((SOCKETS / "study.toml").read_text())
    declared = declarations({"study": {**file, "id": "sockets"}})
    loops = file["factors"]["loop"]["levels"]
    for name in ("response", "p99"):
        assert [loop for loop in loops if not declared.metric(name).asked({"loop": loop})] == ["saturate"]
    assert file["operation"]["scenario"]["loop"]["open"] == {"late_from": ["requester", "due"]}
