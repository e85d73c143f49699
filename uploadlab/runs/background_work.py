"""Wait until a server has finished what it does beside its requests: after a warm-up a runtime compiles for seconds.

On a core that it shares with requests a compiler comes to a tenth of it at saturation, and takes all that is left
below: measured then, an operation costs two or three times what it costs a warm system.
"""

import time
from collections.abc import Callable

from uploadlab.records import BackgroundWork

QUIET_PCT = 32.0
"""Of one core: a quarter of it is what the load generator asks for meanwhile, and 34 to 39 % is a compiler's end."""
QUIET_LOOKS = 2
"""One after the other: a compiler pauses between two methods."""
LOOK_S = 0.5


def wait_for_background_work(cpu_pct: Callable[[], float], most_s: float) -> BackgroundWork:
    """Look at a server until it uses little CPU, for `most_s` at most; return how long it took.

    `cpu_pct` watches it for `LOOK_S` and gives the CPU time that it used in per cent of one core.
    """
    began_s, quiet_looks = time.monotonic(), 0
    while True:
        used = cpu_pct()
        quiet_looks = quiet_looks + 1 if used < QUIET_PCT else 0
        took_s = time.monotonic() - began_s
        if quiet_looks == QUIET_LOOKS or took_s >= most_s:
            ended = quiet_looks == QUIET_LOOKS
            return BackgroundWork(seconds=round(took_s, 2), cpu_pct=round(used, 1), ended=ended)
