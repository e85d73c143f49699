"""One run: starting what is measured, loading it, watching it, and judging the run."""
