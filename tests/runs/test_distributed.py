"""Loads that several hosts make together: JMeter's engines in two network namespaces, the real server beside them."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import engine_hosts
import pytest
import two_hosts
from engine_hosts import EngineHosts
from finished import gates_of, read_rows
from waiting import PATIENCE_S, lines_until, read_process, running, screen, wait_for

pytestmark = two_hosts.NEEDED

LAB = [sys.executable, "-m", "uploadlab"]
ENVIRONMENT = {**os.environ, "JVM_ARGS": two_hosts.JAVA_IN_TESTS}
ROWS = 20
STEP_BYTES = 2000
"""Between two sizes: more than JMeter adds to a file, so that the bytes sent tell the size."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory) -> Iterator[EngineHosts]:
    assert subprocess.run([*LAB, "setup"], capture_output=True, check=False, timeout=PATIENCE_S).returncode == 0
    with engine_hosts.engine_hosts(tmp_path_factory.mktemp("hosts")) as hosts:
        yield hosts


@pytest.fixture
def sizes(tmp_path) -> Path:
    """Return a list of sizes, each another."""
    path = tmp_path / "sizes.txt"
    path.write_text("".join(f"{number * STEP_BYTES}\n" for number in range(1, ROWS + 1)))
    return path


def _command(hosts: EngineHosts, out: Path, sizes: Path, *more: str) -> list[str]:
    """A small campaign; on an emulated rig no run is repeated because this busy machine made it invalid."""
    command = [*LAB, "run", "--rig", str(hosts.rig(emulated=True)), "--injectors", hosts.injectors, "--out", str(out)]
    return [*command, "--profile", "emulated", "--systems", "node", "--sizes", str(sizes), *more]


def _run(out: Path, repeat: int) -> tuple[Path, dict]:
    """Return the folder of a run and its run.json."""
    (path,) = out.glob(f"runs/*/{repeat:02}/run.json")
    return path.parent, json.loads(path.read_text())


def test_two_engines_share_the_load_one_that_dies_fails_its_run_and_ctrl_c_leaves_none(hosts, sizes, tmp_path):
    out = tmp_path / "out"
    with running(_command(hosts, out, sizes, "--repeats", "3"), env=ENVIRONMENT) as lab:
        lines_until(lab, "warming up")
        dying = list(hosts.spaces)[1]
        os.kill(_engine_on(hosts, dying), signal.SIGKILL)
        lines_until(lab, "FAILED")
        reason = _run(out, 1)[1]["reason"]
        assert reason.startswith(f"The engine on {dying} ended with code 2: JMeter ended with code -9"), reason
        lines_until(lab, "INVALID")  # no run on this rig is valid, the second is complete
        wait_for(lambda: sum("ApacheJMeter.jar" in line for line in hosts.processes()) >= 2, beside=lab)
        lab.send_signal(signal.SIGINT)
        said = lab.communicate(timeout=PATIENCE_S)[1]
    assert lab.returncode == 130
    assert said.strip().splitlines()[-1] == "Interrupted; nothing was left running."
    assert not hosts.processes()
    assert not list(Path("/tmp").glob("upload-lab-secrets-*"))
    run, record = _run(out, 2)
    _every_row_was_sent_and_shared(hosts, run, record)
    _each_engine_was_watched(hosts, run, record)


