"""What becomes of the signals that ask the lab to stop."""

import signal
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from uploadlab.errors import Interrupted

ASKED_TO_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into Interrupted, so that everything is ended in order."""

    def interrupt(number: int, _: types.FrameType | None) -> None:
        raise Interrupted(signal.Signals(number).name)

    with _handled(ASKED_TO_STOP, interrupt):
        yield


@contextmanager
def uninterrupted(numbers: Sequence[signal.Signals] = ASKED_TO_STOP) -> Iterator[None]:
    """Put off the end that these signals ask for: what is begun is done, and undone what it needed."""
    asked: list[int] = []
    try:
        with _handled(numbers, lambda number, _: asked.append(number)):
            yield
    finally:
        if asked:
            signal.raise_signal(asked[0])


@contextmanager
def unheard() -> Iterator[None]:
    """Ignore these signals: what is undone at the end is undone whole."""
    with _handled(ASKED_TO_STOP, signal.SIG_IGN):
        yield


@contextmanager
def _handled(numbers: Sequence[signal.Signals], handler: "signal._HANDLER") -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
