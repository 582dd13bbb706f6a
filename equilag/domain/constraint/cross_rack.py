"""The plans with the fewest reads across racks, among those that meet a count constraint.

Which partitions of a class go to which members is a flow from partition classes to *slots* (members
alike in class and interval) and on to a sink, and a read across racks is its cost. Complementary
slackness with any optimal potentials tells exactly which flows are cheapest (Ahuja, Magnanti and
Orlin, "Network Flows", 9.4): arcs of positive reduced cost are empty, and a slot whose arc to the
sink costs something is at an end of its interval. So those plans are the plans of a narrower face
and narrower intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equilag.domain.constraint.by_instance import NegativeCycles, shortest_distances
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.sinks import InstanceSums
from equilag.domain.group.group import Flags, Index, Ints
from equilag.domain.plan.metrics import cross_costs, cross_reads, member_counts


class NotFewestAcross(Exception):
    """Another assignment with the same counts reads less across racks."""


@dataclass(frozen=True, eq=False)
class RackNetwork:
    """Partition classes [C] and slots [S] of a count constraint, and the arcs [A] between them."""

    constraint: CountConstraint
    slot_of: Ints
    """[M]"""
    member_class: Ints
    """[S]"""
    supply: Ints
    """[C] free partitions."""
    least: Ints
    """[S] fewest free partitions of all members of the slot."""
    most: Ints
    """[S]"""
    sums: InstanceSums | None
    """Of the slots [S], where members of different instances are in different slots."""
    tail: Ints
    head: Ints
    cost: Ints
    """Of each arc: partitions of a unit that are read across racks."""

    @staticmethod
    def of(constraint: CountConstraint) -> RackNetwork:
        """The network of a reduced group with racks. O(M log M + C × S)."""
        group = constraint.group
        least, most = constraint.counts_of()
        width = int(most.max(initial=0)) + 1
        key = (group.class_of * width + least) * width + most
        sums = constraint.instance_sums
        if sums is not None:
            _, key = np.unique(key, return_inverse=True)
            key = key.ravel() * len(sums.least) + sums.of
        _, first, slot_of = np.unique(key, return_index=True, return_inverse=True)
        slot_of = slot_of.ravel()
        fixed = member_counts(constraint.pinned_assignment, group.n_members)
        fewest = np.bincount(slot_of, least - fixed, len(first)).astype(np.int64)
        highest = np.bincount(slot_of, most - fixed, len(first)).astype(np.int64)
        supply = np.bincount(
            group.partition_class[constraint.free], minlength=len(group.eligible)
        ).astype(np.int64)
        if sums is not None:
            sums = sums.without(fixed)._replace(of=sums.of[first])
        member_class = group.class_of[first].astype(np.int64)
        tail, head = np.nonzero(constraint.face[:, member_class] & (supply > 0)[:, None])
        return RackNetwork(
            constraint, slot_of, member_class, supply, fewest, highest, sums, tail, head,
            cross_costs(group)[tail, member_class[head]],
        )  # fmt: skip

    def units_of(self, assigned: Index) -> Ints:
        """[A] how many partitions an assignment [P] sends along each arc."""
        free = np.flatnonzero(self.constraint.free)
        n_slots = len(self.least)
        key = self.constraint.group.partition_class[free] * n_slots + self.slot_of[assigned[free]]
        sent = np.bincount(key, minlength=len(self.supply) * n_slots)
        found: Ints = sent[self.tail * n_slots + self.head].astype(np.int64)
        return found

    def narrowed(self, units: Ints) -> CountConstraint:
        """The constraint that all cheapest flows meet, from one of them, with `units` [A].

        It does not depend on which one. Raises NotFewestAcross if `units` are not the cheapest.
        """
        classes, slots, instances, sink = self._potentials(units)
        reduced = self.cost + classes[self.tail] - slots[self.head]
        constraint = self.constraint
        fixed = cross_reads(constraint.group, constraint.pinned_assignment)
        face = np.zeros_like(constraint.face)
        within = reduced == 0
        face[self.tail[within], self.member_class[self.head[within]]] = True
        least, most = constraint.counts_of()
        sums = constraint.instance_sums
        if sums is not None and self.sums is not None:
            above = instances - sink
            slots = slots - instances[self.sums.of]
            sums = InstanceSums(
                sums.of,
                np.where(above < 0, sums.most, sums.least),
                np.where(above > 0, sums.least, sums.most),
            )
        else:
            slots = slots - sink
        outward = slots[self.slot_of]
        return replace(
            constraint,
            _face=face,
            _least=np.where(outward < 0, most, least),
            _most=np.where(outward > 0, least, most),
            _sums=sums,
            _most_across=int((self.cost * units).sum()) + fixed,
        )

    def _potentials(self, units: Ints) -> tuple[Ints, Ints, Ints, int]:
        """Heights of classes, slots, instances and sink: no arc that has room leads down by more
        than it costs. Shortest distances from a node that reaches every node for nothing."""
        n_classes, n_slots = len(self.supply), len(self.least)
        taken = np.bincount(self.head, weights=units, minlength=n_slots).astype(np.int64)
        into, into_sink = np.full(n_slots, n_classes + n_slots), []
        sink, slots = n_classes + n_slots, n_classes + np.arange(n_slots)
        if self.sums is not None:
            into = sink + self.sums.of
            instances = sink + np.arange(len(self.sums.least))
            sink += len(instances)
            total, ends = self.sums.total(taken), np.full(len(instances), sink)
            into_sink = _both_ways(instances, ends, total < self.sums.most, total > self.sums.least)
        used = np.flatnonzero(units > 0)
        slot = n_classes + self.head
        pairs = [
            (self.tail, slot),
            (slot[used], self.tail[used]),
            *_both_ways(slots, into, taken < self.most, taken > self.least),
            *into_sink,
        ]
        tail, head = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
        free = np.zeros(len(tail) - len(self.cost) - len(used), dtype=np.int64)
        cost = np.concatenate((self.cost, -self.cost[used], free))
        try:
            height = shortest_distances(tail, head, cost, sink + 1)
        except NegativeCycles:
            raise NotFewestAcross from None
        classes, slots, instances = np.split(height[:-1], [n_classes, n_classes + n_slots])
        return classes, slots, instances, int(height[sink])


def _both_ways(tail: Ints, head: Ints, more: Flags, fewer: Flags) -> list[tuple[Ints, Ints]]:
    """The arcs on which flow can grow, and the reverse ones of those on which it can shrink."""
    return [(tail[more], head[more]), (head[fewer], tail[fewer])]
