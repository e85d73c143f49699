#!/usr/bin/env python3
"""Takes uploads in the simplest right way; with FAULT=name it is wrong in one. To test the suite with, not to use."""

import errno
import itertools
import json
import os
import re
import signal
import socket
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

FAULT = os.environ.get("FAULT", "")
FOLDER = Path(os.environ["UPLOAD_DIR"])
LIMIT = int(os.environ.get("MAX_FILE_BYTES", 4 << 20))
IDLE_S = None if FAULT == "waits_for_ever" else 4.0
WRONG_IN_ALL = ("accepts_everything", "refuses_everything", "says_nonsense")
TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
BOUNDARY = re.compile(
    rb'multipart/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;",]{1,70}))\s*(?:;.*)?', re.IGNORECASE
)
NAME = re.compile(rb'form-data;(?:.*;)? *name="?([^";]+)"?(?:;.*)?', re.IGNORECASE)
FILENAME = re.compile(rb';\s*filename(?:\*=[^;]*|="((?:[^"\\]|\\.)*)"|=([^\s";]+))', re.IGNORECASE)
leaked = []
wires: list["Wire"] = []
grown: list[bytes] = []
numbers = itertools.count()


class Refused(Exception):
    """The status to answer with."""


class Gone(Exception):
    """The client has left."""


class Wire:
    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.buffer = connection, b""
        self.body: bytearray | None = None
        """What came so far of a body that is not complete."""
        connection.settimeout(IDLE_S)

    def more(self) -> None:
        try:
            data = self.connection.recv(65_536)
        except OSError:
            data = b""
        if not data:
            raise Gone
        self.buffer += data

    def until(self, end: bytes, most: int) -> bytes:
        while end not in self.buffer:
            if len(self.buffer) > most:
                raise Refused(431)
            self.more()
        taken, _, self.buffer = self.buffer.partition(end)
        return taken

    def exactly(self, count: int) -> bytes:
        taken = bytearray()
        while True:
            piece = self.buffer[: count - len(taken)]
            self.buffer = self.buffer[len(piece) :]
            taken += piece
            self.body += piece
            if len(taken) == count:
                return bytes(taken)
            self.more()

    def chunks(self) -> bytes:
        body = b""
        while True:
            if FAULT == "takes_lf_after_chunk_size":
                line = self.until(b"\n", 8_192).removesuffix(b"\r")
            else:
                line = self.until(b"\r\n", 8_192)
            size, _, extension = line.partition(b";")
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", size) or (b"\n" in extension or b"\r" in extension):
                raise Refused(400)
            if int(size, 16) == 0:
                trailers = 0
                while self.until(b"\r\n", 8_192):
                    trailers += 1
                    if trailers > 100:
                        raise Refused(431)
                return body
            body += self.exactly(int(size, 16))
            if self.exactly(2) != b"\r\n":
                raise Refused(400)


def read_head(wire: Wire) -> tuple[bytes, bytes, bytes, dict[bytes, list[bytes]]]:
    while not wire.buffer or b"\r\n".startswith(wire.buffer[:2]):
        wire.buffer = wire.buffer.removeprefix(b"\r\n")
        if not wire.buffer:
            wire.more()
    lines = wire.until(b"\r\n\r\n", 16_384).split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or words[2] not in (b"HTTP/1.1", b"HTTP/1.0") or len(lines) > 100:
        raise Refused(400)
    headers: dict[bytes, list[bytes]] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not TOKEN.fullmatch(name) or set(value) & {0, 10, 13}:
            raise Refused(400)
        headers.setdefault(name.lower(), []).append(value.strip(b" \t"))
    if words[2] == b"HTTP/1.1" and (len(headers.get(b"host", [])) != 1 or b" " in headers[b"host"][0]):
        raise Refused(400)
    if words[2] == b"HTTP/1.0" and b"transfer-encoding" in headers:
        raise Refused(400)
    return words[0], words[1], words[2], headers


