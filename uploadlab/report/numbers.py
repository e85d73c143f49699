"""How numbers, sizes, ratios and intervals are written, on every page and terminal."""

import math
from collections.abc import Iterable

_SIZES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB"))
MISSING = "–"
LEAST_END, MOST_END = 0.01, 100.0


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with significant digits; the digits of whole numbers above that stay: 16,530, 7.21, 0.042."""
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded if decimals else value:,.{min(decimals, 9)}f}"


def size(size_bytes: float) -> str:
    """Write a size in decimal units, as people say it: 4 B, 790 B, 23 KB, 410 KB."""
    for factor, unit in _SIZES:
        if size_bytes >= factor * 0.9995:
            return f"{number(size_bytes / factor, 2 if size_bytes < 100 * factor else 3)} {unit}"
    return f"{size_bytes:.0f} B"


def factor(value: float) -> str:
    """Write a ratio: with two decimals below 10, else and below 0.1 with two or three significant digits."""
    return f"{value:.2f}" if 0.1 <= value < 10 else number(value, 2 if value < 1 else 3)


def span(ratios: Iterable[float]) -> str:
    """Write the smallest and the largest of several ratios: 0.42–0.61; one of them where they read the same."""
    known = sorted(ratios)
    ends = [factor(value) for value in (known[0], known[-1])]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def ratio(value: float | None, lo: float | None, hi: float | None) -> str:
    """Write a ratio with its interval: 0.42 (0.35–0.50)."""
    if value is None:
        return MISSING
    return factor(value) if lo is None or hi is None else f"{factor(value)} ({between(lo, hi)})"


def between(lo: float, hi: float) -> str:
    """Write the interval of a ratio: 0.35–0.50; an end that says no more than very little or very much: <0.01, >100."""
    return "–".join(_end(end) for end in (lo, hi))


def _end(value: float) -> str:
    if value < LEAST_END:
        return f"<{LEAST_END:g}"
    return f">{MOST_END:g}" if value > MOST_END else factor(value)


def counted(count: int, noun: str) -> str:
    """Write how many there are of something: 1 run, 12 runs."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
