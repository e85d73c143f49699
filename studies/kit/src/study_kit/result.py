"""What `check` says of a run's operations: the measured window, the counts, and from when on the run had settled."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from study_kit.gates import Gate
from study_kit.records import Operations
from study_kit.settled import Settled, ended_per_s, find_settled, told_of
from study_kit.spec import DriverError


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The operations of a run's measured part, and what was cut off before it."""

    operations: Operations
    cut: int
    settled: Settled


def expect_success(operations: Operations) -> None:
    """Raise DriverError when no operation ended well."""
    if not operations.good.any():
        raise DriverError(f"None of {len(operations)} operations succeeded.")


def measured(operations: Operations, *, window: str) -> Measured:
    """Return the whole run, or its settled part (`window = "settled"`); DriverError when no operation ended well."""
    expect_success(operations)
    good = operations.good
    settled = find_settled(operations.elapsed_us, operations.due_ns[good] // 1000, what="operations")
    cut = int(np.flatnonzero(good)[settled.first]) if window == "settled" else 0
    kept = Operations(**{one.name: getattr(operations, one.name)[cut:] for one in fields(Operations)})
    return Measured(operations=kept, cut=cut, settled=settled)


def reply(all_of: Operations, part: Measured, load: dict[str, Any], gates: list[Gate]) -> dict[str, Any]:
    """Return what `check` prints of a run."""
    kept, good = part.operations, part.operations.good
    begin_ns, end_ns = int(kept.due_ns.min()), int(kept.to_ns[good].max())
    return {
        "phases": {"measure_start_ns": begin_ns, "measure_end_ns": end_ns},
        "counts": {
            "requests": len(kept),
            "errors": int((~good).sum()),
            "cut_requests": part.cut,
            "cut_errors": int((~all_of.good[: part.cut]).sum()),
            "ended_per_s": ended_per_s(kept.to_ns[good], begin_ns, end_ns),
        },
        "load": load,
        "settled": told_of(part.settled, all_of.due_ns[all_of.good], cut=part.cut > 0),
        "gates": gates,
    }
