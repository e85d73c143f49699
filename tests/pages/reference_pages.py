"""The pages of `docs/reference/`: the command line, columns, gates and keys, as the code has them."""

import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from page_values import REPOSITORY

from monitoring.sample_columns import COLUMNS as SAMPLE_COLUMNS
from uploadlab.analysis.analysis_files import (
    CLAIM_COLUMNS,
    CURVE_COLUMNS,
    GROUP_COLUMNS,
    INDICATOR_COLUMNS,
    INTERVAL_FIGURES,
    LIMIT_COLUMNS,
    OPERATION_FIGURES,
    ORDER_COLUMNS,
    PERCENTILE_COLUMNS,
    ROLE_FIGURES,
    ROUNDS_COLUMNS,
    SHARE_COLUMNS,
    TIMELINE_COLUMNS,
    VARIANCE_COLUMNS,
)
from uploadlab.metrics.figures import FIGURES
from uploadlab.metrics.window_figures import WINDOW_FIGURES
from uploadlab.planning.rig import RigFile
from uploadlab.planning.study import Gates, StudyFile
from uploadlab.planning.system import Stack, Start, System
from uploadlab.records import CampaignRecord, RunRecord
from uploadlab.statistics.correlations import CORRELATION_COLUMNS
from uploadlab.tables.comparisons import COMPARISON_COLUMNS, WINDOW_COLUMNS
from uploadlab.tables.generator import GENERATOR_COLUMNS
from uploadlab.tables.ranks import RANK_COLUMNS

FOLDER = REPOSITORY / "docs" / "reference"
RENEW = "Generated from the code by `.venv/bin/python tests/pages/renew.py`."
IDENTITY = ("cell", "scenario", "system", "stack", "threads")
WIDTH = "132"
STUDIES = ("upload", "sockets", "queues", "rpc", "groups")
FEW = 4
OF_COMMANDS = """\
`./lab --study sockets COMMAND` is about another study. Exit codes: 0 done and valid; 1 done, but a gate, a requirement
or a test failed, or a change is worse; 2 could not be done, and the last line on standard error says why; 3 undecided;
130 interrupted. `./lab sizes` is in [file sizes](../guides/file-sizes.md), `./lab gui` in
[JMeter's window](../guides/jmeter-gui.md); `./lab completion bash` prints what completes commands in your shell."""
OF_COLUMNS = """\
CSV, UTF-8, comma, header first; an empty field means "not known"; NaN and inf never occur. Numbers have six significant
digits; times in `*_ns` are epoch nanoseconds. Parquet files have the rows and columns of the CSV file of their name."""
OF_GATES = """\
A run beyond one of these limits is kept, shown and invalid. Reports name the gate; its limit is a key of `[gates]` in
`study.toml`, where most have their values without being named. [Checks](../method/checks.md#gates) says what they are
for. `contract` has no limit: it fails where a file was not stored as it was sent; `emulated` fails on every emulated
processor."""
OF_KEYS = """\
The same as JSON schemas: [schemas](../schemas). An unknown key of a TOML file is refused by its name. `table of` means
names of your own: `settings.NAME`. Of `summary.json` there is [a schema](../summary-1.schema.json) with all texts."""
TABLES: Mapping[str, tuple[str, ...]] = {
    "runs/CELL/REPEAT/server.samples.csv, injector.samples.csv": SAMPLE_COLUMNS,
    "analysis/runs.csv": (
        *IDENTITY,
        "repeat",
        "block",
        "order",
        "status",
        "valid",
        "reason",
        *FIGURES,
        *WINDOW_FIGURES,
    ),
    "Runs whose parts record": (
        *OPERATION_FIGURES,
        *(f"X_{name}" for name in INTERVAL_FIGURES),
        *(f"<role>_{name}" for name in ROLE_FIGURES),
    ),
    "analysis/cells.csv": (*IDENTITY, "runs", "valid_runs", "selected_repeat", *GENERATOR_COLUMNS),
    "analysis/comparisons.csv": (*COMPARISON_COLUMNS, *WINDOW_COLUMNS),
    "analysis/ranks.csv": RANK_COLUMNS,
    "analysis/claims.csv": (*CLAIM_COLUMNS, *ROUNDS_COLUMNS),
    "analysis/timeline.csv": TIMELINE_COLUMNS,
    "analysis/percentiles.csv": PERCENTILE_COLUMNS,
    "analysis/load_curves.csv, analysis/load_limits.csv": (*CURVE_COLUMNS, *LIMIT_COLUMNS),
    "analysis/groups.csv": GROUP_COLUMNS,
    "analysis/indicators.csv, analysis/tables/correlations.csv": (*INDICATOR_COLUMNS, *CORRELATION_COLUMNS),
    "analysis/variance.csv": VARIANCE_COLUMNS,
    "analysis/server_shares.csv, analysis/share_orders.csv": (*SHARE_COLUMNS, *ORDER_COLUMNS),
}
"""The columns that each file has."""


