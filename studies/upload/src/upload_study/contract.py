"""Prove by bytes, before a server is measured, that it does what every system must do."""

import hashlib
from pathlib import Path
from typing import Any

import httpx

from study_kit.gates import gate
from upload_study.inputs import ensure
from upload_study.spec import GateError, RunSpec

HTML = "text/html; charset=utf-8"


def verify(spec: RunSpec) -> dict[str, Any]:
    """Upload the smallest, the median and the largest file of the scenario, then two in one request.

    Each answer must be the fixed page, each file stored exactly, under a fresh name, and nothing else left
    (by a server that stores).
    Raises GateError with what was different.
    """
    inputs = ensure(spec.factors, spec.load, spec.seed)
    by_size = sorted(inputs.payload_dir.glob("*.split"), key=lambda path: int(path.stem))
    small, middle, large = by_size[0], by_size[len(by_size) // 2], by_size[-1]
    uploaded = 0
    with httpx.Client(timeout=60, trust_env=False) as client:
        for files in ([small], [middle], [large], [small, large]):
            _upload(client, spec, files)
            uploaded += len(files)
    kept = "stored byte for byte and answered" if spec.server.upload.stores else "answered"
    sentence = f"{uploaded} uploaded files were {kept} with the fixed page."
    return {
        "stored_files": uploaded if spec.server.upload.stores else 0,
        "found_files": sum(1 for entry in spec.upload_dir.iterdir() if entry.is_file()),
        "gate": gate("contract", True, uploaded, "uploads compared", uploaded, sentence),
    }


def _upload(client: httpx.Client, spec: RunSpec, files: list[Path]) -> None:
    before = _names(spec.upload_dir)
    parts = [(spec.server.upload.field, (path.name, path.read_bytes(), "image/jpeg")) for path in files]
    sizes = " and ".join(f"{path.stat().st_size:,}" for path in files)
    what = f"An upload of {sizes} bytes to {spec.server.upload_url}"
    try:
        answer = client.post(spec.server.upload_url, files=parts)
    except httpx.HTTPError as error:
        raise GateError(f"{what} failed: {error}.") from error
    _expect(answer.status_code == 200, f"{what} was answered with {answer.status_code}, not 200.")
    kind = answer.headers.get("content-type", "none")
    _expect(kind.lower().replace(" ", "") == HTML.replace(" ", ""), f"{what} was answered as '{kind}', not '{HTML}'.")
    page = hashlib.sha256(answer.content).hexdigest()
    _expect(
        page == spec.driver.page_sha256,
        f"{what} was answered with another page ({len(answer.content)} bytes, SHA-256 {page[:12]}) "
        f"than the contract's ({spec.driver.page_bytes} bytes, {spec.driver.page_sha256[:12]}).",
    )
    if spec.server.upload.stores:
        _expect_stored(spec, files, before, what)


def _expect_stored(spec: RunSpec, files: list[Path], before: set[str], what: str) -> None:
    new = _names(spec.upload_dir) - before
    _expect(len(new) == len(files), f"{what} left {len(new)} new files in the upload folder, not {len(files)}.")
    kept = sorted(_sha256(spec.upload_dir / name) for name in new)
    _expect(kept == sorted(map(_sha256, files)), f"{what} was stored with other bytes than were sent.")


def _expect(kept: bool, otherwise: str) -> None:
    if not kept:
        raise GateError(otherwise)


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
