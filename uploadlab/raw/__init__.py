"""The raw files of a run, read."""
