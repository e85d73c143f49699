"""Runs that are alive together and take turns, so that what disturbs the host within seconds meets them all alike."""

import contextlib
import random
from collections.abc import Generator, Sequence
from typing import Any

Steps = Generator[bool, None, dict[str, Any]]
"""A run, step by step: each gives whether nothing of the run is alive any more; at its end it returns what `run.json`
holds."""


class StoppedBeside(Exception):
    """A run that this one takes turns with has failed; the message is its reason."""


def in_turns(runs: Sequence[Steps], seed: int = 0) -> list[dict[str, Any]]:
    """Make one step of each run after the other until all have ended; return the records of those begun.

    The first round is in the order of the runs; the others each in a random one, so that what comes and goes on the
    host at regular times does not always meet the same run. What a run does when nothing of it is alive any more, to
    check what was recorded, waits until nothing of any is.
    Where one fails, the others are stopped: a comparison needs all of them. Whatever else ends this ends all.
    """
    records: dict[int, dict[str, Any] | None] = {}
    waiting: set[int] = set()
    draw = random.Random(seed)
    order = list(range(len(runs)))
    with contextlib.ExitStack() as stack:
        for steps in runs:
            stack.callback(steps.close)
        while left := [number for number in range(len(runs)) if number not in records]:
            if waiting.issuperset(left):
                waiting.clear()
            for number in [one for one in order if one in left and one not in waiting]:
                record = _step(runs[number])
                if isinstance(record, bool):
                    waiting |= {number} if record else set()
                    continue
                records[number] = record
                if record["status"] != "complete":
                    others = [other for other in left if other not in records]
                    records |= {other: _stopped(runs[other], record) for other in others}
                    break
            draw.shuffle(order)
    return [record for _, record in sorted(records.items()) if record is not None]


def _step(steps: Steps) -> dict[str, Any] | bool:
    """Make a run's next step; return what it gives, or the run's record if it was the last one."""
    try:
        return next(steps)
    except StopIteration as end:
        return dict(end.value)


def _stopped(steps: Steps, failed: dict[str, Any]) -> dict[str, Any] | None:
    """Stop a run beside one that has failed, and return its record; None where it had not begun."""
    reason = f"{failed['cell']}, with which it took turns, failed: {failed['reason']}"
    try:
        steps.throw(StoppedBeside(reason))
    except StopIteration as end:
        return dict(end.value)
    except StoppedBeside:
        return None
    raise RuntimeError(f"{failed['cell']}: a run beside it went on")
