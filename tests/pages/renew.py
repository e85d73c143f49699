"""Renew what is computed on pages: `.venv/bin/python tests/pages/renew.py`."""

from collections.abc import Iterator
from pathlib import Path

from page_values import FROM, REPOSITORY, WrongMark, campaign, renewed
from picture import drawn
from reference_pages import reference
from study_values import study_page

from monitoring.pages.render import render
from uploadlab.report.league_page import league_page

DOCS = REPOSITORY / "docs"
ANSWER = DOCS / "which-server.md"
LEAGUE = "docs/league/summary.json"
CONDUCTED = [REPOSITORY / "studies" / study / "README.md" for study in ("sockets", "queues", "rpc", "groups")]


def pages() -> list[Path]:
    """Return the pages on which measured values stand."""
    return [REPOSITORY / "README.md", ANSWER, DOCS / "league" / "README.md", *sorted((DOCS / "results").glob("*.md"))]


def computed() -> Iterator[tuple[Path, str]]:
    """Yield each file that is computed, and what it should say; the picture is of the answer's first campaign."""
    try:
        for page in pages():
            yield page, renewed(page.read_text(encoding="utf-8"))
        for page in CONDUCTED:
            yield page, study_page(page)
    except WrongMark as error:
        raise SystemExit(f"{page.relative_to(REPOSITORY)}: {error}") from None
    if named := FROM.search(ANSWER.read_text(encoding="utf-8")):
        yield ANSWER.with_suffix(".svg"), drawn(campaign(named[1]))
    yield DOCS / "league" / "index.html", render(league_page(campaign(LEAGUE).summary))
    yield from reference()


if __name__ == "__main__":
    for path, text in computed():
        path.write_text(text, encoding="utf-8")
