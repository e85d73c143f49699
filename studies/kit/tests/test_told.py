"""What a study's check needs of its parts' events: a sentence names what is missing, and the documentation has it."""

import json
from pathlib import Path

import pytest

from groups_study import events as groups
from queues_study import events as queues
from rpc_study import events as rpc
from sockets_study import events as sockets
from study_kit.spec import DriverError
from study_kit.told import Event, OwnCost, told

DOCS = (Path(__file__).parents[3] / "docs" / "contributing" / "add-a-system.md").read_text(encoding="utf-8")
NEEDED = {"sockets": sockets.NEEDED, "queues": queues.NEEDED, "rpc": rpc.NEEDED, "groups": groups.NEEDED}


def _tell(folder: Path, *events: dict[str, object]) -> None:
    (folder / "requester-0.events.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in events))


def test_the_last_of_an_event_is_read_and_what_else_a_part_tells_is_left(tmp_path):
    _tell(tmp_path, {"event": "own_cost", "ns": 30.0, "more": 1}, {"event": "own_cost", "ns": 20.0}, {"event": "else"})
    assert [one.ns for one in told(tmp_path, "requester", OwnCost)] == [20.0]


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ([], '{"event": "counters", "phase": "measure", duplicated, out_of_order, wrong, sent'),
        ([{"event": "counters", "phase": "warm_up"}], '{"event": "counters", "phase": "measure", duplicated'),
        ([{"event": "counters", "phase": "measure", "duplicated": 1}], "missing required field `out_of_order`"),
        ([{"event": "counters", "phase": "measure", "duplicated": "1"}], "Expected `int`"),
    ],
    ids=["no event", "another phase", "fields missing", "wrong type"],
)
def test_a_part_that_does_not_tell_all_that_is_needed_is_one_sentence(events, sentence, tmp_path):
    _tell(tmp_path, *events)
    with pytest.raises(DriverError) as refused:
        told(tmp_path, "requester", sockets.Asked)
    assert "requester-0.events.jsonl" in str(refused.value)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("study", "role", "event"),
    [(study, role, event) for study, roles in NEEDED.items() for role, some in roles.items() for event in some],
    ids=lambda value: value.__name__ if isinstance(value, type) else value,
)
def test_each_event_that_a_check_needs_is_in_the_documentation(study: str, role: str, event: type[Event]):
    assert f"| {study} | `{role}` | `{event.described()}` |" in DOCS
