"""What there is to know about result files, and why a comparison of two has no interval."""

from collections.abc import Mapping

from uploadlab.jtl.result_file import ALL, TRANSACTION, Note
from uploadlab.table_file import Value

NOTES: Mapping[str, str] = {
    "note_cut": "The last line has no line end, as when JMeter is stopped while it writes: it is left out ({text}).",
    "note_cut_xml": "The file ends before its last element does: what was complete is counted.",
    "note_encoding": "The file is not UTF-8: it was read as {encoding}.",
    "note_parts": (
        "{parts} samples inside other samples (redirects, embedded resources) are part of those and not"
        " counted separately."
    ),
    "note_dates": (
        "timeStamp is a date without a zone: it is taken as UTC, and files from different zones do not line up."
    ),
    "note_transactions": (
        "Transactions (of {count} labels: {labels}) have rows of their own below and are not part of the"
        " figures over all requests, because the requests inside them are in the file too."
    ),
    "note_transactions_unknown": (
        "The file has no {column}: whether the requests inside transactions are in it too is not known."
        " Transactions (of {count} labels: {labels}) have rows of their own below and are not part of"
        " the figures over all requests."
    ),
    "note_shared_names": (
        "Requests of the thread {thread} overlap in time, so several threads have that name, as in a"
        " file joined from several hosts without the column Hostname. Whether the requests inside"
        " transactions are in the file is inferred from the threads' names, so it may be wrong here:"
        " check each label."
    ),
    "note_no_times": "The file has no timeStamp: there is no throughput and nothing over time.",
    "note_no_success": "The file has no column success: errors are not known.",
    "note_long": "The requests span {days} days: nothing is drawn over time. Is a timeStamp wrong?",
    "note_few_snapshots": "Only {count} snapshots lie entirely inside the load; correlations need {least}.",
    "note_boot_zone": (
        "The recording says when its host booted, which puts its clock {offset} from UTC: every time"
        " zone that fits what it says had that offset then."
    ),
    "note_damages": (
        "Damaged places in the recording: {count}, the first on line {line}. What is doubtful there is"
        " left out; ./lab nmon lists them."
    ),
    "note_zone": (
        "The recording does not say the zone of its clock: {offset} from UTC is the only one in which it"
        " covers the load."
    ),
}
NO_INTERVAL: Mapping[str, str] = {
    "short": "no interval: a run is too short to be cut into 20 blocks of at least a second",
    "few": "no interval: a block of time has fewer than 10 requests",
    "drift": (
        "no interval: the response time drifts within a run, so neighbouring blocks of time are alike"
        " and don't show how certain its mean is"
    ),
    "zero": "no interval: a mean of 0 ms",
    "untimed": "no interval: a file does not say when requests started",
}


def sentence_of(note: Note) -> str:
    """Return a note as a sentence."""
    parts = {name: f"{value:,}" if isinstance(value, int) else value for name, value in note.parts.items()}
    return NOTES[note.phrase].format(**parts)


def label_of(row: Mapping[str, Value]) -> str:
    """Return what a row of a summary is called."""
    if row.get("kind") == ALL:
        return "All requests"
    name = " ".join(str(row["label"]).split()) or "(no label)"
    return f"{name} (transaction)" if row.get("kind") == TRANSACTION else name
