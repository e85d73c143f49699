"""Vega, Vega-Lite and vega-embed as one script, bundled once in an environment: that takes longer than most reports."""

import contextlib
import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert


@cache
def drawing_library() -> str:
    """Return the script as text that may stand in a script element; it sets `window.vegaEmbed`."""
    kept = Path(sys.prefix) / "share" / f"vega-{version('vl-convert-python')}.js"
    with contextlib.suppress(FileNotFoundError):
        return kept.read_text(encoding="utf-8")
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
    with contextlib.suppress(OSError):  # an environment that is not the user's own
        kept.parent.mkdir(exist_ok=True)
        part = kept.with_name(f".{kept.name}.{os.getpid()}")
        part.write_text(script, encoding="utf-8")
        part.replace(kept)
    return script
