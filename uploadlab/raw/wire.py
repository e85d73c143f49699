"""What of a response time passes at the server, what in opening the connection, what in the load generator.

A capture of packets gives, for each request, the time from its first byte in to the last byte of its answer out at
the server's host. It is joined to the load generator's row of the same request, whose elapsed time holds it. No row
names its connection, so a connection is given to the one user whose rows hold the connection's requests in time.

A user's connection carries one request after the other, each within one row of that user.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from monitoring.clocks import ONE_CLOCK, ClockAlignment
from uploadlab.raw.request_file import TimedRequests, read_timed_requests
from uploadlab.table_file import Value

if TYPE_CHECKING:
    from monitoring.wire_reader import WireRequests

WIRE_FILE = "server.wire.pcap"
WIRE_FIGURES = (
    "wire_requests", "wire_joined_pct", "wire_mean_ms", "wire_sd_ms", "wire_cv", "wire_p99_ms", "wire_receive_ms",
    "wire_answer_ms", "client_mean_ms", "connect_mean_ms", "wire_variance_pct", "client_variance_pct",
    "connect_variance_pct", "retransmitted_requests", "retransmitted_variance_pct",
)  # fmt: skip
SLACK_MS = 2.0
"""JMeter sets its clock by the system's every 5 s and cuts both ends of a request to whole milliseconds."""
FINE_SLACK_MS = 0.1
"""Where rows have microseconds: how far a clock that was set once can be from the kernel's."""
REQUESTS_COMPARED = 100
FEWEST_HELD = 0.9
MUCH_SOONER = 0.5
NS_PER_MS = 1e6
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class JoinedRequests:
    """Requests that were found in both recordings; arrays are parallel, times in ms."""

    elapsed_ms: Floats
    connect_ms: Floats
    receive_ms: Floats
    """At the server, from the first byte of the request to its last."""
    answer_ms: Floats
    """At the server, from the last byte of the request to the last byte of the answer."""
    retransmitted: NDArray[np.bool_]
    of: int
    """Measured requests there are to be found."""

    @property
    def wire_ms(self) -> Floats:
        """At the server, from the first byte in to the last byte out."""
        return self.receive_ms + self.answer_ms

    @property
    def client_ms(self) -> Floats:
        """What is left: the load generator, and the way between the two hosts."""
        return self.elapsed_ms - self.connect_ms - self.wire_ms


def read_joined(
    folder: Path, port: int, from_ms: float | None, clocks: ClockAlignment = ONE_CLOCK, label: str | None = None
) -> JoinedRequests | None:
    """Join the capture of a run's folder to its request file; None where nothing was captured.

    `clocks` moves the times of the packets from the server's clock to the load generator's.

    Raises RecordingError when the capture is there and holds nothing usable.
    """
    if not (folder / WIRE_FILE).is_file():
        return None
    from monitoring.wire_reader import read_wire  # here: few runs have a capture, and its library is slow to import

    wire = read_wire(folder / WIRE_FILE, port=port)
    moved = replace(
        wire,
        first_in_ns=clocks.on_injector(wire.first_in_ns),
        last_in_ns=clocks.on_injector(wire.last_in_ns),
        last_out_ns=clocks.on_injector(wire.last_out_ns),
    )
    return join(read_timed_requests(folder / "requests.jtl", label=label, from_ms=from_ms), moved)


def join(requests: TimedRequests, wire: "WireRequests") -> JoinedRequests:
    """Find the row of each captured request."""
    order = np.lexsort((requests.start_ms, requests.thread))
    start, elapsed = requests.start_ms[order].astype(np.float64), requests.elapsed_ms[order].astype(np.float64)
    whole = bool((start % 1 == 0).all())
    users = _Users(
        start=start,
        end=start + elapsed + (1 if whole else 0),
        begins=_group_starts(requests.thread[order]),
        slack_ms=SLACK_MS if whole else FINE_SLACK_MS,
    )
    came, went = wire.first_in_ns / NS_PER_MS, wire.last_out_ns / NS_PER_MS
    row = np.full(len(came), -1)
    for places in _by_connection(wire.connection):
        user = users.holding(came[places], went[places])
        if user is not None:
            row[places] = users.rows_of(user, came[places], went[places])
    found, first = np.unique(row, return_index=True)
    chosen, rows = first[found >= 0], found[found >= 0]
    return JoinedRequests(
        elapsed_ms=elapsed[rows],
        connect_ms=requests.connect_ms[order][rows].astype(np.float64),
        receive_ms=(wire.last_in_ns - wire.first_in_ns)[chosen] / NS_PER_MS,
        answer_ms=(wire.last_out_ns - wire.last_in_ns)[chosen] / NS_PER_MS,
        retransmitted=wire.retransmitted[chosen] > 0,
        of=len(start),
    )


