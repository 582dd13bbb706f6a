"""How far every assignor is from the proved bound, group by group over a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

BAND_LIMITS: Final = (1.0, 10.0, 50.0, 100.0)
"""Upper limits of all bands but the last, in percent of a group's mean load: as good as the default
tolerance; hardly felt; half a fair share; a whole one."""
_PERCENTILES: Final = (0, 5, 25, 50, 75, 95, 100)


@dataclass(frozen=True, slots=True)
class AssignorGaps:
    """The gaps of an assignor in percent of a group's mean load, over the groups of which one is
    known."""

    assignor: str
    groups: int
    bands: tuple[int, ...]
    """Groups with a gap up to each of `BAND_LIMITS`, and above the last of them."""
    minimum: float | None
    """None, like the others, without any group. Below 0 where counts are less even than the
    plan's."""
    p5: float | None
    p25: float | None
    median: float | None
    p75: float | None
    p95: float | None
    maximum: float | None


def assignor_gaps(assignor: str, gaps: Sequence[float]) -> AssignorGaps:
    """The distribution of an assignor's gaps, one per group."""
    values = np.asarray(gaps, dtype=np.float64)
    found = np.searchsorted(BAND_LIMITS, values)
    bands = np.bincount(found, minlength=len(BAND_LIMITS) + 1)
    known = np.percentile(values, _PERCENTILES).tolist() if len(values) else [None] * 7
    return AssignorGaps(assignor, len(values), tuple(bands.tolist()), *known)
