"""The folders in which the endpoint stores, seen from outside."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from uploadlab.conformance.wire import unchunked


def digests(contents: Iterable[bytes]) -> Counter[str]:
    """Return the SHA-256 of each content, with how often it occurs."""
    return Counter(hashlib.sha256(data).hexdigest() for data in contents)


class Store:
    """The files that appeared since the last look, in any sub-folder; files from before are never touched."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Remember what is there now."""
        self.folders = tuple(folders)
        self._known = self._paths()

    def new(self) -> set[Path]:
        """Return the files that appeared since the last call of `settle`."""
        return self._paths() - self._known

    def stored(self) -> Counter[str]:
        """Return the SHA-256 of every new file."""
        return Counter(filter(None, map(_digest, self.new())))

    def gets(self, wanted: Counter[str], timeout_s: float = 2.0) -> bool:
        """Wait until these contents are among the new files, or the time is over; return whether they are."""
        return wait_until(lambda: self.stored() >= wanted, timeout_s)

    def remove(self, contents: Counter[str]) -> None:
        """Delete the new files that have these contents: they are ours."""
        for path in self.new():
            if contents[_digest(path) or ""]:
                path.unlink(missing_ok=True)

    def sent_in(self, requests: Iterable[bytes]) -> set[Path]:
        """Return the new files whose bytes are in one of these requests, in chunks or not."""
        sent = [body for request in requests for body in (request, unchunked(request))]
        found = set()
        for path in self.new():
            with suppress(OSError):
                data = path.read_bytes()
                if any(data in body for body in sent):
                    found.add(path)
        return found

    def remove_sent(self, requests: Iterable[bytes]) -> None:
        """Delete the new files whose bytes are in one of these requests: they are ours."""
        for path in self.sent_in(requests):
            path.unlink(missing_ok=True)

    def settle(self) -> set[Path]:
        """Take the new files as known from now on, and return them."""
        found = self.new()
        self._known |= found
        return found

    def _paths(self) -> set[Path]:
        return {Path(folder, name) for root in self.folders for folder, _, names in os.walk(root) for name in names}


def wait_until(good: Callable[[], bool], timeout_s: float, *, pause_s: float = 0.002) -> bool:
    """Ask again and again until it is good or the time is over; return whether it is."""
    deadline = time.monotonic() + timeout_s
    while not good():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.1)
    return True


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
