"""The standard normal distribution, from SciPy, which is loaded when first asked: that takes as long as all the rest
of the package, and lists that are there already need none of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from workload_gen.models.distribution import Floats


def below(z: ArrayLike) -> Floats:
    """Probability of a value below `z`."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.asarray(z, dtype=np.float64)))


def log_below(z: ArrayLike) -> Floats:
    """Logarithm of the probability of a value below `z`; precise far below 0 too."""
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(np.asarray(z, dtype=np.float64)))


def quantile(p: ArrayLike) -> Floats:
    """The value that a fraction `p` of all values does not exceed."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.asarray(p, dtype=np.float64)))
