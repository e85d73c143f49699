"""Where the suite gets its servers from: one that runs already, or a system that it starts itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self, TypeAlias
from urllib.parse import urlsplit

from conformance.case import Limits
from conformance.profile import PROFILES
from conformance.store import Store
from conformance.system import CannotStart, Server, System, server
from conformance.target import Target
from conformance.wire import healthy


class NotRun(Exception):
    """A case cannot be run here; the message says why."""


class RunningServer:
    """A server that the user started, with the limits they told us."""

    system: System | None = None

    def __init__(self, url: str, upload_dir: Path, limits: Limits) -> None:
        """Check that the server and its directory are there."""
        host, port = _host_and_port(url)
        if not upload_dir.is_dir():
            raise CannotStart(f"{upload_dir} is not a directory, expected the server's UPLOAD_DIR")
        self.name = f"{host}:{port}"
        self._target = Target(host=host, port=port, upload_dir=upload_dir, limits=limits)
        if not healthy(self._target.address):
            raise CannotStart(f"{url}/health is not answered with 200")
        self._store = Store(upload_dir)

    def target(self, profile: str) -> tuple[Target, Store]:
        """Return the server when its limits suit the profile."""
        reason = PROFILES[profile].refuses(self._target.limits)
        if reason is not None:
            raise NotRun(reason)
        return self._target, self._store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to stop."""


def _host_and_port(url: str) -> tuple[str, int]:
    with suppress(ValueError):  # a port that is none, a bracket without its other, a name that no host can have
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        if parts.scheme == "http" and parts.hostname is not None and parts.path in ("", "/"):
            return parts.hostname, 80 if parts.port is None else parts.port
    raise CannotStart(f"{url} is not the address of a server, expected http://HOST:PORT")


@contextmanager
def small_disk(size_bytes: int) -> Iterator[Path]:
    """Mount a small file system in memory; only root can."""
    if os.geteuid() != 0:
        raise NotRun("needs root, to mount a small file system")
    with tempfile.TemporaryDirectory(prefix="conformance-disk-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=0777", "conformance", folder],
            capture_output=True,
            text=True,
        )
        if mounted.returncode != 0:
            raise NotRun(f"a small file system could not be mounted: {mounted.stderr.strip()}")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


class StartedSystem:
    """A system that the suite starts, once for each profile that is asked for."""

    def __init__(self, system: System, extra: Mapping[str, str] | None = None) -> None:
        """Build the system where needed; `extra` is added to its environment."""
        system.build()
        system = replace(system, extra={**system.extra, **(extra or {})})
        self.system = system
        self.name = system.id
        self._stack = ExitStack()
        self._running: dict[str, tuple[Server, Target, Store]] = {}

    def target(self, profile: str) -> tuple[Target, Store]:
        """Return the server of the profile; start it when it is asked for first, or again after it died."""
        if profile not in self._running:
            limits, disk_bytes = PROFILES[profile].limits, PROFILES[profile].disk_bytes
            folder = None if disk_bytes is None else self._stack.enter_context(small_disk(disk_bytes))
            handle = self._stack.enter_context(server(self.system, limits, upload_dir=folder))
            target = handle.start()
            self._running[profile] = (handle, target, Store(target.upload_dir))
        _, target, store = self._running[profile]
        return target, store

    def deaths(self) -> list[str]:
        """Return a sentence for every server that has ended by itself since the last call."""
        found = []
        for profile, (handle, _, _) in list(self._running.items()):
            if handle.process is not None and handle.process.poll() is not None:
                found.append(f"the server ended with {handle.process.returncode}: {handle.log_tail()}")
                del self._running[profile]
        return found

    def __enter__(self) -> Self:
        """Servers are started when they are asked for."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every server that was started."""
        self._stack.close()


Provider: TypeAlias = RunningServer | StartedSystem
"""Gives the server for a profile, and the view of its upload directory."""


@contextmanager
def cleared(provider: Provider, profile: str = "standard") -> Iterator[tuple[Target, Store]]:
    """Give the server for a profile and the view of its directory, without what a case has stored before or here."""
    target, store = provider.target(profile)
    store.clear()
    try:
        yield target, store
    finally:
        store.clear()
