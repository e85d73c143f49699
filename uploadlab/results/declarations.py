"""What a study declares for its report: words, metrics, factors, roles, tables, figures.

A campaign carries them in ``campaign.json``; one made before it did is read with the study's own file beside it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from uploadlab.paths import STUDIES
from uploadlab.records import DECLARED, SATURATED
from uploadlab.results.windows import HEADLINE_METRICS, asks_at_loads, shares_of, windows_factor

TIME = {"unit": "ms", "verdicts": ("faster", "slower")}
USUAL_METRICS: Mapping[str, Mapping[str, Any]] = {
    "mean_ms": {"column": "mean_ms", "name": "mean response time", **TIME},
    "p99_ms": {"column": "p99_ms", "name": "p99", **TIME},
    "cv": {"column": "cv", "name": "coefficient of variation", "verdicts": ("steadier", "less steady")},
    "server_cpu_us_per_request": {
        "column": "server_cpu_us_per_request",
        "name": "server CPU per request",
        "unit": "µs",
        "verdicts": ("cheaper", "dearer"),
    },
    "throughput_rps": {"column": "throughput_rps", "name": "throughput", "unit": "requests/s", "better": "higher"},
}
"""What a study without ``[metrics]`` is compared by."""
USUAL_QUESTIONS = {"mean_ms": "speed", "cv": "steadiness", "server_cpu_us_per_request": "cost"}
"""Which of them are questions, and what each asks for, in a word."""
FIRST_METRICS: Mapping[str, Mapping[str, Any]] = {
    "first_mean_ms": {"column": "first_mean_ms", "name": "mean wait for the first response", **TIME},
    "first_max_ms": {"column": "first_max_ms", "name": "longest wait for the first response", **TIME},
}
"""What users wait who come at once; compared only where a profile names them."""
USUAL_MATRIX = ("mean_ms", "p99_ms", "cv", "server_cpu_us_per_request")
WINDOW_METRICS: Mapping[str, Mapping[str, Any]] = {
    "capacity_per_s": {"column": "capacity_per_s", "name": "capacity", "unit": "uploads/s", "better": "higher"},
    "median_ms": {"column": "scheduled_p50_ms", "name": "median", **TIME},
    "p99_ms": {"column": "scheduled_p99_ms", "name": "p99", **TIME},
    "p999_ms": {"column": "scheduled_p999_ms", "name": "p99.9", **TIME},
    "server_cpu_us_per_request": {**USUAL_METRICS["server_cpu_us_per_request"], "name": "CPU per upload"},
    "memory_peak_mb": {"column": "memory_peak_mb", "name": "peak memory", "unit": "MB"},
    "memory_per_upload_kb": {"column": "memory_per_upload_kb", "name": "memory per upload in flight", "unit": "kB"},
}
"""What systems are compared by whose runs have windows."""
SHOWN_METRICS = tuple(key for key in WINDOW_METRICS if key != "p999_ms")
"""Which of them stand in the answer's table and in a judgement."""
SATURATED_METRICS = ("capacity_per_s", "memory_peak_mb", "memory_per_upload_kb")
"""Which of them are asked at saturation alone; times are asked at shares of the capacity alone."""
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    **WINDOW_METRICS,
    **FIRST_METRICS,
    **USUAL_METRICS,
    "p50_ms": {"name": "median"},
    "rate_per_s": {"name": "offered rate"},
    "error_pct": {"name": "errors"},
}
"""What columns of ``runs.csv`` are called where a study says nothing."""
_UNIT_BY_ENDING = {"_per_s": "/s", "_ms": "ms", "_us": "µs", "_mb": "MB", "_kb": "KB", "_pct": "%"}


