"""TCP ports that something may be started on."""

import contextlib
import fcntl
import http.client
import itertools
import os
import socket
import tempfile
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from uploadlab.errors import LabError

# Below the kernel's ephemeral range: no connection of others takes one, and a health check there cannot meet itself.
PORTS = range(18080, 19080)
CLAIMS = Path(tempfile.gettempdir()) / "upload-lab-ports"
MOST_GIVEN = 64
"""Ports that stay claimed; who got an earlier one listens by now, or has ended."""

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_given: deque[int] = deque()
_first = os.getpid() % len(PORTS)
_in_turn: Iterator[int] = itertools.cycle([*PORTS[_first:], *PORTS[:_first]])
"""A port is given again when all others have been; who comes at the same time begins elsewhere."""


def is_free(host: str, port: int) -> bool:
    """True when a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def is_here(address: str) -> bool:
    """True when a program of this machine could listen at the address."""
    return is_free(address, 0)


def free_port(address: str = "127.0.0.1") -> int:
    """Return a port of an address that nobody listens on, and that nobody was given just now and is about to use."""
    if not is_here(address):
        raise LabError(f"{address} is not an address of this machine, so nothing can listen there.")
    for port in itertools.islice(_in_turn, len(PORTS)):
        if is_free(address, port) and (claim := _claim(port)) is not None:
            _given.append(claim)
            if len(_given) > MOST_GIVEN:
                os.close(_given.popleft())
            return port
    raise LabError(f"No free port between {PORTS.start} and {PORTS.stop - 1} on {address}.")


def _claim(port: int) -> int | None:
    """Lock a port's file until the descriptor that is returned is closed; None when another has locked it.

    Where locks cannot be kept, nobody's word is asked.
    """
    try:
        CLAIMS.mkdir(mode=0o777, exist_ok=True)
        claim = os.open(CLAIMS / str(port), os.O_CREAT | os.O_RDWR, 0o666)
    except OSError:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(claim)
        return None
    return claim


def is_listened_on(address: str, port: int) -> bool:
    """True when a connection to a port of an address is taken."""
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=2):
        return True
    return False


def is_answered(url: str) -> bool:
    """True when a GET is answered with 200, no proxy between."""
    try:
        with _opener.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, http.client.HTTPException, OSError):  # the second: it speaks no HTTP
        return False
