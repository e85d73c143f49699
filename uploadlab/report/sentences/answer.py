"""The answer in words: who is faster, steadier and cheaper, where, and how sure that is."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from uploadlab.report import facts
from uploadlab.report.facts import SPEED, Doubts, Standing
from uploadlab.report.results import Comparison, Results, Scenario
from uploadlab.report.sentences.method import hypervisor
from uploadlab.report.setup import Setup
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

Standings = Mapping[str, Sequence[Standing]]

FEW_REPEATS = 5
"""With fewer valid repeats than this, the page warns that its intervals are wide."""
NOTABLE_STEAL_PCT = 1.0
NOTABLE_SLOWING = 1.1
NEARLY_ALL_PCT = 90.0
"""Of its cores: a server that uses less has time to spare."""
MOST_CLOCKED = 4
"""Of more cells than this the sentence about the clock gives the number, not each figure."""


def headline(words: Language, results: Results, standings: Standings) -> str:
    """Answer in one sentence: who is faster, steadier, cheaper, in how many scenarios."""
    if not results.valid_runs:
        return words.say("headline_nothing")
    questions = results.declared.questions
    if not any(one.rival for metric in questions for one in standings[metric]):
        measured = {run.system for run in results.valid_runs}
        names = [system.name for key, system in results.systems.items() if key in measured]
        return words.say("headline_alone", systems=words.join(names))
    groups: list[tuple[str, list[str]]] = []
    named = False
    for metric in questions:
        compared = [one for one in standings[metric] if one.rival]
        if all(one.decision == "undecided" for one in compared):
            groups += [("", [clause]) for clause in _ahead_clause(words, results, metric, compared)]
            continue  # what stays open is told below, not here
        leader, clause = _clause(words, results, metric, compared, again=named)
        named = named or bool(leader)
        if groups and leader and groups[-1][0] == leader:
            groups[-1][1].append(clause)
        else:
            groups.append((leader, [clause]))
    if not groups:
        return words.say("headline_undecided")
    parts = [
        f"{results.systems[leader].name} {words.join(clauses)}" if leader else clauses[0] for leader, clauses in groups
    ]
    return f"{capital('; '.join(parts))}."


def _ahead_clause(words: Language, results: Results, metric: str, compared: Sequence[Standing]) -> list[str]:
    """Return the clause on whom the best beat where they can't be told apart; nothing where they beat nobody."""
    told = Counter((frozenset(one.contenders), frozenset(facts.behind(results, one))) for one in compared)
    ahead = [(contenders, beaten, count) for (contenders, beaten), count in told.most_common() if beaten]
    return [
        words.say(
            "headline_ahead",
            best=_names(words, results, contenders),
            beaten=_names(words, results, beaten),
            measure=words.say(f"measure_{metric}"),
            share=_share(words, count, compared, again=False),
        )
        for contenders, beaten, count in ahead[:1]
    ]


def _names(words: Language, results: Results, keys: Collection[str]) -> str:
    return words.join([system.name for key, system in results.systems.items() if key in keys])


def _clause(
    words: Language, results: Results, metric: str, compared: Sequence[Standing], *, again: bool
) -> tuple[str, str]:
    """Return who leads in a question (or nobody), and the clause that says so; `again` where the noun was said."""
    wins = {key: _won(compared, key) for key in results.systems}
    leader = max(wins, key=lambda key: len(wins[key]))
    if not wins[leader]:
        equals = Counter(frozenset(one.contenders) for one in compared if one.decision == "equal")
        ((contenders, told),) = equals.most_common(1)
        names = _names(words, results, contenders)
        share = "" if told == len(compared) else _share(words, told, compared, again=again)
        return "", f"{words.say(f'equal_{metric}', systems=names)} {share}".strip()
    share = _share(words, len(wins[leader]), compared, again=again)
    others = [
        words.say("system_in", system=results.systems[key].name, count=len(wins[key]))
        for key in wins
        if wins[key] and key != leader
    ]
    return leader, f"{words.say(f'better_{metric}')} {share}{f' ({words.join(others)})' if others else ''}".strip()


