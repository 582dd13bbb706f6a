"""The partitions that bound what any number of members reaches."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.group.group import Group
from equilag.planner.sizes.sizing import HotUnit


def heaviest_unit(planned: Group, weight: Floats, capacity: float | None) -> HotUnit | None:
    """The heaviest unit, the first of several; None where nothing weighs anything."""
    if not weight.any():
        return None
    return _unit(planned, weight, int(np.argmax(weight)), capacity)


def hot_units(planned: Group, rate: Floats, capacity: float) -> tuple[HotUnit, ...]:
    """The units whose rate exceeds a capacity, the largest rate first."""
    hot = np.flatnonzero(rate > capacity)
    hot = hot[np.argsort(-rate[hot], kind="stable")]
    return tuple(_unit(planned, rate, p, capacity) for p in hot.tolist())


def _unit(planned: Group, weight: Floats, unit: int, capacity: float | None) -> HotUnit:
    name = planned.partition_name(unit)
    value = float(weight[unit])
    return HotUnit(*name, value, None if capacity is None else value / capacity)
