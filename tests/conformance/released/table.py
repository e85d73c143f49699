"""Makes the tables of the page of released versions of the kept results and advisories; `--write` puts them there."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "docs" / "results" / "2026-11-28-released-versions.md"
BEGIN, END = "<!-- made by tests/conformance/released/table.py -->", "<!-- end -->"
Results = dict[str, dict[str, dict[str, str]]]


def order(name: str) -> tuple[str, list[tuple[int, int | str]]]:
    """Sort versions by their numbers; a milestone comes before what it leads to."""
    package, _, version = name.rpartition(" ")
    parts = re.findall(r"\d+|[A-Za-z]+", version)
    return package, [*((2, int(part)) if part.isdecimal() else (0, part) for part in parts), (1, 0)]


def tables() -> str:
    """Return both tables: each version's line, and what each advisory's cases say of each version."""
    results: Results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    told = tomllib.loads((HERE / "advisories.toml").read_text(encoding="utf-8"))
    names = sorted(results, key=order)
    alike: dict[tuple[str, str], list[str]] = {}
    for name in names:
        alike.setdefault((name.rpartition(" ")[0], str(results[name]["summary"])), []).append(name)
    lines = ["| versions | result |", "|---|---|"]
    lines += [
        f"| {package} {_versions(same)}{_form(same[0], told['forms'])} | {summary} |"
        for (package, summary), same in alike.items()
    ]
    lines += ["", "| advisory | what it says | case | fails in | passes in |", "|---|---|---|---|---|"]
    for one in told["seen"]:
        tested = [name for name in names if name.rpartition(" ")[0] == one["package"]]
        fails = [name for name in tested if _shows(one, results[name]["must"])]
        passes = [name for name in tested if name not in fails]
        cases = ", ".join(f"`{case}`" for case in one["cases"])
        what = f"{one['package']}: {one['what']}, fixed in {one['fixed']}"
        lines.append(f"| {one['id']} | {what} | {cases}: {one['shows']} | {_versions(fails)} | {_versions(passes)} |")
    lines += ["", "| advisory that is not seen | why |", "|---|---|"]
    lines += [f"| {one['id']} ({one['package']}, fixed in {one['fixed']}) | {one['why']} |" for one in told["unseen"]]
    return "\n".join(lines)


def _form(name: str, forms: dict[str, str]) -> str:
    form = forms.get(name.rpartition(" ")[0], "")
    return f", {form}" if form else ""


def _shows(advisory: dict[str, Any], failed: dict[str, str]) -> bool:
    return any(str(advisory["shows"]) in failed.get(case, "") for case in advisory["cases"])


def _versions(names: list[str]) -> str:
    return ", ".join(name.rpartition(" ")[2] for name in names) or "none"


def document() -> str:
    """Return the document with the tables as they would be made now."""
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCUMENT.write_text(document(), encoding="utf-8")
    else:
        print(tables())
