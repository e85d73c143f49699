"""Who listens where."""

import itertools
import socket
import threading
from collections.abc import Iterator

import pytest

from uploadlab.errors import LabError
from uploadlab.hosts import ports
from uploadlab.hosts.ports import free_port, is_answered


@pytest.fixture
def no_http() -> Iterator[int]:
    """Return the port of a server that greets as one of mail does, and then hangs up."""

    def greet() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"220 mail.example.org ready\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=greet)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_a_server_that_answers_something_other_than_http_is_not_ready(no_http):
    assert not is_answered(f"http://127.0.0.1:{no_http}/health")


def test_an_address_of_another_machine_is_named_where_a_port_of_it_is_wanted():
    with pytest.raises(LabError, match=r"192\.0\.2\.1 is not an address of this machine, so nothing can listen there"):
        free_port("192.0.2.1")


def test_a_port_is_given_once_and_to_nobody_else_who_comes_before_it_is_listened_on(monkeypatch):
    given = [free_port() for _ in range(5)]
    assert len(set(given)) == 5
    assert set(given) <= set(ports.PORTS)
    monkeypatch.setattr(ports, "_in_turn", itertools.cycle(given))  # as another lab's that begins at the same one
    with pytest.raises(LabError, match=r"^No free port between 18080 and 19079 on 127\.0\.0\.1\.$"):
        free_port()
