"""A first assignment with exactly balanced counts, for any subscriptions and any balance.

Where topics count one by one, their remainders are dealt in turn, or so that totals are even.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Index, Ints, among
from equilag.domain.constraint import (
    CountConstraint,
    TopicCounts,
    TopicIntervals,
    count_constraint_of,
    pinned_partitions,
    ranges,
    topics_of,
    water_fill,
)
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.show import form, plural, some_of
from equilag.solver.counts.capacity_counts import spread_by_capacity
from equilag.solver.counts.capacity_slots import deal_to_slots, slots_of_classes
from equilag.solver.counts.even_flow import Network, even_flow, maximum, new_graph

Units = tuple[Ints, Ints]
"""Topic and member of single partitions."""


def deal_in_turn(intervals: TopicIntervals, number: Ints, shut: Units | None = None) -> Units:
    """One partition each to `number` [T] members that may have one more, going on where the topic
    before stopped, so that the first members are not given all.

    `shut` are topics and members that get none; the others have to be enough. O(units + shut).
    """
    if not number.any():
        return number[:0], number[:0]
    row, n_members = intervals.open_row, intervals.group.n_members
    width = row.edges[1:] - row.edges[:-1]
    barred = intervals.barred
    if shut is not None:
        barred = np.concatenate((barred[0], shut[0])), np.concatenate((barred[1], shut[1]))
    span = number
    if len(barred[0]):
        span = number + np.bincount(barred[0], minlength=len(number)) * (number > 0)
        span = np.minimum(span, width)
    topic = np.arange(len(number)).repeat(span)
    place = np.arange(len(topic)) - (span.cumsum() - span)[topic]
    turn = (number.cumsum() - number)[topic] + place
    member = row.members_at(row.edges[topic] + turn % width[topic])
    if not len(barred[0]):
        return topic, member
    there = ~among(topic * n_members + member, np.sort(barred[0] * n_members + barred[1]))
    topic, member = topic[there], member[there]
    rank = np.arange(len(topic)) - topic.searchsorted(topic)
    enough = rank < number[topic]
    return topic[enough], member[enough]


def even_totals(intervals: TopicIntervals, number: Ints) -> Units:
    """One partition each of `number` [T] to different subscribers, with the most even totals.

    Nothing may be pinned. Then members of one class are alike, and so are topics with the same
    subscribers and number: the flow runs between those. O(units + subscriptions), and the flow.
    """
    group, slots = intervals.group, intervals.slots
    some = np.flatnonzero(number)
    most = int(number.max(initial=0)) + 1
    key = group.topic_class[some].astype(np.int64) * most + number[some]
    kinds, kind_of, alike = np.unique(key, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    classes, member_classes = group.arcs
    start = np.searchsorted(classes, np.arange(len(group.eligible) + 1))
    begin, end = start[kinds // most], start[kinds // most + 1]
    tail = np.repeat(np.arange(len(kinds)), end - begin)
    head = member_classes[ranges(begin, end)]
    first = np.zeros(len(group.class_topics), np.int64)
    first[group.class_of] = np.arange(group.n_members)
    net = Network(
        alike * (kinds % most), intervals.by_member.least[first], slots.size, tail, head,
        alike[tail] * slots.size[head],
    )  # fmt: skip
    units = even_flow(net)
    # The units of a kind, class by class, go to its topics in turn: no topic gives a class more
    # than the class has members.
    unit_kind, unit_class = np.repeat(tail, units), np.repeat(head, units)
    of_kind = np.argsort(kind_of, kind="stable")
    edge = np.cumsum(alike) - alike
    rank = np.arange(len(unit_kind)) - np.searchsorted(unit_kind, unit_kind)
    topic = some[of_kind[edge[unit_kind] + rank % alike[unit_kind]]]
    # The units of a class, topic by topic, go to its members in turn.
    order = np.lexsort((topic, unit_class))
    topic, unit_class = topic[order], unit_class[order]
    rank = np.arange(len(topic)) - np.searchsorted(unit_class, unit_class)
    by_class = np.argsort(group.class_of, kind="stable")
    place = (np.cumsum(slots.size) - slots.size)[unit_class] + rank % slots.size[unit_class]
    return topic, by_class[place]


def even_cells(intervals: TopicIntervals, number: Ints) -> Units:
    """The same where partitions are pinned, so that every member is different.

    One flow on all topics and members that may have one more: O(topics × members) arcs.
    """
    topic, member = intervals.open_cells()
    least = intervals.by_member.least
    ones = np.ones(len(topic), np.int64)
    taken = even_flow(Network(number, least, np.ones_like(least), topic, member, ones))
    return np.repeat(topic, taken), np.repeat(member, taken)


PLACE: Final = "max_partitions"
"""Its entry in `members` comes before it where the room of one member is too little."""
WHAT_A_UNIT_IS: Final = (
    "; a unit is one partition number of all topics that are co-partitioned, or any other partition"
)
NAMED: Final = 5
"""Topics and members that a message names: it stays within a few lines."""


def check_room(group: Group, assigned: Index, free: Ints) -> None:
    """Raises InputError if members have no room for what is assigned [P], and then for `free`."""
    if group.extended is None or not group.extended.has_room_limits:
        return
    word, note = ("partition", "") if group.extended.stakes is None else ("unit", WHAT_A_UNIT_IS)
    base = member_counts(assigned, group.n_members)
    room = np.minimum(group.extended.room, group.n_partitions) - base
    over = np.flatnonzero(room < 0)
    if len(over):
        first = int(over[0])
        kept, most = plural(int(base[first]), word), int(group.extended.room[first])
        problem = f"{group.members[first].id!r} keeps {kept} and has room for {most:,}"
        raise InputError(problem + note, f"members[{first}].{PLACE}")
    supply = np.bincount(group.partition_class[free], minlength=len(group.eligible))
    by_class = np.zeros(len(group.class_topics), np.int64)
    np.add.at(by_class, group.class_of, room)
    short = _cut(group, supply, by_class)
    if short is None:
        return
    takers = np.flatnonzero(np.logical_or.reduce(group.eligible[short], axis=0)[group.class_of])
    inside = free[np.isin(group.partition_class[free], short)]
    topics = [group.topics[t] for t in np.unique(group.topic_of[inside]).tolist()]
    members = [group.members[m].id for m in takers.tolist()]
    more = " more" if base[takers].any() else ""
    left = f"{form(len(members), 'has', 'have')} room for {int(room[takers].sum()):,}{more}"
    what = f"{plural(len(inside), word)} of {some_of(topics, NAMED)}"
    raise InputError(f"{what}, but {some_of(members, NAMED)} {left}{note}", PLACE)


def _cut(group: Group, supply: Ints, room: Ints) -> Ints | None:
    """The partition classes that have too little room together, by a minimum cut; None if all
    fit. `room` is by member class."""
    classes, member_classes = group.arcs
    n_classes, n_member_classes = group.eligible.shape
    source, sink = n_classes + n_member_classes, n_classes + n_member_classes + 1
    graph = new_graph()
    plenty = supply[classes] + 1  # a full arc would draw the minimum cut to itself
    graph.add_arcs_with_capacity(classes, n_classes + member_classes, plenty)
    graph.add_arcs_with_capacity(np.full(n_classes, source), np.arange(n_classes), supply)
    graph.add_arcs_with_capacity(
        n_classes + np.arange(n_member_classes), np.full(n_member_classes, sink), room
    )
    graph.add_arc_with_capacity(source, sink, 0)  # so that the last node exists
    readable = group.eligible.any(axis=1)
    if maximum(graph, source, sink) == int(supply[readable].sum()):
        return None
    reached = np.asarray(graph.get_source_side_min_cut())
    return np.sort(reached[(reached < n_classes)])


def balanced(group: Group, policy: Policy) -> tuple[Index, CountConstraint]:
    """A balanced assignment, and the count constraint that all such assignments meet."""
    topics = topics_of(group, policy)
    assigned = balanced_assignment(group, policy, topics)
    return assigned, count_constraint_of(group, policy, assigned, topics)


def balanced_assignment(
    group: Group, policy: Policy, topics: TopicIntervals | None = None
) -> Index:
    """[P] a valid assignment that meets the policy's count balance; owners are not looked at.

    ``total``: sorted member counts lexicographically smallest; ``per-topic``: every topic as even
    as possible over its subscribers (KIP-169); ``both``: per topic first, then the totals;
    ``none``: as ``total``, which is as good as any. On top
    of the pinned partitions where the policy pins some. `topics` are those of `topics_of`, if they
    are known. Raises InputError if there is not enough room.
    """
    pinned = pinned_partitions(group, policy)
    assigned = np.where(pinned, group.owner, NOBODY).astype(np.int32)
    free = np.flatnonzero(group.assignable & ~pinned)
    check_room(group, assigned, free)
    if not len(free):
        return assigned
    topics = topics or topics_of(group, policy)
    if group.extended is not None and group.extended.shapes_counts and topics is None:
        spread_by_capacity(group, assigned, free)
    elif topics is None:
        _spread_totals(group, assigned, free)
    else:
        _spread_topics(topics, assigned, free, totals=policy.balance == "both")
    return assigned


def counts_claim(group: Group, constraint: CountConstraint) -> Claim:
    """The counts that the constraint stands for are the most even."""
    return Claim("counts", constraint.largest_count, "residual")


def _spread_totals(group: Group, assigned: Index, free: Ints) -> None:
    """Collapse to partition classes and to members alike in class and count, then one even flow."""
    n_members, n_classes = group.n_members, len(group.class_topics)
    base = member_counts(assigned, n_members)
    key = group.class_of.astype(np.int64) * (int(base.max()) + 1) + base
    _, first, slot_of = np.unique(key, return_index=True, return_inverse=True)
    slot_of = slot_of.ravel()
    slot_class, slot_base = group.class_of[first], base[first]
    width = np.bincount(slot_of).astype(np.int64)
    supply = np.bincount(group.partition_class[free], minlength=len(group.eligible))
    if n_classes == 1:
        tail, head = np.zeros(len(width), np.int64), np.arange(len(width))
        units = _one_class(int(supply.sum()), slot_base, width)
        order = free
    else:
        tail, head = slots_of_classes(group, slot_class)
        tail, head = tail[supply[tail] > 0], head[supply[tail] > 0]
        # More than a class holds: a full arc would draw the minimum cut to itself.
        net = Network(supply, slot_base, width, tail, head, supply[tail] + 1)
        units = even_flow(net)
        order = free[np.argsort(group.partition_class[free], kind="stable")]
    slots = np.repeat(head, units)  # of the partitions in `order`
    filled = np.bincount(slots, minlength=len(width))
    members = np.argsort(slot_of, kind="stable")  # by slot, then by number
    place = np.arange(n_members) - np.repeat(np.cumsum(width) - width, width)
    slot = slot_of[members]
    share = filled[slot] // width[slot] + (place < filled[slot] % width[slot])
    deal_to_slots(assigned, order, slots, members, share)


def _one_class(total: int, base: Ints, width: Ints) -> Ints:
    """Units per slot where everybody may take everything: no flow needed."""
    each = np.repeat(base, width)
    lo, hi = water_fill(each, total)
    extra = np.flatnonzero(hi > lo)[: total - int((lo - each).sum())]
    lo[extra] += 1
    return np.add.reduceat(lo - each, np.cumsum(width) - width)


def _spread_topics(topics: TopicIntervals, assigned: Index, free: Ints, totals: bool) -> None:
    """Fill every topic to its lower counts, then deal the remainders."""
    pinned = len(free) < np.count_nonzero(topics.group.assignable)
    if not totals:
        topic, member = deal_in_turn(topics, topics.remainder)
    elif pinned:
        topic, member = even_cells(topics, topics.remainder)
    else:
        topic, member = even_totals(topics, topics.remainder)
    sure_topic, sure_member, number = topics.least_cells
    if pinned:
        number = number - TopicCounts.of(topics.group, assigned).at(sure_topic, sure_member)
    number = np.concatenate((number, np.ones_like(topic)))
    topic, member = np.concatenate((sure_topic, topic)), np.concatenate((sure_member, member))
    order = np.lexsort((member, topic))
    # `free` runs by topic, and so do the cells.
    assigned[free] = np.repeat(member[order], number[order])
