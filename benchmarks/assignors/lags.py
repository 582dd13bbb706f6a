"""Lags of several distributions, drawn from a seed."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from equilag.domain.errors import InputError

HEAVY: Final = ("lognormal", "zipf")
"""Distributions in which few partitions have most of the lag."""
KINDS: Final = (*HEAVY, "uniform", "hot", "zero")

MEDIAN: Final = 1_000.0
"""Median of the lognormal lags, in records."""
SIGMA: Final = 2.0
"""Sigma of the lognormal lags: a 95th percentile 27 times the median."""
ZIPF: Final = 1.1
"""Exponent of the Zipf lags."""
LARGEST_LAG: Final = 1_000_000_000
"""Records of lag on the partition of rank 1, and on the hot partition."""
UNIFORM: Final = 1_000_000
"""Largest of the uniform lags, in records."""
CALM: Final = 1_000
"""Largest lag of the partitions that are not hot, in records."""


def lags(kind: str, n: int, seed: int) -> npt.NDArray[np.int64]:
    """Return lags [n] in records.

    ``lognormal``: sigma 2. ``zipf``: the partition of rank r has the lag LARGEST_LAG / r^1.1, with
    random ranks. ``uniform``: 0 to UNIFORM. ``hot``: 0 to CALM, except for one partition. ``zero``:
    no lag. Raises InputError for another kind.
    """
    rng = np.random.default_rng([seed, n])
    match kind:
        case "lognormal":
            drawn = rng.lognormal(np.log(MEDIAN), SIGMA, n)
        case "zipf":
            drawn = LARGEST_LAG / rng.permutation(np.arange(1, n + 1)) ** ZIPF
        case "uniform":
            drawn = rng.integers(0, UNIFORM, n, endpoint=True).astype(np.float64)
        case "hot":
            drawn = rng.integers(0, CALM, n, endpoint=True).astype(np.float64)
            if n:
                drawn[rng.integers(n)] = LARGEST_LAG
        case "zero":
            drawn = np.zeros(n)
        case _:
            raise InputError(f"{kind!r} is none of {', '.join(KINDS)}", "lags")
    return np.floor(drawn).astype(np.int64)
