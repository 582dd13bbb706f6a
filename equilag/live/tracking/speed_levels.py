"""Speeds without their noise, and stable from one call to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from equilag.adapters.measuring.usable_capacities import joined_speeds
from equilag.domain.columns import Floats, Ints
from equilag.live.tracking.window_speed import WindowSpeed

ALIKE: Final = 1.15
"""Speeds up to this much apart count as one: measured ones are sure to some per cent, and counts in
proportion to them would move partitions for nothing."""
SAME: Final = 0.05
"""A level keeps its value while the median of its members is off by less,"""
ERRORS: Final = 2.5
"""or by less than so many standard errors of a member: where observations and commits have nearly
the same period, speeds are off to one side for a minute."""


def speed_levels(
    speeds: Mapping[str, WindowSpeed], before: Mapping[str, float]
) -> dict[str, float]:
    """Return a level for each speed: one number for all speeds that are alike.

    `before` holds levels by key, of these and other members. A member stays on its level as long as
    its speed is alike and no other level much nearer; any other one joins the nearest level that
    is alike; the rest make new levels. Levels that came close to each other become one.
    """
    if not speeds:
        return {}
    keys = sorted(speeds)
    values = np.array([speeds[key].value for key in keys], dtype=np.float64)
    errors = np.array([speeds[key].error for key in keys])
    known = np.array(sorted({before[key] for key in keys if key in before}))
    level = np.array([_nearest(speeds[key].value, before.get(key), known) for key in keys])
    new = np.isnan(level)
    level[new] = joined_speeds(values[new], ALIKE)
    return dict(zip(keys, _renewed(values, errors, level).tolist(), strict=True))


def _nearest(speed: float, own: float | None, known: Floats) -> float:
    """The nearest of the levels that are alike; the member's own one, unless another one is nearer
    by more than `SAME`. NaN if none is alike."""
    distance = np.abs(np.log(known / speed)) - np.where(known == own, SAME, 0.0)
    alike = np.maximum(known, speed) <= ALIKE * np.minimum(known, speed)
    distance[~alike] = np.inf
    return float(known[distance.argmin()]) if alike.any() else np.nan


def _renewed(values: Floats, errors: Floats, level: Floats) -> Floats:
    """[M] the levels, each at the median of its members if that is off, and levels that are alike
    as one, from the slowest on."""
    groups: list[tuple[float, Ints]] = []
    for old in np.unique(level).tolist():
        members = np.flatnonzero(level == old)
        value = _kept(old, values[members], errors[members])
        if groups and value <= ALIKE * groups[-1][0]:
            joined = np.concatenate([groups[-1][1], members])
            groups[-1] = (_kept(groups[-1][0], values[joined], errors[joined]), joined)
        else:
            groups.append((value, members))
    renewed = np.empty_like(values)
    for value, members in groups:
        renewed[members] = value
    return renewed


def _kept(old: float, values: Floats, errors: Floats) -> float:
    median = float(np.median(values))
    same = max(SAME * old, ERRORS * float(np.median(errors)))
    return old if abs(median - old) < same else median
