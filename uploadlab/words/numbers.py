"""How figures are written in a language: separators, significant digits, units."""

import math
from dataclasses import dataclass

from uploadlab.tables.table_file import format_number

_SIZES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB"))


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Writes numbers with a language's separators; what cannot be written is `missing`, never NaN."""

    decimal: str
    group: str
    missing: str = "–"

    def exact(self, value: float | None, decimals: int) -> str:
        """Write `value` with exactly `decimals` decimals."""
        if value is None or not math.isfinite(value):
            return self.missing
        text = f"{value:,.{decimals}f}"
        if text.startswith("-") and not text.strip("-0,."):
            text = text[1:]
        return text.replace(",", "\0").replace(".", self.decimal).replace("\0", self.group).replace("-", "−")

    def short(self, value: float | None, digits: int = 3) -> str:
        """Write `value` with `digits` significant digits; integers above that stay whole."""
        if value is None or not math.isfinite(value):
            return self.missing
        if value == 0:
            return "0"
        rounded = float(f"{value:.{digits - 1}e}")
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
        return self.exact(value, min(decimals, 9))

    def plain(self, value: float | None) -> str:
        """Write a whole number as it is, any other with three significant digits."""
        whole = value is not None and math.isfinite(value) and value == int(value)
        return self.exact(value, 0) if whole else self.short(value)

    def bare(self, value: float | None) -> str:
        """Write `value` as the tables do, with three significant digits, no groups and no trailing zeros."""
        return "" if value is None else format_number(value, 3).replace(".", self.decimal)

    def count(self, value: float | None) -> str:
        """Write a whole number."""
        return self.exact(value, 0)

    def size(self, size_bytes: float | None) -> str:
        """Write a file size in decimal units (1 KB = 1000 bytes)."""
        if size_bytes is None or not math.isfinite(size_bytes):
            return self.missing
        for factor, unit in _SIZES:
            if size_bytes >= factor:
                return f"{self.short(size_bytes / factor)}\u00a0{unit}"
        return f"{self.count(size_bytes)}\u00a0B"

    def span(self, low: float | None, high: float | None, joint: str, digits: int = 3) -> str:
        """Write `low` and `high` joined by `joint`, or one of them when they read the same."""
        first, last = self.short(low, digits), self.short(high, digits)
        return first if first == last else f"{first}{joint}{last}"
