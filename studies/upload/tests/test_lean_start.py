"""How the generator lean is started."""

import os
import subprocess
import sys

import msgspec
import pytest

from upload_study.spec import REPOSITORY, Factors, Load
from uploadlab.hosts.ports import free_port
from uploadlab.planning.install import set_up_load
from uploadlab.planning.study import load_study

from .conftest import run_spec, server_at

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
    load = Load(  # of open arrivals: the schedule lies in the run's folder
        rows=5, threads=2, warmup_threads=0, warmup_loops=0, arrivals="open", rate_per_s=20, duration_s=1
    )
    factors = Factors(sample=1, disk="local", generator="lean")
    spec = run_spec(tmp_path, load, factors=factors, server=server_at(free_port()))
    (tmp_path / "spec.json").write_bytes(msgspec.json.encode(spec, enc_hook=str))
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
