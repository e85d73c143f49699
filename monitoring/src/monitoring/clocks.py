"""How far one host's clock is ahead of another's, and times of one on the other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:  # of a lab that only plans or refuses, importing numpy would be half the work
    import numpy as np
    import numpy.typing as npt

    Times: TypeAlias = npt.NDArray[np.int64]

EXCHANGES = 50


@dataclass(frozen=True, kw_only=True)
class ClockReading:
    """How far a host's clock was ahead of ours, `uncertainty_ns` either way, at a time of ours."""

    at_ns: int
    offset_ns: int
    uncertainty_ns: int


def read_offset(exchange: Callable[[], tuple[int, int, int]], exchanges: int = EXCHANGES) -> ClockReading:
    """Measure how far another clock is ahead.

    `exchange` asks the other host once and returns (sent, its answer, received): our clock, its clock, our clock, epoch
    ns. Of all exchanges the one with the shortest round trip counts. Its answer was given at some time between sending
    and receiving: the middle is at most half the round trip wrong (Cristian, Probabilistic clock synchronization,
    Distributed Computing 3, 1989).
    """
    sent, answer, received = min((exchange() for _ in range(exchanges)), key=lambda one: one[2] - one[0])
    middle = (sent + received) // 2
    return ClockReading(at_ns=middle, offset_ns=answer - middle, uncertainty_ns=-((sent - received) // 2))


@dataclass(frozen=True, kw_only=True)
class ClockAlignment:
    """The server's clock against the load generator's: how far ahead before the load and after it.

    Between the two readings the offset is taken to change evenly. All zero on one host.
    """

    at_ns: tuple[int, int] = (0, 1)
    offset_ns: tuple[int, int] = (0, 0)
    uncertainty_ns: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, record: object) -> Self:
        """Return the alignment that the key `clock` of a run.json gives; one clock where there is none."""
        if not isinstance(record, Mapping) or not {"server", "injector"} <= set(record):
            return cls()
        pairs = [(record["server"][when], record["injector"][when]) for when in ("before", "after")]
        before, after = (_difference(server, injector) for server, injector in pairs)
        return cls(
            at_ns=(before.at_ns, after.at_ns),
            offset_ns=(before.offset_ns, after.offset_ns),
            uncertainty_ns=(before.uncertainty_ns, after.uncertainty_ns),
        )

    @property
    def largest_drift_ns(self) -> int:
        """How much the offset may have changed between the readings: the change seen, and both uncertainties."""
        return abs(self.offset_ns[1] - self.offset_ns[0]) + sum(self.uncertainty_ns)

    def on_server(self, time_ns: int) -> int:
        """Return what the server's clock showed when the load generator's showed `time_ns`."""
        import numpy as np

        return time_ns + int(self._offset_ns(np.array([time_ns]))[0])

    def on_injector(self, times_ns: "Times") -> "Times":
        """Return what the load generator's clock showed at times of the server's."""
        return times_ns - self._offset_ns(times_ns - self.offset_ns[0])

    def _offset_ns(self, times_ns: "Times") -> "Times":
        import numpy as np

        start_ns = self.at_ns[0]
        span = np.array([0, self.at_ns[1] - start_ns], dtype=np.float64)
        change = np.interp(times_ns - start_ns, span, [0, self.offset_ns[1] - self.offset_ns[0]])
        return np.asarray(self.offset_ns[0] + np.rint(change), dtype=np.int64)


ONE_CLOCK = ClockAlignment()
"""Of two roles on one host."""


def _difference(server: Mapping[str, Any], injector: Mapping[str, Any]) -> ClockReading:
    """Return the server's reading as seen from the load generator: on its clock, and with both uncertainties."""
    return ClockReading(
        at_ns=int(server["at_ns"]) + int(injector["offset_ns"]),
        offset_ns=int(server["offset_ns"]) - int(injector["offset_ns"]),
        uncertainty_ns=int(server["uncertainty_ns"]) + int(injector["uncertainty_ns"]),
    )
