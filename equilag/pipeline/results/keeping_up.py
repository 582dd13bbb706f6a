"""Whether the members of a group keep up, now and under a plan, and what it takes if not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from equilag.domain.budget import Budget
from equilag.domain.group.group import NOBODY
from equilag.report.facts.fleets.fleet_throughput import MAX_NAMED
from equilag.report.facts.work import WorkFacts, work_facts

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan
    from equilag.domain.plan.plan_figures import ThroughputFigures

Verdict = Literal["keeps_up", "moves", "members", "uneven", "hot"]
"""All members keep up now; they do with the plan; they would be enough, or were with so many more;
neither the plan nor more members were found to help; a partition is produced to faster than any
member reads, so that no assignment helps."""
EFFORT: Final = 0.02
"""Counted seconds to find how many members keep up: enough for 500 partitions."""


LIMIT: Final = 10.0
"""Seconds by the clock, should the effort take longer than expected."""


def fleet_work(plan: Plan) -> WorkFacts | None:
    """The work of a plan; what is searched for it takes counted work, so that it is repeatable."""
    return work_facts(plan, Budget.of_run(LIMIT, 0.0, EFFORT))


def keeping_up(plan: Plan, work: WorkFacts | None) -> dict[str, Any]:
    """The columns `THROUGHPUT` of a plan; nothing where no rate, or not half of the capacities, are
    known."""
    known = sum(member.capacity is not None for member in plan.group.members)
    if (
        work is None
        or work.before is None
        or work.after is None
        or 2 * known < plan.group.n_members
    ):
        return {}
    now, planned = work.before, work.after
    more = None if planned.hot or work.least is None else work.least.more
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
