"""What the studies claim fits what they declare: systems, metrics and levels that exist."""

from pathlib import Path

import pytest

from uploadlab.claims import Evidence, Scene, Where
from uploadlab.claims.judge import load_claims
from uploadlab.paths import STUDIES
from uploadlab.planning.study import Study, load_study
from uploadlab.results.declarations import declarations

CLAIMED = [
    pytest.param(path.parent, claim, id=f"{path.parent.name}-{claim.id}")
    for path in sorted(STUDIES.glob("*/claims.py"))
    if path.parent.name != "upload"  # its claims name columns, and have their own tests
    for claim in load_claims(path.parent).claims
]


class Asked(Evidence):
    """Evidence of one scenario with whatever is asked for; what does not exist is an error."""

    study: Study

    def where(self, where: Where | None) -> list[Scene]:
        for factor, levels in (where or {}).items():
            known = self.study.file.factors[factor]
            wanted = levels if isinstance(levels, list | tuple) else [levels]
            assert known.from_rig or set(wanted) <= set(known.levels)
        return list(self.scenes)

    def column(self, metric: str) -> str:
        assert metric in self.study.file.metrics
        return "column"


@pytest.mark.parametrize(("folder", "claim"), CLAIMED)
def test_a_claim_says_what_and_where_and_names_what_there_is(folder, claim):
    study = load_study(folder)
    of_study = {Path(entry).name for entry in study.file.study.systems}
    systems = of_study | {path.parent.name for path in folder.glob("*/sut.toml")} | VARIANTS
    row = {"valid": True, "block": 1, "column": 1.0, "system": min(of_study), "status": "complete"}
    levels = {name: factor.levels[0] if factor.levels else "loopback" for name, factor in study.file.factors.items()}
    others = {name: factor.levels[-1] if factor.levels else "far" for name, factor in study.file.factors.items()}
    scenes = [Scene(levels=of, rows={system: [row] for system in systems}) for of in (levels, others)]
    declared = declarations({"study": {"id": folder.name}})
    facts = {system: {"lines": 1} for system in of_study}
    evidence = Asked(scenes=scenes, declared=declared, completed=[row], facts=facts)
    object.__setattr__(evidence, "study", study)
    assert claim.text.endswith((".", ")"))
    assert claim.place
    claim.function(evidence)


VARIANTS = {
    f"simplified@current,{setting}"
    for setting in ("flush=each", "flush=together", "store=lock_free_ring", "store=mutex_ring", "store=mutex_slice")
}
