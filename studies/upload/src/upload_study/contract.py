"""Rows 1 to 4 of the upload contract, proven by content before and after a server is measured."""

import contextlib
import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import msgspec

from study_kit.gates import gate
from upload_study.inputs import ensure
from upload_study.spec import Expected, GateError, RunSpec

AT_ONCE, TIMES = 16, 2
MOST_LISTED = 10_000
"""Files that are listed again and again: of more, as in a folder of the server's own, that would take too long."""
A_SECOND = 1.1
"""A response that has the time in it differs by then."""


def verify(spec: RunSpec) -> dict[str, Any]:
    """Upload the smallest, the median and the largest file of the scenario, then the smallest under its name again.

    Before the load the median file is uploaded many times at once, too: who answers first and stores then is late. A
    server that takes two files in a request gets the largest with the last. Each response must be as the first of
    the run was, and each file must be in a new file of the folder that can be looked at. Raises GateError with what
    was different.
    """
    inputs = ensure(spec.factors, spec.load, spec.seed)
    by_size = sorted(inputs.payload_dir.glob("*.split"), key=lambda path: int(path.stem))
    small, middle, large = by_size[0], by_size[len(by_size) // 2], by_size[-1]
    last = [small, large][: spec.server.upload.files]
    with httpx.Client(timeout=60, trust_env=False, headers=spec.server.upload.request_headers()) as client:
        proof = _Proof(spec, client)
        for files in ([small], [middle], [large]):
            proof.upload(files)
        if spec.verified is None and spec.server.upload.response is None:
            time.sleep(A_SECOND)
        proof.upload(last)
        if spec.stored_in and spec.verified is None and len(proof.files) < MOST_LISTED:
            proof.upload_at_once(middle)
    expected = spec.verified.expected if spec.verified else proof.expected()
    count = 3 + len(last)
    stored = "stored byte for byte" if spec.stored_in else "sent (bytes not verified)"
    answered = "the same body" if expected.body_sha256 else f"status {expected.status}, each with a body of its own"
    sentence = f"{count} files were {stored}, and answered with {answered}."
    return {
        "expected": msgspec.to_builtins(expected),
        "files_per_upload": proof.files_per_upload,
        "files_before": proof.files_before,
        "files_after": len(proof.files),
        "begin": expected.told(),
        "gate": gate(
            "contract",
            True,
            count,
            "uploads compared",
            count,
            sentence,
        ),
    }


class _Proof:
    """The uploads of one proof, and what was in the folder after each."""

    def __init__(self, spec: RunSpec, client: httpx.Client) -> None:
        self._spec, self._client = spec, client
        self._responses: list[httpx.Response] = []
        self.files = _files(spec.stored_in)
        self.files_before = len(self.files)
        self.files_per_upload = 0

    def upload(self, files: list[Path]) -> None:
        target = self._spec.server.upload
        parts = [(target.field, (path.name, path.read_bytes(), "image/jpeg")) for path in files]
        sizes = " and ".join(f"{path.stat().st_size:,}" for path in files)
        what = f"An upload of {sizes} bytes to {self._spec.server.upload_url}"
        try:
            response = self._client.post(self._spec.server.upload_url, data=target.form, files=parts)
        except httpx.HTTPError as error:
            raise GateError(f"{what} failed: {error}.") from error
        self._expect_response(response, what)
        self._responses.append(response)
        if self._spec.stored_in:
            self._expect_stored(files, what)

    def upload_at_once(self, file: Path) -> None:
        """Upload a file many times at once; whenever one is answered, as many files must be there as were answered.

        One upload alone would not tell: its file is stored before anybody can look.
        """
        target, url, content = self._spec.server.upload, self._spec.server.upload_url, file.read_bytes()
        parts = [(target.field, (file.name, content, "image/jpeg"))]
        counting, late = threading.Lock(), list[bool]()

        def upload(_: int) -> None:
            with (
                contextlib.suppress(httpx.TransportError),  # what is refused or lost is the load's to judge
                self._client.stream("POST", url, data=target.form, files=parts) as response,
            ):
                with counting:
                    if target.accepts(response.status_code):
                        new = _files(self._spec.stored_in) - self.files
                        late.append(sum(_has_bytes(path, len(content)) for path in new) <= len(late))
                response.read()

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(upload, range(AT_ONCE * TIMES)))
        self.files = _files(self._spec.stored_in)
        _expect(
            not any(late),
            f"Of {len(late)} uploads to {url}, {AT_ONCE} at once, {sum(late)} were answered before their file was "
            f"stored in {self._spec.stored_in}.",
        )

    def expected(self) -> Expected:
        """Return what the first response of the run makes of all later ones."""
        first = self._responses[0]
        bodies = {response.content for response in self._responses}
        mode = self._spec.server.upload.response or ("same" if len(bodies) == 1 else "any")
        return _expected(first, same=mode == "same")

    def _expect_response(self, response: httpx.Response, what: str) -> None:
        target, status = self._spec.server.upload, response.status_code
        wanted = " or ".join(map(str, target.accepted)) or "200 to 299"
        _expect(target.accepts(status), f"{what} was answered with {status}, not {wanted}.")
        closed = response.http_version != "HTTP/1.1" or response.headers.get("connection", "").lower() == "close"
        _expect(not closed, f"{what} was answered, but the connection was not kept open.")
        if self._spec.verified:
            first = self._spec.verified.expected
        elif self._responses:
            first = _expected(self._responses[0], same=target.response == "same")
        else:
            return
        kind = _type(response)
        _expect(
            status == first.status, f"{what} was answered with {status}, the first one of the run with {first.status}."
        )
        _expect(kind == first.type, f"{what} was answered as '{kind}', the first one of the run as '{first.type}'.")
        same = not first.body_sha256 or hashlib.sha256(response.content).hexdigest() == first.body_sha256
        _expect(
            same,
            f"{what} was answered with another body ({len(response.content)} bytes) than the run's first one "
            f'({first.body_bytes} bytes); where each differs, [upload] of sut.toml says response = "any".',
        )

    def _expect_stored(self, files: list[Path], what: str) -> None:
        now = _files(self._spec.stored_in)
        new, self.files = now - self.files, now
        sent = Counter(map(_sha256, files))
        _expect(
            not {str(self._spec.stored_in / path.name) for path in files if self._spec.stored_in} & now,
            f"{what} was stored under the name that the client gave it: uploads of one name overwrite each other.",
        )
        kept = Counter(map(_sha256, map(Path, new)))
        _expect(
            sent <= kept,
            f"{what} left {len(new)} new files in {self._spec.stored_in}, of which {(sent & kept).total()} "
            f"have the bytes that were sent, not {len(files)}.",
        )
        _expect(len(new) % len(files) == 0, f"{what} left {len(new)} new files, which is no number for each upload.")
        self.files_per_upload = len(new) // len(files)


def _expected(response: httpx.Response, *, same: bool) -> Expected:
    content = response.content
    return Expected(
        status=response.status_code,
        type=_type(response),
        body_bytes=len(content) if same else 0,
        body_sha256=hashlib.sha256(content).hexdigest() if same else "",
    )


def _type(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "none")).lower().replace(" ", "")


def _expect(kept: bool, otherwise: str) -> None:
    if not kept:
        raise GateError(otherwise)


def _files(folder: Path | None) -> set[str]:
    """Return the paths of all files below a folder."""
    return set(_within(folder)) if folder else set()


def _has_bytes(path: str, count: int) -> bool:
    with contextlib.suppress(FileNotFoundError):  # renamed meanwhile
        return Path(path).stat().st_size == count
    return False


def _within(folder: Path | str) -> Iterable[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _within(entry.path)
            else:
                yield entry.path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
