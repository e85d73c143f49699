"""How the tests of claims say what they found, with a study's own words for the levels of its factors."""

from collections.abc import Mapping, Sequence
from string import Formatter

from uploadlab.errors import InputError
from uploadlab.results.declarations import Declarations, printed_levels
from uploadlab.table_file import format_number

Said = str
PHRASES: Mapping[str, str] = {
    "claim_sum_over_sum": "summed {metric} over summed {over}",
    "claim_of": "{system}'s {metric}",
    "claim_on": "{system} at {level}",
    "claim_level": "level {listed}",
    "claim_levels": "levels {listed}",
    "claim_in_level": "at level {listed}",
    "claim_in_levels": "at levels {listed}",
    "claim_one_level": "1 level",
    "claim_several_levels": "{n} levels",
    "claim_one_repeat": "1 repeat",
    "claim_several_repeats": "{n} repeats",
    "claim_level_missing": " Level {listed} was not measured.",
    "claim_levels_missing": " Levels {listed} were not measured.",
    "claim_level_rare": " Level {listed}, with fewer than three blocks of both systems, is not in the sum.",
    "claim_levels_rare": " Levels {listed}, with fewer than three blocks of both systems, are not in the sum.",
    "claim_number_missing": " {count} not measured.",
    "claim_values": "{a} against {b}",
    "claim_interval": ", 95 % interval {lo} to {hi}",
    "claim_no_interval": ", no interval",
    "claim_percent_interval": "; 95 % interval {lo} % to {hi} %",
    "claim_no_percent_interval": "; no interval",
    "claim_against": "{system}'s {metric} against {than}'s",
    "claim_goes_with": "lower {metric} with lower {other}",
    "claim_contrary": "; the opposite {where}",
    "claim_nothing_decided": "; not decided by the interval {where}",
    "claim_not_measured": "; {listed} not measured",
    "claim_none_measured": "None of the levels was measured with both systems: {listed}.",
    "claim_no_sums": "The sums are not above 0, so they have no ratio.",
    "claim_sum_lower": "{subject} is {percent} % lower over {count} ({pair}{interval})",
    "claim_sum_higher": "{subject} is {percent} % higher over {count} ({pair}{interval})",
    "claim_sum_claimed": "; claimed: {percent} % lower",
    "claim_no_pair": "{level} was not measured with {lacking}.",
    "claim_elsewhere": "{level}: {first} {a} {unit}, {second} {b} {unit} (ratio {ratio}{interval}{same}).",
    "claim_trend_few": "{subject}: a trend needs at least 4 levels, {n} measured.",
    "claim_trend_none": "{subject} does not change with the level: {value} at all {n} levels.",
    "claim_rank_trend": (
        "{subject} goes from {a} (level {first}) to {b} (level {last}); rank correlation with the level"
        " {rho}{interval}, {count}."
    ),
    "claim_trend_stays": " At every level it is within {margin} % of the first: it neither rises nor falls.",
    "claim_correlation_few": "A correlation with an interval needs at least 4 levels that differ, {n} measured.",
    "claim_correlation": "r = {r}{interval} over {count}; without {without} it is {loo}; Spearman {spearman}.",
    "claim_correlation_excluded": " An r as high as the claimed {r} is excluded.",
    "claim_rests_on": " It rests on {without}.",
    "claim_only_a_picture": "The paper shows this as a picture, not as numbers.",
    "claim_too_short": "No valid run of {system} {where} is long enough.",
    "claim_decay": (
        "{system} {where}: the last third of a run has {ratio} times the requests per second of the"
        " first third{interval}, {count}."
    ),
    "claim_one_repeat_no_interval": " One repeat has no interval.",
    "claim_lower": "{system}'s {metric} lower than {than}'s",
    "claim_best": "{system} with the best {metric}",
    "claim_order": "{systems} in this order by {metric}",
    "claim_equal": "{systems} within {margin} % of each other in {metric}",
    "claim_flat": "{metric} of {systems} within {margin} % between any two levels of {along}",
    "claim_rises": "{metric} of {systems} rises along {along}",
    "claim_falls": "{metric} of {systems} falls along {along}",
    "claim_factor": ", by a factor of at least {by}",
    "claim_gap": "{system}'s {metric} over {than}'s falls along {along}",
    "claim_excess": "{system}'s {metric} above {over} by the same amount",
    "claim_within": "{system}'s {metric} from {lo} to {hi}",
    "claim_steady": "{system}'s {metric} with a coefficient of variation of at most {most} % over the repeats",
    "claim_never": (
        "{metric} of {system}: above 0 in {broken} of {runs} runs, invalid ones included (95 % interval"
        " of this share: {lo} to {hi} %)"
    ),
    "claim_static": "{fact}, from the systems' own sources",
    "claim_fact": "{system} {known}, claimed: {expected}",
    "claim_pair": "{where}{a} against {b}, ratio {ratio}",
    "claim_same": ": equal within {margin} %",
    "claim_by_margin": (
        " Printed numbers have no margin. With the {margin} % within which measured ones count as equal,"
        " this would fail."
    ),
    "claim_from_to": "ratio {a}, then {b}",
    "claim_absent": "{system} not measured",
    "claim_tally": "{subject}: as claimed in {agree} of {count}",
    "claim_figures": " ({figures})",
    "claim_unlike": "; to the contrary: {figures}",
    "claim_open": "; the intervals leave {count} open",
    "claim_no_numbers": "The paper gives no numbers for this, only a picture.",
    "claim_no_rounds": "The authors' rounds do not cover this.",
    "claim_no_runs": "This campaign has no valid run of what the claim is about.",
    "claim_no_published": "The study has no published numbers.",
    "claim_clock": (
        " Below a mean of 10 ms JMeter's clock of whole milliseconds adds to these coefficients of"
        " variation; without it: {figures}."
    ),
    "claim_clock_figure": "{system} {where} {without} instead of {cv}",
    "claim_limited": (
        "The server was held to {percent} % of its cores, so a share of CPU shows that limit and not"
        " what a server needs: this campaign cannot tell. Observed: {why}"
    ),
}
MEASURES: Mapping[str, str] = {
    "mean_ms": "mean response time",
    "cv": "coefficient of variation",
    "p99_ms": "99th percentile of the response time",
    "server_cpu_us_per_request": "server CPU time per {operation}",
    "cpu_pct": "CPU",
    "pswitch_per_s": "context switches per second",
    "error_pct": "share of errors",
    "throughput_rps": "throughput",
    "sd_ms": "standard deviation",
}


