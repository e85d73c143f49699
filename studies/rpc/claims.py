"""What the RPC paper claims (R1 to R11), on our runs and on its printed numbers (published/)."""

from itertools import combinations, product

from uploadlab.claims import Conventions, Evidence, Outcome, change, groups_along, lower, outcome_of, trend

NEAR, FAR = {"link": "loopback"}, {"link": "far"}
BOTH = ("grpc", "avro")
CONVENTIONS = Conventions(by_its_clock={"mean_ms": "paper_mean_ms", "cv": "paper_cv"})
"""The paper's clock, of whole milliseconds, and its arithmetic: what our runs of the profile `published` have too."""


def r1_avro_faster_near(evidence: Evidence) -> Outcome:
    """On one machine Avro is faster in every operation.

    Tables 1 and 3, Gráfico 1, section 3.2
    """
    return lower(evidence, "response", "avro", "grpc", where=NEAR)


def r2_four_times(evidence: Evidence) -> Outcome:
    """On one machine Avro is about 4 times as fast, over all operations.

    Section 3.2
    """
    return lower(evidence, "response", "avro", "grpc", where=NEAR, overall=True, by=(0.225, 0.275))


def r3_avro_far_longs(evidence: Evidence) -> Outcome:
    """Between distant machines Avro is better for void, singlelong and eightlongs.

    Tables 2 and 4, Gráfico 2, section 3.2
    """
    return lower(evidence, "response", "avro", "grpc", where=_far("void", "singlelong", "eightlongs"))


def r4_grpc_far_long_strings(evidence: Evidence) -> Outcome:
    """Between distant machines gRPC is better for strings of 128 to 1024 characters.

    Tables 2 and 4, Gráfico 2, section 3.2
    """
    strings = ("string128", "string256", "string512", "string1024")
    return lower(evidence, "response", "grpc", "avro", where=_far(*strings))


def r5_avro_far_short_strings(evidence: Evidence) -> Outcome:
    """Between distant machines Avro is better for strings of 2 to 32 characters.

    Tables 2 and 4, Gráfico 2, section 3.2
    """
    strings = ("string2", "string4", "string8", "string16", "string32")
    return lower(evidence, "response", "avro", "grpc", where=_far(*strings))


def r6_grpc_far_string1(evidence: Evidence) -> Outcome:
    """Between distant machines gRPC is better for a string of one character.

    Tables 2 and 4, Gráfico 2, section 3.2
    """
    return lower(evidence, "response", "grpc", "avro", where=_far("string1"))


def r7_avro_far_foo(evidence: Evidence) -> Outcome:
    """Between distant machines Avro is better for the nested value foo.

    Tables 2 and 4, Gráfico 2, section 3.2
    """
    return lower(evidence, "response", "avro", "grpc", where=_far("foo"))


def r8_sd_because_small(evidence: Evidence) -> Outcome:
    """On one machine deviations are high relative to the means because the times are small: the coefficient of
    variation falls as the times grow with the distance.

    Section 3.2
    """
    return trend(evidence, "cv", BOTH, "falls", along="link", levels=["loopback", "far"])


def r9_distance_dominates(evidence: Evidence) -> Outcome:
    """The distance dominates the response time.

    Section 3.2
    """
    # It dominates where it takes longer than everything else together: a far call at least twice as long as a near one.
    return trend(evidence, "response", BOTH, "rises", along="link", levels=["loopback", "far"], by=2)


def r10_avro_best_overall(evidence: Evidence) -> Outcome:
    """Avro has the better performance overall, near and far.

    Section 4
    """
    return lower(evidence, "response", "avro", "grpc", where={"link": ["loopback", "far"]}, over="operation")


def r11_interference_eliminated(evidence: Evidence) -> Outcome:
    """External interference was eliminated: between distant machines all operations but foo take the same time,
    within 3 %.

    Section 3.2
    """
    margin = 0.03
    strings = [f"string{2**power}" for power in range(11)]
    found = [
        one
        for scenes in groups_along(evidence, _far("void", "singlelong", "eightlongs", *strings), "operation")
        for (first, second), system in product(combinations(scenes, 2), BOTH)
        for one in change(evidence, "response", system, first, second, (1 / (1 + margin), 1 + margin))
    ]
    return outcome_of(found)


def _far(*operations: str) -> dict[str, object]:
    return {**FAR, "operation": list(operations)}
