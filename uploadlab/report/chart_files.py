"""The charts as files: SVG and PNG, drawn again only when their specification or their data have changed."""

import copy
import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path

import vl_convert

from uploadlab.report.drawing import Spec

FILE_WIDTH_PX = 760
PNG_SCALE = 2


def draw(spec: Spec, folder: Path, name: str) -> None:
    """Write `name`.svg and `name`.png of a specification that holds its data, on white, FILE_WIDTH_PX wide.

    The SVG ends with a fingerprint of what it was drawn from; a file that has the right one is kept.
    """
    on_paper = _on_paper(spec)
    source = json.dumps([version("vl-convert-python"), FILE_WIDTH_PX, PNG_SCALE, on_paper], sort_keys=True)
    mark = f"<!-- drawn from {hashlib.sha256(source.encode('utf-8')).hexdigest()} -->\n"
    svg_file, png_file = folder / f"{name}.svg", folder / f"{name}.png"
    if png_file.is_file() and svg_file.is_file() and svg_file.read_text(encoding="utf-8").endswith(mark):
        return
    svg = _renumbered(vl_convert.vegalite_to_svg(on_paper))
    png_file.write_bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))
    svg_file.write_text(svg + mark, encoding="utf-8")


def _renumbered(svg: str) -> str:
    """Return the SVG with its clip paths counted from 0: Vega counts on through the life of the process."""
    ids: dict[str, str] = {}
    return re.sub(r"\bclip\d+\b", lambda found: ids.setdefault(found[0], f"clip{len(ids)}"), svg)


def _on_paper(spec: Spec) -> Spec:
    fixed = copy.deepcopy(spec)
    if fixed.get("width") == "container":
        fixed["width"] = FILE_WIDTH_PX
    fixed["config"]["background"] = "white"
    return fixed
