"""The count constraint of a policy, read off one assignment that meets it; no solver needed.

The equally good assignments are exactly those that keep every partition inside its block (see
`equilag.domain.constraint.blocks`) and every member's count inside an interval no wider than one.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.constraint.blocks import (
    Levels,
    NotMinimal,
    classes_once,
    reach_levels,
    same_block,
)
from equilag.domain.constraint.by_capacity import by_capacity
from equilag.domain.constraint.count_constraint import CountConstraint, within_room
from equilag.domain.constraint.cross_rack import RackNetwork
from equilag.domain.constraint.per_topic import inside_blocks, remainder_levels, topic_intervals
from equilag.domain.constraint.topic_counts import TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import has_racks, member_counts
from equilag.domain.policy.policy import Policy


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
        if group.real is not None and group.real.shapes_counts:
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
