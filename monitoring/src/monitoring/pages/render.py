"""A document to one HTML file that needs nothing else."""

import json
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2
from markupsafe import Markup

from monitoring.pages.document import Chart, Page
from monitoring.whole_file import replacing

PAGE = "index.html"
LIBRARIES = ("vega.min.js", "vega-lite.min.js")
_HERE = resources.files("monitoring.pages")


def render(page: Page) -> str:
    """Return the HTML of a page."""
    charts = [block for section in page.sections for block in section.blocks if isinstance(block, Chart)]
    drawn = {chart.id: {**chart.spec, "data": {"values": list(chart.rows)}} for chart in charts}
    return _template().render(
        page=page,
        css=_asset("page.css"),
        script=_asset("page.js"),
        libraries=[_asset(name) for name in LIBRARIES] if charts else [],
        charts=_json({"series": list(page.series), "charts": drawn}),
    )


def write(page: Page, path: Path) -> Path:
    """Write a page; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(render(page), encoding="utf-8")
    return path


def why_refused(folder: Path, generator: str) -> str | None:
    """Return why a page must not be written into a folder, where it holds anything but an earlier page of its kind."""
    if folder.exists() and not folder.is_dir():
        return f"{folder} is a file; the page needs a folder: choose another with --out"
    page, mark = folder / PAGE, f'<meta name="generator" content="{generator}">'
    if folder.is_dir() and any(folder.iterdir()) and not (page.is_file() and mark.encode() in page.read_bytes()):
        return f"{folder} holds files that are not an earlier page's: choose another folder with --out"
    return None


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("monitoring.pages", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = lambda block: block.__struct_config__.tag
    return environment.get_template("page.html.j2")


@cache
def _asset(name: str) -> Markup:
    return Markup(_HERE.joinpath(name).read_text(encoding="utf-8"))


def _json(value: object) -> Markup:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))