def _share(words: Language, told: int, compared: Sequence[Standing], *, again: bool) -> str:
    """Say in how many scenarios of those compared something is so; `again` where the noun was said."""
    factor = words.spoken([one.scenario for one in compared])
    if len(compared) == 1:
        return "" if again else words.where([compared[0].scenario], [compared[0].scenario])
    if told == len(compared):
        return words.all_of(told, factor, again=again)
    return words.some_of(told, len(compared), factor, again=again)


def _won(standings: Sequence[Standing], system: str) -> list[Standing]:
    return [one for one in standings if one.decision == "better" and one.best == system]


def answer(words: Language, results: Results, metric: str, standings: Sequence[Standing]) -> str:
    """Say who is better in a metric, where and by how much; empty where no run is valid, or nothing is decided."""
    if not results.valid_runs:
        return ""
    words = words.about(results.declared.metric(metric))
    measure = words.say(f"measure_{metric}")
    if not any(one.best for one in standings):
        return words.say("not_known", measure=measure)
    standings = [one for one in standings if one.decision != "outside"]
    every = [one.scenario for one in standings]
    sentences = []
    for key in sorted(results.systems, key=lambda key: -len(_won(standings, key))):
        wins = _won(standings, key)
        if wins:
            where = words.where([one.scenario for one in wins], every)
            sizes = _sizes(words, wins) if metric == SPEED else ""
            better = f"{results.systems[key].name} {words.say(f'better_{metric}')} {where}{sizes}"
            sentences.append(words.say("better", better=better, measure=measure, less=_less(words, results, wins)))
    sentences += _equal(words, results, measure, standings, every)
    sentences += _ahead(words, results, measure, standings, every)
    alone = [one.scenario for one in standings if one.decision == "alone"]
    if alone and not any(one.rival for one in standings):
        sentences += [
            capital(words.say("extent", system=results.systems[key].name, measure=measure, extent=said))
            for key in results.systems
            if (said := extent(words, facts.profile(results, key, metric), metric))
        ]
    elif alone:
        sentences.append(capital(words.say("alone_there", where=words.where(alone, every))))
    nothing = [one.scenario for one in standings if one.decision == "nothing"]
    if nothing:
        sentences.append(capital(words.say("nothing_there", where=words.where(nothing, every))))
    return " ".join(sentences)


def clock(words: Language, results: Results) -> str:
    """Say which CVs JMeter's clock is a part of, and what they are without it; empty where none is."""
    cells = facts.clocked_cells(results)
    if not cells:
        return ""
    shares = facts.extent(cell.value("clock_variance_pct") for cell in cells) or (0.0, 0.0)
    if len(cells) > MOST_CLOCKED:
        said = words.say("clock_many", cells=words.count(len(cells), "cell"))
    else:
        said = words.join(
            [
                words.say(
                    "clock_one",
                    system=results.systems[cell.system].name,
                    scenario=words.scenario(results.scenarios[cell.scenario]),
                    cv=words.figures.short(cell.value("cv")),
                    without=words.figures.short(facts.without_clock(cell)),
                )
                for cell in cells
            ]
        )
    return words.say("clock", percent=words.span(shares, 2), cells=said)


