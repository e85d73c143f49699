"""What happened in a run that does not make it invalid, but shows in its tail or its steadiness."""

from analysis.report.results import Results, Run
from analysis.words.language import Language


def events(results: Results, words: Language) -> list[tuple[str, str]]:
    """Return each run in which something of the kind happened, with what it was."""
    said = [(run.key, _sentence(run, words)) for run in results.runs]
    return [(key, sentence) for key, sentence in said if sentence]


def _sentence(run: Run, words: Language) -> str:
    parts = [
        words.say(phrase, count=words.figures.exact(count, 0))
        for phrase, name in (("event_overflows", "listen_overflows"), ("event_retransmits", "retransmits"))
        if (count := run.value(name))
    ]
    if run.row.get("settled") == "false":
        parts.append(words["event_unsettled"])
    return "; ".join(parts)
