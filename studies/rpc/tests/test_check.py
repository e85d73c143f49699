"""The driver's check sees each fault of a run by its own gate, and no other."""

import json
from pathlib import Path

import duckdb
import pytest
from rpc_study.__main__ import main
from rpc_study.check import check
from rpc_study.errors import DriverError

SPEC = {"gates": {"wrong_answers": 0, "lost_records": 0, "own_cost_pct": 10.0, "gc_pct": 2.0}, "load": {"calls": 100}}
CALL_NS = 100_000
CALLS = 1000


def write_run(
    folder: Path,
    *,
    wrong: int = 0,
    lost: int = 0,
    unseen: int = 0,
    own_ns: int = 1000,
    gc_ms: int = 0,
    answers: int = CALLS,
) -> Path:
    """Write what the parts of a run leave: a call each 200 µs, answered after 100 µs."""
    _write(folder, "client", [
        *((i * 2 * CALL_NS, i, "sent", 0) for i in range(CALLS)),
        *((i * 2 * CALL_NS + CALL_NS, i, "answered", int(i < wrong)) for i in range(answers)),
    ])  # fmt: skip
    _write(folder, "server", [(i, i, kind, 0) for i in range(CALLS - unseen) for kind in ("received", "replied")])
    counters = {"event": "counters", "phase": "measure", "gc_ms": gc_ms}
    _tell(folder, "client", {"event": "own_cost", "ns": own_ns}, counters | {"lost_records": lost})
    _tell(folder, "server", counters | {"lost_records": 0})
    return folder


def _write(folder: Path, role: str, rows: list[tuple[int, int, str, int]]) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE rows (time_ns BIGINT, seq UINTEGER, kind VARCHAR, status UTINYINT, op USMALLINT)"
        )
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, 0)", rows)
        connection.execute(f"COPY rows TO '{folder / f'{role}-0.records.parquet'}' (FORMAT parquet)")


def _tell(folder: Path, role: str, *events: dict) -> None:
    (folder / f"{role}-0.events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))


def failed(folder: Path) -> list[str]:
    return [gate["name"] for gate in check(SPEC, folder)["gates"] if not gate["passed"]]


def test_a_good_run_passes_every_gate_and_tells_its_window_and_its_calls(tmp_path):
    checked = check(SPEC, write_run(tmp_path))
    assert [gate["name"] for gate in checked["gates"] if not gate["passed"]] == []
    assert checked["counts"] == {"requests": CALLS, "errors": 0}
    assert checked["phases"] == {"measure_start_ns": 0, "measure_end_ns": (2 * CALLS - 1) * CALL_NS}


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({"wrong": 1}, "wrong_answers"),
        ({"lost": 1}, "lost_records"),
        ({"unseen": 1}, "records_complete"),
        ({"own_ns": 10_001}, "own_cost"),
        # Of 200 ms: 4 ms are 2 %.
        ({"gc_ms": 5}, "server_gc client_gc"),
    ],
)
def test_each_fault_fails_exactly_its_gate(fault, named, tmp_path):
    assert failed(write_run(tmp_path, **fault)) == named.split()


def test_an_answer_that_is_missing_is_a_sentence(tmp_path, capsys):
    write_run(tmp_path, answers=CALLS - 1)
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))
    assert main(["check", "--spec", str(spec), "--out", str(tmp_path)]) == 2
    assert "1000 calls and 999 answers; expected one each." in capsys.readouterr().err


def test_a_run_without_records_is_a_sentence(tmp_path):
    with pytest.raises(DriverError, match=r"client-0\.records\.parquet: is missing\."):
        check(SPEC, tmp_path)
