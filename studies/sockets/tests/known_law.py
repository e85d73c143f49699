"""The delays that `known` draws, drawn again: the law's very times, without the scatter of a sample."""

import math
from collections.abc import Iterator

import numpy as np

LAWS = ("constant", "exponential", "lognormal", "stalls")
STALL_EVERY = 100
SIGMA = 0.5
BITS = 2**64 - 1


def _uniforms(seed: int) -> Iterator[float]:
    """Yield what xorshift64* (Vigna 2016) makes of a part's seed, in (0, 1]."""
    state = (seed * 6364136223846793005 + 1442695040888963407) & BITS
    while True:
        state ^= state >> 12
        state ^= (state << 25) & BITS
        state ^= state >> 27
        yield (((state * 2685821657736338717 & BITS) >> 11) + 1) * 2.0**-53


def drawn_us(law: str, mean_us: float, answers: int, *, earlier: int) -> np.ndarray:
    """Return the delays of a phase, before which so many messages were answered."""
    uniforms = _uniforms(1)

    def delay_us(number: int) -> float:
        match law:
            case "exponential":
                return -mean_us * math.log(next(uniforms))
            case "lognormal":
                radius = math.sqrt(-2 * math.log(next(uniforms)))
                normal = radius * math.cos(2 * math.pi * next(uniforms))
                return mean_us * math.exp(SIGMA * normal - SIGMA**2 / 2)
            case "stalls":
                return mean_us / 2 + (0 if number % STALL_EVERY else mean_us / 2 * STALL_EVERY)
        return mean_us

    for number in range(earlier):
        delay_us(number)
    return np.array([delay_us(number) for number in range(answers)])