def _every_row_was_sent_and_shared(hosts: EngineHosts, run: Path, record: dict) -> None:
    assert record["status"] == "complete", record["reason"]
    load, gates = record["load"], gates_of(record)
    rows = read_rows(run / "requests.jtl")
    measured = [row for row in rows if row["label"] == "Upload file"]
    users = Counter(name.partition(":")[0] for name in {row["threadName"] for row in measured})
    assert sorted(users) == sorted(hosts.spaces)
    assert sorted(users.values()) == [load["threads"] // 2, load["threads"] - load["threads"] // 2]
    assert len(measured) == load["threads"] * load["loops"] == load["requests"]
    assert sum(record["counts"]["requests_of"].values()) == len(measured)
    # As of one JMeter that goes through the list again and again: some rows once more than others, none left out.
    uses = Counter(int(row["sentBytes"]) // STEP_BYTES for row in measured)
    passes, beyond = divmod(load["requests"], ROWS)
    assert sorted(uses) == list(range(1, ROWS + 1))
    assert sorted(uses.values()) == [passes] * (ROWS - beyond) + [passes + 1] * beyond
    warm_ups = [row for row in rows if row["label"] == "Warm-up upload"]
    assert len(warm_ups) == 2 * load["warmup_threads"] * load["warmup_loops"] == load["warmup_requests"]
    assert all(gates[name]["passed"] for name in ("contract", "contract_after", "uploads_stored", "requests_sent"))


def _each_engine_was_watched(hosts: EngineHosts, run: Path, record: dict) -> None:
    gates = gates_of(record)
    watched = {f"{role}.{kind}" for role in ("injector", "injector-2") for kind in ("nmon", "samples.csv", "gc.log")}
    assert watched <= set(record["files"])
    judged = {"injector_cpu", "injector_wait", "injector_gc", "injector_heap", "injectors_together", "clock"}
    assert judged <= set(gates)
    assert gates["injector_cpu"]["sentence"].startswith(tuple(hosts.spaces)), "it says whose figure it is"
    assert set(record["clock"]) == {"server", "injector", "injector-2"}
    assert record["exit_codes"]["engine_injector"] == record["exit_codes"]["engine_injector-2"] == 0
    assert not [path for path in run.iterdir() if "engines" in path.name], "the parts are merged"
    assert "server.rmi.ssl" not in "".join(path.read_text(errors="replace") for path in run.glob("*.spec.json"))


def _engine_on(hosts: EngineHosts, address: str) -> int:
    """Return the pid of the JMeter that runs on a host."""
    for pid in two_hosts.run_command("ip", "netns", "pids", hosts.spaces[address]).split():
        if read_process(pid, "comm") == "java":
            return int(pid)
    raise AssertionError(f"no engine on {address}")


def _begun() -> bool:
    """True when the first engine was told to run a test."""
    logs = (two_hosts.REPOSITORY / ".lab" / "campaigns").glob("*/runs/*/*/injector.jmeter.log")
    return any("Creating JMeter engine" in log.read_text() for log in logs)


def _knock_without_key(address: str, port: int) -> None:
    """Begin to speak with an engine as one who has not the campaign's key."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # later versions refuse only what is said next
    with socket.create_connection((address, port), timeout=20) as plain:
        context.wrap_socket(plain).close()


def _window(display: dict[str, str]) -> str:
    """Return JMeter's window, when it shows the plan; else nothing."""
    search = ["xdotool", "search", "--onlyvisible", "--name", "upload.jmx"]
    found = subprocess.run(search, env=display, capture_output=True, text=True, check=False).stdout.split()
    return found[0] if found else ""


def _press(display: dict[str, str], keys: str) -> None:
    """Press keys in JMeter's window as soon as it takes them.

    There is no window manager: once the window is ready, a click on the plan's name, its first line, has Java give the
    keyboard to a window of its own within; a click beside a name of the tree doesn't.
    """

    def xdotool(*arguments: str) -> str:
        command = ["xdotool", *arguments]
        return subprocess.run(command, env=display, capture_output=True, text=True, check=False).stdout.strip()

    window = wait_for(lambda: _window(display), pause_s=0.5)
    without_keyboard = {"", window, xdotool("getwindowfocus")}

    def takes_keys() -> bool:
        if xdotool("getwindowfocus") not in without_keyboard:
            return True
        xdotool("windowfocus", window, "mousemove", "--window", window, "78", "64", "click", "1")
        return False

    wait_for(takes_keys, pause_s=1)
    xdotool("key", keys)


@pytest.mark.long
@pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="Xvfb or xdotool is not installed")
def test_jmeters_gui_starts_the_plan_on_the_same_engines_and_each_has_its_share(hosts, sizes):
    command = [*LAB, "engines", "--rig", str(hosts.rig()), "--injectors", hosts.injectors, "--profile", "emulated"]
    command += ["--systems", "node", "--sizes", str(sizes)]
    with running(command, env=ENVIRONMENT) as lab:
        said = lines_until(lab, "engines are ready")[-1]
        for address in hosts.spaces:
            for port in (1099, 1100):
                # Java 17.0.15 calls a client without a certificate one with a bad one; 17.0.21 fails the handshake.
                with pytest.raises(ssl.SSLError, match=r"(?i)bad.certificate|handshake.failure"):
                    _knock_without_key(address, port)
        spec = Path(said.rpartition(": ")[2].strip())
        load = json.loads(spec.read_text())["load"]
        warm_ups, measured = 2 * load["warmup_threads"] * load["warmup_loops"], load["threads"] * load["loops"]
        uploads = Path(json.loads(spec.read_text())["stored_in"])
        with screen() as name:
            display = {**ENVIRONMENT, "DISPLAY": name}
            command = [*LAB, "gui", "--engines", str(spec)]
            with subprocess.Popen(command, env=display, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as gui:
                try:
                    _press(display, "ctrl+shift+r")  # Remote Start All
                    wait_for(_begun, pause_s=0.5)
                    wait_for(lambda: len(list(uploads.iterdir())) >= warm_ups + measured)
                finally:
                    gui.terminate()
        stored = Counter(path.stat().st_size // STEP_BYTES for path in uploads.iterdir())
        assert sum(stored.values()) == warm_ups + measured
        assert sorted(stored) == list(range(1, ROWS + 1)), "every row was sent"
        lab.send_signal(signal.SIGINT)
        lab.communicate(timeout=PATIENCE_S)
    assert lab.returncode == 130
    assert not hosts.processes()
    assert not uploads.exists()
