"""What an agent tells over a connection reaches the process it is of, however the two threads meet."""

import subprocess
import tempfile
import threading

from uploadlab.hosts.ssh_connection import Connection


class Interrupted(dict):
    """A dictionary whose next `setdefault` lets something else happen before it."""

    def __init__(self, between) -> None:
        super().__init__()
        self._between = between

    def setdefault(self, *arguments):
        self._between()
        return super().setdefault(*arguments)


def test_a_process_that_ends_while_its_follower_registers_is_seen_to_end():
    with (
        subprocess.Popen(["sh", "-c", "cat >/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent,
        tempfile.TemporaryFile() as said,
    ):
        connection = Connection("far", agent, said)
        followed = []
        follower = threading.Thread(target=lambda: followed.append(connection.follow(77)))

        def between() -> None:
            follower.start()
            follower.join(0.3)  # it is done by then, or waits for its turn

        connection._told = Interrupted(between)
        connection._take({"ended": 77, "code": 3, "errors": "so it went"}, 0)
        follower.join()
        assert (followed[0].poll(), followed[0].errors) == (3, "so it went")
        again = connection.follow(77)
        connection._take({"ended": 77, "code": 0, "errors": ""}, 0)
        assert (again.poll(), followed[0].poll()) == (0, 3)
        connection.hang_up()
