"""What is said of result files in a language: the headline, a line about each file, the tables of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from uploadlab.jtl.analysis import FileFacts, JtlAnalysis
from uploadlab.jtl.words import label_of, note
from uploadlab.tables.table_file import Value, as_number, format_value
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

SHOWN_COLUMNS = (
    "requests", "errors", "error_pct", "mean_ms", "sd_ms", "cv", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms",
    "p9999_ms", "max_ms", "throughput_rps", "longest_gap_s",
)  # fmt: skip
MOST_ROWS = 500
MOST_CORRELATIONS = 30


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table of the page: each field its text and the number it is sorted by."""

    caption: str
    headings: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: Sequence[Sequence[tuple[str, str]]]


def headline(words: Language, analysis: JtlAnalysis) -> str:
    """Return the page's first sentence: what one file shows, or what changed between two."""
    if analysis.comparison:
        return comparison(words, analysis.comparison[0])
    return " · ".join(about(words, one) for one in analysis.files)


def about(words: Language, one: FileFacts) -> str:
    """Return one line about a file's requests."""
    whole = one.summary[0]
    errors = whole["errors"]
    duration = as_number(whole["duration_s"])
    return words.say(
        "headline_one" if duration is not None else "headline_untimed",
        requests=words.count(int(str(whole["requests"])), "request"),
        duration=f"{words.figures.short(duration)}\u00a0s",
        p50=words.figures.plain(as_number(whole["p50_ms"])),
        p99=words.figures.plain(as_number(whole["p99_ms"])),
        failed=words.phrases["failed_unknown"] if errors is None else words.figures.count(as_number(errors)),
    )


def when(words: Language, one: FileFacts) -> str:
    """Return when a file's requests ran; empty where it does not say."""
    if one.begin_us is None or one.end_us is None:
        return ""
    begin, end = (f"{datetime.fromtimestamp(us // 10**6, UTC):%Y-%m-%d %H:%M:%S}" for us in (one.begin_us, one.end_us))
    return words.say("from_to", begin=begin, end=end if one.dated else f"{end} UTC")


def notes(words: Language, analysis: JtlAnalysis) -> list[str]:
    """Return what there is to know about the files."""
    several = len(analysis.files) > 1
    return [
        f"{one.name}: {note(words, found)}" if several else note(words, found)
        for one in analysis.files
        for found in one.notes
    ]


def comparison(words: Language, row: Mapping[str, Value]) -> str:
    """Return what changed in the mean response time, over all requests or of a label."""
    ratio = as_number(row["mean_ratio"])
    low, high = as_number(row.get("mean_ratio_lo")), as_number(row.get("mean_ratio_hi"))
    if ratio is None:
        return f"{row['before']}, {row['after']}: {words['none']}"
    interval = words.phrases["without_interval"]
    if low is not None and high is not None:
        interval = words.say("interval", low=words.figures.exact(low, 2), high=words.figures.exact(high, 2))
    return words.say(
        "headline_two", after=row["after"], before=row["before"], change=_change(words, ratio), interval=interval
    )


def _change(words: Language, ratio: float) -> str:
    percent = words.percent(abs(ratio - 1))
    if percent == "0":
        return words.phrases["as_high"]
    if ratio >= 2:
        return words.say("times", ratio=words.figures.short(ratio))
    return words.say("change", percent=percent, direction=words.phrases["higher" if ratio > 1 else "lower"])


def interval_note(words: Language, row: Mapping[str, Value]) -> str:
    """Return what the interval of a comparison is over, or why there is none."""
    if problem := row.get("no_interval"):
        return capital(f"{words.phrases[f'no_interval_{problem}']}.")
    return words.say(
        "interval_over",
        blocks=row["blocks"],
        before=words.figures.short(as_number(row["block_s_before"])),
        after=words.figures.short(as_number(row["block_s_after"])),
    )


def lead(words: Language, analysis: JtlAnalysis) -> list[str]:
    """Return the paragraphs below the headline."""
    several = len(analysis.files) > 1
    said = [
        f"{one.name}: {about(words, one)}." if several else "" for one in analysis.files
    ]  # one file's is the headline
    if analysis.comparison:
        said.append(interval_note(words, analysis.comparison[0]))
    return [sentence for sentence in dict.fromkeys(said) if sentence]


