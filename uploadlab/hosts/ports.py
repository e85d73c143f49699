"""TCP ports that something may be started on."""

import contextlib
import fcntl
import http.client
import itertools
import os
import random
import socket
import tempfile
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Collection
from pathlib import Path

from uploadlab.errors import LabError

# Below the kernel's ephemeral range: no connection of others takes one, and a health check there cannot meet itself.
PORTS = range(18080, 19080)
OTHERS = range(19080, 32000)
CLAIMS = Path(tempfile.gettempdir()) / "upload-lab-ports"
MOST_GIVEN = 64
"""Ports given by `free_port` that stay claimed; who got an earlier one listens by now, or has ended."""

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_given: deque[int] = deque()


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


def free_port(host: str = "127.0.0.1") -> int:
    """Return any port that nobody listens on, and that nobody was given just now and is about to use."""
    drawn = random.SystemRandom()
    while True:
        port = drawn.choice(OTHERS)
        if is_free(host, port) and (claim := _claim(port)) is not None:
            _given.append(claim)
            if len(_given) > MOST_GIVEN:
                os.close(_given.popleft())
            return port


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


class Ports:
    """The ports of an address that this lab takes for what it starts, each as long as the lab lives."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._claimed: dict[int, int] = {}
        """The ports that this lab has taken, each with the file that it holds locked for that."""

    def free(self, beside: Collection[int] = ()) -> int:
        """Return a port that nobody listens on, and none of those that are promised already."""
        if not is_here(self._address):
            raise LabError(f"{self._address} is not an address of this machine, so nothing can listen there.")
        # Each lab begins elsewhere, so that two at once do not both take the port that neither listens on yet.
        first = os.getpid() % len(PORTS)
        for port in itertools.chain(PORTS[first:], PORTS[:first]):
            if port not in beside and is_free(self._address, port) and self._claims(port):
                return port
        raise LabError(f"No free port between {PORTS.start} and {PORTS.stop - 1} on {self._address}.")

    def _claims(self, port: int) -> bool:
        """Take a port for this lab as long as it lives: another lab may be about to start something, too."""
        if port not in self._claimed and (claim := _claim(port)) is not None:
            self._claimed[port] = claim
        return port in self._claimed


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
