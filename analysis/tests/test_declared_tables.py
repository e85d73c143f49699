"""What belongs into a table that a study declares."""

from analysis.tables.declared_tables import Shape


def test_a_system_is_meant_on_each_of_its_stacks_unless_one_is_said():
    any_stack = Shape(rows=["operation"], columns=[], values=["mean_ms"], where={"system": ["grpc"]})
    assert any_stack.holds({"system": "grpc"})
    assert any_stack.holds({"system": "grpc@paper-2018"})
    assert not any_stack.holds({"system": "avro@paper-2018"})
    one_stack = Shape(rows=["operation"], columns=[], values=["mean_ms"], where={"system": ["grpc@paper-2018"]})
    assert one_stack.holds({"system": "grpc@paper-2018"})
    assert not one_stack.holds({"system": "grpc"})
