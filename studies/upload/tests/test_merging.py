"""Request files of two engines, put together by hand."""

from pathlib import Path

import numpy as np
import pytest

from upload_study import merging
from upload_study.generator import together_gates
from upload_study.spec import DriverError, Engine, Load, RunSpec

from .conftest import run_spec

HEADING = "timeStamp,elapsed,label,responseCode,threadName,success,scheduled_ms\n"
MS = 1_000_000


def _reading(at_ms: int, offset_ms: float) -> dict[str, int]:
    return {"at_ns": at_ms * MS, "offset_ns": int(offset_ms * MS), "uncertainty_ns": 0}


def _spec(folder: Path) -> RunSpec:
    """Two engines: the first's clock is 10 ms ahead of the lab's, the second's 100 ms before the load, 120 ms after."""
    steady = {"before": _reading(0, 10), "after": _reading(1000, 10)}
    return run_spec(
        folder,
        Load(rows=4, threads=2, loops=1, warmup_threads=1, warmup_loops=1),
        engines=[Engine(role="injector", address="h1"), Engine(role="injector-2", address="h2")],
        clock={"injector": steady, "injector-2": {"before": _reading(0, 100), "after": _reading(1000, 120)}},
    )


def _write(folder: Path, name: str, *rows: str, heading: str = HEADING) -> None:
    (folder / name).write_text(heading + "".join(row + "\n" for row in rows))


def test_times_are_moved_to_the_first_engines_clock_and_nothing_else_is_changed(tmp_path):
    warm_up = HEADING.replace(",scheduled_ms", "")
    _write(tmp_path, merging.WARM_UP_FILE, "510,7,Warm-up upload,200,h1:1099-Warm-up users 1-1,true", heading=warm_up)
    rows = ["520,7,Upload file,200,h1:1099-Users 1-1,true,515", "610,8,Upload file,200,h2:1099-Users 1-1,true,608"]
    _write(tmp_path, merging.MEASURED_FILE, *rows)
    merging.merge(_spec(tmp_path), tmp_path)
    # Half-way between the readings the second clock is 110 ms ahead of the lab's, so 100 ms ahead of the first's.
    assert (tmp_path / "requests.jtl").read_text() == HEADING + (
        "510,7,Warm-up upload,200,h1:1099-Warm-up users 1-1,true,\n"
        "520,7,Upload file,200,h1:1099-Users 1-1,true,515\n"
        "510,8,Upload file,200,h2:1099-Users 1-1,true,508\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["requests.jtl"]
    merging.merge(_spec(tmp_path), tmp_path)  # once more: it is done


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("1,2,Upload file,200,h3:1099-Users 1-1,true,1", r"engines\.jtl, line 2: 'h3:1099-Users 1-1' is a user of no"),
        ("1,2,Upload file", r"engines\.jtl, line 2: the row is cut off\."),
    ],
)
def test_a_damaged_part_is_refused_and_nothing_is_written(row, says, tmp_path):
    _write(tmp_path, merging.MEASURED_FILE, row)
    with pytest.raises(DriverError, match=says):
        merging.merge(_spec(tmp_path), tmp_path)
    assert not (tmp_path / "requests.jtl").exists()
    assert [path.name for path in tmp_path.iterdir()] == [merging.MEASURED_FILE]


def test_the_time_in_which_not_all_engines_made_load_is_gated():
    # The first makes load from 0 to 80 ms, the second from 10 to 100: together from 10 to 80 of 100.
    engine_of, start, end = (np.array(column) for column in ([0, 0, 1, 1], [0, 40, 10, 50], [40, 80, 50, 100]))
    (gate,) = together_gates(engine_of, start, end, {"injectors_apart_pct": 20.0})
    assert (gate["figure"], gate["passed"]) == (30.0, False)
    assert gate["sentence"] == "For 30.0 % of the measured time not all engines made load (at most 20 %)."
    assert not together_gates(engine_of, start, end, {})
