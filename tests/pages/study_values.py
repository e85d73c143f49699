"""Measured values on the pages of conducted studies: each stands between two comments, as on other pages.

A mark names a campaign kept in the study's `example/`, and what of its tables:

    <!-- ratio corrected, b10240-ping_pong, mean_ms, berkeley/zeromq -->0.308 (0.239–0.397)<!-- / -->
    <!-- more … -->50<!-- / -->                     so many more repeats would decide the same comparison
    <!-- value quick, n4-b100-udp, delivered_per_s, jgroups -->57,300<!-- / -->   `mean_us` is 1,000 times `mean_ms`
    <!-- sums corrected, current, r2-four-times -->0.98 (0.92–1.05)<!-- / -->     what decided a claim on sums
"""

import re
from collections.abc import Callable
from pathlib import Path

from page_values import MARK, WrongMark

from uploadlab.errors import LabError
from uploadlab.table_file import read_table

Row = dict[str, str]
SUMS = re.compile(r"(?:ratio|=) (\d[\d.]*),? (?:95 % interval |\()(\d[\d.]*) to (\d\.\d+|1)")


def study_page(path: Path) -> str:
    """Return a study's page with the values that its kept campaigns have now."""

    def filled(found: re.Match[str]) -> str:
        opened = found[0][: found[0].index("-->") + 3]
        try:
            campaign, *of = [word.strip() for word in found["of"].split(",", 3)]
            return f"{opened}{KINDS[found['what']](path.parent / 'example' / campaign / 'analysis', *of)}<!-- / -->"
        except (LabError, KeyError, ValueError, TypeError):
            raise WrongMark(f"{opened}: no kept campaign has such a value.") from None

    return MARK.sub(filled, path.read_text(encoding="utf-8"))


def digits(value: float) -> str:
    """Return a value to three digits."""
    return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def _row(folder: Path, table: str, **where: str) -> Row:
    (row,) = (row for row in read_table(folder / f"{table}.csv") if where.items() <= row.items())
    return row


def _comparison(folder: Path, scenario: str, metric: str, systems: str) -> tuple[Row, bool]:
    """Return the row of two systems, and whether it has them the other way round."""
    a, b = systems.split("/")
    try:
        return _row(folder, "comparisons", scenario=scenario, metric=metric, system_a=a, system_b=b), False
    except ValueError:
        return _row(folder, "comparisons", scenario=scenario, metric=metric, system_a=b, system_b=a), True


def _ratio(folder: Path, scenario: str, metric: str, systems: str) -> str:
    row, turned = _comparison(folder, scenario, metric, systems)
    names = ("ratio", "hi", "lo") if turned else ("ratio", "lo", "hi")
    middle, lo, hi = (digits(1 / float(row[name]) if turned else float(row[name])) for name in names)
    return f"{middle} ({lo}–{hi})"


def _more(folder: Path, scenario: str, metric: str, systems: str) -> str:
    return _comparison(folder, scenario, metric, systems)[0]["more_repeats"]


def _value(folder: Path, scenario: str, metric: str, system: str) -> str:
    row = _row(folder, "cells", scenario=scenario, system=system)
    return digits(1000 * float(row["mean_ms"]) if metric == "mean_us" else float(row[metric]))


def _sums(folder: Path, stack: str, claim: str) -> str:
    (middle, lo, hi), *_ = SUMS.findall(_row(folder, "claims", claim=claim, stack=stack)["why"])
    return f"{middle} ({lo}–{digits(float(hi))})"


KINDS: dict[str, Callable[..., str]] = {"ratio": _ratio, "more": _more, "value": _value, "sums": _sums}
