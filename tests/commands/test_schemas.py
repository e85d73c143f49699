"""The committed schemas are those of this version, and every declaration names its own."""

import json
import os
import tomllib
from pathlib import Path

import jsonschema
import pytest

from uploadlab.commands.schemas import FOLDER, schemas
from uploadlab.paths import REPOSITORY

DECLARATIONS = sorted(
    path
    for name in ("sut.toml", "study.toml")
    for top in ("*", "studies", "servers", "docs")
    for path in REPOSITORY.glob(f"{top}/**/{name}" if top != "*" else f"*/{name}")
    if not {"node_modules", "target"} & set(path.parts)
)


@pytest.mark.parametrize(("name", "text"), schemas().items(), ids=schemas())
def test_the_committed_schema_is_fresh(name, text):
    path = FOLDER / f"{name}.schema.json"
    assert path.read_text(encoding="utf-8") == text, "renew it with: python -m uploadlab.commands.schemas"


@pytest.mark.parametrize("path", DECLARATIONS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_a_declaration_names_its_schema_and_holds_it(path: Path):
    schema = FOLDER / f"{path.stem}.schema.json"
    first, _, _ = path.read_text(encoding="utf-8").partition("\n")
    assert first == f"#:schema {os.path.relpath(schema, path.parent)}"
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), json.loads(schema.read_text(encoding="utf-8")))