class Words:
    """Phrases in the words of a study."""

    def __init__(self, declared: Declarations) -> None:
        """Take a study's own phrases; InputError for one that is never said, or has a place that nothing fills."""
        self._declared = declared
        own = declared.words.get("claims") or {}
        levels = {
            str(level)
            for factor in declared.factors.values()
            for level in (*factor.get("levels", ()), *printed_levels(factor))
        }
        for key, text in own.items():
            _check(f"Study {declared.study}: [words.claims] {key}", PHRASES.get(f"claim_{key}"), text, key in levels)
        self._phrases: dict[str, str] = {**PHRASES, **{f"claim_{key}": str(text) for key, text in own.items()}}

    def say(self, phrase: str, **parts: object) -> Said:
        """Return a phrase with its places filled, with texts or with numbers."""
        return self._phrases[phrase].format(**{name: self.text(part) for name, part in parts.items()})

    def text(self, part: object) -> Said:
        """Return a part of a sentence: a number with three significant digits, anything else as it stands."""
        if isinstance(part, float):
            return format_number(part, 3)
        return "-" if part is None else str(part)

    def measure(self, column: str, otherwise: str) -> Said:
        """Return what a metric is called in a sentence."""
        operation = str(self._declared.words.get("operation") or "request")
        own = self._declared.metric(column).name
        return own or MEASURES.get(column, otherwise).replace("{operation}", operation)

    def unit(self, column: str) -> Said:
        """Return the unit of a metric; empty where it has none."""
        return self._declared.metric(column).unit

    def join(self, parts: Sequence[object]) -> Said:
        """Join parts with commas and a last 'and'."""
        *first, last = [self.text(part) for part in parts]
        return f"{', '.join(first)} and {last}" if first else last


def _check(place: str, ours: str | None, text: object, is_level: bool) -> None:
    if ours is None and not is_level:
        raise InputError(f"{place} is never said.")
    if not isinstance(text, str):
        raise InputError(f"{place} is {text!r}; expected a text.")
    try:
        unknown = _places(text) - _places(ours or "")
    except ValueError as error:
        raise InputError(f"{place}: {error}.") from None
    if unknown:
        raise InputError(f"{place} has {{{min(unknown)}}}, which nothing fills.")


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def joined(parts: Sequence[Said], joint: str) -> Said:
    """Return several parts with something between them."""
    return joint.join(parts)


def sentence(text: Said) -> Said:
    """Return text with a capital letter at its beginning and a full stop at its end."""
    if text.startswith("r = "):  # a symbol keeps its case
        return text
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
