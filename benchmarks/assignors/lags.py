"""Lags of the kinds that groups have, drawn by seed."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from equilag.errors import InputError

HEAVY: Final = ("lognormal", "zipf")
"""The kinds in which few partitions hold most of the lag."""
KINDS: Final = (*HEAVY, "uniform", "hot", "zero")

MEDIAN: Final = 1_000.0
"""Records on a partition in the middle of a lognormal topic."""
SIGMA: Final = 2.0
ZIPF: Final = 1.1
MOST: Final = 1_000_000_000
"""Records on the partition of rank 1, and on the one hot partition."""
UNIFORM: Final = 1_000_000
CALM: Final = 1_000
"""Records on a partition beside the hot one, at most."""


def lags(kind: str, n: int, seed: int) -> npt.NDArray[np.int64]:
    """Lags [n] in records.

    ``lognormal``: sigma 2. ``zipf``: the partition of rank r lags MOST / r^1.1, ranks at random.
    ``uniform``: 0 to UNIFORM. ``hot``: all calm but one. ``zero``: nobody lags. Raises InputError
    for another kind.
    """
    rng = np.random.default_rng([seed, n])
    match kind:
        case "lognormal":
            drawn = rng.lognormal(np.log(MEDIAN), SIGMA, n)
        case "zipf":
            drawn = MOST / rng.permutation(np.arange(1, n + 1)) ** ZIPF
        case "uniform":
            drawn = rng.integers(0, UNIFORM, n, endpoint=True).astype(np.float64)
        case "hot":
            drawn = rng.integers(0, CALM, n, endpoint=True).astype(np.float64)
            if n:
                drawn[rng.integers(n)] = MOST
        case "zero":
            drawn = np.zeros(n)
        case _:
            raise InputError(f"{kind!r} is none of {', '.join(KINDS)}", "lags")
    return np.floor(drawn).astype(np.int64)
