"""Up to which rate each system holds, and who holds longer, in a sentence each."""

from collections.abc import Mapping, Sequence

from analysis.report.results import Results, is_true, number
from analysis.words.language import Language
from analysis.words.wording import capital


def sentences(words: Language, results: Results) -> list[str]:
    """Say of each curve of the campaign what it shows; empty where it has none."""
    names = dict.fromkeys(row["curve"] for row in results.table("load_curves").rows)
    return [said for name in names if (said := sentence(words, results, name))]


def sentence(words: Language, results: Results, curve: str) -> str:
    """Say of one curve up to which rate each system keeps to the limit, who does longer, and where the knees lie."""
    limits = [row for row in results.table("load_limits").rows if row["curve"] == curve]
    limits = [row for row in limits if row["system"] in results.systems]
    parts = []
    if limits:
        parts.append(
            words.say(
                "curve_holds",
                limit=words.figures.short(number(limits[0]["p99_limit_ms"])),
                systems=words.join([_holds(words, results, row) for row in limits]),
            )
        )
        parts.append(_longer(words, results, limits))
    knees = [
        words.say(
            "curve_knee_of",
            system=results.systems[row["system"]].name,
            rate=words.figures.count(number(row["rate_per_s"])),
            mean=words.figures.short(number(row["mean_ms"])),
        )
        for row in results.table("load_curves").rows
        if row["curve"] == curve and row["system"] in results.systems and is_true(row.get("knee"))
    ]
    if knees:
        parts.append(words.say("curve_knees", knees=words.join(knees)))
    return " ".join(capital(part) for part in parts if part)


def _holds(words: Language, results: Results, row: Mapping[str, str]) -> str:
    lo, hi = number(row.get("rate_per_s_lo")), number(row.get("rate_per_s_hi"))
    rate = words.figures.count(number(row["rate_per_s"]))
    interval = (
        f" ({words.figures.count(lo)}{words.phrases['to']}{words.figures.count(hi)})"
        if lo is not None and hi is not None
        else ""
    )
    return words.say(f"curve_{row['holds']}", system=results.systems[row["system"]].name, rate=rate, interval=interval)


def _longer(words: Language, results: Results, limits: Sequence[Mapping[str, str]]) -> str:
    """Say who holds longer where that is certain: where no system is between, or the intervals part."""
    if len(limits) < 2:
        return ""
    ends = {row["system"]: _certain(row) for row in limits}
    best = max(ends, key=lambda key: ends[key][0])
    others = [end for key, end in ends.items() if key != best]
    if all(ends[best][0] > high for _, high in others):
        return words.say("curve_longer", system=results.systems[best].name)
    return words.say("curve_untold")


def _certain(row: Mapping[str, str]) -> tuple[float, float]:
    """Return between which rates the end of what a system holds lies, as far as is known."""
    rate = number(row["rate_per_s"]) or 0.0
    if row["holds"] == "all":
        return rate, float("inf")
    if row["holds"] == "none":
        return 0.0, rate
    lo, hi = number(row.get("rate_per_s_lo")), number(row.get("rate_per_s_hi"))
    return (lo, hi) if lo is not None and hi is not None else (0.0, float("inf"))
