"""The clients: how each is found, and how it sends the form."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import httpx
import requests

from conformance.case import CLIENT_GROUP
from conformance.message import FIELD, UPLOAD_PATH, sample
from conformance.page import PAGE
from conformance.provider import NotRun, Provider
from conformance.store import digests
from conformance.target import Target
from conformance.trial import Trial

COMMENT = "příliš žluťoučký 猫"
FILES: Mapping[str, bytes] = {
    "žluťoučký kůň 猫.png": sample(700_000, seed=30),
    "second (2) 'file' #.bin": sample(650_000, seed=31),
}
TIMEOUT_S = 120.0
PROJECT = Path(__file__).resolve().parents[4]
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of a Java that sends a few requests: what is compiled well would never pay."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a client has to send, and where."""

    target: Target
    url: str
    files: tuple[Path, ...]
    scratch: Path


Client = Callable[[Form], Sequence[bytes]]  # returns the contents that must be stored; raises Failed
CLIENTS: list[Trial] = []


class Failed(Exception):
    """A client did not get the page."""


def _client(name: str) -> Callable[[Client], Client]:
    def register(send: Client) -> Client:
        number = len(CLIENTS) + 1
        CLIENTS.append(
            Trial(group=CLIENT_GROUP, id=f"C{number}.1", name=name, run=lambda provider: _run(send, provider))
        )
        return send

    return register


def _run(send: Client, provider: Provider) -> list[str]:
    target, store = provider.target("standard")
    store.clear()
    try:
        with tempfile.TemporaryDirectory(prefix="conformance-client-") as folder:
            scratch = Path(folder)
            files = []
            for name, data in FILES.items():
                files.append(scratch / name)
                files[-1].write_bytes(data)
            form = Form(target=target, url=target.url + UPLOAD_PATH, files=tuple(files), scratch=scratch)
            wanted = digests(send(form))
        seen = store.wait_until(lambda now: not now.strays and now.stored == wanted, 5.0)
        if seen.stored != wanted or seen.strays:
            return [f"expected {wanted.total()} files as sent, found {seen.stored.total()}, left: {seen.strays}"]
        return []
    except Failed as failure:
        return [str(failure)]
    except httpx.HTTPError as error:  # no OSError, as those of requests are
        return [f"the connection failed: {error}"]
    finally:
        store.clear()


def _need(command: str, hint: str) -> str:
    found = shutil.which(command)
    if found is None:
        raise NotRun(f"{command} is not installed ({hint})")
    return found


def _program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Run a client program; return what it printed."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]} did not end within {TIMEOUT_S:.0f} s") from None
    if done.returncode != 0:
        raise Failed(
            f"{Path(command[0]).name} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"
        )
    return done.stdout


def _check(status: int, body: bytes) -> Sequence[bytes]:
    if status != 200 or body != PAGE:
        raise Failed(f"answered {status} with {body[:80]!r}")
    return list(FILES.values())


def _sent_by(
    command: Sequence[str], source: str, form: Form, environment: Mapping[str, str] | None = None
) -> Sequence[bytes]:
    """Run the client of this folder that prints the status and writes the answer into a file."""
    program, body = str(resources.files("conformance.clients").joinpath(source)), form.scratch / "answer"
    status = _program([*command, program, form.url, COMMENT, str(body), *map(str, form.files)], environment)
    return _check(int(status), body.read_bytes())


@_client("curl")
def _(form: Form) -> Sequence[bytes]:
    body = form.scratch / "answer"
    parts = [argument for path in form.files for argument in ("--form", f'{FIELD}=@"{path}"')]
    command = [_need("curl", "Debian package curl"), "--silent", "--show-error", "--output", str(body)]
    status = _program([*command, "--write-out", "%{http_code}", "--form", f"comment={COMMENT}", *parts, form.url])
    return _check(int(status), body.read_bytes())


@_client("Python requests")
def _(form: Form) -> Sequence[bytes]:
    parts = [(FIELD, (path.name, path.read_bytes(), "image/png")) for path in form.files]
    with requests.Session() as session:
        session.trust_env = False
        answer = session.post(form.url, files=parts, data={"comment": COMMENT}, timeout=TIMEOUT_S)
    return _check(answer.status_code, answer.content)


