"""Carries out the steps of a case against a server and reports what was seen."""

from __future__ import annotations

import time
from collections import Counter

from conformance.case import (
    HEALTH_BODY,
    Abort,
    AwaitAnswer,
    AwaitContinue,
    AwaitUpload,
    Exchange,
    FinishSending,
    Leave,
    Observation,
    Pause,
    Send,
    SendInPieces,
    Step,
)
from conformance.message import head
from conformance.store import Contents, Store, digests
from conformance.target import Target
from conformance.wire import Connection, Response, Unreadable, connected

STORAGE_TIMEOUT_S = 5.0
STORAGE_TIMEOUT_AFTER_ANSWER_S = 2.0
PROBE = head(b"GET /health HTTP/1.1")


def converse(exchange: Exchange, target: Target, store: Store) -> Observation:
    """Do what the exchange says, then look at the connection and the directory."""
    responses: list[Response] = []
    unreadable = None
    connection_state = "close"
    interim: tuple[int, ...] = ()
    reset = False
    began = time.monotonic()
    with connected(target.address, timeout_s=exchange.answer_timeout_s) as connection:
        connection.head_only = exchange.head_only
        try:
            gone = _perform(exchange, connection, store, responses)
            if not gone:
                wanted = max((len(outcome.answers) for outcome in exchange.expected), default=0)
                _receive_rest(connection, responses, max(wanted, 1))
                interim = tuple(connection.interim)
                connection_state = _connection_state(exchange, connection, responses)
                reset = connection.state == "reset"
        except Unreadable as error:
            unreadable = str(error)
        interim = interim or tuple(connection.interim)
    return Observation(
        responses=tuple(responses),
        interim=interim,
        connection=connection_state,
        reset=reset,
        contents=_settle(exchange, store, STORAGE_TIMEOUT_AFTER_ANSWER_S if responses else STORAGE_TIMEOUT_S),
        unreadable=unreadable,
        elapsed_s=time.monotonic() - began,
    )


def _perform(exchange: Exchange, connection: Connection, store: Store, responses: list[Response]) -> bool:
    """Do the steps; return whether we left the connection ourselves."""
    for step in exchange.steps:
        if isinstance(step, Abort | Leave):
            connection.abort() if isinstance(step, Abort) else connection.close()
            return True
        if not _do(step, connection, store, responses):
            break
    return False


def _do(step: Step, connection: Connection, store: Store, responses: list[Response]) -> bool:
    """Do one step; return whether the steps after it make sense."""
    match step:
        case Send(data, reading):
            return connection.send(data, reading=reading)
        case SendInPieces(data, piece, pause_s):
            for start in range(0, len(data), piece):
                if not connection.send(data[start : start + piece]):
                    return False
                if pause_s and connection.wait_for_end(pause_s) != "open":
                    return False
        case Pause(seconds):
            return connection.wait_for_end(seconds) == "open"
        case AwaitAnswer():
            response = connection.receive()
            if response is None:
                return False
            responses.append(response)
        case AwaitContinue():
            return connection.receive_interim_or_final(connection.timeout_s) == 100
        case AwaitUpload():
            store.wait_for_upload()
        case FinishSending():
            connection.finish_sending()
    return True


def _receive_rest(connection: Connection, responses: list[Response], wanted: int) -> None:
    while len(responses) < wanted:
        response = connection.receive()
        if response is None:
            return
        responses.append(response)


def _connection_state(exchange: Exchange, connection: Connection, responses: list[Response]) -> str:
    """Find out whether the connection can carry another request, by sending one, or is ended by the server."""
    can_send = not any(isinstance(step, FinishSending) for step in exchange.steps)
    if not responses or responses[-1].closes or not can_send:
        ended = connection.wait_for_end(exchange.close_timeout_s) != "open"
        if connection.unread:
            surplus = connection.receive(0.0)
            if surplus is not None:
                responses.append(surplus)
        return "close" if ended else "hanging"
    connection.head_only = False
    if connection.state == "open" and connection.send(PROBE):
        probe = connection.receive()
        if probe is not None:
            if probe.status == 200 and probe.body == HEALTH_BODY:
                return "keep"
            responses.append(probe)
    return "close" if connection.state != "open" else "hanging"


def _settle(exchange: Exchange, store: Store, timeout_s: float) -> Contents:
    wanted: list[Counter[str]] = [digests(outcome.stored) for outcome in exchange.expected]
    return store.wait_until(lambda seen: not seen.strays and seen.stored in wanted, timeout_s)