def wire_figures(joined: JoinedRequests | None) -> dict[str, Value]:
    """Return WIRE_FIGURES of one run: means, and shares of the variance of the elapsed time.

    A part's share is its covariance with the elapsed time over the variance of that: the shares of the three parts
    sum to 100 %.
    """
    figures: dict[str, Value] = dict.fromkeys(WIRE_FIGURES)
    if joined is None:
        return figures
    n = len(joined.elapsed_ms)
    figures |= {"wire_requests": n, "wire_joined_pct": 100 * n / joined.of if joined.of else None}
    if n < 2:
        return figures
    wire_ms = joined.wire_ms
    mean, sd = float(wire_ms.mean()), float(wire_ms.std(ddof=1))
    around = joined.elapsed_ms - joined.elapsed_ms.mean()
    total = float(around @ around)

    def share(part: Floats) -> float | None:
        return 100 * float((part - part.mean()) @ around) / total if total else None

    return figures | {
        "wire_mean_ms": mean,
        "wire_sd_ms": sd,
        "wire_cv": sd / mean if mean else None,
        "wire_p99_ms": float(np.quantile(wire_ms, 0.99, method="inverted_cdf")),
        "wire_receive_ms": float(joined.receive_ms.mean()),
        "wire_answer_ms": float(joined.answer_ms.mean()),
        "client_mean_ms": float(joined.client_ms.mean()),
        "connect_mean_ms": float(joined.connect_ms.mean()),
        "wire_variance_pct": share(wire_ms),
        "client_variance_pct": share(joined.client_ms),
        "connect_variance_pct": share(joined.connect_ms),
        "retransmitted_requests": int(joined.retransmitted.sum()),
        "retransmitted_variance_pct": 100 * float(np.sum(around[joined.retransmitted] ** 2)) / total if total else None,
    }


@dataclass(frozen=True, kw_only=True)
class _Users:
    """Rows sorted by user and start; `begins` has the place of each user's first row, and the number of rows."""

    start: Floats
    end: Floats
    begins: Places
    slack_ms: float

    def holding(self, came: Floats, went: Floats) -> int | None:
        """Return the user whose rows hold these requests of a connection, one a row; None where that is not certain.

        The rows of a user that is always waiting cover all the time, so other users' rows hold most requests, too, but
        some rows hold two of them and some none. Where several users are left, a request was sent by the one whose rows
        began shortly before it.
        """
        came, went = came[:REQUESTS_COMPARED], went[:REQUESTS_COMPARED]
        leads: dict[int, float] = {}
        for user in range(len(self.begins) - 1):
            rows = self.rows_of(user, came, went)
            held = rows >= 0
            if len(np.unique(rows[held])) >= FEWEST_HELD * len(came):
                leads[user] = float((came[held] - self.start[rows[held]]).mean())
        likely = sorted(leads, key=lambda user: leads[user])
        if len(likely) > 1 and leads[likely[0]] > MUCH_SOONER * leads[likely[1]]:
            return None
        return likely[0] if likely else None

    def rows_of(self, user: int, came: Floats, went: Floats) -> Places:
        """Return the place of the user's row that holds each request, -1 where none does."""
        begin, end = self.begins[user], self.begins[user + 1]
        place = np.searchsorted(self.start[begin:end], came + self.slack_ms, side="right") - 1
        row = begin + np.maximum(place, 0)
        holds = (place >= 0) & (self.start[row] <= came + self.slack_ms) & (went <= self.end[row] + self.slack_ms)
        return np.where(holds, row, -1)


def _group_starts(sorted_keys: NDArray[np.int64]) -> Places:
    """Return where each group of equal keys begins, and the number of keys."""
    changes = np.flatnonzero(np.diff(sorted_keys)) + 1
    return np.r_[0, changes, len(sorted_keys)] if len(sorted_keys) else np.zeros(1, dtype=np.int64)


def _by_connection(connection: Places) -> list[Places]:
    """Return the places of each connection's requests, in the order in which they came."""
    if not len(connection):
        return []
    order = np.argsort(connection, kind="stable")
    return list(np.split(order, np.flatnonzero(np.diff(connection[order])) + 1))
