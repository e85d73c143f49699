"""The assembled JMETER_HOME, the scripts that start it and its remote engines."""

import os
import re
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from xml.etree import ElementTree

import pytest
from finished import read_rows
from waiting import PATIENCE_S, read_process, running, wait_for

from uploadlab.hosts.ports import free_port, is_listened_on

from .conftest import JMETER, QUICK_START, lab_jmeter
from .stub_server import StubServer

POM = {"m": "http://maven.apache.org/POM/4.0.0"}


@pytest.fixture(scope="module")
def pom():
    return ElementTree.parse(JMETER / "pom.xml").getroot()


def test_every_version_in_the_pom_is_fixed(pom):
    plugins = pom.findall(".//m:plugin", POM)
    dependencies = pom.findall(".//m:dependency", POM) + pom.findall(".//m:artifactItem", POM)
    assert plugins
    assert dependencies
    for element in plugins + dependencies:
        assert re.fullmatch(r"\d[\d.]*|\$\{jmeter\.version\}", element.findtext("m:version", namespaces=POM))
    assert pom.findtext("m:properties/m:jmeter.version", namespaces=POM) == "5.6.3"


def test_the_home_has_programs_settings_report_templates_and_every_protocol(home):
    for name in ("jmeter", "jmeter-server", "shutdown.sh", "stoptest.sh", "create-rmi-keystore.sh"):
        assert os.access(home / "bin" / name, os.X_OK), name
    for name in ("jmeter.properties", "saveservice.properties", "log4j2.xml", "report-template/index.html.fmkr"):
        assert (home / "bin" / name).is_file(), name
    protocols = {jar.name.removeprefix("ApacheJMeter_").partition("-")[0] for jar in (home / "lib/ext").glob("*.jar")}
    assert " ".join(sorted(protocols)) == (
        "bolt components core ftp functions http java jdbc jms junit ldap mail mongodb native tcp"
    )


@pytest.mark.slow
def test_a_checkout_that_was_moved_still_works(home, tmp_path):
    moved = tmp_path / "moved here" / "jmeter"
    shutil.copytree(home, moved / "target" / home.name)
    for name in ("bin", "upload.jmx", "lab.properties"):
        source = JMETER / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, moved / name)
    command = [moved / "bin/lab-jmeter", "--version"]
    said = subprocess.run(
        command, cwd=tmp_path, env=QUICK_START, capture_output=True, text=True, timeout=120, check=True
    )
    assert "5.6.3" in said.stdout
    assert said.stderr == ""


def test_the_process_started_becomes_the_jvm_with_the_heap_asked_for(home, tmp_path):
    command = [JMETER / "bin/lab-jmeter", "-n", "-t", tmp_path / "none.jmx", "-j", tmp_path / "jmeter.log"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=QUICK_START) as process:
        line = wait_for(lambda: _line_of_java(process.pid), beside=process)
        process.kill()
    assert " -Xmx128m " in line
    assert f" -q {JMETER / 'lab.properties'} " in line


def _line_of_java(pid: int) -> str:
    """Return how a process was started if it runs Java by now."""
    line = read_process(pid, "cmdline")
    return line if Path(line.partition(" ")[0]).name == "java" else ""


@pytest.mark.long
@pytest.mark.slow
def test_two_engines_each_run_the_whole_plan_and_end_when_told(home, payloads, tmp_path):
    subprocess.run([home / "bin/create-rmi-keystore.sh"], cwd=tmp_path, capture_output=True, check=True)
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
        lab_jmeter(
            *("-n", "-t", JMETER / "upload.jmx", "-l", "r.jtl", "-j", "client.log", "-X"),
            *("-R", ",".join(f"127.0.0.1:{port}" for port in ports), "-Djava.rmi.server.hostname=127.0.0.1"),
            *(f"-Glab.{name}={value}" for name, value in settings.items()),
            cwd=tmp_path,
        )
        assert [engine.wait(PATIENCE_S) for engine in engines] == [0, 0]
    assert sorted(arrival.size for arrival in stub.arrivals) == sorted(2 * [10, 20, 30, 10, 20, 30, 10, 20])
    rows = read_rows(tmp_path / "r.jtl")
    assert sorted(row["label"] for row in rows) == ["Upload file"] * 12 + ["Warm-up upload"] * 4
    assert {row["success"] for row in rows} == {"true"}
    # The engine stands before the thread's name.
    assert {row["threadName"].partition("-")[0] for row in rows} == {f"127.0.0.1:{port}" for port in ports}
