"""Whether the members of a group keep up, now and under a plan, and what it takes if not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from equilag.budget import Budget
from equilag.errors import InputError
from equilag.group import NOBODY
from equilag.planner.least_members import least_members
from equilag.policy import Policy
from equilag.throughput import throughput

if TYPE_CHECKING:
    from equilag.plan import Plan
    from equilag.plan_figures import ThroughputFigures

Verdict = Literal["keeps_up", "moves", "members", "uneven", "hot"]
"""All members keep up now; they do with the plan; they would be enough, or were with so many more;
neither the plan nor more members were found to help; a partition is produced to faster than any
member reads, so that no assignment helps."""
MAX_NAMED: Final = 20
"""Hot partitions of a group that are named: more are no list that somebody reads."""
EFFORT: Final = 0.02
"""Counted seconds to find how many members keep up: enough for 500 partitions."""


LIMIT: Final = 10.0
"""Seconds by the clock, should the effort take longer than expected."""


def keeping_up(plan: Plan) -> dict[str, Any]:
    """The columns `THROUGHPUT` of a plan; nothing where no rate, or not half of the capacities, are
    known."""
    planned = None if plan.real is None else plan.real.throughput
    known = sum(member.capacity is not None for member in plan.group.members)
    if planned is None or 2 * known < plan.group.n_members:
        return {}
    now = throughput(plan.planned, plan.group.owner)
    assert now is not None  # the same group
    more = None if planned.keeps_up or planned.hot else members_short(plan)
    return {
        "throughput": _verdict(plan, now, planned, more),
        "rate": planned.rate,
        "capacity": planned.capacity,
        "utilisation_now": now.max,
        "utilisation": planned.max,
        "short_now": now.short,
        "short": planned.short,
        "members_short": more,
        "hot_partitions": json.dumps([hot._asdict() for hot in planned.hot[:MAX_NAMED]]),
    }


def _verdict(
    plan: Plan, now: ThroughputFigures, planned: ThroughputFigures, more: int | None
) -> Verdict:
    if planned.hot:
        return "hot"
    # Partitions without an owner are read by nobody, so they are not kept up with.
    unowned = plan.group.assignable & (plan.group.owner == NOBODY)
    if now.keeps_up and not unowned.any():
        return "keeps_up"
    if planned.keeps_up:
        return "moves"
    return "members" if more is not None else "uneven"


def members_short(plan: Plan) -> int | None:
    """How many members have to be added so that all keep up for sure; 0 if the present ones would,
    with an assignment that balances rates alone; None where no number was found."""
    try:
        budget = Budget.of_run(LIMIT, 0.0, EFFORT)
        found = least_members(plan.planned.given, plan.policy or Policy(), budget)
    except InputError:  # what `size` refuses
        return None
    return None if found is None else found.more
