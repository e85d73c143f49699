"""Tries a system's process, another one than that of all other cases: with a failing disk, and how it ends."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from uploadlab.conformance.case import ANSWER_S
from uploadlab.conformance.cases.process import DISK_BYTES, FITS, TOO_LARGE
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.results import SKIPPED, Result
from uploadlab.conformance.store import Store, digests, wait_until
from uploadlab.conformance.system import StartedSystem, can_mount
from uploadlab.conformance.wire import Connection, Response, said

SIGNAL_S = 0.2
"""Between half of the upload and the signal, and between the signal and its other half."""


def disk_full(result: Result, system: StartedSystem) -> None:
    """Fill a small disk of its own."""
    if not can_mount():
        result.verdict, result.reasons = SKIPPED, ["needs unshare and mount: a small disk of its own"]
        return
    with system.another(disk_bytes=DISK_BYTES) as other:
        _judge_failure(result, other.endpoint, other.endpoint.upload(TOO_LARGE, ANSWER_S))


def disk_gone(result: Result, system: StartedSystem) -> None:
    """Put a file where the folder was: even root cannot write there."""
    with system.another() as other:
        away = other.uploads.rename(other.uploads.with_name("away"))
        other.uploads.touch()
        responses = [other.endpoint.upload(file, ANSWER_S) for file in (TOO_LARGE, FITS)]
        other.uploads.unlink()
        away.rename(other.uploads)
        _judge_failure(result, other.endpoint, *responses)


def _judge_failure(result: Result, endpoint: Endpoint, *responses: Response | str) -> None:
    serves = wait_until(lambda: endpoint.accepts(endpoint.upload(FITS, ANSWER_S)), ANSWER_S, pause_s=0.1)
    seen = list(dict.fromkeys(map(said, responses)))
    result.seen = f"{' and '.join(seen)}, then {'accepted' if serves else 'not accepted'}"
    if any(endpoint.accepts(response) for response in responses):
        result.unsafe.append("what cannot have been stored is accepted")
    elif not all(isinstance(response, Response) and response.status >= 500 for response in responses):
        result.fail(f"the response is {' and '.join(seen)}")
    if not serves:
        result.unsafe.append(
            "the server ended" if endpoint.ended() else f"a file that fits is not accepted for {ANSWER_S:g} s"
        )


def stop(result: Result, system: StartedSystem) -> None:
    """Ask it to end while a connection is kept alive."""
    with system.another() as other, closing(Connection(other.endpoint.address)) as idle:
        forms = other.endpoint.forms
        idle.send(forms.upload(forms.file(FITS)))
        idle.receive()
        _judge_end(result, other.stop())


def stop_upload(result: Result, system: StartedSystem) -> None:
    """Ask it to end in the middle of an upload, whose rest is sent all the same."""
    with (
        system.another() as other,
        closing(Connection(other.endpoint.address)) as connection,
        ThreadPoolExecutor(1) as pool,
    ):
        endpoint, store = other.endpoint, Store(other.endpoint.store)
        data = endpoint.forms.upload(endpoint.forms.file(TOO_LARGE))
        connection.send(data[: len(data) // 2])
        time.sleep(SIGNAL_S)
        ending = pool.submit(other.stop)
        time.sleep(SIGNAL_S)
        connection.send(data[len(data) // 2 :])
        response = connection.receive() or connection.state
        _judge_end(result, ending.result())
        result.seen = f"{said(response)}; {result.seen}"
        if not endpoint.accepts(response):
            left = len(store.new())
            result.seen += f", {left} file{'' if left == 1 else 's'} left"
            if left:
                result.fail("something is left of an upload that was cut off")
        elif store.folders and store.stored() != digests([TOO_LARGE]):
            result.unsafe.append("accepted, and not stored as sent")


def _judge_end(result: Result, seconds: float | None) -> None:
    result.seen = "killed" if seconds is None else f"ended after {seconds:.1f} s"
    if seconds is None:
        result.unsafe.append("the process had to be killed")


OWN_PROCESS = {"disk-full": disk_full, "disk-gone": disk_gone, "stop": stop, "stop-upload": stop_upload}
"""By the name that a case has for it."""
