"""A language in the words of a study: what it calls an operation, its metrics and factors, and its own texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import Formatter
from typing import Any, TypeVar

from uploadlab.errors import InputError
from uploadlab.results.declarations import LANGUAGES, Declarations, Metric, printed_levels
from uploadlab.words.wording import Wording, capital

Words = TypeVar("Words", bound=Wording)


def check_own_texts(wording: Wording, declared: Declarations) -> None:
    """Raise InputError for a text of a study that the report does not have."""
    for key in declared.words.get(wording.code) or {}:
        if not any(key in texts for texts in (wording.phrases, wording.labels, wording.columns)):
            raise InputError(
                f"Study {declared.study}: [words.{wording.code}] has {key!r}, which the report never says."
            )


def in_words_of(wording: Words, declared: Declarations) -> Words:
    """Return a language in a study's words; InputError for a slip in those of its claims."""
    own = dict(declared.words.get(wording.code) or {})
    phrases = {**wording.phrases, **_of_claims(wording, declared)}
    for key in ("operation", "operations"):
        phrases[key] = str((declared.words.get(key) or {}).get(wording.code) or own.get(key) or phrases[key])
    nouns = dict(wording.nouns)
    if declared.roles:  # what was recorded are operations, not a load generator's requests
        nouns["request"] = phrases["operation"], phrases["operations"]
    places = {"{operation}": phrases["operation"], "{operations}": phrases["operations"]}
    noun, several = (str(own.get(key, phrases[key])) for key in ("noun", "nouns"))
    places |= {"{noun}": noun, "{nouns}": several, "{Noun}": capital(noun)}

    factors = _factors(wording.code, declared)
    names = {name: str(one["name"][wording.code]) for name, one in declared.factors.items() if one.get("name")}
    titles = {name: one["describe"] for name, one in factors.items() if "describe" in one}
    roles = {
        name: str((role.get("name") or {}).get(wording.code) or name.replace("_", " "))
        for name, role in declared.roles.items()
    }
    bound = replace(
        wording,
        phrases=_told(phrases, own, places),
        nouns=nouns,
        labels=_told(wording.labels, own, places),
        columns={**titles, **_told(wording.columns, own, places), **names},
        factors=factors,
        roles=roles,
        units={name: str((one.get("axis") or {}).get("unit") or "") for name, one in declared.factors.items()},
    )
    return _with_metrics(bound, list(declared.metrics.values()))


def _of_claims(wording: Wording, declared: Declarations) -> dict[str, str]:
    """Return the phrases of ``[words.claims]``: how a study says its levels in sentences about claims.

    Raises InputError for a phrase that is never said, one without a language, or with a place that nothing fills.
    """
    factors = declared.factors.values()
    levels = {str(level) for of in factors for level in (*of.get("levels", ()), *printed_levels(of))}
    said = {}
    for key, texts in (declared.words.get("claims") or {}).items():
        place = f"Study {declared.study}: [words.claims] {key}"
        ours = wording.phrases.get(f"claim_{key}")
        if ours is None and key not in levels:
            raise InputError(f"{place} is never said.")
        if not isinstance(texts, dict) or not all(isinstance(texts.get(code), str) for code in LANGUAGES):
            raise InputError(f"{place} is {texts!r}; expected {{ en = …, pt = … }}.")
        try:
            unknown = _places(texts[wording.code]) - _places(ours or "")
        except ValueError as error:
            raise InputError(f"{place}.{wording.code}: {error}.") from None
        if unknown:
            raise InputError(f"{place}.{wording.code} has {{{min(unknown)}}}, which nothing fills.")
        said[f"claim_{key}"] = texts[wording.code]
    return said


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _told(texts: Mapping[str, str], own: Mapping[str, object], places: Mapping[str, str]) -> dict[str, str]:
    """Return texts, the study's own where it has them, with its words in their places."""
    said = {}
    for key, text in texts.items():
        text = str(own.get(key, text))
        for place, word in places.items():
            text = text.replace(place, word)
        said[key] = text
    return said


def _factors(code: str, declared: Declarations) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "unmarked": str(factor.get("unmarked")),
            **({"describe": str(factor["describe"])} if code == "en" and factor.get("describe") else {}),
            **((factor.get("words") or {}).get(code) or {}),
        }
        for name, factor in declared.factors.items()
    }


def _with_metrics(wording: Words, metrics: Sequence[Metric]) -> Words:
    """Return the wording with the sentences of metrics: of one that a study names all, else those that it lacks."""
    phrases, labels, columns = dict(wording.phrases), dict(wording.labels), dict(wording.columns)
    for one in metrics:
        column = one.column
        name = one.names.get(wording.code) or wording.phrases.get(f"measure_{column}") or columns.get(column, column)
        unit = (
            one.units.get(wording.code) or one.unit or ("" if one.names else phrases.get(f"unit_{column}", "").strip())
        )
        side = wording.phrases["side_lower" if one.lower_is_better else "side_higher"]
        said = {
            f"{kind}_{column}": wording.phrases[f"{kind}_metric"].replace("{measure}", name).replace("{side}", side)
            for kind in ("better", "equal")
        }
        said |= {f"measure_{column}": name, f"unit_{column}": f"\u00a0{unit}" if unit else ""}
        axis = f"{name}, {unit}" if unit else name
        shown = {f"axis_{column}": axis, f"who_{column}": capital(name), f"chart_{column}": capital(name)}
        shown[f"who_{column}_sub"] = wording.phrases[f"who_{'lower' if one.lower_is_better else 'higher'}"]
        if one.names:
            phrases, labels = {**phrases, **said}, {**labels, **shown}
            columns[column] = axis
        else:
            phrases, labels = {**said, **phrases}, {**shown, **labels}
    return replace(wording, phrases=phrases, labels=labels, columns=columns)