def belongs(levels: Mapping[str, str], where: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a scenario, a run or a printed row is among those meant; a factor that it does not say tells not.

    A system is meant on each of its stacks (``a@older``), unless one is said.
    """
    return all(
        levels[name] in allowed or (name == "system" and levels[name].partition("@")[0] in allowed)
        for name, allowed in where.items()
        if levels.get(name) not in (None, "")
    )


def meant_levels(where: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Return the levels that a declaration means of each factor; it names one or several."""
    return {
        name: [str(level) for level in (levels if isinstance(levels, list) else [levels])]
        for name, levels in (where or {}).items()
    }


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A figure of ``runs.csv`` by which systems are compared."""

    key: str
    column: str
    unit: str
    lower_is_better: bool
    name: str = ""
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The levels at which it says something; elsewhere it is no question."""
    verdicts: tuple[str, str] = ("lower", "higher")
    """On a system whose figure is lower, and on one whose figure is higher."""

    def asked(self, levels: Mapping[str, Any]) -> bool:
        """Return whether it says something in a scenario."""
        known = {name: str(level) for name, level in levels.items() if level is not None}
        return all(known[name] in allowed for name, allowed in self.where.items() if name in known)


@dataclass(frozen=True, kw_only=True)
class Declarations:
    """A study's declarations, tables of its ``study.toml`` as they stand where no more is said."""

    metrics: Mapping[str, Metric] = field(default_factory=dict)
    """By key."""
    named: bool = False
    """Whether the study declares metrics of its own."""
    questions: Sequence[str] = ()
    """Columns of the metrics that the first page answers."""
    matrix: Sequence[str] = ()
    """Columns of the metrics in the table of who is better."""
    words: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of a study whose systems have several parts; none where a load generator sends requests to a server."""
    operation: Mapping[str, Any] = field(default_factory=dict)
    factors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def metric(self, name: str) -> Metric:
        """Return the metric of a key or a column; a column that nothing is declared of is called by its own name."""
        if name in self.metrics:
            return self.metrics[name]
        unknown = _metric(name, {"column": name})
        return next((one for one in self.metrics.values() if name == one.column), unknown)


def declarations(record: Mapping[str, Any]) -> Declarations:
    """Return what the study of a ``campaign.json`` declares."""
    study = record.get("study")
    study = study if isinstance(study, dict) else {}
    name = str(study.get("id") or "")
    declared = study if any(study.get(key) for key in ("words", "metrics")) else _of_checkout(name)
    tables = {key: value for key in DECLARED if isinstance(value := declared.get(key), dict)}
    for key in ("words",) if tables.get("roles") else ("words", "operation"):
        tables[key] = {**_of_checkout(name).get(key, {}), **tables.get(key, {})}
    metrics = {key: _metric(key, table) for key, table in (tables.get("metrics") or _usual_metrics(record)).items()}
    said = tables.get("metrics") or {}
    asked = [key for key, table in said.items() if table.get("question")]
    chosen = metrics_of_profile(record)
    usual = list(HEADLINE_METRICS) if "capacity_per_s" in metrics else chosen or list(USUAL_QUESTIONS)
    questions = asked or (list(metrics)[:3] if said else usual)
    shown = [key for key, table in said.items() if table.get("shown")]
    matrix = [*questions, *shown] if said or chosen or "capacity_per_s" in metrics else USUAL_MATRIX
    planned = [run.get("factors") or {} for run in record.get("runs") or ()]
    # A question that none of the campaign's scenarios can answer is not asked.
    questions = [key for key in questions if any(metrics[key].asked(levels) for levels in planned)] or questions
    return Declarations(
        metrics=metrics,
        named=bool(said),
        questions=tuple(metrics[key].column for key in questions),
        matrix=tuple(metrics[key].column for key in matrix),
        **{key: tables.get(key) or {} for key in ("words", "roles", "operation", "factors")},
    )


def metrics_of_profile(record: Mapping[str, Any]) -> list[str]:
    """Return the metrics that a campaign's profile asks about in place of the study's; none where it names none."""
    settings: Mapping[str, Any] = (record.get("profile") or {}).get("settings") or {}
    return list(settings.get("metrics") or ())


def _usual_metrics(record: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return what a campaign is compared by whose study declares nothing: by windows, where it has loads to compare."""
    if chosen := metrics_of_profile(record):
        return {key: {**FIRST_METRICS, **USUAL_METRICS}[key] for key in chosen}
    if not asks_at_loads(record):
        return USUAL_METRICS
    factor = str(windows_factor(record))
    asked_at: Mapping[bool, Sequence[str | int]] = {True: [SATURATED], False: shares_of(record)}
    return {
        key: table
        if key == "server_cpu_us_per_request"
        else {**table, "where": {factor: asked_at[key in SATURATED_METRICS]}}
        for key, table in WINDOW_METRICS.items()
    }


def _metric(key: str, table: Mapping[str, Any]) -> Metric:
    column: str = table["column"]
    known = _KNOWN.get(column, {})
    by_ending = next((unit for ending, unit in _UNIT_BY_ENDING.items() if column.endswith(ending)), "")
    return Metric(
        key=key,
        column=column,
        unit=str(table.get("unit") or known.get("unit") or by_ending),
        name=str(table.get("name") or known.get("name") or column.replace("_", " ")),
        lower_is_better=table.get("better", "lower") == "lower",
        where=meant_levels(table.get("where")),
        verdicts=table.get("verdicts") or ("lower", "higher"),
    )


def study_folder(record: Mapping[str, Any]) -> Path:
    """Return the folder of a campaign's study: one elsewhere is named in ``campaign.json``."""
    study = record.get("study") or {}
    return Path(str(study.get("folder") or STUDIES / str(study.get("id") or "-")))


def published_files(record: Mapping[str, Any]) -> list[Path]:
    """Return the files with the numbers that the paper of a campaign's study printed."""
    return sorted((study_folder(record) / "published").glob("*.csv"))


def declared_profile(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a profile as the study declares it today; empty where there is none of that name."""
    profiles = _file_of(study_folder(record)).get("profiles") or {}
    found: Mapping[str, Any] = profiles.get(name) or {}
    return found


def _of_checkout(study: str) -> Mapping[str, Any]:
    """Return the declarations of a study of this checkout, for campaigns that do not carry their own."""
    return _file_of(STUDIES / study) if study else {}


@lru_cache
def _file_of(folder: Path) -> Mapping[str, Any]:
    path = folder / "study.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
