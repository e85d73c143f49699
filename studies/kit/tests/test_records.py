"""What became of messages, on records written out by hand."""

import pytest
from keeping import keep, made_up

from study_kit import gates
from study_kit.records import NEVER, Delivered, Ends, check_owners, count, operations
from study_kit.spec import DriverError

ENDS = Ends(from_=("asker", "sent"), to=("asker", "answered"))
MS = 1_000_000


def _write(folder, part, rows):
    """Rows of (ms, seq, kind) or (ms, seq, kind, status), or with the stream as a fifth."""
    for_each = ((ms, seq, kind, *rest, 0, 0)[:5] for ms, seq, kind, *rest in rows)
    made = [
        made_up(kind, time_ns=ms * MS, seq=[seq], status=status, stream=of) for ms, seq, kind, status, of in for_each
    ]
    keep(folder, part, *made)


def _sent(*numbers):
    return [(at, seq, "sent") for at, seq in enumerate(numbers)]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([(10, 0, "answered"), (11, 1, "answered"), (12, 2, "answered")], {}),
        ([(10, 0, "answered"), (11, 2, "answered")], {"arrived": 2, "lost": 1}),
        ([(10, 0, "answered"), (11, 1, "answered", 4), (12, 2, "answered")], {"arrived": 2, "lost": 1}),
        ([(10, 0, "answered"), (11, 0, "answered"), (11, 1, "answered"), (12, 2, "answered")], {"duplicated": 1}),
        ([(10, 0, "answered"), (11, 2, "answered"), (12, 1, "answered")], {"out_of_order": 1}),
        ([(10, 0, "answered"), (11, 1, "answered", 1), (12, 2, "answered")], {"wrong": 1}),
        ([(10, 0, "answered"), (11, 1, "answered", 2), (12, 2, "answered")], {"wrong": 1}),
    ],
    ids=["all well", "missing", "timed out", "twice", "in another order", "other bytes", "another length"],
)
def test_each_fault_is_counted_as_what_it_is(answers, expected, tmp_path):
    _write(tmp_path, "asker-1", _sent(0, 1, 2) + answers)
    none = {"sent": 3, "arrived": 3, "lost": 0, "duplicated": 0, "out_of_order": 0, "wrong": 0}
    assert count(tmp_path, ENDS) == Delivered(**(none | expected))


def test_each_receiver_gets_each_senders_messages_in_that_senders_order(tmp_path):
    # Two members; what both sent reaches both; the second hears of stream 1's messages in the wrong order.
    sent = [(0, 0, "sent", 0, 1), (1, 1, "sent", 0, 1)]
    _write(tmp_path, "member-1", [*sent, (5, 0, "received", 0, 1), (6, 1, "received", 0, 1), (7, 0, "received", 0, 2)])
    _write(
        tmp_path,
        "member-2",
        [(0, 0, "sent", 0, 2), (5, 1, "received", 0, 1), (6, 0, "received", 0, 2), (7, 0, "received", 0, 1)],
    )
    delivered = count(tmp_path, Ends(from_=("member", "sent"), to=("member", "received")), copies=2)
    assert delivered == Delivered(sent=3, arrived=6, lost=0, duplicated=0, out_of_order=1, wrong=0)


def test_operations_are_timed_from_when_they_were_due_to_their_first_end(tmp_path):
    rows = [(1, 0, "due"), (3, 0, "sent"), (8, 0, "answered"), (9, 0, "answered"), (11, 1, "due"), (11, 1, "sent")]
    _write(tmp_path, "asker-1", rows)
    found = operations(tmp_path, Ends(from_=("asker", "sent"), to=("asker", "answered"), due=("asker", "due")))
    assert found.elapsed_us.tolist() == [7000]
    assert (found.from_ns - found.due_ns).tolist() == [2 * MS, 0]
    assert (found.to_ns.tolist(), found.good.tolist()) == ([8 * MS, NEVER], [True, False])


def test_operations_join_what_two_parts_saw(tmp_path):
    _write(tmp_path, "asker-1", _sent(0, 1))
    _write(tmp_path, "teller-1", [(4, 1, "received"), (5, 0, "received")])
    found = operations(tmp_path, Ends(from_=("asker", "sent"), to=("teller", "received")))
    assert found.elapsed_us.tolist() == [5000, 3000]


def test_files_that_were_swapped_are_named(tmp_path):
    for member, stream in ((0, 0), (1, 2), (2, 1)):
        _write(tmp_path, f"member-{member}", [(0, 0, "sent", 0, stream), (1, 0, "received", 0, 0)])
    with pytest.raises(DriverError, match=r"^member-1\.records\.parquet: it holds what part 2 sent; expected that of"):
        check_owners(tmp_path, ("member", "sent"))
    _write(tmp_path, "member-1", [(1, 0, "replied"), (1, 0, "received")])
    with pytest.raises(DriverError, match="expected records of the kind 'sent', found received, replied: is this"):
        check_owners(tmp_path, ("member", "sent"))


@pytest.mark.parametrize(
    ("recorded", "every", "passed"),
    [(1000, 1, True), (999, 1, False), (1001, 1, False), (334, 3, True), (333, 3, False)],
)
def test_the_records_are_held_to_what_the_parts_counted(recorded, every, passed):
    gate = gates.counted_gate(recorded, 1000, every=every)
    assert (gate["name"], gate["passed"], gate["figure"]) == ("counted", passed, recorded)


def test_own_cost_is_a_share_of_an_operation():
    (gate,) = gates.own_cost_gates(500, 10_000, {"own_cost_pct": 4.0})
    assert (gate["passed"], gate["figure"]) == (False, 5.0)
    assert gate["sentence"] == "Of 10.0 µs an operation the sending part itself took 0.50 µs: 5.0 % (at most 4 %)."
    assert gates.own_cost_gates(500, 10_000, {}) == []
    assert not gates.own_cost_gates(500, 0.0, {"own_cost_pct": 4.0})[0]["passed"]


def test_the_rate_that_was_reached_is_held_to_the_one_asked_for():
    (gate,) = gates.achieved_gates(97, 100, {"achieved_pct": 98.0})
    assert not gate["passed"]