@_client("Python httpx")
def _(form: Form) -> Sequence[bytes]:
    parts = [(FIELD, (path.name, path.read_bytes(), "image/png")) for path in form.files]
    with httpx.Client(trust_env=False, timeout=TIMEOUT_S) as client:
        answer = client.post(form.url, files=parts, data={"comment": COMMENT})
    return _check(answer.status_code, answer.content)


@_client("Node fetch")
def _(form: Form) -> Sequence[bytes]:
    pinned = PROJECT / "node-server/node_modules/.bin/node"
    node = str(pinned) if pinned.exists() else _need("node", "run npm ci in node-server")
    return _sent_by([node], "upload.mjs", form)


@_client("Java HttpClient")
def _(form: Form) -> Sequence[bytes]:
    java = _need("java", "Debian package openjdk-17-jdk-headless")
    names = {"JAVA_TOOL_OPTIONS": f"{QUICK_START} -Dfile.encoding=UTF-8 -Dsun.jnu.encoding=UTF-8", "LC_ALL": "C.UTF-8"}
    return _sent_by([java], "Upload.java", form, names)


@_client("Go net/http")
def _(form: Form) -> Sequence[bytes]:
    go = _need("go", "Debian package golang-go")
    offline = {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": ""}
    return _sent_by([go, "run"], "upload.go", form, offline)


@_client("JMeter")
def _(form: Form) -> Sequence[bytes]:
    jmeter = PROJECT / "jmeter/bin/lab-jmeter"
    if not any(PROJECT.glob("jmeter/target/apache-jmeter-*/bin/ApacheJMeter.jar")):
        raise NotRun("JMeter is not assembled (mvn package in jmeter)")
    sizes = [4_000, 97_000, 410_000]
    contents = [sample(size, seed=32) for size in sizes]
    for size, data in zip(sizes, contents, strict=True):
        (form.scratch / f"{size}.split").write_bytes(data)
    (form.scratch / "sizes.csv").write_text("".join(f"{size}\n" for size in sizes))
    log, results = form.scratch / "jmeter.log", form.scratch / "requests.jtl"
    settings = {
        "host": form.target.host,
        "port": form.target.port,
        "threads": 2,
        "loops": 3,
        "sizes_csv": form.scratch / "sizes.csv",
        "payload_dir": form.scratch,
        "body_bytes": len(PAGE),
    }
    properties = [f"-Jlab.{name}={value}" for name, value in settings.items()]
    plan = PROJECT / "jmeter/upload.jmx"
    small = {"JMETER_HEAP": "128m", "JVM_ARGS": QUICK_START}
    _program([str(jmeter), "-n", "-t", str(plan), "-l", str(results), "-j", str(log), *properties], small)
    with results.open(newline="") as file:
        rows = list(csv.DictReader(file))
    bad = [row["responseCode"] for row in rows if row["success"] != "true"]
    if len(rows) != 6 or bad:
        raise Failed(f"JMeter sent {len(rows)} requests, expected 6; failed: {bad}")
    return contents * 2


@_client("Chromium, an HTML form with two files")
def _(form: Form) -> Sequence[bytes]:
    from playwright.sync_api import Error, sync_playwright

    chromium = shutil.which("chromium") or _need("chromium-browser", "Debian package chromium")
    quiet = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"]
    quiet += ["disable-component-update", "disable-sync"]
    page_file = form.scratch / "form.html"
    page_file.write_text(
        f"""<!DOCTYPE html><meta charset="utf-8">
<form method="post" enctype="multipart/form-data" action="{form.url}">
<input name="comment" value="{COMMENT}"><input type="file" name="{FIELD}" multiple>
<input type="file" name="{FIELD}"><button>Send</button></form>""",
        encoding="utf-8",
    )
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=[f"--{flag}" for flag in quiet], headless=True
            )
            try:
                tab = browser.new_page()
                tab.goto(page_file.as_uri())
                tab.locator("input[multiple]").set_input_files([str(path) for path in form.files])
                with tab.expect_navigation(url=form.url) as navigation:
                    tab.locator("button").click()
                answer = navigation.value
                return _check(answer.status, answer.body())
            finally:
                browser.close()
    except Error as error:
        raise Failed(f"Chromium: {error.message.splitlines()[0]}") from None
