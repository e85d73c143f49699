"""How a server must be started for a case: its limits, made small so that testing them takes no time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from conformance.case import Limits

MIB = 1024 * 1024
STANDARD_LIMITS = Limits(
    max_file_bytes=MIB,
    max_request_bytes=2 * MIB,
    max_drain_bytes=8 * MIB,
    idle_timeout_ms=10_000,
)
LONGEST_IDLE_MS = 5_000
NEEDS_PROCESS = "needs control of the server's process: run it with --system"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A set of limits, and why a server with other limits cannot be used for its cases (None: it can).

    With `disk_bytes` the upload directory is a file system of its own of that size.
    """

    limits: Limits
    refuses: Callable[[Limits], str | None]
    disk_bytes: int | None = None


PROFILES = {
    "standard": Profile(
        limits=STANDARD_LIMITS,
        refuses=lambda limits: (
            None
            if limits.max_request_bytes >= limits.max_file_bytes + 200_000 and limits.max_file_bytes >= 200_000
            else "needs MAX_FILE_BYTES of at least 200,000 and MAX_REQUEST_BYTES 200,000 above it"
        ),
    ),
    "impatient": Profile(
        limits=replace(STANDARD_LIMITS, idle_timeout_ms=700),
        refuses=lambda limits: (
            None
            if limits.idle_timeout_ms <= LONGEST_IDLE_MS
            else f"needs a server with IDLE_TIMEOUT_MS of at most {LONGEST_IDLE_MS:,}, not {limits.idle_timeout_ms:,}"
        ),
    ),
    "fuzzed": Profile(
        limits=replace(STANDARD_LIMITS, idle_timeout_ms=3_000),
        refuses=lambda limits: None,
    ),
    "only empty files": Profile(
        limits=replace(STANDARD_LIMITS, max_file_bytes=0),
        refuses=lambda limits: None if limits.max_file_bytes == 0 else "needs a server with MAX_FILE_BYTES=0",
    ),
    "small disk": Profile(limits=STANDARD_LIMITS, refuses=lambda limits: NEEDS_PROCESS, disk_bytes=MIB),
}
