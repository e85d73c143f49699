"""How the generator lean is started."""

import json
import os
import subprocess
import sys
import tomllib

import pytest

from harness.campaigns.install import set_up_load
from harness.hosts.ports import free_port
from harness.planning.study import load_study
from upload_study.spec import REPOSITORY

STUDY = REPOSITORY / "studies" / "upload"
SAYS_ITS_SLACK = "import subprocess; from upload_study.lean import sleep_precisely; sleep_precisely(); "
SAYS_ITS_SLACK += "print(subprocess.check_output(['cat', '/proc/self/timerslack_ns'], text=True))"


def test_the_generator_sleeps_to_the_nanosecond_that_it_asks_for():
    said = subprocess.run([sys.executable, "-c", SAYS_ITS_SLACK], capture_output=True, text=True, check=True)
    assert int(said.stdout) == 1


@pytest.mark.slow
def test_a_folder_with_letters_that_the_locale_has_not_is_no_obstacle(tmp_path):
    set_up_load(load_study(STUDY))
    out = tmp_path / "Größe"
    out.mkdir()
    contract = tomllib.loads((STUDY / "study.toml").read_text())["driver"]
    target = {"path": "/getimages", "field": "avatar"}
    load = {"rows": 5, "reader": "csv_data_set", "threads": 2, "warmup_threads": 0, "warmup_loops": 0, "ramp_up_s": 0}
    load |= {"arrivals": "open", "rate_per_s": 20, "duration_s": 1}  # the schedule lies in the run's folder
    spec = {"seed": 1, "driver": contract, "factors": {"sample": 1, "disk": "local", "generator": "lean"}, "load": load}
    spec["upload_dir"] = str(tmp_path)
    spec["server"] = {"host": "127.0.0.1", "port": free_port(), "upload": target}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    done = subprocess.run(
        [STUDY / "driver", "load", "--spec", tmp_path / "spec.json", "--out", out],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (out / "requests.jtl").read_text().count("Connection refused") > 5
