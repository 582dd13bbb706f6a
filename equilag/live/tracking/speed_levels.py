"""Speeds without their noise, and stable from one call to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from equilag.columns import Flags, Floats, Ints
from equilag.live.tracking.window_speed import WindowSpeed
from equilag.measuring.usable_capacities import joined_speeds

ALIKE: Final = 1.15
"""Speeds up to this much apart count as one: measured ones are sure to some per cent, and counts in
proportion to them would move partitions for nothing."""
SAME: Final = 0.05
"""A level keeps its value while the median of its members is off by less,"""
ERRORS: Final = 3.0
"""or by less than so many standard errors of a member: where observations and commits have nearly
the same period, speeds are off to one side for a minute."""


def speed_levels(
    speeds: Mapping[str, WindowSpeed], before: Mapping[str, float]
) -> dict[str, float]:
    """Return a level for each speed: one number for all speeds that are alike.

    `before` holds the levels of the last call, which may be of other members. A member stays on its
    level as long as its speed is alike; any other one joins the nearest level that is alike; the
    rest make new levels. Levels that came close to each other become one.
    """
    if not speeds:
        return {}
    keys = sorted(speeds)
    values = np.array([speeds[key].value for key in keys])
    errors = np.array([speeds[key].error for key in keys])
    own = np.array([before.get(key, np.nan) for key in keys])
    level = np.where(_alike(values, own), own, np.nan)
    known = np.unique(own[~np.isnan(own)])
    for at in np.flatnonzero(np.isnan(level)).tolist():
        near = known[_alike(known, values[at])]
        if len(near):
            level[at] = near[np.argmin(np.abs(np.log(near / values[at])))]
    new = np.isnan(level)
    level[new] = joined_speeds(values[new], ALIKE)
    return dict(zip(keys, _renewed(values, errors, level).tolist(), strict=True))


def _alike(one: Floats, other: Floats | float) -> Flags:
    alike: Flags = np.maximum(one, other) <= ALIKE * np.minimum(one, other)
    return alike


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
