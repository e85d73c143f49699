"""Vega-Lite charts to SVG, by vl-convert in a process of its own: its JavaScript engine takes 100 MB, which are given
back when it is done.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from workload_gen.errors import WorkloadError


def rendered(charts: Sequence[dict[str, Any]], vl_version: str) -> list[str]:
    """The charts as SVG, in their order.

    Parameters
    ----------
    charts : Vega-Lite specifications
    vl_version : the version of Vega-Lite they are written for, such as "6.1"
    """
    done = subprocess.run(
        [sys.executable, "-m", "workload_gen.fitting.svg", vl_version],
        input=json.dumps(list(charts)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise WorkloadError(f"The pictures could not be drawn: {last}")
    svgs: list[str] = json.loads(done.stdout)
    return svgs


def main(vl_version: str) -> None:
    """Read a JSON list of charts from standard input and print the JSON list of their SVGs."""
    import vl_convert

    print(json.dumps([vl_convert.vegalite_to_svg(chart, vl_version=vl_version) for chart in json.load(sys.stdin)]))


if __name__ == "__main__":
    main(sys.argv[1])
