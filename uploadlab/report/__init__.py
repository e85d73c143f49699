"""The report: one self-contained page that opens offline, and its charts and data beside it."""

from uploadlab.report.write import page_of, write

__all__ = ["page_of", "write"]
