"""What the study's systems have in common, as their files declare it."""

import tomllib

import pytest
from rpc_conducting import RPC

SYSTEMS = sorted(path.parent.name for path in RPC.glob("*/sut.toml"))


def test_the_systems_are_all_there():
    assert SYSTEMS == ["avro", "grpc", "known", "null", "plain"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_can_be_made_to_answer_wrongly_so_that_anyone_sees_it_refused(system):
    settings = tomllib.loads((RPC / system / "sut.toml").read_text(encoding="utf-8"))["settings"]
    wrong = settings["wrong_answers"]
    assert (wrong["env"], wrong["default"], wrong["as_shipped"]) == ("WRONG_ANSWERS", "none", "none")
