"""The page: what each language's article is made of, and the one HTML file."""

import base64
import gzip
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

import jinja2

from monitoring.drawing_library import drawing_library
from uploadlab.report import facts, grids, who
from uploadlab.report.drawing import Chart, Dataset
from uploadlab.report.machine import facts_of, without_folders
from uploadlab.report.results import Results
from uploadlab.report.sentences import answer, check, load_curves, method
from uploadlab.report.sentences.cautions import cautions
from uploadlab.words.language import Language
from uploadlab.words.wording import capital

_ABSOLUTE_PATH = re.compile(r"(?<![\w:/.~-])/(?!dev/|proc/|sys/)(?:[^\s/,;:'\"]+/)+([^\s/,;:'\"]*)")


def render(
    results: Results,
    languages: Mapping[Language, Sequence[Chart]],
    datasets: Iterable[Dataset],
    machine_paths: Sequence[str],
) -> str:
    """Return the HTML of the page: one article a language, the data and the drawing library once.

    `machine_paths` are folders of this machine that must not appear; they are cut from every text.
    """
    templates = environment()
    templates.filters["plain"] = lambda text: without_paths(text, machine_paths)
    articles = [_article(results, words, charts) for words, charts in languages.items()]
    return templates.get_template("page.html.j2").render(
        title=articles[0]["headline"],
        articles=articles,
        payload=payload(languages, datasets),
        library=drawing_library(),
        systems=list(results.systems.values()),
    )


@cache
def environment() -> jinja2.Environment:
    """Return what keeps the templates of all pages: to compile them takes as long as to fill them.

    Whoever fills one sets the filter `plain` first, which takes out of texts what must not be on the page.
    """
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(f"uploadlab.{name}", ".") for name in ("report", "jtl")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def payload(languages: Mapping[Language, Sequence[Chart]], datasets: Iterable[Dataset]) -> str:
    """Return what the page's script draws from: the charts of each language, and the data by name."""
    return _script_json(
        {
            "datasets": {dataset.name: _packed(dataset.csv) for dataset in datasets},
            "languages": {
                words.code: {
                    "locale": words.format_locale,
                    "charts": {chart.id: {"spec": chart.spec, "datasets": chart.datasets} for chart in charts},
                }
                for words, charts in languages.items()
            },
        }
    )


def _packed(text: str) -> str:
    """Return text as base64 of gzip: a campaign's data are several times larger than all the rest of the page."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def _script_json(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def without_paths(text: object, machine_paths: Sequence[str]) -> str:
    """Return `text` without folders of this machine: the campaign's own cut off, others cut to their last part."""
    said = str(text)
    for path in machine_paths:
        said = said.replace(f"{path}/", "")
    return _ABSOLUTE_PATH.sub(r"…/\1", said)


def _article(results: Results, words: Language, charts: Sequence[Chart]) -> dict[str, Any]:
    leading = results.leading
    standings = facts.standings(leading)
    checks = check.sentences(words, results, standings)
    doubts = facts.doubts(results)
    campaign = results.campaign
    over = words.what_varies(list(leading.scenarios.values()))
    return {
        "w": words,
        "code": words.code,
        "headline": answer.headline(words, leading, standings),
        "cautions": [*cautions(words, results, doubts), *checks.against],
        "checked": checks.told,
        "curves": load_curves.sentences(words, results),
        "answers": [
            {"metric": metric, "text": text}
            for metric in (results.declared.questions if results.declared.named else standings)
            if (text := answer.answer(words, leading, metric, standings[metric]))
        ],
        "open": answer.still_open(words, leading, standings),
        "below_capacity": answer.below_capacity(words, results, doubts.setup),
        "generators": "" if results.declared.roles else method.generators(words, results),
        "study": _study(results, words),
        "campaign": results.name,
        "profile": doubts.profile,
        "started": _date(campaign.get("started_ns")),
        "counted": answer.counted(words, doubts),
        "systems": list(results.systems.values()),
        "system_index": {system.key: system.index for system in results.systems.values()},
        "system_name": {system.key: system.name for system in results.systems.values()},
        "who_caption": words.say("who_by", over=over),
        "who_heading": capital(over),
        "matrix": who.matrix(leading, words, standings),
        "ranking": who.ranking(leading, words, standings),
        "pairs": who.pairs(leading, words, standings),
        "questions": results.declared.questions,
        "cores": method.cores(words, doubts.setup),
        "matrix_metrics": results.declared.matrix,
        "sized": not results.declared.roles,
        "shares": grids.shares(results, words),
        "doubts": [*answer.doubts(words, doubts), *filter(None, [answer.clock(words, results)])],
        "charts": charts,
        "claims": grids.claims(results, words),
        "tables": grids.paper_tables(results, words),
        "limited": method.limited_shares(words, doubts.setup),
        "cells": grids.cells(results, words),
        "problems": grids.problems(results, words),
        "events": grids.events(results, words),
        "gates": grids.gates(results, words),
        "machine": facts_of(campaign.get("machine"), words),
        "versions": [
            {"name": "Upload Lab", "facts": facts_of(campaign.get("versions"), words)},
            *({"name": one.name, "facts": facts_of({**one.versions}, words)} for one in results.systems.values()),
        ],
        "settings": [
            {"name": one.name, "facts": facts_of({**one.settings}, words)} for one in results.systems.values()
        ],
        "profile_settings": facts_of(_without_sentences((campaign.get("profile") or {}).get("settings")), words),
        "inputs": facts_of(campaign.get("inputs"), words),
        "rig": facts_of(without_folders(campaign.get("rig")), words),
        "command": _command(campaign),
        "paragraph": _paragraph(results, words, doubts),
        "raw": grids.raw(results, words),
        "scenarios": [{"key": one.key, "name": words.scenario_long(one)} for one in results.scenarios.values()],
    }


def _study(results: Results, words: Language) -> str:
    """Return what was compared, as the campaign is titled; in the language's own words where the study has them."""
    campaign = results.campaign
    study = campaign.get("study") or {}
    own = (results.declared.words.get("title") or {}).get(words.code)
    systems = campaign.get("systems") or {}
    names = list(dict.fromkeys(str((system or {}).get("name") or key) for key, system in systems.items()))
    if not own or not names:
        return str(study.get("title") or study.get("id") or "")
    return f"{own}: {words.say('claim_values', a=names[0], b=names[1]) if len(names) == 2 else words.join(names)}"


def _command(campaign: Mapping[str, Any]) -> str:
    """Return the command as it is typed: older campaigns name the lab's program by its path."""
    given = [str(part) for part in campaign.get("command") or []]
    return shlex.join(["./lab", *given[1:]]) if given else ""


def _without_sentences(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the settings of a profile without its English sentences: its title, and why its runs are shorter."""
    settings = {name: value for name, value in (settings or {}).items() if name != "title"}
    return settings | ({"shortened": True} if settings.get("shortened") else {})


def _paragraph(results: Results, words: Language, doubts: facts.Doubts) -> str:
    parts = [method.method(words, results, doubts.setup), method.limited_shares(words, doubts.setup)]
    if doubts.requests_per_run:
        parts.append(words.say("method_requests", requests=words.counts(doubts.requests_per_run)))
    return " ".join(part for part in parts if part)


def _date(started_ns: object) -> str:
    if not isinstance(started_ns, int):
        return ""
    return datetime.fromtimestamp(started_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M UTC")
