"""JSON schemas of what people write and of what a campaign leaves: `python -m uploadlab.commands.schemas` renews them.

They lie in `docs/schemas/`; a declaration's first line, `#:schema PATH`, names its own, so that editors complete keys.
"""

import json
from typing import Any

import msgspec

from uploadlab.judge.output import Judged
from uploadlab.paths import REPOSITORY
from uploadlab.planning.rig import RigFile
from uploadlab.planning.study import StudyFile
from uploadlab.planning.system import System
from uploadlab.records import CampaignRecord, RunRecord

FOLDER = REPOSITORY / "docs" / "schemas"
KINDS: dict[str, type[msgspec.Struct]] = {
    "campaign": CampaignRecord,
    "run": RunRecord,
    "study": StudyFile,
    "sut": System,
    "rig": RigFile,
    "judge": Judged,
}


def schemas() -> dict[str, str]:
    """Return the text of each schema, by its name."""
    return {name: _text(msgspec.json.schema(kind)) for name, kind in KINDS.items()}


def _text(schema: dict[str, Any]) -> str:
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / f"{name}.schema.json").write_text(text, encoding="utf-8")