def _equal(
    words: Language, results: Results, measure: str, standings: Sequence[Standing], every: Sequence[Scenario]
) -> list[str]:
    """Say where which systems are equal, and whom they beat: one sentence for each set of equals."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Scenario]] = {}
    for one in standings:
        if one.decision == "equal":
            equals = tuple(key for key in results.systems if key in one.contenders)
            groups.setdefault((equals, tuple(sorted(one.beaten))), []).append(one.scenario)
    return [
        capital(
            words.say(
                "equal_there",
                where=words.where(scenarios, every),
                measure=measure,
                systems=_names(words, results, equals),
                margin=words.figures.plain(results.equal_margin_pct),
                ahead=words.say("ahead", systems=_names(words, results, beaten)) if beaten else "",
            )
        )
        for (equals, beaten), scenarios in groups.items()
    ]


def _ahead(
    words: Language, results: Results, measure: str, standings: Sequence[Standing], every: Sequence[Scenario]
) -> list[str]:
    """Say where several systems that can't be told apart beat which others: one sentence for each such set."""
    groups: dict[tuple[frozenset[str], frozenset[str]], list[tuple[Scenario, list[float]]]] = {}
    for one in standings:
        if one.decision == "undecided" and (ratios := facts.behind(results, one)):
            found = (one.scenario, [ratio for of_one in ratios.values() for ratio in of_one])
            groups.setdefault((frozenset(one.contenders), frozenset(ratios)), []).append(found)
    return [
        capital(
            words.say(
                "ahead_there",
                where=words.where([scenario for scenario, _ in found], every),
                systems=_names(words, results, contenders),
                beaten=_names(words, results, beaten),
                measure=measure,
                more=words.apart(facts.extent(ratio for _, ratios in found for ratio in ratios) or (1, 1)),
            )
        )
        for (contenders, beaten), found in groups.items()
    ]


def _sizes(words: Language, wins: Sequence[Standing]) -> str:
    sizes = facts.extent(one.scenario.size_bytes for one in wins)
    if sizes is None:
        return ""
    low, high = (words.figures.size(size) for size in sizes)
    return words.say("files", size=low if low == high else f"{low}{words.phrases['to']}{high}")


def _less(words: Language, results: Results, wins: Sequence[Standing]) -> str:
    rivals = {one.rival for one in wins}
    than = results.systems[wins[0].rival].name if len(rivals) == 1 else words.say("the_next")
    less = words.apart(facts.extent(one.ratio for one in wins) or (1, 1))
    lows, highs = facts.extent(one.low for one in wins), facts.extent(one.high for one in wins)
    if lows is None or highs is None:
        return words.say("less", less=less, than=than)
    phrase = "less_interval" if len(wins) == 1 else "less_intervals"
    return words.say(phrase, less=less, than=than, interval=words.apart((lows[0], highs[1])))


def still_open(words: Language, results: Results, standings: Standings) -> str:
    """Say in one line what is not decided, and how far apart the systems are at most; empty where nothing is open."""
    parts: list[str] = []
    more: list[int | None] = []
    for metric, of_metric in standings.items():
        compared = [one for one in of_metric if one.decision != "outside"]
        undecided = [one for one in compared if one.decision == "undecided"]
        bounds = [one.apart for one in undecided]
        known = [bound for bound in bounds if bound is not None]
        if undecided:
            parts.append(
                words.say(
                    "open_within" if len(known) == len(bounds) else "open_part",
                    measure=words.say(f"measure_{metric}"),
                    where=words.where([one.scenario for one in undecided], [one.scenario for one in compared]),
                    percent=words.figures.short(100 * max(known, default=0.0), 2),
                )
            )
        more += [one.more_repeats for one in undecided]
    if not parts:
        return ""
    said = words.say("open", parts=words.join(parts))
    repeats = [one for one in more if one is not None]
    if len(repeats) < len(more):
        return said
    return f"{said} {words.say('would_tell', repeats=words.count(max(repeats), 'more_repeat'))}"


def below_capacity(words: Language, results: Results, known: Setup) -> str:
    """Say how much of its cores the server used where that is not nearly all; empty where it is, or is told elsewhere.

    How systems compare with time to spare need not be how they compare at their limit.
    """
    told_elsewhere = known.server_cpu_limit_pct is not None or known.server_shares
    if results.declared.roles or told_elsewhere or results.campaign.get("capacity_factor"):
        return ""
    used = facts.server_busy_pct(results, known)
    if used is None or used[1] >= NEARLY_ALL_PCT:
        return ""
    return words.say("below_capacity", percent=words.span(used, 2))


def extent(words: Language, found: facts.Profile | None, metric: str) -> str:
    """Say between which figures a metric lies, and where: 'lies between 9.6 ms (here) and 122 ms (there)'."""
    if found is None:
        return ""
    low, high = (words.amount(value, metric) for value in (found.low, found.high))
    at = words.scenario(found.low_at)
    if found.scenarios == 1:
        return words.say("extent_one", value=low, at=at)
    return words.say("extent_many", low=low, low_at=at, high=high, high_at=words.scenario(found.high_at))


