"""A recording as CSV tables and as one page of charts that opens offline."""
