"""What belongs into a table or a figure that a study declares."""

from analysis.declarations import belongs


def test_a_system_is_meant_on_each_of_its_stacks_unless_one_is_said():
    any_stack, one_stack = {"system": ["grpc"]}, {"system": ["grpc@paper-2018"]}
    assert belongs({"system": "grpc"}, any_stack)
    assert belongs({"system": "grpc@paper-2018"}, any_stack)
    assert not belongs({"system": "avro@paper-2018"}, any_stack)
    assert belongs({"system": "grpc@paper-2018"}, one_stack)
    assert not belongs({"system": "grpc"}, one_stack)
