"""The count constraint of a policy, read off one assignment that meets it; no solver needed.

The equally good assignments are exactly those that keep every partition inside its block (see
`equilag.domain.constraint.blocks`) and every member's count inside an interval no wider than one.

Counts by capacity are read off an assignment that minimises Σ count² / capacity, as in
`constraint.blocks` with marginal costs in place of counts: the members that can be reached from
those whose last partition costs λ or more, and not from dearer ones, form the block of level λ.
Each of them may have as many partitions as cost less than λ, and one more if that costs λ. Where
all members of an instance may take the same partitions, the instance is one of the members (its
cost comes first, then that of its threads); else see `equilag.domain.constraint.by_instance`.
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
from equilag.domain.constraint.count_constraint import CountConstraint, within_room
from equilag.domain.constraint.cross_rack import RackNetwork
from equilag.domain.constraint.per_topic import inside_blocks, remainder_levels, topic_intervals
from equilag.domain.constraint.sinks import (
    CountSteps,
    InstanceSums,
    MemberCosts,
    SinkCosts,
    Sinks,
    ranks,
)
from equilag.domain.constraint.topic_counts import TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import has_racks, member_counts
from equilag.domain.policy.policy import Policy


def by_capacity(group: Group, assigned: Index, pinned: Flags) -> CountConstraint:
    """The constraint of all assignments with counts as good as those of a valid one [P].

    `pinned` [P] partitions stay where they are. Raises NotMinimal if counts can be better, or are
    beyond a member's room. O(P + members × partition classes).
    """
    assert group.extended is not None
    counts = member_counts(assigned, group.n_members)
    over = np.flatnonzero(counts > group.extended.room)
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
    if group.extended is None or group.extended.instance_of is None:
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


def pinned_partitions(group: Group, policy: Policy) -> Flags:
    """[P] partitions that no plan of the policy may move."""
    if policy.pins_owned:
        owned: Flags = group.owner != NOBODY
        return owned
    return np.zeros(group.n_partitions, dtype=np.bool_)


def topics_of(group: Group, policy: Policy) -> TopicIntervals | None:
    """Fewest and most partitions of each topic per member, where topics count one by one."""
    if not policy.counts_topics:
        return None
    return topic_intervals(group, pinned_partitions(group, policy))


def constraint_of(
    group: Group, policy: Policy, assigned: Index, topics: TopicIntervals | None = None
) -> CountConstraint:
    """The constraint of a policy's counts and racks, from a valid assignment [P] that meets it.

    Raises NotMinimal, or NotFewestAcross, where it does not meet it. See `count_constraint_of`.
    """
    constraint = count_constraint_of(group, policy, assigned, topics)
    if not (policy.rack_aware and has_racks(group)):
        return constraint
    network = RackNetwork.of(constraint)
    return network.narrowed(network.units_of(assigned))


def count_constraint_of(
    group: Group, policy: Policy, assigned: Index, topics: TopicIntervals | None = None
) -> CountConstraint:
    """The count constraint of a policy, from a valid assignment [P] that meets it.

    `topics` are those of `topics_of`, if they are known.

    Raises NotMinimal where it does not meet it. O(P + members × partition classes), and
    O(P + subscriptions) for the balances that count topic by topic.
    """
    pinned = pinned_partitions(group, policy)
    if policy.balance == "none":
        return _by_room(group, assigned, pinned)
    if policy.balance == "total":
        if group.extended is not None and group.extended.shapes_counts:
            return by_capacity(group, assigned, pinned)
        return _by_totals(group, assigned, pinned)
    topics = topics or topic_intervals(group, pinned)
    held = TopicCounts.of(group, assigned)
    wrong = topics.first_outside(held)
    if wrong is not None:
        topic, member = wrong
        raise NotMinimal(member, member, topic)
    if policy.balance == "per-topic":
        least, most = topics.by_member
        return CountConstraint(group, least, most, group.eligible, pinned, topics)
    totals = member_counts(assigned, group.n_members)
    levels = remainder_levels(topics, held, totals)
    topics = inside_blocks(topics, levels, held)
    free = topics.n_open > 0
    most = np.where(free, levels.member, totals)
    least = np.where(free, np.maximum(levels.member - 1, topics.by_member.least), totals)
    return CountConstraint(group, least, most, group.eligible, pinned, topics)


def _by_room(group: Group, assigned: Index, pinned: Flags) -> CountConstraint:
    constraint = within_room(group, pinned)
    over = member_counts(assigned, group.n_members) > constraint.counts_of().most
    if over.any():
        raise NotMinimal(int(over.argmax()), int(over.argmax()))
    return constraint


def _by_totals(group: Group, assigned: Index, pinned: Flags) -> CountConstraint:
    n_classes = len(group.eligible)
    held = (assigned != NOBODY) & ~pinned
    counts = member_counts(assigned, group.n_members)
    base = member_counts(np.where(pinned, group.owner, NOBODY), group.n_members)
    cell = distinct(
        assigned[held].astype(np.int64) * max(n_classes, 1) + group.partition_class[held]
    )
    holder = (cell // max(n_classes, 1)).astype(np.int32)
    node = (cell % max(n_classes, 1)).astype(np.int32)
    levels = reach_levels(
        counts, counts + 1, holder, node, n_classes, classes_once(group, group.class_of)
    )
    least, most = np.maximum(levels.member - 1, base), levels.member
    least = _raised_where_full(least, most, counts, levels)
    return CountConstraint(group, least, most, same_block(group, levels), pinned)


def _raised_where_full(least: Ints, most: Ints, counts: Ints, levels: Levels) -> Ints:
    """[M] `least`, or `most` in the blocks where all members hold that many."""
    short = np.zeros(int(levels.member.max(initial=0)) + 1, dtype=np.bool_)
    short[levels.member[counts < most]] = True
    full = ~short[levels.member] if len(least) else np.zeros(0, np.bool_)
    return np.where(full, most, least)
