"""A recording as CSV tables and as one page of charts that opens offline."""

from monitoring.nmon_report.write import write_report

__all__ = ["write_report"]
