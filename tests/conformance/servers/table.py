"""Makes the page of what conformance found in the servers of the league.

`--collect` takes over what `./lab conformance SYSTEM` kept beside each, as long as it is true of the code;
`--write` makes the page of it.
"""

import json
import re
import sys
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

DOCUMENT = REPOSITORY / "docs" / "results" / "2026-11-28-conformance-of-servers.md"
RESULTS = Path(__file__).with_name("results.json")
BEGIN, END = "<!-- made by tests/conformance/servers/table.py -->", "<!-- end -->"
LEFT = re.compile(r"nothing was accepted, but \S+( and \d+ more)? is left in the store after 10 s")
COUNTS = re.compile(r"must (\d+ of \d+), should (\d+ of \d+), (\d+) skipped")


def collect() -> dict[str, Any]:
    """Return what was kept beside each server, in place of what was collected before."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
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


def tables(results: Mapping[str, Any]) -> str:
    """Return a row for each server, and one for all cases that the same servers fail in the same way."""
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
    return "\n".join(lines)


def _failed_by(failed: Mapping[str, Mapping[str, str] | list[str]], case: str) -> str:
    """Return the servers that failed a case, those together that did the same where that was kept."""
    by: dict[str, list[str]] = {}
    for name, cases in failed.items():
        if case in cases:
            did = "" if isinstance(cases, list) else f" ({LEFT.sub('files are left', cases[case])})"
            by.setdefault(did, []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)}{did}" for did, names in by.items())


def document() -> str:
    """Return the page with the tables as they would be made now."""
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    made = tables(json.loads(RESULTS.read_text(encoding="utf-8")))
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--collect" in sys.argv:
        RESULTS.write_text(json.dumps(collect(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if "--write" in sys.argv:
        DOCUMENT.write_text(document(), encoding="utf-8")
