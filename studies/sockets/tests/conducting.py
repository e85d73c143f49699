"""The two parts of a run, started and conducted as tests need it."""

from pathlib import Path

from study_kit import conducting
from study_kit.conducting import Outcome, Part

SOCKETS = Path(__file__).parents[1]
ROLES = ("responder", "requester")
DEFAULTS = {
    "LOOP": "ping_pong", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "PATTERNS": "pair", "DRAIN_S": "2",
    "RECORDS_CAPACITY": "300000",
}  # fmt: skip


def start(system: str, role: str, folder: Path, port: int, **settings: str) -> Part:
    folder.mkdir(exist_ok=True)
    told = {**DEFAULTS, "PORT": str(port), "RESPONDER_ADDRESSES": f"127.0.0.1:{port}", **settings}
    return conducting.start([SOCKETS / system / "target/part"], role, folder, told)


def conduct(system: str, folder: Path, port: int, **settings: str) -> Outcome:
    starts = {role: lambda role=role: start(system, role, folder, port, **settings) for role in ROLES}
    return conducting.conduct(folder, starts)
