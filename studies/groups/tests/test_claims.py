"""What the groups paper claims, where the tests are this study's own."""

import re

import pytest
from groups_conducting import GROUPS

from uploadlab.claims import Evidence, Scene
from uploadlab.claims.judge import load_claims
from uploadlab.results.declarations import declarations

CLAIMS = {claim.id: claim for claim in load_claims(GROUPS).claims}
DECLARED = declarations({"study": {"id": "groups"}})


def verdict(claim: str, column: str, *values: tuple[int, list[float]], system: str = "jgroups", **more: bool) -> str:
    """Decide a claim on the repeats of a system at sizes of a message, in groups of four."""
    scenes = [
        Scene(
            levels={"members": 4, "message_bytes": size},
            rows={system: [{"valid": True, "block": n, column: one} for n, one in enumerate(repeats)]},
        )
        for size, repeats in values
    ]
    return str(CLAIMS[claim].decide(Evidence(scenes=scenes, declared=DECLARED, **more)).verdict)


def test_a_constant_excess_is_held_to_the_number_with_its_whole_interval():
    def of(*excess: float, system: str = "jgroups") -> str:
        sizes = [(size, [size + one for one in excess]) for size in (1, 10, 100)]
        return verdict("table1-jgroups", "handed_bytes_per_operation", *sizes, system=system)

    assert of(9, 9, 9) == "holds"
    assert of(11, 11, 11) == "fails"
    assert of(7, 9, 11) == of(9) == "undecided", "the mean is as claimed, and says nothing alone"
    assert of(9, 9, 9, system="envelope") == "not measured", "a stand-in hands over what is printed by construction"


def test_stable_asks_how_much_repeats_vary_with_the_interval_of_few():
    def of(*rates: float, **more: bool) -> str:
        return verdict("runs-are-stable", "delivered_per_s", (100, list(rates)), **more)

    assert of(99.5, 100.0, 100.5) == "holds"
    assert of(95.0, 100.0, 105.0) == "undecided"  # 5 %, of three runs up to 31 %
    assert of(50.0, 100.0, 150.0) == "fails"
    assert of(100.0) == of(100.0, 100.0, printed=True) == "not measured"


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
def test_every_claim_on_a_layer_says_that_it_is_a_stand_in(claim):
    assert not re.search(r"\blayers?\b", claim.text) or re.search(r"stand-ins?\b", claim.text)
    assert not re.search("jGCS|Hedera", claim.text)
