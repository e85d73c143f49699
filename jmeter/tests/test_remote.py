"""A remote engine: `jmeter-server` on the loopback, over SSL with a key made for it."""

import subprocess
from contextlib import ExitStack

import pytest
from finished import read_rows
from waiting import running, wait_for

from uploadlab.hosts.ports import free_port, is_listened_on

from .conftest import JMETER, QUICK_START
from .stub_server import StubServer


@pytest.fixture
def key(home, tmp_path):
    made = subprocess.run([home / "bin/create-rmi-keystore.sh"], cwd=tmp_path, capture_output=True, check=False)
    assert made.returncode == 0, made.stdout
    return tmp_path / "rmi_keystore.jks"


@pytest.mark.long
@pytest.mark.slow
def test_two_engines_each_run_the_whole_plan_and_end_when_told(home, payloads, key, tmp_path):
    ports = [free_port(), free_port()]
    (tmp_path / "sizes.csv").write_text("10\n20\n30\n")
    with ExitStack() as stack, StubServer() as stub:
        engines = []
        for port in ports:
            command = [home / "bin/jmeter-server", "-q", JMETER / "lab.properties", "-j", f"engine-{port}.log"]
            told = {**QUICK_START, "SERVER_PORT": str(port), "RMI_HOST": "127.0.0.1"}
            engines.append(stack.enter_context(running(command, cwd=tmp_path, env=told, stderr=subprocess.DEVNULL)))
        for port in ports:
            wait_for(lambda port=port: is_listened_on("127.0.0.1", port))
        settings = {"port": stub.port, "sizes_csv": tmp_path / "sizes.csv", "payload_dir": payloads}
        settings |= {"threads": 2, "loops": 3, "warmup_threads": 1, "warmup_loops": 2}
        run = subprocess.run(
            [JMETER / "bin/lab-jmeter", "-n", "-t", JMETER / "upload.jmx", "-l", "r.jtl", "-j", "client.log", "-X"]
            + ["-R", ",".join(f"127.0.0.1:{port}" for port in ports), "-Djava.rmi.server.hostname=127.0.0.1"]
            + [f"-Glab.{name}={value}" for name, value in settings.items()],
            cwd=tmp_path,
            env=QUICK_START,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stdout
        assert [engine.wait(timeout=60) for engine in engines] == [0, 0]
    assert sorted(arrival.size for arrival in stub.arrivals) == sorted(2 * [10, 20, 30, 10, 20, 30, 10, 20])
    rows = read_rows(tmp_path / "r.jtl")
    assert sorted(row["label"] for row in rows) == ["Upload file"] * 12 + ["Warm-up upload"] * 4
    assert {row["success"] for row in rows} == {"true"}
    # The engine stands before the thread's name.
    assert {row["threadName"].partition("-")[0] for row in rows} == {f"127.0.0.1:{port}" for port in ports}
