"""What the studies claim fits what they declare: tests that can be read, and systems, metrics and levels that exist."""

import re
import tomllib
from pathlib import Path

import pytest

from uploadlab.claims.claims import read_claim
from uploadlab.planning.study import load_study

STUDIES = Path(__file__).parents[1] / "studies"
CLAIMED = [
    pytest.param(path.parent, claim, id=f"{path.parent.name}-{claim['id']}")
    for path in sorted(STUDIES.glob("*/claims.toml"))
    if path.parent.name != "upload"  # its claims name columns, and have their own tests
    for claim in tomllib.loads(path.read_text(encoding="utf-8"))["claims"]
]
STAND_INS = re.compile(r"\blayers?\b|\bcamadas?\b")
SAID = re.compile(r"stand-ins?\b|substitutas?\b")


@pytest.mark.parametrize(("folder", "claim"), CLAIMED)
def test_a_claim_can_be_read_in_both_languages_and_names_what_there_is(folder, claim):
    read = read_claim(1, claim)
    assert read.text
    file, named = load_study(folder).file, read.arguments
    systems = {named[key] for key in ("system", "than") if key in named} | set(named.get("systems", []))
    of_study = {Path(entry).name for entry in file.study.systems}
    assert all(one.partition("@")[0] in of_study or (folder / one / "sut.toml").is_file() for one in systems)
    if file.metrics and "metric" in named:
        assert named["metric"] in file.metrics
    along = {name: named.get("levels", []) for name in (named.get("along"), named.get("over")) if name in file.factors}
    for factor, levels in {**named.get("where", {}), **along}.items():
        known = file.factors[factor]
        assert known.from_rig or set(levels if isinstance(levels, list) else [levels]) <= set(known.levels)


@pytest.mark.parametrize("text", ["text"])
def test_every_claim_on_a_layer_of_the_groups_study_says_that_it_is_a_stand_in(text):
    claims = tomllib.loads((STUDIES / "groups" / "claims.toml").read_text(encoding="utf-8"))["claims"]
    on_layers = [claim[text] for claim in claims if STAND_INS.search(claim[text])]
    assert len(on_layers) > 10
    assert [said for said in on_layers if not SAID.search(said)] == []
    assert not [said for said in on_layers if re.search("jGCS|Hedera", said)]
