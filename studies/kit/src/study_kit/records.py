"""What the parts of a run recorded: operations, and whether each message arrived once, in order and whole.

Parts of a role write `<role>-<index>.records.parquet` and `<role>-<index>.events.jsonl`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
from numpy.typing import NDArray

from study_kit.spec import DriverError

Whole = NDArray[np.int64]
NEVER = np.iinfo(np.int64).min
"""The end of an operation that never ended."""
GOOD, WRONG_BYTES, WRONG_LENGTH, REFUSED, TIMED_OUT = range(5)

Moment = tuple[str, str]
"""A role, and a kind of record."""


@dataclass(frozen=True, kw_only=True)
class Ends:
    """Where an operation begins and ends, and when it was due, where the load has a schedule."""

    from_: Moment
    to: Moment
    due: Moment | None = None


@dataclass(frozen=True, kw_only=True)
class Operations:
    """Operations in the order in which they began, arrays of shape (n,); times in ns since 1970."""

    stream: Whole
    seq: Whole
    op: Whole
    from_ns: Whole
    to_ns: Whole
    """NEVER where it did not end."""
    due_ns: Whole
    """When it was due; when it began, where the load has no schedule."""
    status: Whole
    """Of its end; TIMED_OUT where there is none."""

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which of them ended as they should."""
        good: NDArray[np.bool_] = self.status == GOOD
        return good

    @property
    def elapsed_us(self) -> NDArray[np.float64]:
        """How long those that ended well took from when they were due."""
        return (self.to_ns - self.due_ns)[self.good] / 1000

    def __len__(self) -> int:
        return len(self.from_ns)


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """What became of the messages of a run."""

    sent: int
    arrived: int
    """Different messages, each counted once for each part that received it, right or wrong."""
    lost: int
    duplicated: int
    out_of_order: int
    """Those that arrived behind a later one of their stream."""
    wrong: int
    """Those with other bytes, or of another length, than were sent, and those that nobody sent."""


def event_files(out: Path, role: str) -> list[Path]:
    """Return the files of events of a role's parts; DriverError when there are none."""
    return _files(out, role, "events.jsonl")


def _files(out: Path, role: str, kind: str = "records.parquet") -> list[Path]:
    paths = sorted(out.glob(f"{role}-*.{kind}"))
    if not paths:
        raise DriverError(f"{out}: there are no {kind.partition('.')[0]} of the role '{role}' ({role}-*.{kind}).")
    return paths


def operations(out: Path, ends: Ends) -> Operations:
    """Return the operations of a run, joined by stream, number and level; the first end counts."""
    with _records(out) as data:
        due = _rows(out, ends.due) if ends.due else "select * from started"
        query = f"""
            with started as ({_rows(out, ends.from_)}), due as ({due}),
                 ended as (select stream, seq, op, min(time_ns) as time_ns, arg_min(status, time_ns) as status
                           from ({_rows(out, ends.to)}) group by all)
            select s.stream, s.seq, s.op, s.time_ns as from_ns, coalesce(e.time_ns, {NEVER}) as to_ns,
                   coalesce(d.time_ns, s.time_ns) as due_ns, coalesce(e.status, {TIMED_OUT}) as status
            from started s left join due d using (stream, seq, op) left join ended e using (stream, seq, op)
            order by from_ns, s.stream, s.seq"""
        columns = data.execute(query).fetchnumpy()
    return Operations(**{name: values.astype(np.int64) for name, values in columns.items()})


def count(out: Path, ends: Ends, *, copies: int = 1) -> Delivered:
    """Return what became of the messages of a run, each of which is to reach so many parts of the receiving role.

    One that came as `refused` or `timed out` did not arrive. Only whole messages are held to their order.
    """
    with _records(out) as data:
        query = f"""
            with sent as ({_rows(out, ends.from_)}),
                 seen as (select * from ({_rows(out, ends.to)}) where status < {REFUSED}),
                 different as (select distinct part, stream, op, seq from seen),
                 each as (select part, stream, op, seq, min(row) as first, count(*) as times
                          from seen where status = {GOOD} group by all),
                 ordered as (select seq, max(seq) over (partition by part, stream, op order by first
                             rows between unbounded preceding and 1 preceding) as highest from each)
            select (select count(*) from sent), (select count(*) from different),
                   (select coalesce(sum(times - 1), 0) from each),
                   (select count(*) from ordered where seq < highest),
                   (select count(*) from seen where status <> {GOOD})
                   + (select count(*) from each anti join sent using (stream, op, seq)),
                   (select count(*) from different semi join sent using (stream, op, seq))"""
        sent, arrived, duplicated, out_of_order, wrong, found = (int(one) for one in _one(data.execute(query)))
    lost = sent * copies - found
    return Delivered(
        sent=sent, arrived=arrived, lost=lost, duplicated=duplicated, out_of_order=out_of_order, wrong=wrong
    )


def check_owners(out: Path, sent: Moment) -> None:
    """Raise DriverError where a sending part's file is another's: the stream of what a part sends is its own number."""
    role, kind = sent
    with _records(out) as data:
        for path in _files(out, role):
            index = int(path.name.removesuffix(".records.parquet").rpartition("-")[2])
            query = f"""
                select count(*) filter (kind = '{kind}'),
                       min(stream) filter (kind = '{kind}' and stream <> {index}),
                       coalesce(string_agg(distinct kind, ', ' order by kind), 'nothing')
                from read_parquet({_literal(path)})"""
            own, other, kinds = _one(data.execute(query))
            if not own:
                raise DriverError(
                    f"{path.name}: expected records of the kind '{kind}', found {kinds}: is this another part's file?"
                )
            if other is not None:
                raise DriverError(f"{path.name}: it holds what part {other} sent; expected that of part {index} alone.")


@contextmanager
def _records(out: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as data:
        try:
            yield data
        except duckdb.Error as error:
            raise DriverError(f"{out}: the records cannot be read: {str(error).splitlines()[0]}") from error


def _rows(out: Path, moment: Moment) -> str:
    """Return the query of a role's records of one kind."""
    role, kind = moment
    paths = ", ".join(map(_literal, _files(out, role)))
    source = f"read_parquet([{paths}], filename = 'part', file_row_number = true)"
    return f"select part, file_row_number as row, stream, seq, op, time_ns, status from {source} where kind = '{kind}'"


def _literal(path: Path) -> str:
    """Return a path, as SQL, that means this very file: DuckDB takes `*`, `?` and `[` in one for a pattern."""
    escaped = re.sub(r"([*?\[])", r"[\1]", str(path)).replace("'", "''")
    return f"'{escaped}'"


def _one(result: duckdb.DuckDBPyConnection) -> tuple[Any, ...]:
    row = result.fetchone()
    assert row is not None  # a query of aggregates has one
    return row


def events_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a part; DriverError at a line that is none."""
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            yield msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DriverError(f"{path}, line {number}: expected a JSON object.") from error
