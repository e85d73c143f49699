"""Notices when a server answers nothing any more under load."""

import time
from typing import Any

from uploadlab.errors import LabError

UNANSWERED_S = 300.0
"""How long no request may be answered, beyond what a load takes; a request times out after one minute."""
EMULATED = 30
"""How many times slower emulated processors are."""


class Answers:
    """Whether requests of a load are still answered.

    A load has no deadline, which would end one that is healthy but slow: on a busy host, an emulated one, a slow disk.
    It is ended when for minutes no further request was answered without error: of a server that takes connections and
    answers none each request would time out by itself, for hours. A load generator tells of its requests some seventy
    at a time, or of few at the end only, so it has several times the planned time of the whole load besides.
    """

    def __init__(self, planned_s: float, *, emulated: bool) -> None:
        self._patience_s = (UNANSWERED_S + 5 * planned_s) * (EMULATED if emulated else 1)
        self._standing = "", 0
        self.wait_anew()

    def wait_anew(self) -> None:
        """Count from now on."""
        self._heard_at = time.monotonic()

    def take_in(self, message: dict[str, Any]) -> None:
        """Take in what the load generator says; progress by which no more requests are answered than before is none."""
        if progress := message.get("progress"):
            phase, answered = progress["phase"], progress["requests"] - progress["errors"]
            if phase == self._standing[0] and answered <= self._standing[1]:
                return
            self._standing = phase, answered
        self.wait_anew()

    def check(self, name: str) -> None:
        """Raise LabError when the server of this name has answered nothing for too long."""
        if time.monotonic() - self._heard_at > self._patience_s:
            raise LabError(f"{name} answered no request for {self._patience_s / 60:.0f} min under load.")
