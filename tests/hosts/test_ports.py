"""Who listens where."""

import socket
import threading
from collections.abc import Iterator

import pytest

from uploadlab.errors import LabError
from uploadlab.hosts.ports import Ports, is_answered


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
        Ports("192.0.2.1").free()
