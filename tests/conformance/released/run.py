"""Runs the suite against released versions, each in its documented form, and keeps what failed in `results.json`.

`python tests/conformance/released/run.py FOLDER [NAME …]` installs each version below FOLDER and runs it there, which
takes minutes for each and needs npm, Maven, Go and PyPI; with `--again` only what failed by a timeout, with
`--again=CASE,…` only these. `../tables.py` makes the tables of docs/results/2026-11-28-released-versions.md of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.results import summary
from uploadlab.conformance.runner import Runner
from uploadlab.conformance.system import started
from uploadlab.planning.system import choose

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

    return Released(name=f"{package} {version}", install=install, command=("node", "server.js"))


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

    return Released(name=f"Go {version.removeprefix('go')}", install=install, command=("./server",))


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
    for version in ("2.0.0-M1", "2.0.0-M2", "2.0.0-M3", "2.0.0-M4", "2.0.0-M5"):
        found.append(_maven(f"commons-fileupload {version}", "fileupload2", version))
    found.append(_maven("spring-boot 3.5.8", "spring", ""))
    return found


SUT = """[system]
id = "{id}"
name = "{name}"

[stacks.current.start]
command = {command}

[health]
timeout_s = 60

[upload]
path = "/api/files"
field = "file"
"""
RESULTS = HERE / "results.json"
LEFT_OUT = ("stall", "memory")
"""Measures that take minutes."""


def run(one: Released, root: Path, before: dict[str, Any] | None = None, named: str = "") -> dict[str, Any]:
    """Install a version, run every case that takes no minutes against it, and return which must failed.

    With an earlier result only the must that are named are run again, or that failed by a timeout: the machine may
    have been busy.
    """
    folder = root / re.sub("[ /@]+", "-", one.name).strip("-")
    if not (folder / "sut.toml").exists():
        folder.mkdir(parents=True, exist_ok=True)
        one.install(folder)
        told = SUT.format(id=folder.name, name=one.name, command=json.dumps(one.command))
        (folder / "sut.toml").write_text(told, encoding="utf-8")
    late = {case for case, why in before["must"].items() if "hangs" in why or "silent" in why} if before else set()
    again = set(named.split(",")) if named else late
    with started(choose(folder, "current", {}), {}) as system:
        quick = [case for case in all_cases(system.endpoint) if case.measure not in LEFT_OUT]
        cases = [case for case in quick if case.id in again] if before else quick
        results = Runner(system.endpoint, system).run(cases, lambda _: None)
    failed = {result.case.id: result.why[:150] for result in results if result.failed_as == "must"}
    if not before:
        return {"summary": summary(results), "must": failed}
    kept = {case: why for case, why in before["must"].items() if case not in again}
    count, _, rest = before["summary"].removeprefix("must ").partition(" of ")
    passed = int(count) + len(before["must"]) - len(kept | failed)
    return {"summary": f"must {passed} of {rest}", "must": kept | failed}


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word.startswith("--again")]
    root, *names = [word for word in sys.argv[1:] if word not in options]
    for name in names or [""]:
        for one in [one for one in released() if one.name.startswith(name)]:
            before = json.loads(RESULTS.read_text(encoding="utf-8"))[one.name] if options else None
            found = run(one, Path(root).resolve(), before, "".join(options).removeprefix("--again").removeprefix("="))
            print(f"{one.name}: {found['summary']}", flush=True)
            with RESULTS.open("r+", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # several may run at once
                kept = {**json.load(file), one.name: found}
                file.seek(0)
                file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")
                file.truncate()
