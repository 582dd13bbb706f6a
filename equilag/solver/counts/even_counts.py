"""A first assignment with exactly balanced counts, for any subscriptions and any balance.

Where topics count one by one, their remainders are dealt in turn, or so that totals are even.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from equilag.domain.columns import Flags, Index, Ints, among, in_turn, ranks
from equilag.domain.constraint import (
    AssignmentNetwork,
    CountConstraint,
    TopicIntervals,
    count_constraint_of,
    pinned_partitions,
    topics_of,
    within_room,
)
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import member_counts, topic_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.cheapest_flow import dealt, topics_evened, totals_flow
from equilag.solver.counts.even_flow import SupplyNetwork, check_room, even_flow
from equilag.solver.counts.even_shares import Takers

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
    width, span = row.edges[1:] - row.edges[:-1], number
    if shut is not None:
        span = number + np.bincount(shut[0], minlength=len(number)) * (number > 0)
        span = np.minimum(span, width)
    topic = np.arange(len(number)).repeat(span)
    place = np.arange(len(topic)) - (span.cumsum() - span)[topic]
    turn = (number.cumsum() - number)[topic] + place
    member = row.members_at(row.edges[topic] + turn % width[topic])
    if shut is None:
        return topic, member
    there = ~among(topic * n_members + member, np.sort(shut[0] * n_members + shut[1]))
    topic, member = topic[there], member[there]
    enough = ranks(topic) < number[topic]
    return topic[enough], member[enough]


def even_totals(intervals: TopicIntervals, number: Ints) -> Units:
    """One partition each of `number` [T] to different subscribers, with the most even totals.
    O(units + pairs), and the flow."""
    (topics, places), (place_of, size) = intervals.pairs, (intervals.place, intervals.size)
    least = np.zeros_like(size)
    least[place_of] = intervals.by_member.least
    takers = Takers(np.arange(len(size)), size, np.ones_like(size), least, least + len(number))
    net = SupplyNetwork(number, topics, places, size[places], takers, len(size))
    units = even_flow(net)
    # The units of a place, topic by topic, go to its members in turn.
    order = np.argsort(places, kind="stable")
    topic, place = np.repeat(topics[order], units[order]), np.repeat(places[order], units[order])
    return topic, in_turn(place, place_of)


def balanced(group: Group, policy: Policy) -> tuple[Index, Callable[[], CountConstraint]]:
    """A balanced assignment, and what makes the count constraint that all such assignments meet.

    ``total``: sorted member counts lexicographically smallest; ``per-topic``: every topic as even
    as possible over its subscribers (KIP-169); ``both``: per topic first, then the totals;
    ``none``: as ``total``, which is as good as any. On top of the pinned partitions where the
    policy pins some. ``total-then-topics``: the totals first, and then Σ count² / capacity over
    topics and members. Owners are not looked at. Raises InputError if there is not enough room.
    """
    pinned = pinned_partitions(group, policy)
    topics = topics_of(group, policy)
    if topics is not None:
        assigned = _spread_topics(topics, pinned, totals=policy.balance == "both")
        return assigned, cache(partial(count_constraint_of, group, policy, assigned, topics))
    constraint = within_room(group, pinned)
    check_room(constraint)
    network = AssignmentNetwork.of(constraint)
    flow = totals_flow(network)
    assigned = dealt(network, flow)
    if policy.balance == "none":
        return assigned, lambda: constraint

    def evened() -> CountConstraint:
        counts = member_counts(assigned, group.n_members)
        return network.evened(flow, counts).narrowed_constraint

    if policy.then_topics:
        found, narrow = topics_evened(evened(), assigned)
        return found, lambda: narrow
    return assigned, cache(evened)


def _spread_topics(topics: TopicIntervals, pinned: Flags, totals: bool) -> Index:
    """[P] every topic filled to its lower counts, then the remainders dealt."""
    group = topics.group
    assigned = np.where(pinned, group.owner, NOBODY).astype(np.int32)
    free = np.flatnonzero(group.assignable & ~pinned)
    if not len(free):
        return assigned
    if not totals:
        topic, member = deal_in_turn(topics, topics.remainder)
    else:
        topic, member = even_totals(topics, topics.remainder)
    sure_topic, sure_member, number = topics.least_cells
    if pinned.any():
        number = number - topic_counts(group, assigned)[sure_topic, sure_member]
    number = np.concatenate((number, np.ones_like(topic)))
    topic, member = np.concatenate((sure_topic, topic)), np.concatenate((sure_member, member))
    order = np.lexsort((member, topic))
    # `free` runs by topic, and so do the cells.
    assigned[free] = np.repeat(member[order], number[order])
    return assigned