def reference() -> Iterator[tuple[Path, str]]:
    """Yield each page of the reference and what it should say."""
    pages = {"command-line": _command_line, "columns": _columns, "gates": _gates, "keys": _keys}
    for name, lines in pages.items():
        yield FOLDER / f"{name}.md", "\n".join([*lines(), ""])


# The command line


def _command_line() -> Iterator[str]:
    yield from ("# Command line", "", RENEW, "", OF_COMMANDS, "", "| | |", "|---|---|")
    known: set[str] = set()
    for name, describe in _commands():
        yield f"| **./lab {name}** | **{describe}** |"
        arguments = _arguments(name)
        shared = [written for written, text in arguments if _regardless_of_default(written, text) in known]
        for written, text in arguments:
            if written not in shared:
                yield f"| `{written}` | {text} |".replace("|SYSTEM`", "\\|SYSTEM`")
        if shared:
            options = [f"`{written.split()[0]}`" for written in shared]
            yield f"| as `./lab run` | {', '.join(options) if len(options) <= FEW else 'what is measured'} |"
        if name == "run":
            known |= {_regardless_of_default(*argument) for argument in arguments}


def _regardless_of_default(written: str, text: str) -> str:
    return re.sub(r"\(default[^)]*\)", "", f"{written} {text}")


def _commands() -> list[tuple[str, str]]:
    """Return the commands of the lab itself with what they do; a study's own have pages of their own."""
    listed = re.findall(r"^    (\w+) +(\S.*)", _help_of(), re.MULTILINE)
    own = tomllib.loads((REPOSITORY / "studies" / "upload" / "study.toml").read_text(encoding="utf-8"))["commands"]
    return [(name, describe) for name, describe in listed if name not in own and name != "completion"]


def _help_of(*command: str) -> str:
    environment = {**os.environ, "COLUMNS": WIDTH}
    asked = [sys.executable, "-m", "uploadlab", *command, "--help"]
    return subprocess.run(asked, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True).stdout


def _arguments(name: str) -> list[tuple[str, str]]:
    """Return each argument of a command as it is written, with its help."""
    said = re.sub(r"^(\S.*)?$", "", _help_of(name).partition("\n\n")[2], flags=re.MULTILINE)
    found = re.findall(r"^  (\S.*?)(?:  +|\n {8,})(\S.*(?:\n {8,}.*)*)", said, re.MULTILINE)
    texts = [(written, " ".join(text.split())) for written, text in found]
    return [(written, text.replace("|", "\\|")) for written, text in texts if not written.startswith("-h")]


# Columns


def _columns() -> Iterator[str]:
    declared = tomllib.loads((FOLDER / "columns.toml").read_text(encoding="utf-8"))["table"]
    yield from ("# Columns", "", RENEW, "", OF_COLUMNS, "", "| | |", "|---|---|")
    for table in declared:
        _check(table)
        yield f"| **{table['name']}** | {table['intro']} |"
        for names, meaning in table["columns"]:
            yield f"| {', '.join(f'`{name}`' for name in names.split(', '))} | {meaning} |"


def _check(table: Mapping[str, Any]) -> None:
    """Refuse a description of what no table has, and a column without one."""
    described = {name for names, _ in table["columns"] for name in names.split(", ")}
    there = {name for name in TABLES[table["name"]] if not name.endswith(("_ms_lo", "_ms_hi", "_pct_lo", "_pct_hi"))}
    there -= {"rate_per_s_lo", "rate_per_s_hi", "<role>_cpu_us_per_operation"}
    if described != there:
        raise SystemExit(f"columns.toml, {table['name']}: {sorted(described ^ there)} on one side only.")


# Gates

GATE = re.compile(r"^(\w+) = ([\d.]+)(?: *# (.*))?$", re.MULTILINE)

GATE_OF: Mapping[str, str] = {
    "injector_wait_ms": "injector_wait",
    "server_others_pct": "server_alone",
    "host_busy_pct": "host_noise",
    "nmon_missing_pct": "nmon_complete",
    "injectors_apart_pct": "injectors_together",
    "gc_pct": "server_gc`, `client_gc",
}
"""Of limits that are called otherwise than the gate that reports name."""


