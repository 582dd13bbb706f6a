"""Whether the members of a group keep up, now and under a plan, and what it takes if not."""

from __future__ import annotations

import json
from math import ceil
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Literal

from equilag.real_figures import ProvedBounds, real_figures

if TYPE_CHECKING:
    from equilag.plan import Plan
    from equilag.plan_figures import ThroughputFigures

Verdict = Literal["keeps_up", "moves", "members", "uneven", "hot"]
"""All members keep up now; they do with the plan; the group needs more members; the plan leaves a
member behind although all together could read everything; a partition is produced to faster than
any member reads, so that no assignment helps."""
MAX_NAMED: Final = 20
"""Hot partitions of a group that are named: more are no list that somebody reads."""


def keeping_up(plan: Plan) -> dict[str, Any]:
    """The columns `THROUGHPUT` of a plan; nothing where no rate, or not half of the capacities, are
    known."""
    planned = None if plan.real is None else plan.real.throughput
    known = sum(member.capacity is not None for member in plan.group.members)
    if planned is None or 2 * known < plan.group.n_members:
        return {}
    current = real_figures(plan.planned, plan.group.owner, ProvedBounds())
    now = None if current is None else current.throughput
    assert now is not None  # the same group
    return {
        "throughput": _verdict(plan, now, planned),
        "rate": planned.rate,
        "capacity": planned.capacity,
        "utilisation_now": now.max,
        "utilisation": planned.max,
        "short_now": now.short,
        "short": planned.short,
        "members_short": members_short(plan, planned),
        "hot_partitions": json.dumps([hot._asdict() for hot in planned.hot[:MAX_NAMED]]),
    }


def _verdict(plan: Plan, now: ThroughputFigures, planned: ThroughputFigures) -> Verdict:
    if planned.hot:
        return "hot"
    # Partitions without an owner are read by nobody, so they are not kept up with.
    if now.keeps_up and not (plan.group.owner < 0)[plan.group.assignable].any():
        return "keeps_up"
    if planned.keeps_up:
        return "moves"
    return "members" if members_short(plan, planned) else "uneven"


def members_short(plan: Plan, figures: ThroughputFigures) -> int:
    """The least number of members that have to be added, each of the median capacity.

    It is a lower bound by counting: rates and capacities in all. A member that cannot get a whole
    number of partitions up to its capacity may take more.
    """
    known = [member.capacity for member in plan.group.members if member.capacity is not None]
    return max(0, ceil((figures.rate - figures.capacity) / median(known)))
