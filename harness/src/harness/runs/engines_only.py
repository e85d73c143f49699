"""Keep a server and the engines of several hosts ready for a load that is started by hand."""

import contextlib
import time
from collections.abc import Callable

from harness.runs import driver
from harness.runs.engines import Engines
from harness.runs.loaded_run import LoadedRun


class EnginesOnly(LoadedRun):
    """A run of which only the server and the engines are started."""

    def keep_ready(self, say: Callable[[str], None]) -> None:
        """Start them, say where the spec of the load is, and watch them; Interrupted or LabError ends it."""
        self._make_folders()
        with contextlib.ExitStack() as stack:
            stack.callback(self.place.stop_all)
            server = self._start()
            engines = Engines(self.place, self.study, lambda host: self._spec(host, server), self.attempt.there)
            engines.wait_until_ready(lambda: self._watch(server))
            host = self.place.controller
            spec = driver.write_spec(host, self.attempt.there(host), "load", self._spec(host, server))
            engines_ready = f"{len(self.place.rig.injectors)} engines are ready"
            say(f"{self.sut.key} listens at {server.url}; {engines_ready}, until Ctrl-C: {spec}")
            while True:
                self._watch(server, engines)
                time.sleep(driver.POLL_S)
