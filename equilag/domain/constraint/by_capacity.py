"""The count constraint by capacity, read off one assignment that minimises Σ count² / capacity.

As in `constraint.blocks`, with marginal costs in place of counts: the members that can be
reached from those whose last partition costs λ or more, and not from dearer ones, form the block of
level λ. Each of them may have as many partitions as cost less than λ, and one more if that costs λ.
Where all members of an instance may take the same partitions, the instance is one of the members
(its cost comes first, then that of its threads); else see `equilag.domain.constraint.by_instance`.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Flags, Ints, distinct
from equilag.domain.constraint.blocks import (
    Levels,
    NotMinimal,
    classes_once,
    reach_levels,
    same_block,
)
from equilag.domain.constraint.by_instance import InstanceFlow, instance_steps
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.marginal_costs import ranks
from equilag.domain.constraint.sinks import CountSteps, InstanceSums, MemberCosts, SinkCosts, Sinks
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import member_counts


def by_capacity(group: Group, assigned: Index, pinned: Flags) -> CountConstraint:
    """The constraint of all assignments with counts as good as those of a valid one [P].

    `pinned` [P] partitions stay where they are. Raises NotMinimal if counts can be better, or are
    beyond a member's room. O(P + members × partition classes).
    """
    assert group.real is not None
    counts = member_counts(assigned, group.n_members)
    over = np.flatnonzero(counts > group.real.room)
    if len(over):
        raise NotMinimal(int(over[0]), int(over[0]))
    base = member_counts(np.where(pinned, group.owner, NOBODY), group.n_members)
    held = (assigned != NOBODY) & ~pinned
    width = max(1, len(group.eligible))
    cell = distinct(assigned[held].astype(np.int64) * width + group.partition_class[held])
    holder, node = cell // width, cell % width
    sinks = Sinks.of_group(group)
    costs = MemberCosts.of(group, counts, base)
    if sinks.are_instances:
        steps, face = _sink_steps(group, sinks, costs, counts, (holder, node))
    else:
        steps, face = instance_steps(group, InstanceFlow.of(group, assigned, pinned))
    least, most = counts - steps.fewer, counts + steps.more
    sums = _sums_that_bind(steps.sums, least, most)
    return CountConstraint(group, least, most, face, pinned, _sums=sums)


def _sink_steps(
    group: Group, sinks: Sinks, costs: MemberCosts, counts: Ints, held: tuple[Ints, Ints]
) -> tuple[CountSteps, Flags]:
    """What may change, and the face [C, K]; `held` are the cells of member and class."""
    of, size = sinks.of, len(sinks.capacity)
    last, following = SinkCosts.of(sinks, costs, counts)
    uneven = np.flatnonzero(last[1] > following[1])
    if len(uneven):
        raise _not_minimal(sinks, costs, int(uneven[0]), int(uneven[0]))
    rank = ranks(*(np.concatenate(both) for both in zip(last, following, strict=True)))
    takers = classes_once(group, sinks.member_class)
    holder, node = of[held[0]].astype(np.int32), held[1].astype(np.int32)
    try:
        levels = reach_levels(rank[:size], rank[size:], holder, node, len(group.eligible), takers)
    except NotMinimal as error:
        raise _not_minimal(sinks, costs, error.heavy, error.light) from None
    less = np.isfinite(last[0]) & (rank[:size] == levels.member)
    more = rank[size:] == levels.member
    moving = np.zeros(len(rank), np.bool_)
    moving[levels.member[more]] = True
    less &= moving[levels.member]  # a block where nobody may have more keeps all counts
    face = same_block(group, Levels(levels.member[of], levels.node))
    if group.real is None or group.real.instance_of is None:
        return CountSteps(less, more, None), face
    level = np.where(more, following[1], last[1])[of]
    fewer_each = np.isfinite(level) & (costs.last == level)
    more_each = np.isfinite(level) & (costs.following == level)
    total = sinks.total(counts)
    sums = InstanceSums(of, total - less, total + more)
    return CountSteps.within(sums, counts, fewer_each, more_each), face


def _not_minimal(sinks: Sinks, costs: MemberCosts, heavy: int, light: int) -> NotMinimal:
    """By members, for the sinks of a step that makes counts better."""
    heavy_ones, light_ones = (np.flatnonzero(sinks.of == sink) for sink in (heavy, light))
    return NotMinimal(
        int(heavy_ones[costs.last[heavy_ones].argmax()]),
        int(light_ones[costs.following[light_ones].argmin()]),
    )


def _sums_that_bind(sums: InstanceSums | None, least: Ints, most: Ints) -> InstanceSums | None:
    """None if the members' own intervals say as much."""
    if sums is None:
        return None
    lowest, highest = sums.total(least), sums.total(most)
    same = np.array_equal(lowest, sums.least) and np.array_equal(highest, sums.most)
    return None if same else sums
