"""Claims about causes are decided by campaigns in which one thing was changed, whatever order its levels have."""

import tomllib

import pytest
from queue_parts import QUEUES

from uploadlab.claims import Evidence, Outcome, Scene
from uploadlab.claims.judge import load_claims
from uploadlab.results.declarations import declarations

STUDY = tomllib.loads((QUEUES / "study.toml").read_text())
DECLARED = declarations({"study": {**STUDY, "id": "queues"}})
CLAIMS = {claim.id: claim for claim in load_claims(QUEUES).claims}


def verdict(claim: str, *scenes: tuple[dict, dict[str, float]], column: str) -> str:
    """Decide a claim on three runs of each system in each scenario, apart by 1 %."""

    def runs(value: float) -> list[dict]:
        return [{"valid": True, "block": block, column: value * (1 + block / 100)} for block in range(3)]

    made = [Scene(levels=levels, rows={key: runs(value) for key, value in of.items()}) for levels, of in scenes]
    return CLAIMS[claim].decide(Evidence(scenes=made, declared=DECLARED, seed=1)).verdict


def saturated(prefetch: int, per_s: float) -> tuple[dict, dict[str, float]]:
    return {"loop": "saturate", "ack": "each", "prefetch": prefetch}, {"rabbitmq": per_s}


@pytest.mark.parametrize(
    ("per_s", "expected"), [((40, 10, 18, 39), "holds"), ((10, 40, 39, 18), "fails")], ids=["more", "less"]
)
def test_prefetch_helps_where_more_is_delivered_without_a_limit_than_one_by_one(per_s, expected):
    scenes = [saturated(*one) for one in zip((0, 1, 10, 100), per_s, strict=True)]
    assert verdict("prefetch-helps", *scenes, column="delivered_per_s") == expected


@pytest.mark.parametrize(("each", "expected"), [(5.0, "holds"), (20.0, "fails")])
def test_batching_helps_where_fewer_are_delivered_each_by_itself_than_together(each, expected):
    of = {"simplified@current,flush=together": 10.0, "simplified@current,flush=each": each}
    assert verdict("batching-helps", ({"loop": "saturate", "ack": "each"}, of), column="delivered_per_s") == expected


@pytest.mark.parametrize(
    ("claim", "without", "beside"),
    [("mutex-costs", "lock_free_ring", "mutex_ring"), ("garbage-costs", "mutex_ring", "mutex_slice")],
)
@pytest.mark.parametrize(("other", "expected"), [(5.0, "holds"), (20.0, "fails")])
def test_a_part_of_the_store_costs_time_where_the_store_without_it_alone_is_faster(
    claim, without, beside, other, expected
):
    of = {f"simplified@current,store={beside}": 10.0, f"simplified@current,store={without}": other}
    scenes = [({"loop": "published", "messages": messages}, of) for messages in (10000, 200000)]
    assert verdict(claim, *scenes, column="mean_ms") == expected


@pytest.mark.parametrize("claim", ["prefetch-helps", "batching-helps", "mutex-costs", "garbage-costs"])
def test_a_cause_is_not_decided_where_nothing_was_changed(claim):
    of = {"simplified": 10.0, "rabbitmq": 20.0}
    assert verdict(claim, ({"loop": "published", "messages": 10000}, of), column="mean_ms") == "not measured"


def test_what_never_happens_is_counted_in_invalid_runs_too_and_one_of_them_is_enough_to_fail():
    def lost(*runs: tuple[str, bool, int]) -> Outcome:
        completed = [{"system": system, "valid": valid, "lost": count} for system, valid, count in runs]
        return CLAIMS["all-delivered"].decide(Evidence(scenes=[], declared=DECLARED, completed=completed))

    kept = lost(*[("rabbitmq", True, 0)] * 9)
    assert (kept.verdict, kept.figure, kept.n) == ("holds", 0, 9)
    assert kept.hi == pytest.approx(1 - 0.025 ** (1 / 9))  # Clopper-Pearson of 0 of 9
    broken = lost(*[("rabbitmq", True, 0)] * 9, ("simplified", False, 3))
    assert (broken.verdict, broken.figure, broken.n) == ("fails", 0.1, 10)
    assert broken.why.startswith("runs with lost: 1 / 10 = 0.1 (")
    assert lost(("relay", True, 1)).verdict == "not measured"
