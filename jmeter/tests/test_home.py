"""The assembled JMETER_HOME, and the scripts that start it."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from waiting import wait_for

from .conftest import JMETER, QUICK_START

POM = {"m": "http://maven.apache.org/POM/4.0.0"}


@pytest.fixture(scope="module")
def pom():
    return ElementTree.parse(JMETER / "pom.xml").getroot()


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, env=QUICK_START, capture_output=True, text=True, timeout=120, check=False)


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
    said = run(moved / "bin/lab-jmeter", "--version", cwd=tmp_path)
    assert said.returncode == 0
    assert "5.6.3" in said.stdout
    assert said.stderr == ""


def test_the_process_started_becomes_the_jvm_with_the_heap_asked_for(home, tmp_path):
    command = [JMETER / "bin/lab-jmeter", "-n", "-t", tmp_path / "none.jmx", "-j", tmp_path / "jmeter.log"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=QUICK_START) as process:
        wait_for(lambda: Path(f"/proc/{process.pid}/exe").resolve().name == "java", beside=process)
        words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        process.kill()
    assert b"-Xmx128m" in words
    assert words[words.index(b"-q") + 1] == str(JMETER / "lab.properties").encode()
