"""One JMeter result file, opened: its rows in a database of its own, and what was found while reading it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from uploadlab.errors import LabError
from uploadlab.jtl.xml_samples import COLUMNS, write_as_csv
from uploadlab.raw.database import only_row
from uploadlab.raw.request_format import RequestFormat, detect_format
from uploadlab.raw.request_table import load_requests
from uploadlab.raw.request_text import RequestText, request_text

MEMORY_LIMIT = "500MB"
LONGEST_LISTED = 3
ALSO_READ = ("Hostname",)
EPOCH_S = range(10**8, 10**11)
"""Epoch seconds from 1973 on; as milliseconds they are days of 1970 to 1973."""
ALL, REQUEST, TRANSACTION = "all", "request", "transaction"
"""The kinds of rows in the tables: over all requests, of a label, of a label that is no part of all requests."""


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What the user said about files that do not say it themselves."""

    columns: Sequence[str] = ()
    date_format: str | None = None
    """As strptime takes it."""


@dataclass(frozen=True, kw_only=True)
class ResultFile:
    """An open result file.

    The table ``request`` holds every row (see `load_requests`); a transaction is one where the file has the requests
    inside it as well, which may have the same label. In the view ``labelled`` each has its kind. The view ``counted``
    holds the requests.
    """

    database: duckdb.DuckDBPyConnection
    path: Path
    name: str
    notes: tuple[str, ...]
    """What there is to know about it, in sentences."""
    timed: bool
    """Whether the file says when requests started."""
    dated: bool
    """Whether it says so in dates of an unknown zone; taken for UTC."""
    with_success: bool
    whole_ms: bool
    """Whether response times are whole milliseconds."""

    def one(self, query: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        """Return the only row of a query."""
        return only_row(self.database, query, parameters)


@contextmanager
def opened(path: Path, name: str, options: ReadingOptions) -> Iterator[ResultFile]:
    """Read a result file; its database is deleted at the end.

    Raises LabError with file and line, where it cannot be read.
    """
    # In a file, not in memory: there DuckDB packs the columns, and ten million rows take 100 MB.
    with (
        tempfile.TemporaryDirectory(prefix="jtl-") as folder,
        duckdb.connect(
            str(Path(folder) / "requests"), config={"memory_limit": MEMORY_LIMIT, "temp_directory": folder}
        ) as database,
    ):
        with request_text(path) as text:
            layout, notes = _load(database, path, text, Path(folder), options)
        _refuse_sums(database, path)
        _refuse_seconds(database, path)
        yield _described(database, path, name, layout, notes)


def _load(
    database: duckdb.DuckDBPyConnection, path: Path, text: RequestText, folder: Path, options: ReadingOptions
) -> tuple[RequestFormat, list[str]]:
    notes = []
    if text.encoding != "utf-8":
        notes.append(f"The file is not UTF-8: it was read as {text.encoding.upper()}.")
    if _is_xml(text.path):
        plain = folder / "samples.csv"
        facts = write_as_csv(text.path, plain, path)
        if facts.cut or text.cut:
            notes.append("The file ends before its last element does: what was complete is counted.")
        if facts.parts:
            notes.append(
                f"{facts.parts:,} samples inside other samples (redirects, embedded resources) are part of those and "
                "not counted separately."
            )
        layout = RequestFormat(delimiter=",", header=True, columns=COLUMNS)
        load_requests(database, plain, layout, name=path, also=ALSO_READ)
        plain.unlink()
        there = tuple(name for name in layout.columns if name in facts.attributes)
        return RequestFormat(delimiter=",", header=True, columns=there), notes
    layout = detect_format(text.path, name=path, columns=options.columns, date_format=options.date_format)
    if "elapsed" not in layout.columns:
        raise LabError(f"{path}, line 1: the column elapsed is missing.")
    if text.cut:
        line = text.left_out.strip().partition("\n")[0]
        shown = line if len(line) <= 60 else f"{line[:60]}…"
        notes.append(
            f"The last line has no line end, as when JMeter is stopped while it writes: it is left out ({shown})."
        )
    if layout.date_format is not None:
        notes.append(
            "timeStamp is a date without a zone: it is taken as UTC, and files from different zones do not line up."
        )
    load_requests(database, text.path, layout, name=path, also=ALSO_READ, repeated_headers=True)
    return layout, notes


def _is_xml(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _refuse_sums(database: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse rows that stand for several requests: their time is a sum, and there is no distribution in it."""
    row = database.execute("SELECT rowid FROM request WHERE sample_count > 1 LIMIT 1").fetchone()
    if row is not None:
        raise LabError(
            f"{path}, record {row[0] + 1}: a row of several samples (SampleCount above 1; JMeter's mode Statistical): "
            "there are no response times of single requests in it."
        )


def _refuse_seconds(database: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse epoch seconds: read as milliseconds, an hour would pass in 3.6 s."""
    last = only_row(database, "SELECT max(start_us) // 1000 FROM request")[0]
    if last is not None and last in EPOCH_S:
        raise LabError(
            f"{path}, column timeStamp: the last time is {last}, which looks like epoch seconds; expected epoch "
            "milliseconds."
        )


def _described(
    database: duckdb.DuckDBPyConnection, path: Path, name: str, layout: RequestFormat, notes: list[str]
) -> ResultFile:
    timed = "timeStamp" in layout.columns or "start_us" in layout.columns
    unknown = None if "threadName" in layout.columns else "threadName"
    notes += _count_transactions_without_their_requests(database, unknown if timed else "timeStamp")
    database.execute(
        f"""
        CREATE VIEW labelled AS SELECT * REPLACE (coalesce(label, '') AS label),
          CASE WHEN transaction THEN '{TRANSACTION}' ELSE '{REQUEST}' END AS kind FROM request
        """
    )
    database.execute(f"CREATE VIEW counted AS SELECT * FROM labelled WHERE kind = '{REQUEST}'")
    if not only_row(database, "SELECT count(*) FROM counted")[0]:
        raise LabError(f"{path} holds no request.")
    if not timed:
        notes.append("The file has no timeStamp: there is no throughput and nothing over time.")
    if "success" not in layout.columns:
        notes.append("The file has no column success: errors are not known.")
    return ResultFile(
        database=database,
        path=path,
        name=name,
        notes=tuple(notes),
        timed=timed,
        dated=layout.date_format is not None,
        with_success="success" in layout.columns,
        whole_ms="elapsed_us" not in layout.columns,
    )


def _count_transactions_without_their_requests(database: duckdb.DuckDBPyConnection, unknown: str | None) -> list[str]:
    """Make a transaction a request where the file has no requests inside it; return what there is to know.

    JMeter writes a transaction beside its requests unless told otherwise (Generate parent sample). So where nothing
    decides, because of the `unknown` column that is missing or because no transaction of a label can tell, it is taken
    to be so.
    """
    some, every = only_row(database, "SELECT bool_or(transaction), bool_and(transaction) FROM request")
    if not some:
        return []
    notes: list[str] = []
    if every:
        database.execute("UPDATE request SET transaction = false")
    elif unknown is None:
        shared, as_ends_too = only_row(database, _SHARED_NAMES)
        if as_ends_too and shared is not None:
            notes.append(
                f"Requests of the thread {shared} overlap in time, so several threads have that name, as in a file "
                "joined from several hosts without the column Hostname. Whether the requests inside transactions are "
                "in the file is inferred from the threads' names, so it may be wrong here: check each label."
            )
        database.execute(
            f"UPDATE request SET transaction = false WHERE transaction AND coalesce(label, '') IN ({_WITHOUT_REQUESTS})"
        )
    found = database.execute(
        f"""
        SELECT coalesce(label, '') AS name, count(*) OVER () FROM request WHERE transaction
        GROUP BY name ORDER BY name LIMIT {LONGEST_LISTED}
        """
    ).fetchall()
    if not found:
        return notes
    labels, (count, *_) = zip(*found, strict=True)
    listed = ", ".join(labels) + (", …" if count > LONGEST_LISTED else "")
    apart = (
        f"Transactions (of {count:,} labels: {listed}) have rows of their own below and are not part of the figures "
        "over all requests"
    )
    if unknown is None:
        return [*notes, f"{apart}, because the requests inside them are in the file too."]
    return [f"The file has no {unknown}: whether the requests inside transactions are in it too is not known. {apart}."]


# A thread sends one request at a time. Where its rows say otherwise, whether timeStamp is a request's start or its end,
# it is not one: of the threads that are asked below, those of each label's first transaction. Two requests in a row may
# overlap by 2 ms, as times are rounded and JMeter sets its clock by the host's.
_SHARED_NAMES = """
    SELECT min(thread) FILTER (until_next_us + 2000 < elapsed_us), bool_or(until_next_us + 2000 < next_elapsed_us)
    FROM (
      SELECT thread, elapsed_us, lead(elapsed_us) OVER of_thread AS next_elapsed_us,
        lead(start_us) OVER of_thread - start_us AS until_next_us
      FROM request
      WHERE NOT transaction AND thread IN (
        SELECT arg_min(thread, rowid) FROM request WHERE transaction_samples > 0 AND elapsed_us > 0 GROUP BY label
      )
      WINDOW of_thread AS (PARTITION BY "Hostname", thread ORDER BY start_us, rowid)
    )
"""

# Of each label the first transaction in the file decides that holds samples and took time. The thread's next request
# from its start on is inside it when it was over by then: its row comes before, or it ended no later. A request of
# 0 ms may as well lie before or behind. IdleTime: elapsed may be without timers. Only rows that can matter are sorted.
_WITHOUT_REQUESTS = """
    WITH ran AS (
      SELECT rowid AS place, coalesce(label, '') AS label, "Hostname" AS host, thread, transaction, transaction_samples,
        start_us, start_us + elapsed_us + coalesce(idle_us, 0) AS end_us
      FROM request WHERE elapsed_us > 0
    ), deciding AS (
      SELECT label, min(place) AS place FROM ran WHERE transaction_samples > 0 GROUP BY label
    ), reach AS (
      SELECT min(start_us) AS begin_us, max(end_us) AS end_us, max(place) AS place
      FROM ran SEMI JOIN deciding USING (place)
    ), followed AS (
      SELECT ran.place, ran.end_us, lead(if(transaction, NULL, ran.place) IGNORE NULLS) OVER of_thread AS next_place,
        lead(if(transaction, NULL, ran.end_us) IGNORE NULLS) OVER of_thread AS next_end_us
      FROM ran, reach
      WHERE start_us >= reach.begin_us AND (ran.place <= reach.place OR ran.end_us <= reach.end_us)
      WINDOW of_thread AS (PARTITION BY host, thread ORDER BY start_us, transaction DESC, ran.place)
    )
    SELECT label FROM deciding JOIN followed USING (place)
    WHERE NOT coalesce(next_place < place OR next_end_us <= end_us, false)
"""
