"""The seed of what is drawn, as a command line says it."""

import argparse


def seed(text: str) -> int:
    """Return a seed; refuse a negative one, of which nothing can be drawn."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"the seed must be a whole number from 0, not {value}")
    return value
