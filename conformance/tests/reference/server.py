#!/usr/bin/env python3
"""Keeps the upload contract in the simplest way; with FAULT=name it breaks it in one, so that the suite can be tested.

It holds whole bodies in memory and judges them with the suite's model: a server to test with, not to use.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import signal
import sys
import uuid
from contextlib import suppress
from pathlib import Path

from conformance.case import Limits
from conformance.model import Unclear, judge, read_boundary
from conformance.page import PAGE

FAULT = os.environ.get("FAULT", "")
HOST = re.compile(rb"(?:(?:[^\s:\[\]/@]+|\[[0-9a-fA-F:.]+\])(?::\d*)?)?")
HEAD_LIMIT = 16_384
HEAD_LINES = 1_000
CHUNK_LINE_LIMIT = 8_192

ALLOWED = {"/getimages": {"POST"}, "/health": {"GET", "HEAD"}}
KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"}


class Gone(Exception):
    """The client has left, stalled, or sends what is not HTTP."""


class Refused(Exception):
    def __init__(self, status: int, code: str | None, headers: dict[str, str] | None = None) -> None:
        super().__init__(code)
        self.status, self.code, self.headers = status, code, headers or {}


class Settings:
    def __init__(self) -> None:
        self.host = os.environ.get("HOST", "127.0.0.1")
        self.port = number("PORT", 8080, 0, 65_535)
        self.upload_dir = Path(os.environ.get("UPLOAD_DIR") or quit_with("UPLOAD_DIR is not set, expected a directory"))
        self.limits = Limits(
            max_file_bytes=number("MAX_FILE_BYTES", 209_715_200),
            max_request_bytes=number("MAX_REQUEST_BYTES", 241_172_480),
            max_drain_bytes=number("MAX_DRAIN_BYTES", 268_435_456),
            idle_timeout_ms=number("IDLE_TIMEOUT_MS", 60_000, 1),
        )
        self.min_body_bytes_per_s = number("MIN_BODY_BYTES_PER_S", 500)
        self.idle_s = self.limits.idle_timeout_ms / 1000
        self.keep_alive_s = number("KEEP_ALIVE_TIMEOUT_MS", 60_000, 1) / 1000
        if FAULT == "keeps_idle_connections_as_long_as_silent_ones":
            self.keep_alive_s = self.idle_s
        self.stop_grace_s = number("STOP_GRACE_MS", 8_000, 1) / 1000
        probe = self.upload_dir / f".incomplete-{uuid.uuid4()}"
        try:
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            quit_with(f"UPLOAD_DIR {self.upload_dir} cannot be written: {error.strerror}")


def number(name: str, default: int, least: int = 0, most: int = 2**53 - 1) -> int:
    text = os.environ.get(name, str(default))
    if not text.isdecimal() or int(text) < least or int(text) > most:
        quit_with(f"{name} is {text!r}, expected a whole number from {least} to {most}")
    return int(text)


def quit_with(sentence: str) -> str:
    print(sentence, file=sys.stderr)
    sys.exit(2)


class Wire:
    """One connection: reads heads and bodies from it, and answers on it."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.settings = server.settings
        self.buffer = b""
        self.busy = False
        self.body_left: int | None = 0  # None: chunked
        self.drained = True
        self.waited_s = 0.0
        self.received = 0

    # reading

    async def more(self, timeout_s: float | None = None) -> None:
        try:
            data = await asyncio.wait_for(self.reader.read(65_536), timeout_s or self.settings.idle_s)
        except (TimeoutError, OSError):
            raise Gone from None
        if not data:
            raise Gone
        self.buffer += data

    async def take(self, count: int) -> bytes:
        began = asyncio.get_running_loop().time()
        while not self.buffer:
            await self.more()
        piece, self.buffer = self.buffer[:count], self.buffer[count:]
        self.waited_s += asyncio.get_running_loop().time() - began
        self.received += len(piece)
        if (self.waited_s - self.settings.idle_s) * self.settings.min_body_bytes_per_s > self.received:
            raise Gone
        return piece

    async def line(self) -> bytes:
        while b"\r\n" not in self.buffer:
            if len(self.buffer) > CHUNK_LINE_LIMIT:
                raise Refused(400, None)
            await self.more()
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line

    async def head(self) -> tuple[str, str, str, list[tuple[str, bytes]]]:
        while self.buffer.startswith(b"\r\n") or b"\r\n\r\n" not in self.buffer:
            self.buffer = self.buffer[2:] if self.buffer.startswith(b"\r\n") else self.buffer
            if len(self.buffer) > HEAD_LIMIT:
                raise Refused(431, None)
            if b"\r\n\r\n" not in self.buffer:
                await self.more(None if self.buffer else self.settings.keep_alive_s)
                self.busy = True
        raw, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if len(raw) > HEAD_LIMIT or raw.count(b"\r\n") > HEAD_LINES:
            raise Refused(431, None)
        lines = raw.split(b"\r\n")
        words = lines[0].decode("latin-1").replace("  ", " ").split(" ")
        if len(words) != 3:
            raise Refused(400, None)
        if words[2] not in ("HTTP/1.1", "HTTP/1.0"):
            raise Refused(505, None)
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(b":")
            if not colon or not name or set(name) & set(b' \t"(),/;<=>?@[]{}\\') or set(value) & {0, 10, 13}:
                raise Refused(400, None)
            headers.append((name.decode("latin-1").lower(), value.strip(b" \t")))
        return words[0], words[1], words[2], headers

    async def body_piece(self) -> bytes:
        """Return the next piece of the body; empty at its end."""
        if self.drained:
            return b""
        if self.body_left is not None:
            piece = await self.take(self.body_left)
            self.body_left -= len(piece)
            self.drained = self.body_left == 0
            return piece
        size_text = (await self.line()).split(b";")[0].strip()
        if not size_text or set(size_text.lower()) - set(b"0123456789abcdef") or len(size_text) > 15:
            raise Refused(400, None)
        size = int(size_text, 16)
        piece = b""
        while len(piece) < size:
            piece += await self.take(size - len(piece))
        if size == 0:
            while await self.line():
                pass
            self.drained = True
        elif await self.line():
            raise Refused(400, None)
        return piece

    # answering

    async def send(self, status: int, kind: str, body: bytes, headers: dict[str, str], *, head_only: bool) -> None:
        length = "x" if FAULT == "page_without_a_length" and status == 200 and body == PAGE else len(body)
        lines = [f"HTTP/1.1 {status} x", f"Content-Type: {kind}", f"Content-Length: {length}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if head_only else body))
        await self.writer.drain()

    async def refuse(self, error: Refused, *, head_only: bool) -> None:
        body = json.dumps({"error": {"code": error.code, "message": "It was refused."}}).encode()
        headers = {**error.headers, "Connection": "close"}
        if FAULT == "errors_keep_the_connection":
            del headers["Connection"]
        await self.send(error.status, "application/json", body, headers, head_only=head_only)

    async def drain(self) -> None:
        most = self.settings.limits.max_drain_bytes
        with suppress(Gone, Refused):
            while most > 0 and (piece := await self.body_piece()):
                most -= len(piece)


class Client(Wire):
    """Takes the requests of a connection, one after the other."""

    async def serve(self) -> None:
        try:
            while not self.server.stopping:
                self.busy = bool(self.buffer)
                if not await self.request():
                    break
        except (Gone, OSError):
            pass
        finally:
            with suppress(OSError):
                self.writer.close()

    async def request(self) -> bool:
        """Handle a request; return whether the connection is kept."""
        self.drained, head_only, expects = True, False, False
        self.waited_s, self.received = 0.0, 0
        try:
            method, target, version, headers = await self.head()
            self.busy = True
            head_only = method == "HEAD"
            named: dict[str, bytes] = {}
            for name, value in headers:
                named.setdefault(name, value)
            self.frame(version, headers)
            self.check_host(target, [value for name, value in headers if name == "host"])
            expects = version == "HTTP/1.1" and named.get("expect", b"").lower() == b"100-continue"
            if "expect" in named and not expects and version == "HTTP/1.1":
                raise Refused(417, None)
            keep = version == "HTTP/1.1" and b"close" not in named.get("connection", b"").lower()
            if FAULT == "continues_always" and expects:
                self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            path = self.route(method, target)
            if path == "/health":
                await self.drain()
                await self.send(200, "application/json", b'{"status":"ok"}', self.end(keep), head_only=head_only)
            else:
                await self.upload(named, expects)
                expects = False
                page = PAGE[:-1] if FAULT == "wrong_page" else PAGE
                await self.send(200, "text/html; charset=utf-8", page, self.end(keep), head_only=False)
            return keep
        except Refused as error:
            await self.refuse(error, head_only=head_only)
            if FAULT == "serves_behind_an_error":
                await self.drain()
                return True
            if not expects and FAULT != "resets_over_the_limit":
                await self.drain()
            return FAULT == "errors_keep_the_connection"

    def end(self, keep: bool) -> dict[str, str]:
        return {} if keep and not self.server.stopping else {"Connection": "close"}

    def frame(self, version: str, headers: list[tuple[str, bytes]]) -> None:
        codings = [value for name, value in headers if name == "transfer-encoding"]
        lengths = {value for name, value in headers if name == "content-length"}
        if version == "HTTP/1.1" and not any(name == "host" for name, _ in headers):
            raise Refused(400, None)
        if codings and (lengths or b",".join(codings).lower() != b"chunked"):
            raise Refused(400, None)
        if len(lengths) > 1 or any(not value.isdigit() or len(value) > 15 for value in lengths):
            raise Refused(400, None)
        self.body_left = None if codings else int(next(iter(lengths), b"0"))
        self.drained = self.body_left == 0

    def check_host(self, target: str, hosts: list[bytes]) -> None:
        if len(hosts) > 1 or any(not HOST.fullmatch(host) for host in hosts):
            raise Refused(400, None)
        if target.startswith("http://") and target[7:].partition("/")[0].encode() not in hosts:
            raise Refused(400, None)

    def route(self, method: str, target: str) -> str:
        if target.startswith("http://"):
            target = "/" + target[7:].partition("/")[2]
        path = target.partition("?")[0]
        if FAULT == "ignores_a_trailing_slash" and path != "/":
            path = path.rstrip("/")
        if path not in ALLOWED:
            raise Refused(404, "not_found")
        if method not in KNOWN_METHODS:
            raise Refused(501, None)
        if method not in ALLOWED[path]:
            allow = ", ".join(sorted(ALLOWED[path]))
            raise Refused(405, "method_not_allowed", {"Allow": allow} if FAULT != "no_allow" else {})
        return path

    async def upload(self, headers: dict[str, bytes], expects: bool) -> None:
        limits = self.settings.limits
        kind = headers.get("content-type")
        try:
            boundary = read_boundary(kind)
        except Unclear:
            boundary = "unsupported_media_type"
        if isinstance(boundary, str):
            raise Refused(415 if boundary == "unsupported_media_type" else 400, boundary)
        length_known = self.body_left is not None
        if self.body_left is not None and self.body_left > limits.max_request_bytes:
            raise Refused(413, "request_too_large")
        if expects and FAULT != "continues_always":
            self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        spool = Spool(self.settings.upload_dir)
        try:
            body = await self.receive(spool, limits, length_known)
            if FAULT == "closes_without_an_answer":
                raise Gone
            spool.store(decide(kind, boundary, body, limits, length_known=length_known))
        except Refused as error:
            if FAULT == "keeps_the_first_file" and error.code == "file_too_large":
                spool.store([("", b"the first file")])
            raise
        except OSError as error:
            spool.remove()
            full = error.errno in (errno.ENOSPC, errno.EDQUOT) and FAULT != "full_disk_is_500"
            raise Refused(507, "insufficient_storage") if full else Refused(500, "storage_failed") from None
        finally:
            if FAULT != "leaves_incomplete_files":
                spool.remove_incomplete()

    async def receive(self, spool: Spool, limits: Limits, length_known: bool) -> bytes:
        pieces = []
        size = 0
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.settings.idle_s * 2
        while piece := await self.body_piece():
            size += len(piece)
            if size > limits.max_request_bytes and not (FAULT == "no_limit_for_chunks" and not length_known):
                raise Refused(413, "request_too_large")
            if FAULT == "limits_the_whole_upload" and loop.time() > deadline:
                raise Gone
            pieces.append(piece)
            spool.write(piece)
        return b"".join(pieces)


def decide(
    kind: bytes | None, boundary: bytes, body: bytes, limits: Limits, *, length_known: bool
) -> list[tuple[str, bytes]]:
    """Return what is to be stored, as names and contents, or raise."""
    delimiter = b"--" + boundary
    if FAULT == "accepts_cut_bodies" and delimiter + b"--" not in body:
        body += b"\r\n" + delimiter + b"--"
    if FAULT == "loses_parts_after_junk":
        body = b"\r\n".join(b"" if line.startswith(delimiter + b" ") else line for line in body.split(b"\r\n"))
    if FAULT == "knows_no_preamble" and not body.startswith(delimiter):
        raise Refused(400, "malformed_multipart")
    if FAULT == "ends_at_nearly_the_boundary":
        body = body.replace(b"\r\n" + delimiter[:-1] + b"z", b"\r\n" + delimiter)
    if FAULT == "freezes_on_array_fields" and b"a[4294967294]" in body:
        raise Gone
    if FAULT == "skips_dots" and b'filename=".."' in body:
        raise Refused(400, "no_file")
    if FAULT == "limit_is_exclusive":
        limits = Limits(max_file_bytes=limits.max_file_bytes - 1, max_request_bytes=limits.max_request_bytes)
    if FAULT == "no_limit_for_chunks" and not length_known:
        limits = Limits(max_file_bytes=limits.max_file_bytes)
    if FAULT == "accepts_nameless_parameters":
        body = body.replace(b'; ="x"', b"")
    verdicts = judge(kind, body, limits, length_known=length_known)
    if verdicts is None:  # a backslash that escapes nothing: keep it
        verdicts = judge(kind, body.replace(b"\\a", b"\\\\a"), limits, length_known=length_known)
    if verdicts is None:
        raise Refused(400, "malformed_multipart")
    if FAULT == "wrong_status" and verdicts[0].code == "no_file":
        raise Refused(422, "no_file")
    if verdicts[0].code is not None:
        raise Refused(verdicts[0].status, verdicts[0].code)
    files = verdicts[0].files
    if FAULT == "loses_the_second_file":
        files = files[:1]
    if FAULT == "trims_files":
        files = tuple(data.rstrip(b"\r\n") for data in files)
    name = (
        body.partition(b'filename="')[2].partition(b'"')[0].decode("latin-1") if FAULT == "uses_the_client_name" else ""
    )
    return [("" if "/" in name else name, data) for data in files]


class Spool:
    """What is received is written under a hidden name; what is good is stored under its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / f".incomplete-{uuid.uuid4()}"
        self.stored: list[Path] = []

    def write(self, piece: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(piece)

    def store(self, files: list[tuple[str, bytes]]) -> None:
        self.remove_incomplete()
        for name, data in files:
            hidden = self.directory / f".incomplete-{uuid.uuid4()}"
            self.stored.append(hidden)
            hidden.write_bytes(data)
            final = self.directory / (name or str(uuid.uuid4()))
            hidden.rename(final)
            self.stored[-1] = final

    def remove(self) -> None:
        for path in self.stored:
            path.unlink(missing_ok=True)

    def remove_incomplete(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


class Server:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clients: dict[asyncio.Task[None], Client] = {}
        self.stopping = False

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.clients[task] = Client(self, reader, writer)
        try:
            await self.clients[task].serve()
        finally:
            del self.clients[task]

    async def run(self) -> None:
        for left in self.settings.upload_dir.glob(".incomplete-*"):
            if left.is_file() and FAULT == "does_not_start_beside_incomplete_files":
                quit_with("there are incomplete files")
            if left.is_file() and FAULT != "keeps_old_incomplete_files":
                left.unlink()
        listener = await asyncio.start_server(
            self.accept, self.settings.host, self.settings.port, backlog=1_024, limit=2**16
        )
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number_ in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number_, stop.set)
        await stop.wait()
        self.stopping = True
        listener.close()
        tasks = dict(self.clients)
        if FAULT == "keeps_idle_connections_at_stop":  # for as long as Tomcat did
            await asyncio.sleep(6)
        for task, client in tasks.items():
            if not client.busy or FAULT == "cuts_uploads_at_stop":
                task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=self.settings.stop_grace_s)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(Server(Settings()).run())
