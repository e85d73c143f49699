"""What is tested: where an endpoint is, how it is asked, and where its files and its process can be looked at."""

import ipaddress
import socket
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from uploadlab.conformance.message import Forms, sample
from uploadlab.conformance.process import lives
from uploadlab.conformance.wire import Response, exchanged
from uploadlab.errors import LabError

FIRST = sample(2_000, "first")
FIRST_ANSWER_S = 15.0


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An upload endpoint. Without statuses, every 2xx means that it stored."""

    name: str
    host: str
    port: int
    path: str
    field: str = "file"
    statuses: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    health: str | None = None
    store: tuple[Path, ...] = ()
    pid: int | None = None
    max_file_bytes: int | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Where to connect."""
        return self.host, self.port

    @property
    def forms(self) -> Forms:
        """What writes requests for it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        headers = tuple(header.encode() for header in self.headers)
        return Forms(
            host=f"{host}:{self.port}", target=self.path, field=self.field, headers=headers, fields=self.fields
        )

    def accepts(self, response: Response | str | None) -> bool:
        """Whether this says that the upload was stored."""
        return isinstance(response, Response) and response.status in (self.statuses or range(200, 300))

    def answers(self, timeout_s: float = 10.0) -> bool:
        """Whether it answers a plain request on a connection of its own, whatever it says."""
        line = self.forms.line(b"GET", target=(self.health or self.path).encode())
        request = self.forms.head(line, b"Connection: close")
        return isinstance(exchanged(self.address, request, timeout_s), Response)

    def upload(self, data: bytes, timeout_s: float = 10.0) -> Response | str:
        """Upload a file on a connection of its own; return the response, or what happened instead."""
        return exchanged(self.address, self.forms.upload(self.forms.file(data)), timeout_s)

    def ended(self) -> bool:
        """Whether its process is known and has ended."""
        return self.pid is not None and not lives(self.pid)


def parse_url(url: str) -> tuple[str, int, str]:
    """Return host, port and path of an http URL; LabError when it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or 80
    except ValueError as error:
        raise LabError(f"{url}: {error}.") from error
    if parts.scheme != "http" or not parts.hostname or parts.username is not None or parts.fragment:
        raise LabError(f"{url}: expected http://HOST:PORT/PATH; put a proxy that ends TLS in front of https.")
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    if not target.isascii() or not target.isprintable() or " " in target:
        raise LabError(f"{url}: expected a path of printable ASCII characters without spaces.")
    return parts.hostname, port, target


def require_own_host(host: str, *, rig_hosts: Collection[str], owned: bool) -> None:
    """Refuse an address that may be somebody else's: LabError unless it is loopback, the rig's, or said to be owned."""
    if owned or host in rig_hosts:
        return
    try:
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise LabError(f"{host}: this name has no address: {error.strerror}.") from error
    if not all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found):
        raise LabError(
            f"{host} is not this machine: hostile requests go only to loopback addresses and the hosts of --rig; "
            "--i-own-this-host sends them all the same."
        )


def require_working(endpoint: Endpoint) -> None:
    """Send one plain upload; LabError, one sentence, where nothing can be tested because that is not accepted."""
    response = endpoint.upload(FIRST, FIRST_ANSWER_S)
    if isinstance(response, str):
        unanswered = {
            "no response": f"is silent: no response within {FIRST_ANSWER_S:g} s to a plain upload",
            "closed": "closed the connection without a response to a plain upload",
        }
        said = f"{endpoint.name}: {endpoint.host}:{endpoint.port}"
        raise LabError(f"{said} {unanswered.get(response, f'cannot be used: {response}')}.")
    if not endpoint.accepts(response):
        body = " ".join(response.body[:120].decode("utf-8", "replace").split())
        said = f"{response.status} ({body})" if body else str(response.status)
        raise LabError(
            f"{endpoint.name}: a plain upload of one file in the field '{endpoint.field}' to {endpoint.path} was "
            f"answered with {said}, expected {', '.join(map(str, endpoint.statuses)) or '2xx'}: "
            "check the path, --field, --status, --header and --form."
        )
