"""What became of messages, on records written out by hand."""

import json

import duckdb
import pytest

from study_kit import gates
from study_kit.records import NEVER, Delivered, Ends, check_owners, count, events_of, operations
from study_kit.spec import DriverError

ENDS = Ends(from_=("asker", "sent"), to=("asker", "answered"))
MS = 1_000_000


def _write(folder, role, rows, *, columns="time_ns, seq, bytes, stream, op, kind, status"):
    """Rows of (ms, seq, kind) or (ms, seq, kind, status), or with the stream as a fifth."""
    full = [(ms * MS, seq, 10, *(rest[1:] or (0,)), 0, kind, *(rest[:1] or (0,))) for ms, seq, kind, *rest in rows]
    with duckdb.connect() as data:
        data.execute("""create table rows (time_ns bigint, seq uinteger, bytes uinteger, stream usmallint,
                        op usmallint, kind varchar, status utinyint)""")
        data.executemany("insert into rows values (?, ?, ?, ?, ?, ?, ?)", full)
        data.execute(
            f"copy (select {columns} from rows) to $path (format parquet)",
            {"path": str(folder / f"{role}.records.parquet")},
        )


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


def test_a_message_that_nobody_sent_is_wrong(tmp_path):
    _write(tmp_path, "asker-1", [(0, 0, "sent"), (1, 0, "answered"), (2, 7, "answered")])
    assert count(tmp_path, ENDS).wrong == 1


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


@pytest.mark.parametrize("name", ["night[1]", "night*", "night?", "o'clock"])
def test_a_folder_is_read_by_its_very_name(name, tmp_path):
    for folder, answered_ms in ((tmp_path / name, 4), (tmp_path / "night1", 70)):
        folder.mkdir()
        _write(folder, "asker-1", [(0, 0, "sent"), (answered_ms, 0, "answered")])
    assert operations(tmp_path / name, ENDS).elapsed_us.tolist() == [4000]


def test_operations_join_what_two_parts_saw(tmp_path):
    _write(tmp_path, "asker-1", _sent(0, 1))
    _write(tmp_path, "teller-1", [(4, 1, "received"), (5, 0, "received")])
    found = operations(tmp_path, Ends(from_=("asker", "sent"), to=("teller", "received")))
    assert found.elapsed_us.tolist() == [5000, 3000]


def test_a_run_without_records_is_named(tmp_path):
    with pytest.raises(DriverError, match=r"there are no records \(\*\.records\.parquet\)\."):
        count(tmp_path, ENDS)


def test_a_role_without_records_is_named(tmp_path):
    _write(tmp_path, "teller-1", _sent(0))
    with pytest.raises(DriverError, match="there are no records of the role 'asker'"):
        count(tmp_path, ENDS)


def test_a_column_that_is_not_there_is_named(tmp_path):
    _write(tmp_path, "asker-1", _sent(0), columns="time_ns, seq, bytes, stream, op, kind")
    with pytest.raises(DriverError, match=r"asker-1\.records\.parquet: the column 'status' is missing\."):
        count(tmp_path, ENDS)


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "asker-1.records.parquet").write_text("not a table")
    with pytest.raises(DriverError, match="the records cannot be read"):
        operations(tmp_path, ENDS)


def test_files_that_were_swapped_are_named(tmp_path):
    for member, stream in ((0, 0), (1, 2), (2, 1)):
        _write(tmp_path, f"member-{member}", [(0, 0, "sent", 0, stream), (1, 0, "received", 0, 0)])
    with pytest.raises(DriverError, match=r"^member-1\.records\.parquet: it holds what part 2 sent; expected that of"):
        check_owners(tmp_path, ("member", "sent"))
    _write(tmp_path, "member-1", [(1, 0, "replied"), (1, 0, "received")])
    with pytest.raises(DriverError, match="expected records of the kind 'sent', found received, replied: is this"):
        check_owners(tmp_path, ("member", "sent"))


def test_what_a_part_received_of_others_is_its_own_record(tmp_path):
    _write(tmp_path, "member-1", [(0, 0, "sent", 0, 1), (1, 0, "received", 0, 0)])
    check_owners(tmp_path, ("member", "sent"))


def test_a_line_of_events_that_is_cut_is_named(tmp_path):
    (tmp_path / "asker-1.events.jsonl").write_text(json.dumps({"event": "started"}) + '\n{"event": "en')
    with pytest.raises(DriverError, match=r"asker-1\.events\.jsonl, line 2: expected a JSON object\."):
        list(events_of(tmp_path / "asker-1.events.jsonl"))


def _delivered(**faults):
    return Delivered(
        **({"sent": 10, "arrived": 10, "lost": 0, "duplicated": 0, "out_of_order": 0, "wrong": 0} | faults)
    )


def test_the_parts_own_count_of_what_was_not_recorded_fails_the_gate(tmp_path):
    judged = gates.delivery_gates(_delivered(), {}, counted={"sent": 1000, "lost": 2, "wrong": 0})
    assert [one["name"] for one in judged if not one["passed"]] == ["lost"]
    assert judged[0]["sentence"] == "2 of 1000 messages never arrived (at most 0)."


@pytest.mark.parametrize(
    ("recorded", "every", "passed"),
    [(1000, 1, True), (999, 1, False), (1001, 1, False), (334, 3, True), (333, 3, False)],
)
def test_the_records_are_held_to_what_the_parts_counted(recorded, every, passed):
    gate = gates.counted_gate(recorded, 1000, every=every)
    assert (gate["name"], gate["passed"], gate["figure"]) == ("counted", passed, recorded)


def test_a_threshold_of_the_study_replaces_nought():
    judged = gates.delivery_gates(_delivered(out_of_order=3), {"out_of_order": 3.0})
    assert all(one["passed"] for one in judged)


def test_own_cost_is_a_share_of_an_operation():
    (gate,) = gates.own_cost_gates(500, 10_000, {"own_cost_pct": 4.0})
    assert (gate["passed"], gate["figure"]) == (False, 5.0)
    assert gate["sentence"] == "Of 10.0 µs an operation the sending part itself took 0.50 µs: 5.0 % (at most 4 %)."
    assert gates.own_cost_gates(500, 10_000, {}) == []
    assert not gates.own_cost_gates(500, 0.0, {"own_cost_pct": 4.0})[0]["passed"]


def test_the_rate_that_was_reached_is_held_to_the_one_asked_for():
    (gate,) = gates.achieved_gates(97, 100, {"achieved_pct": 98.0})
    assert not gate["passed"]
