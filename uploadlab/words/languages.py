"""The languages that there are, and sentences in all of them at once, for tables with a column for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from uploadlab.results.declarations import Declarations
from uploadlab.words.catalogue import COLUMNS, LABELS, NOUNS, PHRASES, in_language
from uploadlab.words.language import Language
from uploadlab.words.numbers import Figures
from uploadlab.words.study_words import in_words_of
from uploadlab.words.wording import capital


def _language(code: str, name: str, figures: Figures, currency: Sequence[str]) -> Language:
    return Language(
        code=code,
        name=name,
        figures=figures,
        format_locale={"decimal": figures.decimal, "thousands": figures.group, "grouping": [3], "currency": currency},
        phrases=in_language(PHRASES, code),
        nouns=in_language(NOUNS, code),
        labels=in_language(LABELS, code),
        columns=in_language(COLUMNS, code),
    )


ENGLISH = _language("en", "English", Figures(decimal=".", group=","), ["$", ""])
PORTUGUESE = _language("pt", "Português", Figures(decimal=",", group="."), ["R$ ", ""])
LANGUAGES = {language.code: language for language in (ENGLISH, PORTUGUESE)}


@dataclass(frozen=True)
class Said:
    """A sentence, or a part of one, in each language."""

    en: str
    pt: str

    def __add__(self, other: "Said | str") -> "Said":
        """Return this with something said after it."""
        return Said(f"{self.en}{_in('en', other)}", f"{self.pt}{_in('pt', other)}")

    @property
    def sentence(self) -> "Said":
        """The text with a capital letter at its beginning and a full stop at its end."""
        return Said(_sentence(self.en), _sentence(self.pt))


@dataclass(frozen=True)
class EveryLanguage:
    """All languages, in the words of a study."""

    en: Language
    pt: Language

    @classmethod
    def of(cls, declared: Declarations) -> "EveryLanguage":
        """Return the languages in a study's words; InputError for a slip in those of its claims.

        A text of the study's that the report does not have is the report's to refuse: the tables are made all the same.
        """
        return cls(in_words_of(ENGLISH, declared), in_words_of(PORTUGUESE, declared))

    def say(self, phrase: str, **parts: object) -> Said:
        """Return a phrase with its places filled: with texts, numbers or what is said already."""
        return Said(
            *(one.say(phrase, **{key: _in(one.code, part) for key, part in parts.items()}) for one in self._all)
        )

    def text(self, part: object) -> Said:
        """Return a text or a number in each language."""
        return part if isinstance(part, Said) else Said(*(one.text(part) for one in self._all))

    def measure(self, column: str, otherwise: str) -> Said:
        """Return what a metric is called in a sentence; what it is otherwise where no language knows it."""
        return Said(*(one.measure(column, otherwise) for one in self._all))

    def unit(self, column: str) -> Said:
        """Return the unit of a metric; empty where it has none."""
        return Said(*(one.unit(column) for one in self._all))

    def join(self, parts: Sequence[object]) -> Said:
        """Join parts with commas and a last 'and'."""
        return Said(*(one.join([one.text(_in(one.code, part)) for part in parts]) for one in self._all))

    @property
    def _all(self) -> tuple[Language, ...]:
        return self.en, self.pt


def joined(parts: Sequence[Said], joint: str) -> Said:
    """Return several parts with something between them; there must be one."""
    return reduce(lambda before, part: before + joint + part, parts)


def _in(code: str, part: object) -> object:
    return getattr(part, code) if isinstance(part, Said) else part


def _sentence(text: str) -> str:
    if text.startswith("r = "):  # a symbol keeps its case
        return text
    return f"{capital(text)}{'' if text.endswith('.') else '.'}"
