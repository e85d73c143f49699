"""Why a claim holds, fails or stays undecided: sentences said once, in English and in Portuguese."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from analysis.errors import InputError
from analysis.tables.table_file import format_number

LANGUAGES = ("en", "pt")
_DECIMAL = {"en": ".", "pt": ","}
_PHRASES: Mapping[str, tuple[str, str]] = {
    # metrics; the Portuguese metrics all take the article "o"
    "mean_ms": ("mean response time", "tempo médio de resposta"),
    "cv": ("coefficient of variation", "coeficiente de variação"),
    "cpu_pct": ("CPU", "uso de CPU"),
    "pswitch_per_s": ("context switches per second", "número de trocas de contexto por segundo"),
    "error_pct": ("share of errors", "percentual de erros"),
    "throughput_rps": ("throughput", "throughput"),
    "server_cpu_us_per_request": ("CPU per request", "tempo de CPU por requisição"),
    "sum_over_sum": ("sum of {metric} over sum of {over}", "quociente da soma de {metric} pela soma de {over}"),
    "of": ("{system}'s {metric}", "o {metric} de {system}"),
    "on": ("{system} at {level}", "{system} em {level}"),
    # levels and counts; a study says what its levels are in [words.claims]
    "level": ("level {listed}", "nível {listed}"),
    "levels": ("levels {listed}", "níveis {listed}"),
    "in_level": ("at level {listed}", "no nível {listed}"),
    "in_levels": ("at levels {listed}", "nos níveis {listed}"),
    "and": ("{first} and {last}", "{first} e {last}"),
    "one_level": ("1 level", "1 nível"),
    "several_levels": ("{n} levels", "{n} níveis"),
    "one_repeat": ("1 repeat", "1 repetição"),
    "several_repeats": ("{n} repeats", "{n} repetições"),
    "level_missing": (" Level {listed} was not measured.", " O nível {listed} não foi medido."),
    "levels_missing": (" Levels {listed} were not measured.", " Os níveis {listed} não foram medidos."),
    "number_missing": (" {count} not measured.", " Sem medição: {count}."),
    # figures
    "pair": ("{a} against {b}", "{a} contra {b}"),
    "interval": (", 95 % interval {lo} to {hi}", ", intervalo de 95 %: {lo} a {hi}"),
    "no_interval": (", no interval", ", sem intervalo"),
    "percent_interval": ("; 95 % interval {lo} % to {hi} %", "; intervalo de 95 %: {lo} % a {hi} %"),
    "no_percent_interval": ("; no interval", "; sem intervalo"),
    # lower_or_higher, goes_with
    "against": ("{system}'s {metric} against {than}'s", "o {metric} de {system} contra o de {than}"),
    "goes_with": ("lower {metric} with lower {other}", "menor {metric} com menor {other}"),
    "as_claimed": ("{subject}: as claimed in {agree} of {count}", "{subject}: como se afirma em {agree} de {count}"),
    "contrary": ("; the contrary {where}", "; o contrário {where}"),
    "figures": (" ({figures})", " ({figures})"),
    "nothing_decided": (
        "; the interval decides nothing {where}",
        "; o intervalo nada decide {where}",
    ),
    "not_measured": ("; {listed} not measured", "; sem medição: {listed}"),
    "none_measured": (
        "None of the levels was measured with both systems: {listed}.",
        "Nenhum dos níveis foi medido com ambos os sistemas: {listed}.",
    ),
    # lower_overall
    "no_sums": (
        "The sums are not above 0, so they have no ratio.",
        "As somas não são maiores que 0 e não têm razão.",
    ),
    "lower": (
        "{subject} is {percent} % lower over {count} ({pair}{interval})",
        "{subject} é {percent} % menor em {count} ({pair}{interval})",
    ),
    "higher": (
        "{subject} is {percent} % higher over {count} ({pair}{interval})",
        "{subject} é {percent} % maior em {count} ({pair}{interval})",
    ),
    "claimed": ("; claimed: {percent} % lower", "; afirma-se: {percent} % menor"),
    # lower_elsewhere
    "no_pair": ("{level} was not measured with {lacking}.", "{level}: sem medição com {lacking}."),
    "elsewhere": (
        "{level}: {first} {a} {unit}, {second} {b} {unit} (ratio {ratio}{interval}).",
        "{level}: {first} {a} {unit}, {second} {b} {unit} (razão {ratio}{interval}).",
    ),
    # rank_trend
    "trend_few": (
        "{subject}: a trend needs at least 4 levels, {n} measured.",
        "{subject}: uma tendência precisa de ao menos 4 níveis; medidos: {n}.",
    ),
    "trend_none": (
        "{subject} does not change with the level: {value} at all {n} levels.",
        "{subject} não muda com o nível: {value} em todos os {n} níveis.",
    ),
    "rank_trend": (
        "{subject} goes from {a} (level {first}) to {b} (level {last}); rank correlation with the level "
        "{rho}{interval}, {count}.",
        "{subject} vai de {a} (nível {first}) a {b} (nível {last}); correlação de postos com o nível "
        "{rho}{interval}, {count}.",
    ),
    "trend_stays": (
        " At every level it is equal to the first within {margin} %: it neither rises nor falls.",
        " Em todos os níveis é igual ao primeiro dentro de {margin} %: não sobe nem desce.",
    ),
    # correlation
    "correlation_few": (
        "A correlation with an interval needs at least 4 levels that differ, {n} measured.",
        "Uma correlação com intervalo precisa de ao menos 4 níveis que difiram; medidos: {n}.",
    ),
    "correlation": (
        "r = {r}{interval} over {count}; without {without} it is {loo}; Spearman {spearman}.",
        "r = {r}{interval} em {count}; sem o {without} é {loo}; Spearman {spearman}.",
    ),
    "rests_on": (" It rests on {without}.", " Apoia-se no {without}."),
    # throughput_decays
    "only_a_picture": (
        "The paper shows this as a picture, not as numbers.",
        "O artigo mostra isto como figura, não como números.",
    ),
    "too_short": (
        "No valid run of {system} {where} is long enough.",
        "Nenhuma execução válida de {system} {where} é longa o bastante.",
    ),
    "decay": (
        "{system} {where}: the last third of a run has {ratio} times the requests per second of the first "
        "third{interval}, {count}.",
        "{system} {where}: o último terço de uma execução tem {ratio} vezes as requisições por segundo do "
        "primeiro{interval}, {count}.",
    ),
    "one_repeat_no_interval": (" One repeat has no interval.", " Uma só repetição não tem intervalo."),
    # the tests that any study's claims can name
    "claim_lower": ("{system}'s {metric} lower than {than}'s", "{metric} de {system} menor que de {than}"),
    "claim_best": ("{system} with the best {metric}", "{system} com o melhor resultado em {metric}"),
    "claim_order": ("{systems} in this order by {metric}", "{systems} nesta ordem em {metric}"),
    "claim_equal": (
        "{systems} within {margin} % of each other in {metric}",
        "{systems} a menos de {margin} % entre si em {metric}",
    ),
    "claim_rises": ("{metric} of {systems} rises along {along}", "{metric} de {systems} sobe ao longo de {along}"),
    "claim_falls": ("{metric} of {systems} falls along {along}", "{metric} de {systems} cai ao longo de {along}"),
    "claim_gap": (
        "{system}'s {metric} over {than}'s falls along {along}",
        "razão de {metric} entre {system} e {than} cai ao longo de {along}",
    ),
    "claim_excess": (
        "{system}'s {metric} beyond {over} by the same number",
        "{metric} de {system} além de {over} pelo mesmo número",
    ),
    "claim_within": ("{system}'s {metric} from {lo} to {hi}", "{metric} de {system} entre {lo} e {hi}"),
    "claim_steady": (
        "{system}'s {metric} with a coefficient of variation of at most {most} % over the repeats",
        "{metric} de {system} com coeficiente de variação de no máximo {most} % entre as repetições",
    ),
    "claim_static": ("{fact}, of the systems' own sources", "{fact}, do próprio código dos sistemas"),
    "claim_fact": ("{system} {known}, said: {expected}", "{system} {known}, afirma-se: {expected}"),
    "claim_pair": ("{where}{a} against {b}, ratio {ratio}", "{where}{a} contra {b}, razão {ratio}"),
    "claim_same": (": equal within {margin} %", ": iguais dentro de {margin} %"),
    "claim_from_to": ("ratio {a}, then {b}", "razão {a}, depois {b}"),
    "claim_value": ("{value}", "{value}"),
    "claim_absent": ("{system} not measured", "{system} sem medição"),
    "claim_tally": ("{subject}: as claimed in {agree} of {count}", "{subject}: como se afirma em {agree} de {count}"),
    "claim_figures": (" ({figures})", " ({figures})"),
    "claim_open": ("; the intervals leave {count} open", "; os intervalos deixam {count} em aberto"),
    "claim_no_numbers": (
        "The paper has no numbers of it, only a picture.",
        "O artigo não tem números disto, só uma figura.",
    ),
    "claim_no_rounds": (
        "The authors' rounds say nothing of it.",
        "As rodadas dos autores não dizem nada disto.",
    ),
    "claim_not_measured": (
        "This campaign has no valid runs of what the claim is about.",
        "Esta campanha não tem execuções válidas do que se afirma.",
    ),
    # what holds for any test
    "no_published": ("The study has no published numbers.", "O estudo não tem números publicados."),
    "clock": (
        " With means below 10 ms JMeter's clock of whole milliseconds is a part of these coefficients of variation; "
        "without it: {figures}.",
        " Com médias abaixo de 10 ms o relógio do JMeter, de milissegundos inteiros, é parte destes coeficientes de "
        "variação; sem ele: {figures}.",
    ),
    "clock_figure": ("{system} {where} {without} instead of {cv}", "{system} {where} {without} em vez de {cv}"),
    "limited": (
        "The server was held to {percent} % of its cores, so a share of CPU shows that limit and not what a server "
        "needs: this campaign cannot tell. What was seen: {why}",
        "O servidor foi limitado a {percent} % de seus núcleos, e um uso de CPU mostra esse limite e não quanto um "
        "servidor precisa: esta campanha não o pode dizer. O que se viu: {why}",
    ),
}


@dataclass(frozen=True)
class Said:
    """A sentence, or a part of one, before any language: a phrase, what fills its places, and what follows it."""

    phrase: str
    parts: Mapping[str, object]
    rest: "tuple[Said, ...]" = ()
    joint: str = ""
    """What stands between this and what follows."""

    def __add__(self, other: "Said") -> "Said":
        """Return this with another said after it."""
        return Said(self.phrase, self.parts, (*self.rest, other), self.joint)

    def words(self, language: str) -> str:
        """Return the text in a language, `en` or `pt`."""
        both = _PHRASES.get(self.phrase) or self.phrase.split("|")  # a study says its own in both languages
        own = both[LANGUAGES.index(language)] if len(both) > 1 else self.phrase
        if self.parts:
            own = own.format(**{name: _words(part, language) for name, part in self.parts.items()})
        return self.joint.join([own, *(said.words(language) for said in self.rest)])

    def sentence(self, language: str) -> str:
        """Return the text with a capital letter at its beginning and a full stop at its end."""
        text = self.words(language)
        if text.startswith("r = "):  # a symbol keeps its case
            return text
        return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def check_own_phrases(study: str, own: Mapping[str, object], levels: Collection[str]) -> None:
    """Hold the phrases of a study's ``[words.claims]`` to those there are, or to the names of its ``levels``.

    Raises
    ------
    InputError
        For a phrase that is never said, one without a language, or with a place that nothing fills.
    """
    for key, texts in own.items():
        place = f"Study {study}: [words.claims] {key}"
        if key not in _PHRASES and key not in levels:
            raise InputError(f"{place} is never said.")
        if not isinstance(texts, dict) or not all(isinstance(texts.get(code), str) for code in LANGUAGES):
            raise InputError(f"{place} is {texts!r}; expected {{ en = …, pt = … }}.")
        for code, ours in zip(LANGUAGES, _PHRASES.get(key, ("", "")), strict=True):
            try:
                unknown = _places(texts[code]) - _places(ours)
            except ValueError as error:
                raise InputError(f"{place}.{code}: {error}.") from None
            if unknown:
                raise InputError(f"{place}.{code} has {{{min(unknown)}}}, which nothing fills.")


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def say(phrase: str, **parts: object) -> Said:
    """Return a phrase with its places filled: with numbers (3 significant digits), texts, or other phrases."""
    return Said(phrase, parts)


def joined(parts: Sequence[Said], joint: str) -> Said:
    """Return several phrases with something between them; there must be one."""
    return Said("{first}", {"first": parts[0]}, tuple(parts[1:]), joint)


def listed(parts: Sequence[object]) -> Said:
    """Return parts with commas and a last "and"; there must be one."""
    texts = [part if isinstance(part, Said) else Said(str(part), {}) for part in parts]
    if len(texts) == 1:
        return texts[0]
    return say("and", first=joined(texts[:-1], ", "), last=texts[-1])


def _words(part: object, language: str) -> str:
    if isinstance(part, Said):
        return part.words(language)
    if isinstance(part, float):
        return format_number(part, 3).replace(".", _DECIMAL[language])
    return "-" if part is None else str(part)
