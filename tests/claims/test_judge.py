"""Claims as code: what of a study's `claims.py` is a claim, on which stacks and runs it is decided."""

from pathlib import Path

import pytest

from uploadlab.claims import Evidence
from uploadlab.claims.evidence import evidence_of_runs
from uploadlab.claims.judge import load_claims, stacks_of
from uploadlab.errors import LabError
from uploadlab.results.declarations import Declarations
from uploadlab.tables.comparisons import Terms

NOTHING = Evidence(scenes=[], declared=Declarations(), printed=True)
CLAIMS = '''
"""What the tides claim."""
from uploadlab.claims import Conventions, Evidence, Outcome, best, lower

CONVENTIONS = Conventions(first=("spring",))

def here_is_higher(evidence: Evidence) -> Outcome:
    """The tide is higher here
    than there.

    Figure 1
    """
    return lower(evidence, "low", "there", "here")

def broken(evidence: Evidence) -> Outcome:
    """Nothing."""
    return {}[evidence.seed]

def of_two(evidence: Evidence, system: str) -> Outcome:
    """Of no claim's form."""
    return best(evidence, "low", system)

def _helper(evidence: Evidence) -> Outcome:
    return best(evidence, "low", "here")
'''


def test_a_claim_is_a_public_function_of_the_evidence_and_its_docstring_says_what_and_where(tmp_path: Path) -> None:
    (tmp_path / "claims.py").write_text(CLAIMS)
    found = load_claims(tmp_path)
    assert [(claim.id, claim.text, claim.place) for claim in found.claims] == [
        ("here-is-higher", "The tide is higher here than there.", "Figure 1"),
        ("broken", "Nothing.", ""),
    ]
    assert found.conventions.first == ("spring",)


def test_a_slip_in_a_claim_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "claims.py").write_text(CLAIMS)
    higher, broken = (claim.decide(NOTHING) for claim in load_claims(tmp_path).claims)
    assert higher.verdict == "not measured"
    assert (broken.verdict, broken.why) == ("undecided", "claims.py failed: KeyError: 0")


def test_a_file_that_is_no_python_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "claims.py").write_text("def claim(:\n")
    with pytest.raises(LabError, match=r"claims\.py: cannot be loaded: SyntaxError: .*line 1"):
        load_claims(tmp_path)


def test_a_study_without_claims_is_a_study(tmp_path: Path) -> None:
    assert load_claims(tmp_path).claims == []


def test_runs_of_another_stack_are_never_judged_as_the_one_that_is_asked_for() -> None:
    runs = [
        {"valid": True, "system": "node", "stack": stack, "sample": 5, "block": 1, "mean_ms": value}
        for stack, value in (("current", 4.0), ("paper-2016", 9.0))
    ]
    terms = Terms(margin=0.05, most_blocks=None)
    found = evidence_of_runs(runs, ["sample"], NOTHING, stacks={"node": "paper-2016"}, terms=terms, seed=1)
    assert found.values(found.scenes[0], "node", "mean_ms") == [9.0]


def run_of(system: str, stack: str | None) -> dict:
    return {"valid": True, "system": system, "stack": stack}


def test_each_variant_of_a_system_is_judged_beside_the_others_as_they_are() -> None:
    variants = [run_of("tomcat", f"current,heap_mb={size}") for size in (1200, 512)]
    assert stacks_of([run_of("node", "current"), *variants], whole_keys=False) == {
        "current,tomcat.heap_mb=1200": {"node": "current", "tomcat": "current,heap_mb=1200"},
        "current,tomcat.heap_mb=512": {"node": "current", "tomcat": "current,heap_mb=512"},
    }
    beside = [run_of("node", "current"), run_of("tomcat", "current"), *variants]
    assert list(stacks_of(beside, whole_keys=False)) == ["current"]
    assert list(stacks_of(variants, whole_keys=True)) == ["current"]
    both = [run_of("node", f"current,backlog={n}") for n in (1, 2)] + variants
    assert len(stacks_of(both, whole_keys=False)) == 4
    assert list(stacks_of([run_of("node", "paper"), run_of("node", None)], whole_keys=False)) == ["current", "paper"]
