"""Which tests `./lab test` runs."""

import signal
import sys

import pytest
from waiting import processes_that_name, running, wait_for, wait_until_none

from uploadlab.commands.suite import PYTEST, Check, at_once, carry_out, checks
from uploadlab.paths import STUDIES
from uploadlab.planning.study import load_study

STUDY = load_study(STUDIES / "upload")


def commands(**amount: bool) -> dict[str, list[str]]:
    return {check.name: check.command for check in checks(STUDY, **amount)}


@pytest.mark.parametrize(
    ("amount", "chosen"),
    [
        ({"fast": True, "everything": False}, "not slow and not long and "),
        ({"fast": False, "everything": False}, "not long and "),
        ({"fast": False, "everything": True}, ""),
    ],
)
def test_what_is_long_runs_only_when_all_is_asked_for_and_what_is_slow_unless_fast_is(amount, chosen):
    assert commands(**amount)["Python"][-1] == f"{chosen}not alone"
    alone = commands(**amount).get("Python, one at a time")
    assert alone is None if amount["fast"] else alone[-1] == f"{chosen}alone"


SECOND_TIME = """
from pathlib import Path

import pytest


def test_it():
    seen = Path(__file__).with_suffix(".seen")
    if not seen.exists():
        seen.touch()
        pytest.fail("the first time")
"""


def test_a_test_that_would_pass_the_second_time_has_failed_and_is_named_with_the_reason(tmp_path):
    (tmp_path / "test_second_time.py").write_text(SECOND_TIME, encoding="utf-8")
    check = Check(name="Python", command=[*PYTEST, "--rootdir", str(tmp_path)], folder=str(tmp_path), alone=True)
    outcome = carry_out(check)
    assert outcome.result == "FAILED"
    assert outcome.failures == ["test_second_time::test_it: Failed: the first time"]


# Says two words, the second when both checks have said their first.
SAYS = "echo {0} first; touch {0}; while [ ! -e a -o ! -e b ]; do sleep 0.01; done; echo {0} second; [ {0} = b ]"


def test_queues_of_checks_run_at_once_and_each_check_prints_all_it_says_when_it_has_ended(tmp_path, capsys):
    planned = [Check(name=name, command=["sh", "-c", SAYS.format(name)], folder=str(tmp_path)) for name in "ab"]
    outcomes = at_once(planned[:1], [*planned[1:], Check(name="c", command=["true"])])
    assert [(one.name, one.result) for one in outcomes] == [("a", "FAILED"), ("b", "ok"), ("c", "ok")]
    said = capsys.readouterr().out
    assert "a first\na second\n" in said
    assert "b first\nb second\n" in said


RUNS = """
from uploadlab.commands.suite import Check, at_once

queue = [Check(name="x", command=["sh", "-c", "touch $$.begun; sleep 600 & wait"], folder={folder!r})] * 2
at_once(queue, queue)
"""


# Another thread takes the signal, so nothing wakes the first: as when it comes just before that one waits for a lock.
TAKEN_BY_ANOTHER_THREAD = """
import signal, threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
"""


@pytest.mark.parametrize("before", ["", TAKEN_BY_ANOTHER_THREAD], ids=["at any moment", "before a wait"])
def test_an_interrupt_ends_the_checks_that_run_with_all_they_started_and_begins_no_other(before, tmp_path):
    def begun():
        return list(tmp_path.glob("*.begun"))

    with running([sys.executable, "-c", before + RUNS.format(folder=str(tmp_path))]) as lab:
        wait_for(lambda: len(begun()) == 2, beside=lab)
        lab.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in lab.communicate()[1]
    wait_until_none(lambda: processes_that_name(tmp_path))
    assert len(begun()) == 2
