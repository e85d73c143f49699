"""The page in English."""

from collections.abc import Iterable, Mapping, Sequence

from analysis.report import facts
from analysis.report.facts import CPU_COST, QUESTIONS, SPEED, STEADINESS, Correlation, Doubts, Gap, Profile, Standing
from analysis.report.numbers import Figures
from analysis.report.results import Cell, Comparison, Results, Run, Scenario
from analysis.report.words import Words

_MEASURE = {
    SPEED: "mean response time",
    STEADINESS: "coefficient of variation",
    CPU_COST: "server CPU time per upload",
}
_UNIT = {SPEED: "\u00a0ms", STEADINESS: "", CPU_COST: "\u00a0µs"}
_BETTER = {SPEED: "answers faster", STEADINESS: "is steadier", CPU_COST: "spends less CPU"}
_WHICH = {
    SPEED: "which one answers faster",
    STEADINESS: "which one is steadier",
    CPU_COST: "which one spends less CPU",
}
_EQUAL = {
    SPEED: "they answer equally fast",
    STEADINESS: "they are equally steady",
    CPU_COST: "they spend equally much CPU",
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class English(Words):
    """English words."""

    code = "en"
    name = "English"
    figures = Figures(decimal=".", group=",")
    format_locale: Mapping[str, object] = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""]}

    def join(self, parts: Sequence[str]) -> str:
        """Join parts with commas and a last 'and'."""
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

    def scenario(self, scenario: Scenario) -> str:
        """Name a scenario within a sentence: 'sample 5'."""
        words: list[str] = []
        for name in scenario.varying or tuple(scenario.factors)[:1]:
            level = scenario.factors.get(name, "")
            words.append(f"on {level}" if name == "disk" and words else f"{name} {level}")
        return " ".join(words) or scenario.key

    def scenarios(self, chosen: Sequence[Scenario], every: Sequence[Scenario]) -> str:
        """Name several scenarios within a sentence: 'samples 1 to 5 and 10'."""
        if len(chosen) == 1:
            return self.scenario(chosen[0])
        noun = "samples" if chosen[0].varying == ("sample",) else "scenarios"
        if len(chosen) == len(every):
            return f"all {len(every)} {noun}"
        if noun != "samples":
            return self.join([self.scenario(one) for one in chosen])
        groups = facts.consecutive([self.scenario_short(one) for one in chosen])
        parts = [f"{group[0]} to {group[-1]}" if len(group) > 2 else self.join(group) for group in groups]
        return f"{noun} {self.join(parts)}"

    def scenario_short(self, scenario: Scenario) -> str:
        """Name a scenario on an axis: '5', or '5 ssd' where disks vary too."""
        names = scenario.varying or tuple(scenario.factors)[:1]
        return " ".join(scenario.factors.get(name, "") for name in names) or scenario.key

    def scenario_long(self, scenario: Scenario) -> str:
        """Name a scenario in a chooser, with the mean size of its files."""
        size = f" (files of {self.figures.size(scenario.size_bytes)} on average)" if scenario.size_bytes else ""
        return f"{_capital(self.scenario(scenario))}{size}"

    def scenario_axis(self, results: Results) -> str:
        """Title the axis of the scenarios."""
        first = next(iter(results.scenarios.values()), None)
        names = (first.varying or tuple(first.factors)[:1]) if first else ()
        title = " and ".join(names) or "scenario"
        sizes = any(one.size_bytes for one in results.scenarios.values())
        return f"{title} (below: mean file size)" if sizes else title

    # the answer

    def headline(self, results: Results, standings: Mapping[str, Sequence[Standing]]) -> str:
        """Answer in one sentence: who is faster, steadier, cheaper, in how many scenarios."""
        if not results.valid_runs:
            return "No run of this campaign counts, so it can't say which server is faster."
        if not any(one.rival for metric in QUESTIONS for one in standings[metric]):
            names = {one.best for metric in QUESTIONS for one in standings[metric] if one.best}
            measured = self.join([results.systems[key].name for key in results.systems if key in names])
            return f"{measured} was measured without a rival: there is nothing to compare."
        groups: list[tuple[str, list[str]]] = []
        for metric in QUESTIONS:
            compared = [one for one in standings[metric] if one.rival]
            if compared:
                leader, clause = self._clause(results, metric, compared, noun=not groups)
                if groups and leader and groups[-1][0] == leader:
                    groups[-1][1].append(clause)
                else:
                    groups.append((leader, [clause]))
        parts = [
            f"{results.systems[leader].name} {self.join(clauses)}" if leader else clauses[0]
            for leader, clauses in groups
        ]
        return f"{_capital('; '.join(parts))}."

    def _clause(self, results: Results, metric: str, compared: Sequence[Standing], *, noun: bool) -> tuple[str, str]:
        """Return who leads in a question (or nobody), and the clause that says so."""
        wins = {key: sum(1 for one in compared if self._wins(one, key)) for key in results.systems}
        leader = max(wins, key=lambda key: wins[key])
        if not wins[leader]:
            equal = all(one.decision == "equal" for one in compared)
            return "", _EQUAL[metric] if equal else f"{_WHICH[metric]} can't be told"
        share = f"in all {len(compared)}" if wins[leader] == len(compared) else f"in {wins[leader]} of {len(compared)}"
        if len(compared) == 1:
            share = f"in {self.scenario(compared[0].scenario)}" if noun else ""
        elif noun:
            share += " samples" if compared[0].scenario.varying == ("sample",) else " scenarios"
        others = [f"{results.systems[key].name} in {wins[key]}" for key in wins if wins[key] and key != leader]
        return leader, f"{_BETTER[metric]} {share}{f' ({self.join(others)})' if others else ''}".strip()

    def _wins(self, one: Standing, system: str) -> bool:
        return one.decision == "better" and one.best == system

    def answer(self, results: Results, metric: str, standings: Sequence[Standing]) -> str:
        """Answer one of the three questions with figures and intervals."""
        every = list(results.scenarios.values())
        sentences = []
        if not any(one.best for one in standings):
            return f"The {_MEASURE[metric]} is not known: no valid run has it." if results.valid_runs else ""
        for key in sorted(results.systems, key=lambda key: -sum(1 for one in standings if self._wins(one, key))):
            wins = [one for one in standings if self._wins(one, key)]
            if wins:
                where = self.scenarios([one.scenario for one in wins], every)
                better = f"{results.systems[key].name} {_BETTER[metric]} in {where}"
                sentences.append(f"{better}: its {_MEASURE[metric]} is {self._less(results, wins)}.")
        equal = [one.scenario for one in standings if one.decision == "equal"]
        if equal:
            sentences.append(f"In {self.scenarios(equal, every)} they are equal within the margin of 5\u00a0%.")
        undecided = [one for one in standings if one.decision == "undecided"]
        if undecided:
            sentences.append(self._undecided(results, metric, undecided, every))
        alone = [one for one in standings if one.decision == "alone"]
        if alone and not any(one.rival for one in standings):
            for key in results.systems:
                found = facts.profile(results, key, metric)
                if found:
                    sentences.append(f"{results.systems[key].name}'s {_MEASURE[metric]} {self._extent(found, metric)}.")
        elif alone:
            where = self.scenarios([one.scenario for one in alone], every)
            sentences.append(f"In {where} only one system has valid runs.")
        nothing = [one.scenario for one in standings if one.decision == "nothing"]
        if nothing:
            verb = "has" if len(nothing) == 1 else "have"
            where = self.scenarios(nothing, every)
            sentences.append(f"{_capital(where)} {verb} no valid run to say so.")
        return " ".join(sentences)

    def _less(self, results: Results, wins: Sequence[Standing]) -> str:
        rivals = {one.rival for one in wins}
        rival = f"{results.systems[wins[0].rival].name}'s" if len(rivals) == 1 else "that of the next"
        low, high = facts.extent(one.ratio for one in wins) or (None, None)
        less = self._percent_span(high, low)
        lows = facts.extent(one.low for one in wins)
        highs = facts.extent(one.high for one in wins)
        if lows is None or highs is None:
            return f"{less} lower than {rival} (no interval)"
        intervals = "95\u00a0% interval" if len(wins) == 1 else "95\u00a0% intervals within"
        return f"{less} lower than {rival} ({intervals} {self._percent_span(highs[1], lows[0])})"

    def _percent_span(self, smaller: float | None, larger: float | None) -> str:
        """Write two ratios below 1 as a span of percentages lower; `smaller` is the smaller difference."""
        first, last = (self._percent(None if ratio is None else 1 - ratio) for ratio in (smaller, larger))
        return f"{first}\u00a0%" if first == last else f"{first} to {last}\u00a0%"

    def _percent(self, share: float | None) -> str:
        if share is None:
            return self.figures.missing
        percent = 100 * share
        if abs(percent) < 0.005:
            return "0"
        return self.figures.exact(percent, 0) if 0.95 <= abs(percent) < 99 else self.figures.short(percent, 1)

    def _undecided(
        self, results: Results, metric: str, undecided: Sequence[Standing], every: Sequence[Scenario]
    ) -> str:
        where = self.scenarios([one.scenario for one in undecided], every)
        more = [one.more_repeats for one in undecided if one.more_repeats]
        would = f" About {self.figures.count(max(more))} more repeats of each would." if more else ""
        if len(undecided) > 1:
            leads = {key: sum(1 for one in undecided if one.best == key) for key in results.systems}
            leader = max(leads, key=lambda key: leads[key])
            share = "all" if leads[leader] == len(undecided) else f"{leads[leader]} of {len(undecided)}"
            lean = f"{results.systems[leader].name} has the lower figure in {share}, but the intervals hold both orders"
            return f"In {where} this campaign can't tell: {lean}.{would}"
        one = undecided[0]
        best, rival = results.systems[one.best].name, results.systems[one.rival].name
        differ = f"{best}'s {_MEASURE[metric]} is {self._percent_span(one.ratio, one.ratio)} lower than {rival}'s"
        if one.low is None or one.high is None:
            return f"In {where} this campaign can't tell: {differ}, without an interval.{would}"
        reach = f"{self._direction(one.low)} to {self._direction(one.high)}"
        return f"In {where} this campaign can't tell: {differ}, but the 95\u00a0% interval reaches from {reach}.{would}"

    def _direction(self, ratio: float) -> str:
        return f"{self._percent(abs(1 - ratio))}\u00a0% {'lower' if ratio < 1 else 'higher'}"

    def _extent(self, found: Profile, metric: str) -> str:
        unit = _UNIT[metric]
        if found.scenarios == 1:
            return f"is {self.figures.short(found.low)}{unit} in {self.scenario(found.low_at)}"
        low = f"{self.figures.short(found.low)}{unit} ({self.scenario(found.low_at)})"
        return f"lies between {low} and {self.figures.short(found.high)}{unit} ({self.scenario(found.high_at)})"

    def standing(self, standing: Standing) -> str:
        """Say how the best stands to its rival in one scenario, in figures: '−20 % (−28 to −12 %)'."""
        if standing.ratio is None:
            return ""
        text = f"{self._change(standing.ratio)}\u00a0%"
        if standing.low is not None and standing.high is not None:
            text += f" ({self._change(standing.low)} to {self._change(standing.high)}\u00a0%)"
        return text

    def _change(self, ratio: float) -> str:
        text = self._percent(ratio - 1)
        return f"+{text}" if ratio > 1 and text != "0" else text

    def margin_of(self, comparison: Comparison) -> str:
        """Write a comparison's ratio with its interval."""
        text = self.figures.exact(comparison.ratio, 2)
        if comparison.low is not None and comparison.high is not None:
            text += f" ({self.figures.exact(comparison.low, 2)} to {self.figures.exact(comparison.high, 2)})"
        return text

    def doubts(self, doubts: Doubts, standings: Mapping[str, Sequence[Standing]]) -> list[str]:
        """Say what limits how far the answer can be trusted, a sentence each."""
        n = self.figures
        said = []
        low, high = doubts.repeats
        if high == 1:
            said.append("Each cell has one valid run at most: no interval can be given, so no difference is decided.")
        elif 0 < high < 5:
            span = _NUMBERS[high] if low == high else f"{_NUMBERS[low]} to {_NUMBERS[high]}"
            said.append(
                f"The intervals rest on {span} valid repeats a cell. They are honest but wide: "
                "only large differences can be decided with so few."
            )
        if doubts.invalid or doubts.failed or doubts.missing:
            parts = []
            if doubts.invalid:
                parts.append(f"{self._count(doubts.invalid, 'run')} did not pass a gate")
            if doubts.failed:
                parts.append(f"{self._count(doubts.failed, 'run')} failed")
            if doubts.missing:
                parts.append(f"{self._count(doubts.missing, 'planned run')} {_is(doubts.missing)} not there yet")
            said.append(f"{_capital(self.join(parts))}; none of these counts, and each is named below with its reason.")
        if doubts.same_host:
            cores = f" with {self._count(doubts.cores, 'core')}" if doubts.cores else ""
            said.append(
                f"Server and load generator shared one machine{cores}, without a network between them: memory, caches, "
                "disk and kernel are shared, so absolute figures belong to this machine and ratios travel better."
            )
        if doubts.virtualisation:
            said.append(f"The machine is virtual ({doubts.virtualisation}): others may have used its cores meanwhile.")
        if doubts.steal_pct is not None and doubts.steal_pct >= 1:
            said.append(
                f"The hypervisor took up to {n.short(doubts.steal_pct)}\u00a0% of a run's server cores (steal)."
            )
        if doubts.generator_wait_pct is not None:
            span = n.span(*doubts.generator_wait_pct, " to ", digits=2)
            text = f"Of the mean response time, {span}\u00a0% was the load generator's own wait for a core"
            if doubts.generator_cpu_pct is not None:
                text += f", which kept its cores {n.span(*doubts.generator_cpu_pct, ' to ', digits=2)}\u00a0% busy"
            said.append(f"{text}.")
        elif doubts.valid:
            said.append("How much of the response time was the load generator's own is not known: it was not sampled.")
        if doubts.error_pct:
            said.append(
                f"Up to {n.short(doubts.error_pct)}\u00a0% of a run's requests failed; their times are counted in."
            )
        if doubts.memory_disks:
            said.append("Uploads were stored in memory (tmpfs) in part: those figures hold no disk.")
        if doubts.profile == "smoke":
            said.append("The profile smoke only shows that everything works; it is too short to compare servers.")
        return said

    def _count(self, number: int, noun: str) -> str:
        return f"{self.figures.count(number)} {noun}{'' if number == 1 else 's'}"

    def runs_counted(self, doubts: Doubts) -> str:
        """Say how many runs and requests the page rests on."""
        runs = f"{self.figures.count(doubts.valid)} of {self._count(doubts.runs + doubts.missing, 'run')}"
        return f"{runs} valid, {self._count(doubts.requests, 'request')} measured"

    def method(self, results: Results, doubts: Doubts) -> str:
        """Describe in a paragraph how the campaign was measured, for citing."""
        campaign = results.campaign
        versions = campaign.get("versions") or {}
        machine = campaign.get("machine") or {}
        names = self.join([_versioned(system.name, system.versions) for system in results.systems.values()] or ["–"])
        lab = f"Upload Lab {versions.get('lab')}" if versions.get("lab") else "Upload Lab"
        jmeter = f"Apache JMeter {versions.get('jmeter')}" if versions.get("jmeter") else "Apache JMeter"
        host = ", ".join(
            part
            for part in (
                str(machine.get("cpu_model") or ""),
                self._count(doubts.cores, "core") if doubts.cores else "",
                f"Linux {machine.get('kernel')}" if machine.get("kernel") else "",
            )
            if part
        )
        low, high = doubts.repeats
        repeats = f"{low}" if low == high else f"{low} to {high}"
        text = f"{names} were compared with {lab} (profile {doubts.profile or '–'}, seed {campaign.get('seed', '–')})"
        if len(results.systems) == 1:
            text = text.replace(" were compared ", " was measured ", 1)
        text += (
            f" in {self._count(len(results.scenarios), 'scenario')}, {repeats} valid repeats a cell, in random order"
        )
        text += f", each with a fresh server process; load by {jmeter}"
        text += f"; host: {host}." if host else "."
        if doubts.requests_per_run:
            requests = self.figures.span(*doubts.requests_per_run, " to ")
            text += f" A run measures {requests} requests after its warm-up"
            text += "; response time is JMeter's elapsed time of all of them, failed ones included."
        text += (
            " Figures of a cell are means over its valid repeats; intervals (95 %) are over repeats, since the requests"
            " of one run are not independent. Percentiles use every request."
        )
        return text

    # the charts

    def seen(self, results: Results, metric: str, profiles: Sequence[Profile], gap: Gap | None) -> str:
        """Say what a chart of a metric by scenario shows."""
        if not profiles:
            return f"There is no valid run with a {_MEASURE[metric]} to draw."
        parts = []
        for position, found in enumerate(profiles):
            name = f"{results.systems[found.system].name}'s"
            parts.append(
                f"{name} {_MEASURE[metric] if position == 0 else ''}".strip() + " " + self._extent(found, metric)
            )
        text = f"{'; '.join(parts)}."
        if metric == STEADINESS and max(found.high for found in profiles) > 1:
            text += " Above 1 the standard deviation is larger than the mean."
        if gap is not None and gap.ratio >= 1.005:
            less, more = results.systems[gap.less].name, results.systems[gap.more].name
            ratio = self.figures.short(gap.ratio)
            where = self.scenario(gap.scenario)
            apart = "They lie furthest apart in" if len(results.scenarios) > 1 else "In"
            joint = ", where" if len(results.scenarios) > 1 else ","
            text += f" {apart} {where}{joint} {more}'s is {ratio} times {less}'s."
        return text

    def note(self, metric: str, doubts: Doubts, *, log: bool, invalid: int, intervals: bool) -> str:
        """Say how to read a chart by scenario, and its n."""
        low, high = doubts.repeats
        n = f"{low}" if low == high else f"{low} to {high}"
        text = "Large symbols: mean over the valid runs; small ones: each run"
        text += "; lines: 95\u00a0% interval over repeats, cut at the frame" if intervals else ""
        text += "; crosses: runs that don't count" if invalid else ""
        text += ". Logarithmic axis" if log else ""
        requests = self.figures.span(*doubts.requests_per_run, " to ") if doubts.requests_per_run else "0"
        return f"{text}. n\u00a0=\u00a0{n} valid runs a cell of {requests} requests each."

    def switches_seen(self, results: Results, correlations: Sequence[Correlation]) -> str:
        """Say how switches go with the CV."""
        sentences = []
        for one in correlations:
            name = results.systems[one.series].name if one.series in results.systems else "the differences"
            of = f"For {name}"
            if one.pearson is None or one.n < 3:
                sentences.append(f"{of}, {self._count(one.n, 'scenario')} can't show a correlation.")
                continue
            figure = f"Pearson's r is {self.figures.exact(one.pearson, 2)}"
            if one.low is not None and one.high is not None:
                interval = f"{self.figures.exact(one.low, 2)} to {self.figures.exact(one.high, 2)}"
                figure += f" (95\u00a0% interval {interval}, n\u00a0=\u00a0{one.n})"
            else:
                figure += f" (n\u00a0=\u00a0{one.n}, too few for an interval)"
            if one.spearman is not None:
                figure += f", Spearman's {self.figures.exact(one.spearman, 2)}"
            if one.loo_min is not None and one.loo_max is not None:
                low, high = self.figures.exact(one.loo_min, 2), self.figures.exact(one.loo_max, 2)
                figure += f"; leaving out one scenario moves r from {low} to {high}"
            sentences.append(f"{of} {figure}.")
        if sentences:
            return " ".join(sentences)
        return "Whether more switches go with a larger CV is not computed for this campaign."

    def switches_note(self, points: int) -> str:
        """Say how to read the chart of switches against CV, and its n."""
        return (
            f"A point is a cell, labelled with its {'scenario' if points == 1 else 'sample'}: "
            f"means over its valid runs, n\u00a0=\u00a0{self._count(points, 'cell')}. "
            "Switches are of the whole host, the load generator's included, where both share it."
        )

    def percentiles_seen(
        self, results: Results, scenario: Scenario, cells: Iterable[tuple[Cell, Mapping[float, float], int]]
    ) -> str:
        """Say what the percentile curves of a scenario show."""
        parts = []
        shares = {0.5: "half", 0.99: "99 of 100", 0.999: "999 of 1,000"}
        for cell, values, requests in cells:
            times = [f"{shares[q]} within {self.figures.short(values[q])}\u00a0ms" for q in shares if q in values]
            name = results.systems[cell.system].name
            n = f"n\u00a0=\u00a0{self._count(requests, 'request')} of {self._count(len(cell.valid_runs), 'run')}"
            parts.append(f"{name} answered {self.join(times)} ({n})" if times else f"{name} has no valid run")
        text = _capital(self.scenario(scenario))
        return f"{text}: {'; '.join(parts) or 'no valid run'}."

    def timeline_note(self, width_s: int) -> str:
        """Say how to read the timeline; a point stands for `width_s` seconds."""
        joined = f" A point stands for {width_s} seconds." if width_s > 1 else ""
        return (
            "All panels share one clock; 0 is the first measured request, before it is warm-up. Shading: requests that "
            f"ended then with that response time, darker is more.{joined}"
        )

    def run_label(self, results: Results, run: Run) -> str:
        """Name a run in a chooser."""
        scenario = self.scenario(results.scenarios[run.scenario])
        mark = "" if run.valid else " (failed)" if run.status == "failed" else " (invalid)"
        return f"{results.systems[run.system].name}, {scenario}, repeat {run.repeat}{mark}"

    def timeline_seen(self, results: Results, run: Run, facts: Mapping[str, tuple[float, float]], seconds: int) -> str:
        """Say what happened in a run."""
        n = self.figures
        text = f"{self.run_label(results, run)}: {self._count(seconds, 'second')} of load"
        throughput = run.value("throughput_rps")
        if throughput is not None:
            text += f" at {n.short(throughput)} requests a second"
        if "mean_ms" in facts:
            text += f"; the mean response time of a second lay between {n.span(*facts['mean_ms'], ' and ')}\u00a0ms"
        if "cpu_pct" in facts:
            text += f"; the server's cores were {n.span(*facts['cpu_pct'], ' to ')}\u00a0% busy"
        if "switches_per_s" in facts:
            text += f", with {n.span(*facts['switches_per_s'], ' to ')} context switches a second"
        text += "."
        counts = [
            self._count(int(facts[name][1]), noun)
            for name, noun in (
                ("retransmits", "retransmitted segment"),
                ("listen_overflows", "listen-queue overflow"),
                ("errors", "failed request"),
            )
            if name in facts and facts[name][1] > 0
        ]
        known = any(name in facts for name in ("retransmits", "listen_overflows"))
        if counts:
            text += f" It saw {self.join(counts)}."
        elif known:
            text += " No segment was sent again and no listen queue overflowed."
        return text

    def sizes_seen(self, results: Results, scenario: Scenario, shares: Sequence[tuple[str, float | None, int]]) -> str:
        """Say how much of a scenario's variance the file's size explains."""
        parts = []
        for system, share, requests in shares:
            n = f"n\u00a0=\u00a0{self._count(requests, 'request')}"
            name = results.systems[system].name
            known = f"{self.figures.short(share, 2)}\u00a0%" if share is not None else "an unknown share"
            parts.append(f"{known} of {name}'s ({n})")
        text = _capital(self.scenario(scenario))
        if not parts:
            return f"{text}: no valid run."
        return f"{text}: the size of the file explains {self.join(parts)} variance of response times."

    def variance_seen(self, results: Results, largest: Mapping[str, tuple[str, float, float]]) -> str:
        """Say which part of the variance is the largest."""
        parts = [
            f"{results.systems[system].name}'s largest part is {self.labels['part_' + part].lower()}"
            f" ({self.figures.span(low, high, ' to ')}\u00a0%)"
            for system, (part, low, high) in largest.items()
        ]
        return f"{'; '.join(parts)}." if parts else "The variance can't be split."

    def indicators_seen(self, results: Results, ranking: Sequence[tuple[str, str, float | None, int]]) -> str:
        """Say which indicator goes with the variability."""
        parts = []
        for system, indicator, figure, n in ranking:
            name = results.systems[system].name if system in results.systems else system
            r = self.figures.exact(figure, 2)
            parts.append(f"for {name} it is {self.column(indicator)} (r\u00a0=\u00a0{r}, n\u00a0=\u00a0{n})")
        if not parts:
            return "No indicator can be ranked."
        return f"Ranked first among the indicators: {self.join(parts)}."

    def problem(self, run: Run) -> str:
        """Say why a run does not count where its own reason is empty."""
        if run.status == "failed":
            return "The run failed; no reason was recorded."
        return "The run is marked invalid; no reason was recorded."

    def claims_counted(self, counts: Mapping[str, int]) -> str:
        """Say how many claims hold, fail and are undecided."""
        total = sum(counts.values())
        parts = [
            f"{counts[verdict]} {word}"
            for verdict, word in (("holds", "hold"), ("fails", "fail"), ("undecided", "stay undecided"))
            if counts.get(verdict)
        ]
        return f"Of {self._count(total, 'claim')}, {self.join(parts)} on this campaign's data."

    labels: Mapping[str, str] = {
        "page": "Report of a campaign",
        "language": "Language",
        "skip": "Skip to the answer",
        "contents": "Contents",
        "answer": "The answer",
        "pictures": "The pictures",
        "claims": "The claims",
        "tables": "The paper's tables",
        "methods": "How it was measured",
        "campaign": "campaign",
        "profile": "profile",
        "started": "started",
        "who": "Who is better, by sample",
        "who_note": (
            "Each entry names the better system and by how much its figure is lower than the other's, with the 95 % "
            "interval over repeats. “Can't tell” means that the interval holds both orders."
        ),
        "scenario": "Sample",
        "size": "Mean file size",
        "faster": "Faster",
        "faster_sub": "mean response time",
        "steadier": "Steadier",
        "steadier_sub": "coefficient of variation",
        "cheaper": "Cheaper on CPU",
        "cheaper_sub": "server CPU time per upload",
        "equal": "equal within 5 %",
        "undecided": "can't tell",
        "leans": "leans to",
        "alone": "only",
        "nothing": "no valid run",
        "unknown": "not known",
        "more_repeats": "more repeats of each would tell",
        "sure": "How sure is this?",
        "download": "Download",
        "data": "data (CSV)",
        "what": "What one sees:",
        "show_invalid": "Show the runs that don't count",
        "show_paper": "Show the paper's points",
        "show_repeats": "Show each repeat",
        "no_script": "The charts need JavaScript. They lie as SVG files in the folder charts next to this page.",
        "no_data": "There are no data for this chart.",
        "chart_mean": "Mean response time",
        "chart_cv": "How steady: coefficient of variation",
        "chart_cpu": "What an upload costs the server in CPU time",
        "chart_switches": "Context switches and variability",
        "chart_percentiles": "All requests: the percentile curve",
        "chart_timeline": "One run, second by second",
        "chart_sizes": "File size and response time",
        "chart_variance": "Where the variability comes from",
        "chart_indicators": "Which indicator goes with the variability",
        "axis_mean_ms": "mean response time, ms",
        "axis_cv": "standard deviation / mean",
        "axis_server_cpu_us_per_request": "CPU time per upload, µs",
        "axis_switches": "context switches per second (nmon pswitch)",
        "axis_percentile": "share of requests answered within",
        "axis_elapsed": "response time, ms",
        "axis_second": "seconds since the first measured request",
        "axis_size": "bytes sent",
        "axis_share": "share of the variance, %",
        "axis_pearson": "Pearson's r with the CV across samples (line: 95 % interval)",
        "percentiles_note": (
            "Bold: all valid repeats together; faint: each repeat. The axis stretches the tail: each step to the right "
            "looks at requests ten times rarer. Every measured request counts."
        ),
        "sizes_note": "Darker means more requests; the valid repeats of a cell together. Both axes are logarithmic.",
        "variance_note": (
            "Shares of the variance of a response time, one bar a cell: what differs between repeats, what the size of "
            "the file explains, what drifts between the seconds of a run, and the rest within a second."
        ),
        "indicators_note": (
            "Across the samples of one system, as the paper did it. Correlation shows what goes together, not what "
            "causes it."
        ),
        "choose_scenario": "Sample",
        "choose_run": "Run",
        "choose_moment": "Moment, s",
        "part_between_repeats_pct": "Between repeats",
        "part_size_pct": "Size of the file",
        "part_drift_pct": "Drift within a run",
        "part_within_pct": "Within a second",
        "panel_latency": "response time, ms (lines: median and 99th percentile)",
        "panel_requests": "requests per second",
        "panel_cpu": "CPU of the server's cores, % (dashed: of the generator's)",
        "panel_wait": "I/O wait, % (dashed: steal)",
        "panel_switches": "context switches per second",
        "panel_queue": "run-queue wait of the server's threads, ms per second",
        "panel_trouble": "segments sent again (dashed: listen-queue overflows)",
        "tip_run": "run",
        "tip_system": "system",
        "tip_scenario": "scenario",
        "tip_interval_lo": "95 % interval from",
        "tip_interval_hi": "to",
        "tip_n": "valid runs",
        "tip_requests": "requests",
        "tip_second": "second",
        "tip_quantile": "share of requests",
        "claim": "Claim",
        "verdict": "Here",
        "paper_verdict": "On the paper's own figures",
        "figure": "Figure (95 % interval)",
        "why": "Why",
        "holds": "holds",
        "fails": "fails",
        "no_claims": "This campaign's study declares no claims.",
        "tables_note": (
            "Ours is the repeat that the paper's rule selects (fewest errors, then the mean nearest to that of all "
            "repeats); below it, what the paper printed, and ours as a multiple of it. "
            "Empty: not measured here, or not printed there."
        ),
        "no_tables": "The analysis wrote no tables for this campaign.",
        "table1": "Table 1. The samples",
        "table2": "Table 2. Node.js: response time, CPU, errors, wait",
        "table3": "Table 3. Tomcat: response time, CPU, errors, wait",
        "table4": "Table 4. Coefficient of variation of the response time",
        "table5": "Table 5. Context switches per second",
        "table6": "Table 6. Correlation of switches with the coefficient of variation",
        "cells": "Every cell in numbers",
        "cells_caption": "Means over the valid runs with 95 % intervals, and beside them the load generator's share",
        "problems": "Runs that don't count",
        "problems_caption": "Each run that is left out, with the reason",
        "no_problems": "Every planned run is there, complete and valid.",
        "missing_run": "Planned, but there is no completed run of it.",
        "gates": "Gates",
        "gates_caption": "What each valid or invalid run was held to, and how it came out",
        "gate": "Gate",
        "limit": "Limit",
        "passed": "Passed",
        "extremes": "Lowest to highest figure",
        "not_passed": "Not passed by",
        "none": "none",
        "machine": "Machine",
        "versions": "Versions",
        "settings": "Settings",
        "rig": "Rig",
        "command": "Command",
        "paragraph": "To cite",
        "raw": "All runs",
        "raw_caption": "Every run with every figure of analysis/runs.csv",
        "filter": "Show",
        "all_systems": "all systems",
        "all_scenarios": "all samples",
        "only_valid": "only runs that count",
        "runs_shown": "runs shown",
        "sort": "Sort by",
        "fact": "Fact",
        "value": "Value",
        "system": "System",
        "run": "Run",
        "reason": "Reason",
        "yes": "yes",
        "no": "no",
        "generated": "Computed by Upload Lab from the campaign's raw files. This page loads nothing from a network.",
        "valid_of": "valid runs",
        "wait_share": "Generator's wait, % of mean",
        "dark_hint": "",
        "ours": "ours",
        "paper": "paper",
    }

    columns: Mapping[str, str] = {
        "cell": "cell",
        "system": "system",
        "stack": "stack",
        "sample": "sample",
        "disk": "disk",
        "threads": "threads",
        "repeat": "repeat",
        "block": "block",
        "order": "order",
        "status": "status",
        "valid": "valid",
        "reason": "reason",
        "requests": "requests",
        "errors": "errors",
        "error_pct": "errors, %",
        "mean_ms": "mean, ms",
        "sd_ms": "SD, ms",
        "mad_ms": "mean deviation, ms",
        "cv": "CV",
        "min_ms": "min, ms",
        "p50_ms": "p50, ms",
        "p90_ms": "p90, ms",
        "p95_ms": "p95, ms",
        "p99_ms": "p99, ms",
        "p999_ms": "p99.9, ms",
        "p9999_ms": "p99.99, ms",
        "max_ms": "max, ms",
        "ttfb_ms": "first byte, ms",
        "connect_ms": "connect, ms",
        "throughput_rps": "requests/s",
        "cpu_pct": "CPU, %",
        "cpu_sd": "SD of CPU, %",
        "wait_pct": "I/O wait, %",
        "steal_pct": "steal, %",
        "pswitch_per_s": "switches/s",
        "switches_per_s": "switches/s",
        "server_switches_per_s": "server's switches/s",
        "server_wait_ms_per_s": "server's queue wait, ms/s",
        "nmon_snapshots": "nmon snapshots",
        "server_cpu_pct": "server CPU, % of a core",
        "server_cpu_us_per_request": "server CPU per upload, µs",
        "server_switches_per_request": "server switches per upload",
        "server_voluntary_per_request": "voluntary per upload",
        "server_involuntary_per_request": "involuntary per upload",
        "server_wait_ms_per_request": "server's queue wait per upload, ms",
        "injector_cpu_pct": "generator CPU, %",
        "injector_wait_ms_per_request": "generator's queue wait per upload, ms",
        "listen_overflows": "listen overflows",
        "retransmits": "retransmits",
        "psi_cpu_pct": "CPU pressure, %",
        "psi_io_pct": "I/O pressure, %",
        "dirty_mb_max": "dirty pages, MB",
        "dirty_mb": "dirty pages, MB",
        "sent_bytes": "bytes sent",
        "mean_sent_bytes": "mean bytes sent",
        "mean_bytes": "mean size, bytes",
        "sd_bytes": "SD of size, bytes",
        "pareto_k": "Pareto k",
        "load_gb": "load, GB",
        "max_error_pct": "errors, %, worst repeat",
        "series": "system",
        "ours": "Pearson's r, ours",
        "lo": "95 % from",
        "hi": "to",
        "printed": "printed in the paper",
        "recomputed": "recomputed from its tables",
        "ratio": "ours / paper",
        "selected_node": "selected, Node.js",
        "selected_tomcat": "selected, Tomcat",
    }


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _versioned(name: str, versions: Mapping[str, object]) -> str:
    if not versions:
        return name
    return f"{name} ({', '.join(f'{part} {version}' for part, version in versions.items())})"