def standing(words: Language, one: Standing | Comparison) -> str:
    """Say how the best stands to its rival in one scenario, in figures: '−20 % (−28 to −12 %)'."""
    if one.ratio is None:
        return ""
    text = f"{words.change(one.ratio)}\u00a0%"
    if one.low is not None and one.high is not None:
        text += f" ({words.change(one.low)}{words.phrases['to']}{words.change(one.high)}\u00a0%)"
    return text


def doubts(words: Language, doubts: Doubts) -> list[str]:
    """Say what limits how far the answer can be trusted, a sentence each."""
    known = doubts.setup
    said = [words.say("doubt_emulated")] if known.emulated else []
    low, high = doubts.repeats_of_answer
    if high == 1 and doubts.rounds:
        said.append(words.say("doubt_rounds", rounds=words.figures.count(doubts.rounds)))
    elif high == 1:
        said.append(words.say("doubt_one_repeat"))
    elif 0 < high < FEW_REPEATS:
        said.append(words.say("doubt_few_repeats", repeats=words.counts((low, high))))
    left_out = [
        words.say(phrase, runs=words.count(number, noun))
        for phrase, number, noun in (
            ("doubt_invalid", doubts.invalid, "run"),
            ("doubt_failed", doubts.failed, "run"),
            ("doubt_missing", doubts.missing, "planned_run"),
        )
        if number
    ]
    if left_out:
        said.append(capital(words.say("doubt_left_out", runs=words.join(left_out))))
    if known.same_host:
        cores = words.say("with_cores", cores=words.count(known.cores, "core")) if known.cores else ""
        said.append(words.say("doubt_parts_same_host" if doubts.parts else "doubt_same_host", cores=cores))
    if known.server_cpu_limit_pct is not None:
        said.append(words.say("doubt_limit", percent=words.figures.plain(known.server_cpu_limit_pct)))
    busy = None if doubts.parts or known.server_shares else doubts.server_busy_pct
    if known.server_cpu_limit_pct is None and busy is not None and busy[0] >= NEARLY_ALL_PCT:
        said.append(words.say("doubt_saturated", percent=words.span(busy, 2)))
    if known.virtual_machine:
        said.append(words.say("doubt_virtual", kind=hypervisor(words, known)))
    if doubts.steal_pct is not None and doubts.steal_pct >= NOTABLE_STEAL_PCT:
        said.append(words.say("doubt_steal", percent=words.figures.short(doubts.steal_pct, 2)))
    if known.idle_cores == "sleep":
        said.append(words.say("doubt_idle_cores"))
    if doubts.core_work_ms is not None:
        fastest_ms, slowest_ms = doubts.core_work_ms
        if slowest_ms >= NOTABLE_SLOWING * fastest_ms:
            ratio = words.figures.short(slowest_ms / fastest_ms, 2)
            said.append(words.say("doubt_core_speed", work_ms=words.span(doubts.core_work_ms, 2), ratio=ratio))
    if doubts.generator_wait_pct is not None:
        used = doubts.generator_cpu_pct
        cpu = words.say("generator_busy", percent=words.span(used, 2)) if used is not None else ""
        said.append(words.say("doubt_generator", percent=words.span(doubts.generator_wait_pct, 2), cpu=cpu))
    elif doubts.valid and not doubts.parts:
        said.append(words.say("doubt_generator_unknown"))
    if doubts.error_pct:
        said.append(words.say("doubt_errors", percent=words.figures.short(doubts.error_pct, 2)))
    if known.memory_disks and not doubts.parts:
        said.append(words.say("doubt_memory"))
    if doubts.profile == "smoke":
        said.append(words.say("doubt_smoke"))
    return said


def counted(words: Language, doubts: Doubts) -> str:
    """Say how many runs and requests the page rests on."""
    return words.say(
        "counted",
        valid=words.figures.count(doubts.valid),
        runs=words.count(doubts.runs + doubts.missing, "run"),
        requests=words.count(doubts.requests, "request"),
    )
