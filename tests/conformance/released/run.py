"""Runs the suite against released versions in their documented form and keeps what each case said, as JSON.

`python tests/conformance/released/run.py FOLDER [NAME …]` installs each version below FOLDER, which takes minutes and
needs npm, Maven, Go and PyPI; `python … FOLDER --table` prints the table of docs/guides/conformance.md.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from uploadlab.conformance import outputs
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.conformance.results import summary
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.store import wait_until

HERE = Path(__file__).parent
NODE = ("multer", "busboy", "formidable", "fastify")
MULTER = "1.4.5-lts.1 2.0.0 2.0.1 2.0.2 2.1.0 2.1.1 2.2.0 2.3.0 2.4.0 2.5.0"
PACKAGES = {
    "multer": ("multer", "express@5.3.0", MULTER.split()),
    "busboy": ("busboy", "", ["0.3.1", "1.6.0"]),
    "formidable": ("formidable", "", ["2.1.5", "3.5.4"]),
    "fastify": ("@fastify/multipart", "fastify@5.12.8", ["9.0.3", "10.1.9"]),
}
PYTHON = ("0.0.6", "0.0.17", "0.0.20", "0.0.26", "0.0.34")
FASTAPI = {"0.0.6": ["fastapi==0.109.0"], "0.0.17": ["fastapi==0.115.5"], "0.0.20": ["fastapi==0.115.5"]}
GO = ("go1.24.1", "go1.26.8")


@dataclass(frozen=True, kw_only=True)
class Released:
    """A version, what installs it, and the command that starts it."""

    name: str
    install: Callable[[Path], None]
    command: tuple[str, ...]


def _node(name: str, version: str) -> Released:
    package, beside, _ = PACKAGES[name]

    def install(folder: Path) -> None:
        shutil.copy(HERE / f"{name}.js", folder / "server.js")
        subprocess.run(["npm", "init", "-y"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        wanted = [f"{package}@{version}", *filter(None, [beside])]
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", *wanted], cwd=folder, check=True)

    return Released(name=f"{name} {version}", install=install, command=("node", "server.js"))


def _python(version: str) -> Released:
    def install(folder: Path) -> None:
        shutil.copy(HERE / "fastapi_app.py", folder / "server.py")
        subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=folder, check=True)
        wanted = [f"python-multipart=={version}", *FASTAPI.get(version, ["fastapi==0.165.0"]), "uvicorn==0.54.0"]
        subprocess.run(
            ["venv/bin/pip", "install", "-q", "--disable-pip-version-check", *wanted], cwd=folder, check=True
        )

    return Released(name=f"python-multipart {version}", install=install, command=("venv/bin/python", "server.py"))


def _go(version: str) -> Released:
    def install(folder: Path) -> None:
        shutil.copy(HERE / "main.go", folder / "main.go")
        (folder / "go.mod").write_text("module upload\n\ngo 1.22\n")
        subprocess.run(
            ["go", "build", "-o", "server", "."], cwd=folder, check=True, env=os.environ | {"GOTOOLCHAIN": version}
        )

    return Released(name=version, install=install, command=("./server",))


def _maven(name: str, folder_name: str, version: str) -> Released:
    def install(folder: Path) -> None:
        shutil.copytree(HERE / folder_name, folder, dirs_exist_ok=True)
        given = [f"-Dfileupload={version}"]
        if version == "2.0.0-M1":  # before its module had the version of the servlet API in its name
            source = folder / "src" / "main" / "java" / "Server.java"
            source.write_text(source.read_text().replace("jakarta.servlet6.", "jakarta."))
            given.append("-Dmodule=commons-fileupload2-jakarta")
        subprocess.run(["mvn", "-q", "-B", "package", *given], cwd=folder, check=True)

    return Released(name=name, install=install, command=("java", "-Xmx512m", "-jar", "target/server.jar"))


def released() -> list[Released]:
    """Return every version that is run."""
    found = [_node(name, version) for name in NODE for version in PACKAGES[name][2]]
    found += [_python(version) for version in PYTHON] + [_go(version) for version in GO]
    for version in ("1.4", "1.5", "1.6.0"):
        found.append(_maven(f"commons-fileupload {version}", "fileupload1", version))
    for version in ("2.0.0-M1", "2.0.0-M4", "2.0.0-M5"):
        found.append(_maven(f"commons-fileupload {version}", "fileupload2", version))
    found.append(_maven("spring-boot 3.5.8", "spring", ""))
    return found


class Started:
    """A server that is started again when it ended."""

    def __init__(self, one: Released, folder: Path) -> None:
        self._one, self._folder = one, folder
        self._uploads = folder / "store" / "uploads"
        shutil.rmtree(self._uploads.parent, ignore_errors=True)
        self._uploads.mkdir(parents=True)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Endpoint:
        self.stop()
        environment = os.environ | {"PORT": str(self._port), "UPLOAD_DIR": str(self._uploads)}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._one.command, cwd=self._folder, env=environment, stdout=log, stderr=log
            )
        endpoint = Endpoint(
            name=self._one.name,
            host="127.0.0.1",
            port=self._port,
            path="/api/files",
            store=(self._uploads,),
            pid=self._process.pid,
        )
        if not wait_until(lambda: endpoint.answers(1.0), 60.0):
            raise SystemExit(f"{self._one.name} does not answer; see {self._folder / 'log'}")
        return endpoint

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def run(one: Released, root: Path) -> None:
    """Install a version, run every case that takes no minutes against it, and write the JSON."""
    folder = root / one.name.replace(" ", "-").replace("/", "-")
    if not (folder / "log").exists():
        folder.mkdir(parents=True, exist_ok=True)
        one.install(folder)
    server = Started(one, folder)
    try:
        endpoint = server.start()
        runner = Runner(endpoint, server.start)
        quick = [case for case in all_cases(endpoint) if case.measure not in ("stall", "memory")]
        results = runner.run(quick, lambda _: None)
    finally:
        server.stop()
    done = outputs.Outcome(
        endpoint=endpoint, results=results, began="", seconds=sum(result.seconds for result in results)
    )
    (root / f"{folder.name}.json").write_text(outputs.json_text(done))
    print(f"{one.name}: {summary(results)}", flush=True)
    for result in results:
        if result.failed_as == "must":
            print(f"    {result.case.id}: {result.why[:150]}", flush=True)


def table(root: Path) -> None:
    """Print which must failed in which versions."""
    failed: dict[str, dict[str, str]] = {}
    for path in sorted(root.glob("*.json")):
        told = json.loads(path.read_text())
        print(f"{told['endpoint']['name']:<32} {told['summary']}")
        for case in told["cases"]:
            if not case["safe"] or (case["grade"] == "must" and case["verdict"] == "failed"):
                failed.setdefault(f"{case['id']} [{case['source']}]", {})[told["endpoint"]["name"]] = case["why"]
    for case_id, versions in sorted(failed.items()):
        print(f"\n{case_id}")
        for name, why in versions.items():
            print(f"    {name}: {why[:140]}")


if __name__ == "__main__":
    root = Path(sys.argv[1]).resolve()
    if "--table" in sys.argv:
        table(root)
    else:
        wanted = sys.argv[2:] or [""]
        for one in [one for name in wanted for one in released() if one.name.startswith(name)]:
            try:
                run(one, root)
            except subprocess.CalledProcessError as error:
                print(f"{one.name} could not be installed: {error}", flush=True)
