"""The assignments that a constraint allows as flows, and the constraint of the best ones.

Partitions flow from their class to a class of members, on to one of its members, from there to the
instance that it is a thread of, and to the sink. Even counts, of instances and then of members, and
few reads across racks are goals of such flows (`equilag.domain.constraint.network`). Each goal
turns a constraint into a narrower one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lcm
from typing import Any, Final

import numpy as np

from equilag.domain.columns import Ints, place_of
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.instance_sums import InstanceSums
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.group.group import NOBODY, Index
from equilag.domain.plan.metrics import cross_costs

FITS: Final = 2**61
"""Costs below it, added up along a path, fit 64 bits."""


@dataclass(frozen=True, eq=False)
class AssignmentNetwork:
    """Arcs [A] from partition classes to member classes, then one for each member, to its instance
    or the sink, then one for each instance."""

    constraint: CountConstraint
    classes: Ints
    """Partition class and member class of the first arcs, ascending."""
    member_classes: Ints
    fixed: Ints
    """[M] pinned partitions, which do not flow."""
    sums: InstanceSums | None
    network: Network

    @staticmethod
    def of(constraint: CountConstraint) -> AssignmentNetwork:
        """O(P + arcs)."""
        group = constraint.group
        n_classes, n_member_classes = constraint.face.shape
        classes, member_classes = constraint.arcs
        supply, fixed = constraint.supply[classes], constraint.fixed
        if not supply.all():
            some = np.flatnonzero(supply)
            classes, member_classes, supply = classes[some], member_classes[some], supply[some]
        sums = _sums_of(constraint)
        n_sums = 0 if sums is None else len(sums.least)
        instances = n_classes + n_member_classes + np.arange(n_sums)
        sink = n_classes + n_member_classes + n_sums
        into = np.full(group.n_members, sink) if sums is None else instances[sums.of]
        least, most = (count - fixed for count in constraint.counts_of())
        last = (instances, instances) if sums is None else sums.without(fixed)[1:]
        network = Network.of(
            sink + 1,
            (classes, n_classes + member_classes, 0, supply),
            (n_classes + group.class_of.astype(np.int64), into, least, most),
            (instances, sink, *last),
        )
        return AssignmentNetwork(constraint, classes, member_classes, fixed, sums, network)

    def flow_of(self, assigned: Index) -> Ints:
        """[A] the flow of an assignment [P], without partitions that are where they may not be."""
        group, width = self.constraint.group, self.constraint.face.shape[1]
        free = np.flatnonzero(self.constraint.free & (assigned != NOBODY))
        member = assigned[free]
        key = group.partition_class[free].astype(np.int64) * width + group.class_of[member]
        place = place_of(key, self.classes * width + self.member_classes, self.constraint.face.size)
        units = np.bincount(place[place >= 0], minlength=len(self.classes))
        counts = np.bincount(member, minlength=group.n_members).astype(np.int64)
        of_instances = counts[:0] if self.sums is None else self.sums.total(counts)
        return np.concatenate((units, counts, of_instances))

    def parts(self, flow: Ints) -> tuple[Ints, Ints, Ints]:
        """A column [A] by kind of arc: pairs of classes, members, instances."""
        pairs, members = len(self.classes), len(self.fixed)
        units, counts, of_instances = np.split(flow, [pairs, pairs + members])
        return units, counts, of_instances

    def count_costs(self, flow: Ints, of_instances: bool, step: int = 1) -> Costs:
        """What counts cost, of members or of instances: of one of `step` partitions more, or as
        many fewer."""
        group, first = self.constraint.group, len(self.classes)
        counts = self.parts(flow)[1] + self.fixed
        capacity = np.ones_like(counts) if group.extended is None else group.extended.capacity
        if self.sums is not None and of_instances:
            first += len(counts)
            counts, capacity = self.sums.total(counts), self.sums.total(capacity)
        # Threads of several instances may get more on one path.
        once = of_instances or self.sums is None
        more, fewer = 2 * counts + step, 2 * counts - step
        found = step_costs(more, fewer, capacity, self.network.n_nodes, once)
        columns = []
        for cost in found:
            column = np.zeros(len(flow), cost.dtype)
            column[first : first + len(cost)] = cost
            columns.append(column)
        return Costs(*columns)

    def read_costs(self) -> Costs:
        """Reads across racks."""
        across = cross_costs(self.constraint.group)[self.classes, self.member_classes]
        others = np.zeros(len(self.network.tail) - len(across), np.int64)
        cost = np.concatenate((across, others))
        return Costs(cost, cost)

    def narrowed(self, flow: Ints, costs: Costs) -> AssignmentNetwork:
        """The network of the cheapest flows; `flow` is one of those. Raises NegativeCycles."""
        return replace(self, network=self.network.narrowed(flow, costs))

    def evened(self, flow: Ints) -> AssignmentNetwork:
        """The network of the flows with the smallest Σ count² / capacity, first of instances and
        then of members; `flow` is one of them. Raises NotMinimal."""
        network = self
        for of_instances in (True, False) if self.sums is not None else (False,):
            try:
                network = network.narrowed(flow, network.count_costs(flow, of_instances))
            except NegativeCycles as error:
                raise self._step_of(error.cycles[0]) from None
        return network

    def _step_of(self, cycle: list[int]) -> NotMinimal:
        """A member that gives along the cycle of a residual network, and one that takes."""
        first = len(self.classes)
        arcs = range(first, first + len(self.fixed))
        heavy = next(~arc for arc in cycle if ~arc in arcs)
        light = next(arc for arc in cycle if arc in arcs)
        return NotMinimal(heavy - first, light - first)

    @property
    def narrowed_constraint(self) -> CountConstraint:
        """What all assignments have in common whose flows are flows of the network."""
        taken, highest, sums_most = self.parts(self.network.most)
        _, least, sums_least = self.parts(self.network.least)
        face = np.zeros_like(self.constraint.face)
        face[self.classes[taken > 0], self.member_classes[taken > 0]] = True
        lower, upper, sums = least + self.fixed, highest + self.fixed, self.sums
        if sums is not None:
            kept, of_members = sums.total(self.fixed), (sums.total(lower), sums.total(upper))
            sums = InstanceSums(sums.of, sums_least + kept, sums_most + kept)
            if np.array_equal(sums[1:], of_members):
                sums = None
        return replace(self.constraint, _face=face, _least=lower, _most=upper, _sums=sums)


def step_costs(more: Ints, fewer: Ints, capacity: Ints, path: int, once: bool) -> Costs:
    """Costs over capacities, in proportion as whole numbers, of which `path` are added up. The nth
    partition costs (2n − 1) / capacity: one of a step more 2 count + step on average, and one of a
    step fewer saves 2 count − step.

    Their ranks are enough where no path has more than one of each (`once`).
    """
    scale = lcm(*np.unique(capacity).tolist())
    if 2 * path * scale * (int(more.max(initial=0)) + 1) < FITS:
        return Costs(more * (scale // capacity), fewer * (scale // capacity))
    if once:
        # Exact: different quotients differ by more than they are rounded by, as long as counts
        # stay below 2^24 and capacities below 2^20, those of instances below 2^27.
        quotients = np.concatenate((more / capacity, fewer / capacity))
        rank = np.unique(quotients, return_inverse=True)[1].ravel()
        return Costs(rank[: len(more)] + 1, rank[len(more) :] + 1)
    factor: Any = np.array([scale // one for one in capacity.tolist()], dtype=np.object_)
    return Costs(more * factor, fewer * factor)


def _sums_of(constraint: CountConstraint) -> InstanceSums | None:
    """The sums of instances, also where members' intervals say as much."""
    if constraint.instance_sums is not None:
        return constraint.instance_sums
    extended = constraint.group.extended
    if extended is None or extended.instance_of is None:
        return None
    of = extended.instance_of.astype(np.int64)
    nothing = np.zeros(int(of.max(initial=-1)) + 1, np.int64)
    empty = InstanceSums(of, nothing, nothing)
    least, most = constraint.counts_of()
    return InstanceSums(of, empty.total(least), empty.total(most))
