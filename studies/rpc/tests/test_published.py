"""What the README of the printed numbers says of them is what they say."""

import tomllib
from pathlib import Path

import pytest
from rpc_conducting import RPC

from uploadlab.claims.claims import read_claim
from uploadlab.claims.ground import ground_of_printed
from uploadlab.results.declarations import declarations
from uploadlab.table_file import read_table
from uploadlab.tables.published import printed_rows

ROWS = read_table(RPC / "published/calls.csv")


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
    tables = tomllib.loads((RPC / "study.toml").read_text(encoding="utf-8"))["tables"]
    for name in ("table2", "table4"):
        assert f"lie in two bands, {said}, in both systems" in tables[name]["note"]


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
    declared = declarations({"study": {"id": "rpc"}})
    paper = ground_of_printed(printed_rows(Path("nowhere"), declared), declared, {})
    claims = {one["id"]: one for one in tomllib.loads((RPC / "claims.toml").read_text(encoding="utf-8"))["claims"]}
    found = read_claim(1, claims[claim]).decide(paper)
    assert (found.verdict, found.figure, found.n) == (verdict, figure, n)
