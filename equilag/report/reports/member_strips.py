"""The partitions of each member, now and under the plan, as parts of bars."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equilag.domain.figures import number, printable
from equilag.domain.group.group import NOBODY
from equilag.report.report_blocks import Part, Strip
from equilag.report.reports.plan import PlanReport


def member_strips(facts: PlanReport) -> tuple[Strip, ...]:
    """A strip per member, in the order of the members; partitions that stay come first, so that
    they stand in line in both bars of a member."""
    plan = facts.plan
    group, planned = plan.group, plan.planned
    owner, assigned, lag = group.owner, plan.assigned, group.lag
    weight = lag if planned.weights is None else planned.partition_weight / planned.weight_scale
    hot = {(one.topic, one.partition) for one in facts.verdict.hot}
    place = {member.id: number for number, member in enumerate(group.members)}
    changes = owner != assigned

    def named(member: int) -> str:
        return "nobody" if member == NOBODY else printable(group.members[member].id)

    def parts(member: int, capacity: float, *, is_plan: bool) -> Iterator[Part]:
        own = np.flatnonzero((assigned if is_plan else owner) == member)
        for p in own[np.lexsort((own, -weight[own], changes[own]))].tolist():
            partition = group.partition_name(p)
            lines = [f"{printable(partition[0])}-{partition[1]}", f"lag {number(int(lag[p]))}"]
            if changes[p]:
                lines += [f"from {named(owner[p])}", f"to {named(assigned[p])}"]
                state = "arrives" if is_plan else "leaves"
            else:
                lines.append(f"stays with {named(owner[p])}")
                state = "stays"
            if partition in hot:
                lines.append("more than a fair share alone")
                state += " hot"
            yield Part(float(weight[p]) / capacity, state, "\n".join(lines))

    return tuple(
        Strip(
            one.id,
            tuple(parts(place[one.id], one.capacity or 1.0, is_plan=False)),
            tuple(parts(place[one.id], one.capacity or 1.0, is_plan=True)),
        )
        for one in facts.members
    )
