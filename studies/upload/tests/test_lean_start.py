"""How the generator lean is started."""

import subprocess
import sys

SAYS_ITS_SLACK = "import subprocess; from upload_study.lean import sleep_precisely; sleep_precisely(); "
SAYS_ITS_SLACK += "print(subprocess.check_output(['cat', '/proc/self/timerslack_ns'], text=True))"


def test_the_generator_sleeps_to_the_nanosecond_that_it_asks_for():
    said = subprocess.run([sys.executable, "-c", SAYS_ITS_SLACK], capture_output=True, text=True, check=True)
    assert int(said.stdout) == 1
