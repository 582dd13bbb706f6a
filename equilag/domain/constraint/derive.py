"""The count constraint of a policy, read off one assignment that meets it; no solver needed.

What an assignment of the smallest cost tells of all others, see
`equilag.domain.constraint.network`: the goals of the policy that are flows refine the constraint
that every member has room for what it gets.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.domain.columns import Flags
from equilag.domain.constraint.assignment_network import AssignmentNetwork
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.network import NegativeCycles, NotMinimal
from equilag.domain.constraint.topic_intervals import TopicIntervals, topic_intervals
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import cross_reads, member_counts, topic_counts
from equilag.domain.policy.policy import Policy


class NotFewestAcross(Exception):
    """Another assignment with the same counts reads less across racks."""


def unconstrained(group: Group) -> CountConstraint:
    """What holds for any valid assignment: no count is asked for."""
    n, size = group.n_members, int(np.count_nonzero(group.assignable))
    zero = np.zeros(n, dtype=np.int64)
    return CountConstraint.by_intervals(group, zero, np.full(n, size, dtype=np.int64))


def within_room(group: Group, pinned: Flags) -> CountConstraint:
    """No count is asked for, but members keep to their room; `pinned` [P] partitions stay."""
    nothing = np.zeros(group.n_members, np.int64)
    empty = CountConstraint(group, nothing, nothing, group.eligible, pinned)
    reach, (classes, member_classes) = np.zeros(len(group.class_topics), np.int64), group.arcs
    np.add.at(reach, member_classes, empty.supply[classes])
    most = empty.fixed + reach[group.class_of]
    return replace(empty, _least=empty.fixed, _most=np.minimum(most, group.extended.room))


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


def constraint_of(group: Group, policy: Policy, assigned: Index) -> CountConstraint:
    """The constraint of a policy's counts and racks, from a valid assignment [P] that meets it.

    Raises NotMinimal, or NotFewestAcross, where it does not meet it. See `count_constraint_of`.
    """
    constraint = count_constraint_of(group, policy, assigned)
    if policy.rack_aware and group.extended.has_racks:
        return reads_constraint(constraint, assigned)
    return constraint


def count_constraint_of(
    group: Group, policy: Policy, assigned: Index, topics: TopicIntervals | None = None
) -> CountConstraint:
    """The count constraint of a policy, from a valid assignment [P] that meets it.

    `topics` are those of `topics_of`, if they are known. Raises NotMinimal where it does not meet
    it. O(P + arcs × steps), see `Network.heights`.
    """
    pinned, totals = pinned_partitions(group, policy), member_counts(assigned, group.n_members)
    if not policy.counts_topics:
        constraint = within_room(group, pinned)
        over = totals > constraint.counts_of().most
        if over.any():
            raise NotMinimal(int(over.argmax()), int(over.argmax()))
        if policy.balance == "none":
            return constraint
        network = AssignmentNetwork.of(constraint)
        network = network.evened(network.flow_of(assigned), totals)
        constraint = network.narrowed_constraint
        _check_alike(network, constraint, totals)
        return topics_constraint(constraint, assigned) if policy.then_topics else constraint
    topics = topics or topic_intervals(group, pinned)
    held = topic_counts(group, assigned)
    wrong = topics.first_outside(held)
    if wrong is not None:
        topic, member = wrong
        raise NotMinimal(member, member, topic)
    found = CountConstraint(group, *topics.by_member, group.eligible, pinned, topics)
    if policy.balance == "both":
        network = AssignmentNetwork.of(found, by_topic=True)
        network = network.evened(network.flow_of(assigned), totals, network.kinds[2])
        found = network.narrowed_constraint
        _check_alike(network, found, totals)
    return found


def _check_alike(network: AssignmentNetwork, constraint: CountConstraint, totals: Ints) -> None:
    """Raises NotMinimal where counts [M] of members that are alike differ by two."""
    least, most = constraint.counts_of()
    outside = (totals < least) | (totals > most)
    if outside.any():
        place = int(network.places.of[outside.argmax()])
        raise network.step_between(place, place, totals)


def topics_constraint(constraint: CountConstraint, assigned: Index) -> CountConstraint:
    """The assignments with the smallest Σ count² / capacity over topics and members that the
    constraint allows; `assigned` [P] is one of them. Raises NotMinimal."""
    network, group = AssignmentNetwork.of(constraint, by_topic=True), constraint.group
    counts = member_counts(assigned, group.n_members)
    found = network.evened(network.flow_of(assigned), counts).narrowed_constraint
    wrong = found.topics.first_outside(topic_counts(group, assigned))
    if wrong is not None:
        raise NotMinimal(wrong[1], wrong[1], wrong[0])
    return found


def reads_constraint(constraint: CountConstraint, assigned: Index) -> CountConstraint:
    """The assignments with the fewest reads across racks that the constraint allows; `assigned` [P]
    is one of them. Raises NotFewestAcross."""
    network = AssignmentNetwork.of(constraint, constraint.totals_then_topics)
    try:
        network = network.narrowed(network.flow_of(assigned), network.read_costs())
    except NegativeCycles:
        raise NotFewestAcross from None
    reads = cross_reads(constraint.group, assigned)
    return replace(network.narrowed_constraint, most_across=reads)
