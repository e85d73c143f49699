"""A user's own sizes through every verb of the driver: real payloads, the real Node.js server, real JMeter."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from finished import read_rows
from waiting import PATIENCE_S, wait_for

from upload_study.spec import REPOSITORY
from uploadlab.hosts.ports import free_port, is_answered
from uploadlab.planning.install import set_up_load, set_up_systems
from uploadlab.planning.study import load_study
from uploadlab.planning.system import choose
from workload_gen import SAMPLES_DIR

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_to_start")]

STUDY = REPOSITORY / "studies" / "upload"
NODE = REPOSITORY / "node-server"
LOAD = {"rows": 40, "threads": 4, "loops": 20, "warmup_threads": 2, "warmup_loops": 5, "background_s": 0}


@pytest.fixture
def node(tmp_path) -> Iterator[dict]:
    """The running server, as a spec names it, and where it stores."""
    set_up_load(load_study(STUDY))
    set_up_systems([choose(NODE, "current", {})])
    (tmp_path / "up").mkdir()
    (tmp_path / "scratch").mkdir()
    port = free_port()
    places = {"UPLOAD_DIR": str(tmp_path / "up"), "RUN_DIR": str(tmp_path / "scratch")}
    process = subprocess.Popen(
        ["bin/start"], cwd=NODE, env={**os.environ, **places, "HOST": "127.0.0.1", "PORT": str(port)}
    )
    try:
        wait_for(lambda: is_answered(f"http://127.0.0.1:{port}/health"), beside=process)
        target = {"path": "/getimages", "field": "avatar", "files": 2}
        yield {"server": {"host": "127.0.0.1", "port": port, "upload": target}, "stored_in": str(tmp_path / "up")}
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _model(folder: Path) -> Path:
    path = folder / "own-sizes-test.toml"
    path.write_text('[model]\ndistribution = "lognormal"\nmu = 7.0\nsigma = 0.8\ncap = 50000.0\n')
    return path


def _list(folder: Path) -> Path:
    path = folder / "own-sizes-test.csv"
    path.write_text("".join(f"{size}\n" for size in (30_000, 10, 700, 700, 12_345)))
    return path


def _folder(folder: Path) -> Path:
    path = folder / "own-sizes-test"
    (path / "deeper").mkdir(parents=True)
    for number in range(60):
        (path / "deeper" / f"{number:02}").write_bytes(bytes(100 + number))
    return path


@pytest.mark.parametrize(
    ("make", "rows", "generator"), [(_model, 40, "lean"), (_list, 5, "jmeter"), (_folder, 40, "lean")]
)
def test_own_sizes_are_prepared_verified_sent_and_checked(
    make: Callable[[Path], Path], rows: int, generator: str, node: dict, tmp_path: Path
):
    load = {**LOAD, "sizes": str(make(tmp_path))}
    factors = {"sample": "own", "disk": "local", "generator": generator}
    common = {"seed": 1}
    campaign = {**common, "scenarios": [{"factors": factors, "load": load}]}
    run = {**common, "factors": factors, "load": load, **node}

    def driver(verb: str, spec: dict) -> list[dict]:
        (tmp_path / f"{verb}.json").write_text(json.dumps(spec))
        command = [STUDY / "driver", verb, "--spec", tmp_path / f"{verb}.json"]
        command += ["--out", tmp_path] if verb in ("load", "check") else []
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    try:
        (needs,) = driver("needs", campaign)
        (prepared,) = driver("prepare", campaign)
        payloads = SAMPLES_DIR / prepared["size_lists"]["own"] / "payloads"
        sizes = [int(size) for size in (payloads.parent / "sizes.csv").read_text().split()]
        (verified,) = driver("verify", run)
        driver("load", run)
        (after,) = driver("verify", {**run, "verified": verified})
        (checked,) = driver("check", {**run, "verified": verified, "verified_after": after})
    finally:
        for folder in SAMPLES_DIR.glob("own-sizes-test-*"):
            shutil.rmtree(folder)

    assert needs["inputs"]["own"]["count"] == len(sizes) == rows
    assert [gate["passed"] for gate in [verified["gate"], *checked["gates"]]] == [True] * 3
    assert checked["counts"]["requests"] == 80
    # Four users share one list that begins again at its end: each size is sent as often as it stands in 80 rows of it.
    stored = sorted(path.stat().st_size for path in Path(node["stored_in"]).iterdir())
    by_size = sorted(set(sizes))
    smallest, middle, largest = by_size[0], by_size[len(by_size) // 2], by_size[-1]
    verify = [smallest, middle, largest, smallest, largest]
    warm_up = [sizes[number % rows] for number in range(10)]
    measured = [sizes[number % rows] for number in range(80)]
    at_once = [middle] * 32  # before the load only
    assert stored == sorted(verify + at_once + warm_up + measured + verify)
    assert all(row["responseCode"] == "200" for row in read_rows(tmp_path / "requests.jtl"))
