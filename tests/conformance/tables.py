"""Makes the tables of the pages of released versions and of the league's servers of what was kept of their results.

It writes them into the pages; with `--collect` it first takes over what `./lab conformance SYSTEM` kept beside each
server of the league, as long as it is true of the code.
"""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uploadlab.commands.choice import by_id, choose_systems
from uploadlab.conformance.cases import all_cases
from uploadlab.conformance.endpoint import Endpoint
from uploadlab.hosts.local_host import ask_versions
from uploadlab.paths import REPOSITORY, STUDIES
from uploadlab.planning.kept_conformance import kept_result
from uploadlab.planning.study import load_study

HERE = Path(__file__).parent
SERVERS = HERE / "servers" / "results.json"
PAGES = REPOSITORY / "docs" / "results"
BEGIN, END = "<!-- made by tests/conformance/tables.py -->", "<!-- end -->"
LEFT = re.compile(r"nothing was accepted, but \S+( and \d+ more)? is left in the store after 10 s")
COUNTS = re.compile(r"must (\d+ of \d+), should (\d+ of \d+), (\d+) skipped")


def collect() -> dict[str, Any]:
    """Return what was kept beside each server, in place of what was collected before."""
    results = json.loads(SERVERS.read_text(encoding="utf-8"))
    study = load_study(STUDIES / "upload")
    names = list(by_id([*study.system_folders().values(), *study.further_folders()]))
    for sut in choose_systems(study, names, ["current"], []):
        versions = ask_versions(sut.folder, sut.stack.versions.command) if sut.stack.versions else {}
        if kept := kept_result(sut, versions):
            results[sut.key] = _told(kept, versions)
        else:
            print(f"{sut.key}: no result of this code is kept", file=sys.stderr)
    return results


def _told(kept: Mapping[str, Any], versions: Mapping[str, Any]) -> dict[str, Any]:
    failed = [case for case in kept["cases"] if "reproduce" in case]
    must = {case["id"]: case["why"] for case in failed if not case["safe"] or case["grade"] == "must"}
    told = {name: kept[name] for name in ("began", "seconds", "summary")}
    return told | {"versions": dict(versions), "must": must, "should": [c["id"] for c in failed if c["id"] not in must]}


def servers() -> list[str]:
    """Return a row for each server, and one for all cases that the same servers fail in the same way."""
    results = json.loads(SERVERS.read_text(encoding="utf-8"))
    lines = ["| server | versions | must | should | skipped | seconds |", "|---|---|---:|---:|---:|---:|"]
    for name, one in sorted(results.items(), key=lambda item: (len(item[1]["must"]), item[0])):
        counts = " | ".join(COUNTS.fullmatch(one["summary"]).groups())  # type: ignore[union-attr]  # a summary has this form
        versions = ", ".join(f"{of} {version}" for of, version in one["versions"].items())
        lines.append(f"| `{name}` | {versions} | {counts} | {one['seconds']:.0f} |")
    titles = {case.id: case.title for case in all_cases(Endpoint(name="", host="127.0.0.1", port=80, path="/"))}
    for grade in ("must", "should"):
        lines += ["", f"| {grade}: what is sent | failed by |", "|---|---|"]
        alike: dict[str, list[str]] = {}
        for case, title in titles.items():
            if by := _failed_by({name: one[grade] for name, one in sorted(results.items())}, case):
                alike.setdefault(by, []).append(f"{title} (`{case}`)")
        lines += [f"| {'; '.join(cases)} | {by} |" for by, cases in alike.items()]
    return lines


def _failed_by(failed: Mapping[str, Mapping[str, str] | list[str]], case: str) -> str:
    """Return the servers that failed a case, those together that did the same where that was kept."""
    by: dict[str, list[str]] = {}
    for name, cases in failed.items():
        if case in cases:
            did = "" if isinstance(cases, list) else f" ({LEFT.sub('files are left', cases[case])})"
            by.setdefault(did, []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)}{did}" for did, names in by.items())


def order(name: str) -> tuple[str, list[tuple[int, int | str]]]:
    """Sort versions by their numbers; a milestone comes before what it leads to."""
    package, _, version = name.rpartition(" ")
    parts = re.findall(r"\d+|[A-Za-z]+", version)
    return package, [*((2, int(part)) if part.isdecimal() else (0, part) for part in parts), (1, 0)]


def released() -> list[str]:
    """Return each version's line, and what each advisory's cases say of each version."""
    results = json.loads((HERE / "released" / "results.json").read_text(encoding="utf-8"))
    told = tomllib.loads((HERE / "released" / "advisories.toml").read_text(encoding="utf-8"))
    names = sorted(results, key=order)
    alike: dict[tuple[str, str], list[str]] = {}
    for name in names:
        alike.setdefault((_package(name), results[name]["summary"]), []).append(name)
    lines = ["| versions | result |", "|---|---|"]
    for (package, summary), same in alike.items():
        form = f", {told['forms'][package]}" if package in told["forms"] else ""
        lines.append(f"| {package} {_versions(same)}{form} | {summary} |")
    lines += ["", "| advisory | what it says | case | fails in | passes in |", "|---|---|---|---|---|"]
    for one in told["seen"]:
        tested = [name for name in names if _package(name) == one["package"]]
        fails = [name for name in tested if _shows(one, results[name]["must"])]
        passes = [name for name in tested if name not in fails]
        cases = ", ".join(f"`{case}`" for case in one["cases"])
        what = f"{one['package']}: {one['what']}, fixed in {one['fixed']}"
        lines.append(f"| {one['id']} | {what} | {cases}: {one['shows']} | {_versions(fails)} | {_versions(passes)} |")
    lines += ["", "| advisory that is not seen | why |", "|---|---|"]
    return lines + [
        f"| {one['id']} ({one['package']}, fixed in {one['fixed']}) | {one['why']} |" for one in told["unseen"]
    ]


def _shows(advisory: Mapping[str, Any], failed: Mapping[str, str]) -> bool:
    return any(advisory["shows"] in failed.get(case, "") for case in advisory["cases"])


def _package(name: str) -> str:
    return name.rpartition(" ")[0]


def _versions(names: list[str]) -> str:
    return ", ".join(name.rpartition(" ")[2] for name in names) or "none"


TABLES = {"2026-11-28-conformance-of-servers.md": servers, "2026-11-28-released-versions.md": released}


def renewed(page: str) -> str:
    """Return a page with the tables as they would be made now."""
    before, _, rest = (PAGES / page).read_text(encoding="utf-8").partition(BEGIN)
    made = "\n".join(TABLES[page]())
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--collect" in sys.argv:
        SERVERS.write_text(json.dumps(collect(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for page in TABLES:
        (PAGES / page).write_text(renewed(page), encoding="utf-8")
