"""Clients that work off a list at once."""

import subprocess
import sys
import textwrap
import threading

import pytest

from uploadlab.conformance.clients import at_once


def test_results_come_in_the_order_of_the_items_from_as_many_threads_as_were_asked_for():
    meeting = threading.Barrier(3)

    def work(item: int) -> tuple[int, str]:
        meeting.wait(60)
        return item * item, threading.current_thread().name

    results = at_once(3, work, range(6))
    assert [square for square, _ in results] == [0, 1, 4, 9, 16, 25]
    assert len({name for _, name in results}) == 3


def test_the_first_error_is_raised_and_what_was_not_begun_is_left_undone():
    begun = []

    def work(item: int) -> None:
        begun.append(item)
        raise OSError(f"no connection {item}")

    with pytest.raises(OSError, match="no connection 0"):
        at_once(1, work, range(100))
    assert begun == [0]


def test_a_program_that_is_interrupted_at_any_moment_ends():
    # At every line that this thread executes in the standard library's code for threads, once.
    program = """
        import signal, sys
        from uploadlab.conformance.clients import at_once
        from uploadlab.errors import Interrupted
        from uploadlab.interruption import interruptible

        def interrupted_at(moment):
            moments = iter(range(moment, -1, -1))
            def trace(frame, event, _):
                if frame.f_code.co_filename.endswith(("threading.py", "thread.py")) and next(moments, None) == 0:
                    signal.raise_signal(signal.SIGTERM)
                return trace
            with interruptible():
                sys.settrace(trace)
                try:
                    at_once(4, str, range(8))
                except Interrupted:
                    pass
                finally:
                    sys.settrace(None)
            return next(moments, None) is None

        moment = 0
        while interrupted_at(moment):
            moment += 1
        print(moment)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50
