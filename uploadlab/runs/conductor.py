"""Tells the parts of a run by words what to do, and waits for their answers.

All words are lines: the lab's go to a part's standard input, the answers come from its standard output.
"""

import math
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from uploadlab.errors import LabError
from uploadlab.runs.parts import RunningPart

LOOK_S = 0.1
ENDING_S = 1.0
"""How long a part whose output has ended may take to end itself."""
MOST_UNREAD_BYTES = 65_536
"""Of a line that does not end; a part that writes more without an end is not speaking in words."""
MOST_LINES_AT_ONCE = 10_000
ANSWERS = {"start": "ready", "verify": "verified", "warm_up": "warmed_up", "measure": "done"}

Progress = Callable[[int, int], None]


class Conductor:
    """The conducted parts of one run."""

    def __init__(self, progress: Progress) -> None:
        """`progress` is told the operations and errors so far that all senders together have said."""
        self._progress = progress
        self._parts: list[RunningPart] = []
        self._unread: dict[str, bytes] = {}
        self._lines: dict[str, list[str]] = {}
        self._so_far: dict[str, tuple[int, int]] = {}

    def add(self, running: RunningPart) -> None:
        """Take in a part that was just started; one that is not conducted is only watched."""
        self._parts.append(running)

    @property
    def _conducted(self) -> list[RunningPart]:
        return [one for one in self._parts if one.part.start.conducted]

    def await_ready(self, running: Sequence[RunningPart], patience_s: float) -> None:
        """Wait until parts have said `ready`."""
        self._await("start", running, patience_s)

    def verify(self, patience_s: float) -> None:
        """Have the parts prove among themselves that messages arrive as they were sent."""
        self._tell_all("verify")
        self._await("verify", self._conducted, patience_s)

    def warm_up(self, patience_s: float) -> None:
        """Have the parts warm up."""
        self._tell_all("warm_up")
        self._await("warm_up", self._conducted, patience_s)

    def measure(self, start_ns: Callable[[RunningPart], int], patience_s: float, at_most_s: float) -> None:
        """Have the parts measure from an instant on, until all are done.

        `start_ns` returns what the monotonic clock of a part's host shows at that instant.
        """
        self._so_far.clear()
        for running in self._conducted:
            running.host.tell(running.process, f"measure {start_ns(running)}")
        self._await("measure", self._conducted, patience_s, at_most_s)

    def stop(self, timeout_s: float) -> dict[str, int]:
        """Tell the parts to end, the last started first; return the exit codes by name."""
        codes = {}
        for running in reversed(self._conducted):
            running.host.tell(running.process, "stop")
        for running in reversed(self._parts):
            codes[running.part.name] = self._end(running, timeout_s)
            for helper in reversed(running.helpers):
                running.host.stop(helper, timeout_s=timeout_s)
        return codes

    def _end(self, running: RunningPart, timeout_s: float) -> int:
        deadline = time.monotonic() + timeout_s
        while running.part.start.conducted and running.process.poll() is None and time.monotonic() < deadline:
            running.process.read(LOOK_S)  # else one that still writes waits for its output to be read
        return running.host.stop(running.process, timeout_s=timeout_s)

    def _tell_all(self, words: str) -> None:
        for running in self._conducted:
            running.host.tell(running.process, words)

    def _await(self, phase: str, of: Sequence[RunningPart], patience_s: float, at_most_s: float = math.inf) -> None:
        """Wait until each of some parts has answered; LabError when one ends, talks nonsense, or all are silent."""
        waiting = {one.part.name: one for one in of if one.part.start.conducted}
        began = heard_at = time.monotonic()
        while waiting:
            for name, running in list(waiting.items()):
                for line in self._read(running, LOOK_S / len(waiting)):
                    heard_at = time.monotonic()
                    if self._is_answer(running, phase, line):
                        waiting.pop(name, None)
            self._watch()
            if waiting and time.monotonic() - began > at_most_s:
                raise LabError(f"{' and '.join(waiting)} did not say '{ANSWERS[phase]}' within {at_most_s:.0f} s.")
            if waiting and time.monotonic() - heard_at > patience_s:
                silent = " and ".join(waiting)
                raise LabError(
                    f"{silent} said nothing for {patience_s:g} s where '{ANSWERS[phase]}' was expected: "
                    f"{next(iter(waiting.values())).last_words}"
                )

    def _is_answer(self, running: RunningPart, phase: str, line: str) -> bool:
        word, *rest = line.split(" ")
        if line == ANSWERS[phase]:
            return True
        if word == "progress" and len(rest) == 2 and all(text.isdecimal() for text in rest):
            self._so_far[running.part.name] = int(rest[0]), int(rest[1])
            operations, errors = (sum(column) for column in zip(*self._so_far.values(), strict=True))
            if phase == "measure":
                self._progress(operations, errors)
            return False
        raise LabError(f"{running.part.name} said '{line[:80]}' where '{ANSWERS[phase]}' was expected.")

    def _read(self, running: RunningPart, timeout_s: float) -> list[str]:
        name = running.part.name
        chunk = running.process.read(timeout_s)
        if chunk is None:
            return []
        if not chunk:
            raise self._why_ended(running)
        *lines, self._unread[name] = (self._unread.get(name, b"") + chunk).split(b"\n")
        if len(self._unread[name]) > MOST_UNREAD_BYTES or len(lines) > MOST_LINES_AT_ONCE:
            raise LabError(f"{name} floods its standard output, where only the conductor's words are expected.")
        return [line.decode(errors="replace").strip() for line in lines if line.strip()]

    def _watch(self) -> None:
        for running in self._parts:
            if running.process.poll() is not None:
                raise self._why_ended(running)

    def _why_ended(self, noticed: RunningPart) -> LabError:
        """Name the part by which it began: one that a signal ended, else the first of those that had last words."""
        until = time.monotonic() + ENDING_S
        while noticed.process.poll() is None and time.monotonic() < until:
            time.sleep(LOOK_S / 10)
        ended = [(code, one) for one in self._parts if (code := one.process.poll()) is not None]
        if not ended:
            return LabError(f"{noticed.part.name} closed its output: {noticed.last_words}")
        code, first = min(ended, key=lambda of: (of[0] >= 0, _last_written_ns(of[1].log)))
        if code == -signal.SIGKILL:  # it could say nothing of its end: the last line of its log is about something else
            return LabError(f"{first.part.name} was ended by SIGKILL.")
        how = f"ended with code {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"
        return LabError(f"{first.part.name} {how}: {first.last_words}")


def _last_written_ns(log: Path) -> int:
    """Return when a log was written to last; none is here of a part on another host."""
    return log.stat().st_mtime_ns if log.exists() else 0
