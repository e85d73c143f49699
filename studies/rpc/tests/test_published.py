"""What the READMEs say of the printed numbers and of the kept tables is what those say."""

from itertools import product

import pytest
from rpc_conducting import OPERATIONS, RPC

from uploadlab.claims import Evidence, Scene
from uploadlab.claims.judge import load_claims, printed_evidence
from uploadlab.results.declarations import declarations, published_files
from uploadlab.results.study_code import load_module, stated_functions
from uploadlab.table_file import read_table

ROWS = read_table(RPC / "published/calls.csv")
RECORD = {"study": {"id": "rpc"}}
DECLARED = declarations(RECORD)
FOUND = load_claims(RPC)
CLAIMS = {claim.id: claim for claim in FOUND.claims}
DISTANCE_MS = 2 * 88  # what the relay of the link `far` holds every byte back, there and back


def test_a_warm_far_call_takes_the_distance_more_than_a_near_one_within_2_percent():
    cells = {
        (row["system"], row["operation"], row["link"]): float(row["mean_ms"])
        for row in read_table(RPC / "example/corrected/analysis/cells.csv")
    }
    for called in product(("grpc", "avro"), OPERATIONS):
        assert cells[*called, "far"] - cells[*called, "loopback"] == pytest.approx(DISTANCE_MS, rel=0.02), called


def test_four_tables_of_fifteen_operations_are_there_and_each_cv_is_the_deviation_over_the_mean():
    assert len(ROWS) == 60
    for row in ROWS:
        # All three are rounded to three digits: the quotient of the extremes bounds what was printed.
        mean, sd, cv = (float(row[column]) for column in ("paper_mean_ms", "paper_sd_ms", "paper_cv"))
        assert (sd - 0.0005) / (mean + 0.0005) - 0.0006 <= cv <= (sd + 0.0005) / (mean - 0.0005) + 0.0006, row


def test_every_mean_is_a_whole_number_over_98():
    for row in ROWS:
        mean = float(row["paper_mean_ms"])
        assert abs(mean - round(mean * 98) / 98) <= 0.0005 + 1e-9, row


def test_the_report_says_of_the_far_tables_that_their_means_lie_in_two_bands():
    far = [float(row["paper_mean_ms"]) for row in ROWS if row["link"] == "far"]
    bands = [[mean for mean in far if mean < 188], [mean for mean in far if mean > 188]]
    said = " and ".join(f"{min(one):.0f} to {max(one):.0f} ms ({len(one)} of {len(far)})" for one in bands)
    tables = {table.name: table for table in stated_functions(load_module(RPC / "tables.py"))}
    assert f"lie in two bands, {said}, in both systems" in tables["table2"].beside


@pytest.mark.parametrize(
    ("claim", "verdict", "figure", "n"),
    [
        ("r1-avro-faster-near", "holds", 15, 15),
        ("r2-four-times", "fails", 0, 1),
        ("r3-avro-far-longs", "holds", 3, 3),
        ("r4-grpc-far-long-strings", "holds", 4, 4),
        ("r5-avro-far-short-strings", "holds", 5, 5),
        ("r6-grpc-far-string1", "holds", 1, 1),
        ("r7-avro-far-foo", "holds", 1, 1),
        ("r8-sd-because-small", "holds", 30, 30),
        ("r9-distance-dominates", "holds", 30, 30),
        ("r10-avro-best-overall", "holds", 2, 2),
        ("r11-interference-eliminated", "fails", 78, 182),  # of two systems 91 pairs of 14 operations each
    ],
)
def test_each_claim_is_tested_on_what_was_printed(claim, verdict, figure, n):
    found = CLAIMS[claim].decide(printed_evidence(published_files(RECORD), DECLARED, FOUND.conventions))
    assert (found.verdict, found.figure, found.n) == (verdict, figure, n)


def test_alike_is_every_two_operations_within_three_per_cent_for_each_system():
    def of(*means: float) -> Evidence:
        operations = ("void", "singlelong", "eightlongs")
        scenes = [
            Scene(
                levels={"operation": operation, "link": "far"},
                rows={system: [{"valid": True, "mean_ms": value}] for system, value in (("grpc", mean), ("avro", 9.0))},
            )
            for operation, mean in zip(operations, means, strict=True)
        ]
        return Evidence(scenes=scenes, declared=DECLARED, printed=True)

    near = CLAIMS["r11-interference-eliminated"].decide(of(100.0, 101.0, 102.9))
    assert (near.verdict, near.n) == ("holds", 6)
    one_far = CLAIMS["r11-interference-eliminated"].decide(of(100.0, 101.0, 103.1))
    assert (one_far.verdict, one_far.figure, one_far.n) == ("fails", 5, 6)
