#!/usr/bin/env python3
"""A server to begin with, on Python's library alone: it takes a whole upload into memory and stores its files."""

import http.server
import json
import os
import re
import uuid
from pathlib import Path

PAGE = Path(__file__).with_name("page.html").read_bytes()
FOLDER = Path(os.environ["UPLOAD_DIR"])
MAX_FILE_BYTES = int(os.environ.get("MAX_FILE_BYTES", 200 << 20))
MAX_REQUEST_BYTES = int(os.environ.get("MAX_REQUEST_BYTES", 230 << 20))
BOUNDARY = re.compile(r'multipart/form-data *;.*boundary="?([^";]+)"?', re.IGNORECASE)
FILE = re.compile(rb'content-disposition: *form-data; *name="avatar"; *filename="[^"]', re.IGNORECASE)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    wbufsize = -1  # the head and the body of an answer leave together

    def do_GET(self) -> None:
        if self.path == "/health":
            self.answer(200, "application/json", b'{"status":"ok"}')
        else:
            self.refuse(404, "not_found")

    def do_POST(self) -> None:
        boundary = BOUNDARY.match(self.headers.get("Content-Type", ""))
        length = int(self.headers.get("Content-Length", 0))
        if self.path != "/getimages":
            self.refuse(404, "not_found")
        elif not boundary:
            self.refuse(415, "unsupported_media_type")
        elif length > MAX_REQUEST_BYTES:
            self.refuse(413, "request_too_large")
        else:
            self.take(self.rfile.read(length), b"\r\n--" + boundary[1].encode())

    def take(self, body: bytes, delimiter: bytes) -> None:
        pieces = (b"\r\n" + body).split(delimiter)
        parts = [piece.partition(b"\r\n\r\n") for piece in pieces[1:-1]]
        files = [data for head, _, data in parts if FILE.search(head)]
        if not parts or not pieces[-1].startswith(b"--"):
            self.refuse(400, "malformed_multipart")
        elif not files or len(files) > 2:
            self.refuse(400, "too_many_files" if files else "no_file")
        elif max(map(len, files)) > MAX_FILE_BYTES:
            self.refuse(413, "file_too_large")
        else:
            for data in files:
                incomplete = FOLDER / f".incomplete-{uuid.uuid4()}"
                incomplete.write_bytes(data)
                incomplete.rename(FOLDER / str(uuid.uuid4()))
            self.answer(200, "text/html; charset=utf-8", PAGE)

    def refuse(self, status: int, code: str) -> None:
        self.close_connection = True
        self.answer(status, "application/json", json.dumps({"error": {"code": code, "message": code}}).encode())

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.send_header("Connection", "close" if self.close_connection else "keep-alive")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no line for each request: the other servers write none."""


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 511  # as the others: connections that the kernel keeps until they are accepted


if __name__ == "__main__":
    Server((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
