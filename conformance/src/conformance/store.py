"""The upload directory, seen from outside."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

STORED_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
INCOMPLETE_PREFIX = ".incomplete-"


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def digests(contents: Iterable[bytes]) -> Counter[str]:
    """Return the SHA-256 of each content, with how often it occurs."""
    return Counter(digest(data) for data in contents)


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What appeared in the directory: whole files by hash, and anything that has no business there."""

    stored: Counter[str]
    strays: tuple[str, ...] = ()


class Store:
    """The files that appeared since the last look; what was there before the suite is never touched."""

    def __init__(self, directory: Path) -> None:
        """Remember what is there now."""
        self.directory = directory
        self._before = set(self._names())
        self._hashes: dict[str, str] = {}

    def look(self) -> Contents:
        """Hash what is new."""
        new = [name for name in self._names() if name not in self._before]
        stored: Counter[str] = Counter()
        strays = []
        for name in new:
            if not STORED_NAME.fullmatch(name):
                strays.append(name)
            elif (known := self._hash(name)) is not None:
                stored[known] += 1
        return Contents(stored=stored, strays=tuple(sorted(strays)))

    def wait_until(self, good: Callable[[Contents], bool], timeout_s: float) -> Contents:
        """Look until `good` says so or the time is over; return the last look."""
        deadline = time.monotonic() + timeout_s
        pause_s = 0.001
        while not good(contents := self.look()) and time.monotonic() < deadline:
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, 0.1)
        return contents

    def incomplete(self) -> int:
        """Return how many uploads are being received, for servers that show it."""
        return sum(name.startswith(INCOMPLETE_PREFIX) for name in self._names())

    def wait_for_upload(self, count: int = 1, timeout_s: float = 2.0) -> None:
        """Wait until the server has begun to store `count` uploads; with servers that do not show it, all the time."""
        deadline = time.monotonic() + timeout_s
        while self.incomplete() < count and time.monotonic() < deadline:
            time.sleep(0.002)

    def take_whole(self) -> int:
        """Delete the whole files that appeared, and return how many there were."""
        whole = [name for name in self._names() if name not in self._before and STORED_NAME.fullmatch(name)]
        for name in whole:
            (self.directory / name).unlink()
        return len(whole)

    def clear(self) -> None:
        """Delete the whole files that appeared since the last call, and start anew."""
        for name in self._names():
            if name in self._before:
                continue
            if STORED_NAME.fullmatch(name):
                (self.directory / name).unlink(missing_ok=True)
            else:
                self._before.add(name)  # reported once
        self._hashes.clear()

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.directory) as entries:
                return [entry.name for entry in entries]
        except FileNotFoundError:
            return []

    def _hash(self, name: str) -> str | None:
        if name not in self._hashes:
            try:
                with (self.directory / name).open("rb") as file:
                    self._hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                return None
        return self._hashes[name]
