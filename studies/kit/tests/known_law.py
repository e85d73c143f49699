"""The times that the systems `known` draw, drawn again: the law's very times, without the scatter of a sample."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

LAWS = ("constant", "exponential", "lognormal", "stalls")
STALL_EVERY = 100
SIGMA = 0.5
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
BITS = 2**64 - 1


def uniforms_of_c(seed: int) -> Iterator[float]:
    """Yield what xorshift64* (Vigna 2016) makes of a part's seed, in (0, 1]."""
    state = (seed * 6364136223846793005 + 1442695040888963407) & BITS
    while True:
        state ^= state >> 12
        state ^= (state << 25) & BITS
        state ^= state >> 27
        yield (((state * 2685821657736338717 & BITS) >> 11) + 1) * 2.0**-53


def uniforms_of_java(seed: int) -> Iterator[float]:
    """Yield what SplittableRandom (Steele, Lea and Flood 2014) makes of a seed, taken from 1, in (0, 1]."""
    while True:
        seed = (seed + GOLDEN_GAMMA) & BITS
        mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & BITS
        yield 1 - ((mixed ^ (mixed >> 31)) >> 11) * 2.0**-53


def drawn_times(law: str, mean: float, numbers: Iterable[int], uniforms: Iterator[float]) -> np.ndarray:
    """Return how long the operations of these numbers take, of which each hundredth may stall."""

    def one(number: int) -> float:
        match law:
            case "exponential":
                return -mean * math.log(next(uniforms))
            case "lognormal":
                radius = math.sqrt(-2 * math.log(next(uniforms)))
                normal = radius * math.cos(2 * math.pi * next(uniforms))
                return mean * math.exp(SIGMA * normal - SIGMA**2 / 2)
            case "stalls":
                return mean / 2 * (1 if number % STALL_EVERY else 1 + STALL_EVERY)
        return mean

    return np.array([one(number) for number in numbers])