def read_body(wire: Wire, version: bytes, headers: dict[bytes, list[bytes]]) -> bytes:
    lengths, codings = set(headers.get(b"content-length", [])), headers.get(b"transfer-encoding", [])
    both = bool(lengths and codings)
    if (both and FAULT != "takes_both_lengths") or len(lengths) > 1 or codings not in ([], [b"chunked"]):
        raise Refused(400)
    length = next(iter(lengths), b"0")
    if not re.fullmatch(rb"[0-9]{1,18}", length):
        raise Refused(400)
    expects = [value.lower() for value in headers.get(b"expect", [])]
    if int(length) > LIMIT + 20_000_000 and FAULT != "takes_any_length":
        raise Refused(413)
    if expects == [b"100-continue"] and version == b"HTTP/1.1" and FAULT != "no_continue":
        kind = headers.get(b"content-type", [b""])[0]
        if not BOUNDARY.fullmatch(kind):
            raise Refused(415)
        wire.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    elif expects not in ([], [b"100-continue"]):
        raise Refused(417)
    wire.body = bytearray()
    body = wire.chunks() if codings else wire.exactly(int(length))
    wire.body = None
    return body


def files_of(kind: bytes, body: bytes) -> list[tuple[bytes, bytes]]:
    match = BOUNDARY.fullmatch(kind)
    if not match:
        raise Refused(415)
    delimiter = b"\r\n--" + (match[1] or match[2])
    pieces = (b"\r\n" + body).split(delimiter)
    end = next((number for number, piece in enumerate(pieces) if number and piece.startswith(b"--")), None)
    if end is None:
        if FAULT == "takes_cut_end" and pieces[-1] == b"":
            end = len(pieces) - 1
        elif FAULT == "hangs_without_delimiter" and len(pieces) == 1 and len(body) == 5_000:
            time.sleep(3_600)
        else:
            if FAULT == "leaves_cut_file" and len(pieces) == 2 and 1_000 < len(pieces[1]) < 2_500:
                (FOLDER / f"part-{uuid.uuid4()}").write_bytes(pieces[1])
            raise Refused(400)
    found = []
    if end > 1_000:
        raise Refused(413)
    for piece in pieces[1:end]:
        head, blank, data = piece.partition(b"\r\n\r\n")
        if not blank or not re.match(rb"[ \t]*\r\n", head) or len(head) > 16_384 or head.count(b"\n") > 100:
            raise Refused(400)
        if FAULT == "ends_at_nul" and b"\x00" in head:
            os._exit(1)
        headers = {}
        for line in head.split(b"\r\n")[1:]:
            name, colon, value = line.partition(b":")
            if not colon or not TOKEN.fullmatch(name) or set(value) & {0, 13}:
                raise Refused(400)
            headers[name.lower()] = value.strip()
        disposition = headers.get(b"content-disposition", b"")
        if FAULT == "ends_at_empty_name" and b'name="";' in disposition:
            os._exit(1)
        name, filename = NAME.match(disposition), FILENAME.search(disposition)
        if not name:
            raise Refused(400)
        if b"[4294967294]" in name[1] and FAULT == "slow_at_index":
            time.sleep(3_600)
        if filename and (filename[1] or filename[2] or b"filename*" in filename[0]):
            if name[1] != b"file" or (len(data) > LIMIT and FAULT != "takes_too_large"):
                raise Refused(413 if len(data) > LIMIT and FAULT != "answers_400_for_too_large" else 400)
            found.append((filename[1] or b"", data))
    if not found or len(found) > 2:
        raise Refused(400)
    return found


def store(files: list[tuple[bytes, bytes]]) -> None:
    targets: list[Path] = []
    try:
        for filename, data in files:
            escapes = FAULT == "follows_path" and filename == b"../conformance-escaped"
            targets.append(FOLDER / (filename.decode() if escapes else str(uuid.uuid4())))
            if FAULT == "cuts_later_uploads" and len(list(FOLDER.iterdir())) > 5:
                data = data[1:]
            targets[-1].write_bytes(data.replace(b"\r\r\n", b"\r\n") if FAULT == "changes_cr_cr_lf" else data)
    except OSError as error:
        if FAULT == "ends_at_full_disk" and error.errno == errno.ENOSPC:
            os._exit(1)
        for target in targets:
            with suppress(OSError):
                target.unlink()
        is_small = max(len(data) for _, data in files) < 100_000
        if FAULT != "accepts_what_it_cannot_store" and not (FAULT == "accepts_small_files_unstored" and is_small):
            is_full = error.errno == errno.ENOSPC
            raise Refused(400 if FAULT == "answers_400_without_folder" and not is_full else 507) from error


