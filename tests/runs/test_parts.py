"""A part is not started where its port is another's by then."""

import itertools
import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import processes_that_name, wait_until_none

from uploadlab.errors import LabError
from uploadlab.hosts.local_host import LocalHost
from uploadlab.planning.system import Helper, PartHealth, Start
from uploadlab.runs.parts import Part, start_part


def _start(host: LocalHost, folder: Path, start: Start, port: int, environment: dict[str, str], **ports: int) -> None:
    cores = sorted(os.sched_getaffinity(0))
    where = {"place": "server", "cores": cores, "host": "127.0.0.1", "port": port, "ports": ports}
    part = Part(role="broker", index=0, start=start, **where)
    start_part(host, SimpleNamespace(key="any", folder=folder), part, environment, folder / "log")


@pytest.mark.parametrize("of", ["part", "helper"])
def test_whoever_listens_on_a_parts_port_already_is_not_taken_for_it(of, host, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        environment = {"PORT": "1" if of == "helper" else str(taken), "HELPER_PORT": str(taken)}
        helpers = [Helper(command=["true"], ready=PartHealth(port="HELPER_PORT"))] if of == "helper" else []
        start = Start(command=["true"], conducted=False, helpers=helpers)
        with pytest.raises(LabError, match=rf"was not started: another program listens on its port {taken}\.$"):
            _start(host, tmp_path, start, taken, environment)
    assert not (tmp_path / "log").exists(), "nothing was started"


def test_a_part_whose_health_command_hangs_is_not_waited_for_longer_than_it_may_take(host, tmp_path, monkeypatch):
    answers = itertools.chain([False], itertools.repeat(True))  # before it is started, and after
    monkeypatch.setattr(host, "listens", lambda _: next(answers))
    health = PartHealth(command=["sh", "-c", "touch asked; sleep 1000; true"], timeout_s=1)
    start = Start(command=["sleep", "1000"], conducted=False, health=health)
    with pytest.raises(LabError, match=r"^broker-0 was not ready within 1 s: its log is empty$"):
        _start(host, tmp_path, start, 1, {"PORT": "1"})
    assert (tmp_path / "asked").exists()
    host.stop_all()
    wait_until_none(lambda: processes_that_name(tmp_path))


def test_what_listens_on_a_hosts_loopback_alone_is_found_there(processes):
    host = LocalHost(processes, "127.0.0.2")
    with socket.create_server(("127.0.0.1", 0)) as mapper:
        assert host.listens(mapper.getsockname()[1])
