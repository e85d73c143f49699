"""What the pages of conducted studies say: their profiles, and what became of the claims in the kept campaigns."""

import tomllib
from collections import Counter

import pytest

from uploadlab.paths import STUDIES
from uploadlab.table_file import read_table

VERDICTS = [
    ("groups", "quick", "current", {"holds": 6, "fails": 6, "undecided": 10}),
    ("groups", "paper-2008", "paper-2008", {"holds": 6, "fails": 8, "undecided": 8}),
    ("queues", "published", "current", {"holds": 3, "fails": 8, "undecided": 4}),
    ("sockets", "corrected", "current", {"holds": 1, "fails": 4, "undecided": 1, "not measured": 7}),
    ("sockets", "quick", "current", {"holds": 1, "fails": 5, "not measured": 7}),
    ("rpc", "corrected", "current", {"holds": 3, "fails": 7, "undecided": 1}),
    ("rpc", "published-far", "current", {"fails": 6, "undecided": 1, "not measured": 4}),
    ("rpc", "published-far", "paper-2018", {"fails": 5, "undecided": 2, "not measured": 4}),
]


@pytest.mark.parametrize(("study", "campaign", "stack", "counts"), VERDICTS)
def test_the_kept_campaigns_decided_as_many_claims_as_the_page_says(study, campaign, stack, counts):
    rows = read_table(STUDIES / study / "example" / campaign / "analysis" / "claims.csv")
    assert Counter(row["verdict"] for row in rows if row["stack"] == stack) == counts


@pytest.mark.parametrize("study", ["sockets", "queues", "rpc", "groups"])
def test_a_page_has_each_profile_of_its_study_and_at_most_110_lines(study):
    page = (STUDIES / study / "README.md").read_text(encoding="utf-8")
    profiles = tomllib.loads((STUDIES / study / "study.toml").read_text(encoding="utf-8"))["profiles"]
    assert all(f"\n| `{name}`" in page for name in profiles)
    assert len(page.splitlines()) <= 110