def answer(wire: Wire, status: int, *, close: bool) -> None:
    body = json.dumps({"status": status}).encode()
    kept = "close" if close else "keep-alive"
    head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: {kept}\r\n\r\n"
    wire.connection.sendall(head.encode() + body)


def one_request(wire: Wire) -> bool:
    """Take one request; return whether another may follow."""
    close = True
    try:
        method, target, version, headers = read_head(wire)
        close = version == b"HTTP/1.0" or b"close" in [value.lower() for value in headers.get(b"connection", [])]
        body = read_body(wire, version, headers)
        if method != b"POST" or not re.fullmatch(rb"(http://[^/]+)?/api/files(\?.*)?", target):
            answer(wire, 404, close=close)
            return not close
        store(files_of(headers.get(b"content-type", [b""])[0], body))
        if next(numbers) % 50 == 7 and FAULT == "late_now_and_then":
            time.sleep(1.0)
        if FAULT == "leaks_on_success":
            leaked.append(os.open("/dev/null", os.O_RDONLY))
        answer(wire, 201, close=close)
        return not close
    except Refused as refused:
        if FAULT == "leaks_on_refusal":
            leaked.append(os.open("/dev/null", os.O_RDONLY))
        answer(wire, refused.args[0], close=True)
        wire.connection.shutdown(socket.SHUT_WR)
        try:
            while wire.connection.recv(65_536):
                pass
        except OSError:
            pass
        return False


def keep_what_came(*_: object) -> None:
    for wire in wires:
        if wire.body:
            (FOLDER / f"part-{uuid.uuid4()}").write_bytes(wire.body)
    os._exit(0)


def serve(connection: socket.socket) -> None:
    wire = Wire(connection)
    wires.append(wire)
    if FAULT == "grows":
        grown.append(os.urandom(60_000))
    try:
        while one_request(wire):
            pass
    except (Gone, OSError):
        if FAULT == "leaks_on_abort" and wire.body is not None:
            leaked.append(os.open("/dev/null", os.O_RDONLY))
        if FAULT == "keeps_what_came" and (wire.buffer or wire.body is not None):
            (FOLDER / f"part-{uuid.uuid4()}").write_bytes(wire.body or wire.buffer)
        if FAULT == "keeps_aborted_file" and b"\r\n\r\n" in (wire.body or b""):
            (FOLDER / f"part-{uuid.uuid4()}").write_bytes(wire.body)
    finally:
        wires.remove(wire)
        connection.close()


def serve_wrongly(connection: socket.socket) -> None:
    """Say the same to whatever comes, and close nothing; only whether it lives is answered rightly."""
    status = {"accepts_everything": b"HTTP/1.1 201 X", "refuses_everything": b"HTTP/1.1 400 X"}.get(
        FAULT, b"ICY 200 OK"
    )
    connection.settimeout(0.03)
    ended, data = False, b""
    with suppress(OSError), connection:
        while not ended:
            with suppress(TimeoutError):
                while piece := connection.recv(65_536):
                    data += piece
                ended = True
            if data:
                alive = data.startswith(b"GET /api/files HTTP/1.1") and b"Connection: close" in data
                connection.sendall((b"HTTP/1.1 404 X" if alive else status) + b"\r\nContent-Length: 0\r\n\r\n")
                data = b""
        time.sleep(1)


if __name__ == "__main__":
    if FAULT == "ignores_the_signal":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if FAULT == "stores_what_is_cut_by_the_end":
        signal.signal(signal.SIGTERM, keep_what_came)
    with socket.create_server((os.environ.get("HOST", "127.0.0.1"), int(os.environ["PORT"])), backlog=511) as listener:
        while True:
            accepted, _ = listener.accept()
            if FAULT == "one_at_a_time":
                serve(accepted)
            else:
                target = serve_wrongly if FAULT in WRONG_IN_ALL else serve
                threading.Thread(target=target, args=(accepted,), daemon=True).start()
