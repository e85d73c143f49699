"""The two parts of a run, started and conducted as tests need it."""

from pathlib import Path

from study_kit import conducting
from study_kit.conducting import Outcome, Part

SOCKETS = Path(__file__).parents[1]
ROLES = ("responder", "requester")
DEFAULTS = {"LOOP": "ping_pong", "MESSAGE_BYTES": "100", "DURATION_S": "0.3", "PATTERNS": "pair", "DRAIN_S": "2"}


def start(system: str, role: str, folder: Path, port: int, *, core: int | None = None, **settings: str) -> Part:
    pinned = [] if core is None else ["taskset", "--cpu-list", str(core)]
    told = {**DEFAULTS, "PORT": str(port), "RESPONDER_ADDRESSES": f"127.0.0.1:{port}", **settings}
    return conducting.start([*pinned, SOCKETS / system / "target/part"], role, folder, told)


def conduct(
    system: str, folder: Path, port: int, *, cores: tuple[int | None, int | None] = (None, None), **settings: str
) -> Outcome:
    starts = {
        role: lambda role=role, core=core: start(system, role, folder, port, core=core, **settings)
        for role, core in zip(ROLES, cores, strict=True)
    }
    return conducting.conduct(folder, starts)
