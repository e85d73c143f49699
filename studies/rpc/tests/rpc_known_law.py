"""The times that `known` draws, drawn again: the law's very times, without the scatter of a sample."""

import math
from collections.abc import Iterator

import numpy as np

LAWS = ("constant", "exponential", "lognormal", "stalls")
STALL_EVERY, STALL_TIMES = 100, 10
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
BITS = 2**64 - 1


def doubles(seed: int) -> Iterator[float]:
    """Yield what Java's SplittableRandom (Steele, Lea and Flood 2014) makes of a seed, in [0, 1)."""
    while True:
        seed = (seed + GOLDEN_GAMMA) & BITS
        mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & BITS
        yield ((mixed ^ (mixed >> 31)) >> 11) * 2.0**-53


def drawn_ns(law: str, mean_ns: float, calls: int, *, seed: int) -> np.ndarray:
    """Return how long each of so many calls takes, from the first of the process on."""
    uniforms = doubles(seed)

    def one(number: int) -> float:
        match law:
            case "exponential":
                return -math.log(1 - next(uniforms)) * mean_ns
            case "lognormal":
                radius = math.sqrt(-2 * math.log(1 - next(uniforms)))
                return math.exp(radius * math.cos(2 * math.pi * next(uniforms)) - 0.5) * mean_ns
            case "stalls":
                return mean_ns * (STALL_TIMES if number % STALL_EVERY == 0 else 1)
        return mean_ns

    return np.array([int(one(number)) for number in range(1, calls + 1)])