def strongest(words: Language, analysis: JtlAnalysis) -> list[str]:
    """Return for each file and outcome which of the server's figures goes closest with it."""
    said, seen = [], set()
    for row in analysis.correlations:
        if (row["file"], row["y"]) in seen:
            continue
        seen.add((row["file"], row["y"]))
        low, high = as_number(row["lo"]), as_number(row["hi"])
        interval = ""
        if low is not None and high is not None:
            interval = words.say("between", low=words.figures.exact(low, 2), high=words.figures.exact(high, 2))
        said.append(
            words.say(
                "strongest" if low is not None and high is not None and low * high > 0 else "strongest_unsure",
                file=row["file"],
                indicator=words[str(row["indicator"])],
                outcome=words[str(row["y"])],
                r=words.figures.exact(as_number(row["pearson"]), 2),
                interval=interval,
                n=words.figures.count(as_number(row["n"])),
                independent=words.figures.short(as_number(row["n_independent"]), 2),
            )
        )
    return said


def summaries(words: Language, analysis: JtlAnalysis) -> list[Grid]:
    """Return the table of each file's labels."""
    grids = []
    for one in analysis.files:
        shown = [name for name in SHOWN_COLUMNS if any(row[name] is not None for row in one.summary)]
        grids.append(
            Grid(
                caption=" · ".join(part for part in (one.name, when(words, one)) if part)
                + (
                    f" · {words.say('more_labels', count=words.figures.count(len(one.summary) - MOST_ROWS))}"
                    if len(one.summary) > MOST_ROWS
                    else ""
                ),
                headings=(words["label"], *(heading(words, name) for name in shown)),
                numeric=(False, *(True for _ in shown)),
                rows=[
                    [(label_of(words, row), ""), *(field(words, row[name]) for name in shown)]
                    for row in one.summary[:MOST_ROWS]
                ],
            )
        )
    return grids


def heading(words: Language, name: str) -> str:
    """Return the heading of a column of the summary."""
    return words[name] if name in ("gap_s", "longest_gap_s") else words.column(name)


def comparison_grid(words: Language, analysis: JtlAnalysis) -> Grid | None:
    """Return the table of what changed; None with one file."""
    if not analysis.comparison:
        return None
    numbers = ("mean_ms_before", "mean_ms_after", "mean_ratio")
    names = ("mean_before", "mean_after", "ratio")
    whole = analysis.comparison[0]
    rows = []
    for row in analysis.comparison[:MOST_ROWS]:
        low, high = as_number(row.get("mean_ratio_lo")), as_number(row.get("mean_ratio_hi"))
        interval = words.interval(low, high)
        if not interval and row["no_interval"] != whole.get("no_interval"):
            interval = words.phrases[f"no_interval_{row['no_interval']}"]
        rows.append(
            [
                (label_of(words, row), ""),
                *(field(words, row[name]) for name in numbers),
                (interval or words.figures.missing, ""),
                field(words, row["p99_ratio"]),
                field(words, row["throughput_ratio"]),
            ]
        )
    return Grid(
        caption=" → ".join(one.name for one in analysis.files),
        headings=(
            words["label"],
            *(words[name] for name in names),
            words["ratio_interval"],
            words["p99_ratio"],
            words["throughput_ratio"],
        ),
        numeric=(False, True, True, True, False, True, True),
        rows=rows,
    )


def correlation_grid(words: Language, analysis: JtlAnalysis) -> Grid | None:
    """Return the table of correlations with the server's figures; None without."""
    if not analysis.correlations:
        return None
    return Grid(
        caption=words["server"],
        headings=(
            words["file"],
            words["outcome"],
            words["indicator"],
            "Pearson",
            words["ratio_interval"],
            "Spearman",
            "n",
            words["n_independent"],
        ),
        numeric=(False, False, False, True, False, True, True, True),
        rows=[
            [
                (str(row["file"]), ""),
                (words[str(row["y"])], ""),
                (words[str(row["indicator"])], ""),
                (words.figures.exact(as_number(row["pearson"]), 2), format_value(row["pearson"])),
                (words.interval(as_number(row["lo"]), as_number(row["hi"])) or words.figures.missing, ""),
                (words.figures.exact(as_number(row["spearman"]), 2), format_value(row["spearman"])),
                field(words, row["n"]),
                (words.figures.short(as_number(row["n_independent"]), 2), format_value(row["n_independent"])),
            ]
            for row in analysis.correlations[:MOST_CORRELATIONS]
        ],
    )


def field(words: Language, value: Value) -> tuple[str, str]:
    """Return a number as text, and as what it is sorted by."""
    known = as_number(value)
    return words.figures.plain(known), format_value(value)
