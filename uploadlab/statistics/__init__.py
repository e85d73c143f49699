"""Distributions, intervals, correlations: no files, no campaigns."""
