"""Distributions of file sizes, and the parameters that meet given targets."""
