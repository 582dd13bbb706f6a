"""Partitions that have most of a group's lag, or much of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.group.group import NOBODY
from equilag.planner.diagnosis.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import least_records

MOST: Final = 0.5
"""Part of the lag in one partition that is most of it."""
FAR: Final = 4
"""Times the mean of the others that such a partition has: 80 % of the lag of two partitions."""
FAR_APART: Final = 20
"""Times that a partition lags more than the others of its member: topics seldom differ as much."""


def most_of_it(found: JudgedPlan) -> int | None:
    """The partition with most of the lag; None where no partition has, or it is little."""
    group = found.loads.group
    places = np.flatnonzero(group.assignable)
    lag, rate = group.lag[places], found.rate[places]
    if len(lag) < 2 or found.plan.throughput is not None:
        return None  # rates and speeds say more
    top, total = int(lag.argmax()), int(lag.sum())
    most, others = int(lag[top]), (total - int(lag[top])) / (len(lag) - 1)
    least = least_records(found.gain, found.limits.thresholds)
    if not most or most < max(MOST * total, FAR * others, least):
        return None
    in_time = most <= found.limits.behind_s * rate[top]
    if in_time and rate[top] * total >= MOST * most * rate.sum():
        return None  # as much more is produced to it
    return int(places[top])


def stands_out(found: JudgedPlan, place: int | None) -> bool:
    """True if the other partitions of its member lag little beside it, each as many times what is
    usual in its topic: a member that is slow is so in all of them."""
    if place is None:
        return False
    group = found.loads.group
    others: Flags = (group.owner != group.owner[place]) & group.assignable

    def times(p: int) -> float:
        rest = group.lag[others & (group.topic_of == group.topic_of[p])]
        return float((group.lag[p] + 1) / ((np.median(rest) if len(rest) else 0) + 1))

    own = np.flatnonzero(group.owner == group.owner[place]).tolist()
    rest = [times(p) for p in own if p != place]
    return not rest or float(np.median(rest)) * FAR_APART < times(place)


def far_behind(found: JudgedPlan) -> Ints:
    """The partitions that lag far more than the others, where they have most of the lag; none
    where members are known to keep up."""
    group, work = found.loads.group, found.work
    if work is not None and work.before is not None and work.before.keeps_up:
        return np.zeros(0, np.int64)
    held: Flags = group.assignable & (group.owner != NOBODY)
    much = np.where(found.rate > 0, found.limits.behind_s * found.rate, found.limits.min_lag)
    late: Flags = held & (group.lag > much)
    others = group.lag[held & ~late]
    late &= group.lag >= FAR * (others.mean() if len(others) else 0.0)
    places: Ints = np.flatnonzero(late)
    return places if group.lag[late].sum() >= MOST * group.lag[held].sum() else places[:0]
