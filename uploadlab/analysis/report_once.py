"""The report, written again only when something it is made from, or something of it, has changed.

What it is made from: campaign.json, every run.json, the tables of ``analysis/``, the code and its libraries. What
belongs to it: every file below ``report/``, known by size and time of change.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from uploadlab.analysis.code_digest import code_digest

LIBRARIES = ("altair", "jinja2", "vl-convert-python")


def write_report_once(folder: Path) -> Path:
    """Write ``report/`` of an analysed campaign, unless it is there as it would be written; return the page's path.

    Raises InputError when a file that the report reads is damaged.
    """
    page, kept = folder / "report" / "index.html", folder / "analysis" / "cache" / "report.json"
    made_from = _made_from(folder)
    if page.is_file() and _read(kept) == {"made_from": made_from, "files": _files(folder)}:
        return page
    from uploadlab.report import write  # here, because drawing takes long to import

    page = write(folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"made_from": made_from, "files": _files(folder)}), encoding="utf-8")
    return page


def _made_from(folder: Path) -> str:
    digest = hashlib.sha256(code_digest().encode())
    digest.update(json.dumps([str(folder.resolve()), [version(name) for name in LIBRARIES]]).encode())
    tables = folder / "analysis"
    read = [*folder.glob("runs/*/*/run.json"), *tables.glob("*.csv"), *tables.glob("tables/*.csv")]
    for path in (folder / "campaign.json", *sorted(read)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(folder: Path) -> dict[str, list[int]]:
    paths = sorted(path for path in (folder / "report").rglob("*") if path.is_file())
    stats = {str(path.relative_to(folder)): path.stat() for path in paths}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}


def _read(path: Path) -> object:
    try:
        kept: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # nothing usable is kept: the report is written
    return kept
