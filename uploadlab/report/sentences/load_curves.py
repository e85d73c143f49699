"""Up to which rate each system holds, and who holds longer, in a sentence each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from uploadlab.report.results import Results, ends, is_true
from uploadlab.tables.table_file import number
from uploadlab.words.language import Language
from uploadlab.words.wording import capital


def sentences(words: Language, results: Results) -> list[str]:
    """Say of each curve of the campaign what it shows, and of several which it is; empty where it has none."""
    names = dict.fromkeys(row["curve"] for row in results.table("load_curves").rows)
    said = {name: found for name in names if (found := sentence(words, results, name))}
    if len(said) < 2:
        return [*said.values()]
    return [words.say("curve_named", curve=label(words, results, name), said=found) for name, found in said.items()]


def label(words: Language, results: Results, curve: str) -> str:
    """Name a curve by what its scenarios have in common: 'Sample 1'; by its own name where none of them is known."""
    rate = results.campaign.get("capacity_factor")
    for scenario in results.scenarios.values():
        others = {name: level for name, level in scenario.factors.items() if name != rate}
        if curve == ", ".join(f"{name} {level}" for name, level in others.items()):
            varying = tuple(name for name in scenario.varying if name != rate)
            return capital(words.scenario(replace(scenario, varying=varying)))
    return curve


def sentence(words: Language, results: Results, curve: str) -> str:
    """Say of one curve up to which rate each system keeps to the limit, who does longer, and where the knees lie."""
    limits = [row for row in results.table("load_limits").rows if row["curve"] == curve]
    limits = [row for row in limits if row["system"] in results.systems]
    parts = []
    if limits:
        parts.append(
            words.say(
                "curve_holds",
                limit=words.figures.plain(number(limits[0]["p99_limit_ms"])),
                systems=words.join([_holds(words, results, row) for row in limits]),
            )
        )
        parts.append(_longer(words, results, limits))
    return " ".join(capital(part) for part in [*parts, *_knees(words, results, curve)] if part)


def _knees(words: Language, results: Results, curve: str) -> list[str]:
    """Say where the knees are, and which systems had none up to the highest rate measured."""
    rows = [row for row in results.table("load_curves").rows if row["curve"] == curve]
    highest = max((number(row["rate_per_s"]) or 0.0 for row in rows), default=0.0)
    knees, without = [], []
    for row in rows:
        if row["system"] not in results.systems or not is_true(row.get("knee")):
            continue
        name, rate = results.systems[row["system"]].name, number(row["rate_per_s"])
        if rate == highest:
            without.append(name)
            continue
        mean = words.figures.short(number(row["mean_ms"]))
        knees.append(words.say("curve_knee_of", system=name, rate=words.figures.count(rate), mean=mean))
    said = [words.say("curve_knees", knees=words.join(knees))] if knees else []
    if without:
        said.append(words.say("curve_no_knee", rate=words.figures.count(highest), systems=words.join(without)))
    return said


def _holds(words: Language, results: Results, row: Mapping[str, str]) -> str:
    known, rate = ends(row, "rate_per_s_lo", "rate_per_s_hi"), words.figures.count(number(row["rate_per_s"]))
    interval = f" ({words.phrases['to'].join(map(words.figures.count, known))})" if known else ""
    return words.say(f"curve_{row['holds']}", system=results.systems[row["system"]].name, rate=rate, interval=interval)


def _longer(words: Language, results: Results, limits: Sequence[Mapping[str, str]]) -> str:
    """Say who holds longer where that is certain: where no system is between, or the intervals part."""
    if len(limits) < 2:
        return ""
    certain = {row["system"]: _certain(row) for row in limits}
    best = max(certain, key=lambda key: certain[key][0])
    others = [ends_of for key, ends_of in certain.items() if key != best]
    if all(certain[best][0] > high for _, high in others):
        return words.say("curve_longer", system=results.systems[best].name)
    return words.say("curve_untold")


def _certain(row: Mapping[str, str]) -> tuple[float, float]:
    """Return between which rates the end of what a system holds lies, as far as is known."""
    rate = number(row["rate_per_s"]) or 0.0
    if row["holds"] == "all":
        return rate, float("inf")
    if row["holds"] == "none":
        return 0.0, rate
    return ends(row, "rate_per_s_lo", "rate_per_s_hi") or (0.0, float("inf"))
