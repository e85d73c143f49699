"""What is looked at of a server: its process and whatever started from it."""

import subprocess
import sys
from pathlib import Path

from waiting import running

from uploadlab.conformance.process import descriptors, resident_bytes

STARTS_FROM_A_THREAD = """
import subprocess, threading
def start():
    child = subprocess.Popen(["sleep", "60"])
    print(child.pid, flush=True)
    child.wait()
threading.Thread(target=start, daemon=True).start()
threading.Event().wait()
"""


def held(pid):
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def test_a_child_of_any_thread_is_one_of_the_servers_processes():
    with running([sys.executable, "-c", STARTS_FROM_A_THREAD], stdout=subprocess.PIPE) as server:
        child = int(server.stdout.readline())
        assert descriptors(server.pid) == held(server.pid) + held(child)
        assert resident_bytes(server.pid) > resident_bytes(child) > 0
        subprocess.run(["kill", str(child)], check=True)
