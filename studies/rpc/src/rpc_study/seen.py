"""What the two parts of a run saw: their records and their events."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from rpc_study.errors import DriverError

ROLES = ("server", "client")
NS_PER_S = 1e9
GOOD = 0


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Calls as the client made them, in its order, and what both parts told of themselves."""

    seq: np.ndarray
    op: np.ndarray
    sent_ns: np.ndarray
    answered_ns: np.ndarray
    wrong: np.ndarray
    received: int
    replied: int
    events: dict[str, list[dict[str, Any]]]

    def told(self, role: str, event: str) -> Iterator[dict[str, Any]]:
        """Yield a part's events of one name."""
        return (one for one in self.events[role] if one["event"] == event)

    def measured(self, role: str) -> dict[str, Any]:
        """Return what a part counted while it was measured."""
        for one in self.told(role, "counters"):
            if one.get("phase") == "measure":
                return one
        raise DriverError(f"{role}-0.events.jsonl: the part told no counters of its measurement.")


def read(folder: Path) -> Seen:
    """Read a run's folder; DriverError where a file is missing, or an answer has no call."""
    sent = _rows(folder / "client-0.records.parquet", "sent")
    answered = _rows(folder / "client-0.records.parquet", "answered")
    if len(sent["seq"]) == 0 or not np.array_equal(sent["seq"], answered["seq"]):
        raise DriverError(
            f"client-0.records.parquet: {len(sent['seq'])} calls and {len(answered['seq'])} answers; expected one each."
        )
    server = folder / "server-0.records.parquet"
    return Seen(
        seq=sent["seq"],
        op=sent["op"],
        sent_ns=sent["time_ns"],
        answered_ns=answered["time_ns"],
        wrong=answered["status"] != GOOD,
        received=len(_rows(server, "received")["seq"]),
        replied=len(_rows(server, "replied")["seq"]),
        events={role: _events(folder / f"{role}-0.events.jsonl") for role in ROLES},
    )


def _rows(path: Path, kind: str) -> dict[str, np.ndarray]:
    if not path.exists():
        raise DriverError(f"{path}: is missing.")
    query = "SELECT seq, op, time_ns, status FROM read_parquet(?) WHERE kind = ? ORDER BY seq"
    with duckdb.connect() as connection:
        return connection.execute(query, [str(path), kind]).fetchnumpy()


def _events(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, json.JSONDecodeError) as error:
        raise DriverError(f"{path}: cannot be read as one JSON object a line: {error}.") from error