def _gates() -> Iterator[str]:
    yield from ("# Gates", "", RENEW, "", OF_GATES, "", f"| gate | key | {' | '.join(STUDIES)} | |")
    yield f"|---|---|{'---:|' * len(STUDIES)}---|"
    usual = {one.name: one.default for one in msgspec.structs.fields(Gates) if isinstance(one.default, float)}
    limits = {key: dict.fromkeys(STUDIES, f"{limit:g}") for key, limit in usual.items()}
    for study in STUDIES[1:]:  # the load generator's are of servers under load
        for key in usual:
            if key.startswith("injector"):
                del limits[key][study]
    comments = _explained(Gates)
    for study in STUDIES:
        text = (REPOSITORY / "studies" / study / "study.toml").read_text(encoding="utf-8")
        table = re.search(r"^\[gates\]\n(.*?)^(?:\[|# [A-Z])", text, re.DOTALL | re.MULTILINE)
        for key, limit, comment in GATE.findall(table[1] if table else ""):
            limits.setdefault(key, {})[study] = f"{float(limit):g}"
            comments[key] = comments.get(key) or comment
    for key, of in limits.items():
        gate = f"`{GATE_OF.get(key, key.removesuffix('_pct'))}`" if key != "extra_repeats" else ""
        yield f"| {gate} | `{key}` | {' | '.join(of.get(study, '') for study in STUDIES)} | {comments[key]} |"


# Keys

UNTYPED: Mapping[tuple[type, str], Any] = {(Stack, "start_table"): Start}
"""What a key holds that its type does not tell."""
KINDS: Mapping[str, type[msgspec.Struct]] = {
    "sut.toml": System,
    "Rig file": RigFile,
    "study.toml": StudyFile,
    "run.json": RunRecord,
    "campaign.json": CampaignRecord,
}


def _keys() -> Iterator[str]:
    yield from ("# Keys", "", RENEW, "", OF_KEYS)
    for title, kind in KINDS.items():
        yield from ("", f"## {title}", "", "| key | type, default | |", "|---|---|---|", *_of_struct(kind, "", {}))


def _of_struct(kind: type[msgspec.Struct], path: str, met: dict[type, str]) -> Iterator[str]:
    """Yield a row for each key of a struct that is explained, one for all others, and those of the structs in it."""
    explained, hints = _explained(kind), typing.get_type_hints(kind)
    plain: list[str] = []
    rows: list[str] = []
    for field in msgspec.structs.fields(kind):
        hint = UNTYPED.get((kind, field.name), hints[field.name])
        place = f"{path}{field.encode_name}"
        inside = list(_structs(hint))
        text = explained.get(field.name) or " ".join(_doc(found) for found, _ in inside)
        if again := [met[found] for found, _ in inside if found in met]:
            text = f"as `{again[0]}`"
        if text:
            rows.append(f"| `{place}` | {_said(hint)}{_default(field)} | {text} |")
        else:
            plain.append(f"`{field.encode_name}` ({_said(hint)}{_default(field)})")
        for found, mark in inside:
            if found not in met:
                met[found] = place
                rows += _of_struct(found, f"{place}{mark}.", met)
    if plain:
        yield f"| `{path}…` | | {', '.join(plain)} |"
    yield from rows


def _explained(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the texts that stand below the fields of a struct, by field."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    texts = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(field.target, ast.Name):
            texts[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split()).replace("``", "`")
    return texts


def _structs(hint: Any) -> Iterator[tuple[type[msgspec.Struct], str]]:
    """Yield the structs in a type, with how a key in them is reached."""
    mark = {list: "[]", dict: ".NAME"}.get(typing.get_origin(hint), "")
    for part in typing.get_args(hint) or (hint,):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            yield part, mark


def _said(hint: Any) -> str:
    """Return a type in words."""
    names = {str: "text", int: "number", float: "number", bool: "true or false", Path: "path", Any: "any"}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _said(parts[0])
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if origin is list:
        return f"list of {_said(parts[0])}"
    if origin is dict:
        return f"table of {_said(parts[1])}"
    if origin in (types.UnionType, typing.Union):
        return " or ".join(dict.fromkeys(_said(part) for part in parts if part is not type(None)))
    return names.get(hint, "table")


def _default(field: msgspec.structs.FieldInfo) -> str:
    """Say that a key is needed, or what it is without being named."""
    if field.required:
        return ", needed"
    value = field.default
    if value is msgspec.NODEFAULT or value is None or value == "" or isinstance(value, msgspec.Struct):
        return ""
    return f", `{value}`".replace("True", "true").replace("False", "false")


def _doc(kind: type[msgspec.Struct]) -> str:
    return " ".join(str(vars(kind).get("__doc__") or "").split())
