"""The answer, a sentence for each load."""

from collections import Counter
from collections.abc import Iterator, Sequence

from uploadlab.records import SATURATED
from uploadlab.report.answer_table import AnswerTable, Measure
from uploadlab.report.numbers import span
from uploadlab.report.summary import Claim, Rank
from uploadlab.results.windows import HALF_PCT
from uploadlab.tables.answer import Comparison, Load, at_load

PHRASES = {
    "mean_ms": "answers in {ratio} of {other}'s mean time",
    "p50_ms": "answers half of its {operations} in {ratio} of {other}'s time",
    "p99_ms": "answers 99 of 100 {operations} in {ratio} of {other}'s time",
    "server_cpu_us_per_request": "needs {ratio} of {other}'s CPU",
    "cpu_us_per_operation": "needs {ratio} of {other}'s CPU",
    "capacity_per_s": "can store {ratio} times as many a second",
    "throughput_rps": "handles {ratio} times as many a second",
}
VERDICTS = {"holds": "hold", "fails": "fail", "undecided": "undecided", "not measured": "not measured"}
"""What several claims do of which one does so."""
MOST_NAMED = 2
MOST_SIZES = 4
"""That are named; of more it is said how many."""
BEST = "best"
ANY_METRIC = "has {ratio} of {other}'s {name}"


def answer(table: AnswerTable) -> str:
    """Say who is better in what, by how much and where."""
    systems = table.systems
    if not any(cell.valid_runs for cell in table.summary.cells):
        return "No run of this campaign counts, so it can't say which system is better."
    if len(systems) == 1:
        return f"{systems[0].name} was measured alone: there is nothing to compare it with."
    decided = [measure for measure in table.measures if measure.metric.decided]
    decided.sort(key=lambda measure: measure.load != HALF_PCT)
    say = _of_two if len(systems) == 2 else _of_many
    by_load: dict[Load, list[str]] = {}
    over = f", from {table.rows[0]} to {table.rows[-1]}" if table.sized and len(table.rows) > 1 else ""
    for measure in decided:
        for clause, where in say(table, measure):
            by_load.setdefault(measure.load, []).append(f"{clause}{where or over}")
            over = ""
    return " ".join(_sentence(load, clauses) for load, clauses in by_load.items()) or _none_is_best(table)


def _sentence(load: Load, clauses: Sequence[str]) -> str:
    said = "; ".join(clauses)
    if when := at_load(load):
        return f"{when.capitalize()}{',' if load == SATURATED else ''} {said}."
    return f"{said[0].upper()}{said[1:]}." if said.startswith(BEST) else f"{said}."  # a name keeps its letters


def claims_counted(claims: Sequence[Claim]) -> str:
    """Say how many of the published claims hold, fail and are open: 3 hold, 10 fail; of several versions for each."""
    by_stack: dict[str, Counter[str]] = {}
    for one in claims:
        by_stack.setdefault(one.stack, Counter())[one.verdict] += 1
    said = {
        stack: ", ".join(f"{found[verdict]} {word}" for verdict, word in VERDICTS.items() if found[verdict])
        for stack, found in by_stack.items()
    }
    return "; ".join(f"{stack}: {text}" if len(said) > 1 else text for stack, text in said.items())


def _none_is_best(table: AnswerTable) -> str:
    compared = [one for one in table.summary.comparisons if one.decided]
    if apart := sum(bool(one.winner) for one in compared):
        return f"This campaign can't tell which system is best: {apart} of {len(compared)} pairs are told apart."
    return "This campaign can't tell which system is better: no difference is decided."


def _of_two(table: AnswerTable, measure: Measure) -> Iterator[tuple[str, str]]:
    """Yield a clause for each of two that is better, and in which rows it is; a judgement's are about the change."""
    by_winner: dict[str, list[Comparison]] = {}
    for row in table.rows:
        for one in table.comparisons(row, measure):
            if one.winner:
                by_winner.setdefault(one.winner, []).append(one)
    base = table.summary.campaign.judged_against
    for winner, won in sorted(by_winner.items(), key=lambda item: -len(item[1])):
        other = base or next(one.id for one in table.systems if one.id != winner)
        system = next(one.id for one in table.systems if one.id != other)
        phrase = PHRASES.get(measure.metric.id, ANY_METRIC).format(
            ratio=span(one.ratio if one.system_a == system else 1 / one.ratio for one in won if one.ratio),
            other=table.name(other),
            name=measure.metric.name,
            operations=table.summary.campaign.operations,
        )
        yield f"{table.name(system)} {phrase}", _where([one.row for one in won], table.rows, in_order=table.sized)


def _where(rows: Sequence[str], every: Sequence[str], *, in_order: bool) -> str:
    """Say in which rows: nothing for all of them, from or up to one where they have an order, or by their names."""
    places = [every.index(row) for row in rows]
    if len(rows) == len(every):
        return ""
    if in_order and len(rows) > 1 and places == list(range(places[0], len(every))):
        return f" from {rows[0]} on"
    if in_order and len(rows) > 1 and places == list(range(len(rows))):
        return f" up to {rows[-1]}"
    if len(rows) <= (MOST_SIZES if in_order else MOST_NAMED):
        return f" at {', '.join([*rows[:-2], ' and '.join(rows[-2:])])}"
    return f" at {len(rows)} of {len(every)} sizes" if in_order else f" in {len(rows)} of {len(every)} rows"


def _of_many(table: AnswerTable, measure: Measure) -> Iterator[tuple[str, str]]:
    """Yield who is best in how many rows: one system, or two that can't be told apart and are better than others."""
    best_in = Counter(_best(table, table.ranks(row, measure)) for row in table.rows)
    tied = best_in.pop((), 0)
    parts = [
        f"{table.names(best)}{' tied' if len(best) > 1 else ''} in {count}" for best, count in best_in.most_common()
    ]
    if parts:
        parts += [f"tied in {tied}"] if tied else []
        yield f"{BEST} {measure.metric.name}: {', '.join(parts)} of {len(table.rows)} rows", ""


def _best(table: AnswerTable, ranks: Sequence[Rank]) -> tuple[str, ...]:
    """Return the systems than which none is better; nothing where they are all or too many to name."""
    first = {rank.system for rank in ranks if rank.best == 1}
    named = len(first) <= min(MOST_NAMED, len(ranks) - 1)
    return tuple(system.id for system in table.systems if system.id in first) if named else ()
