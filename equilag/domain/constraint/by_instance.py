"""Counts of instances whose members may not all take the same partitions.

The goals are one minimum-cost flow: class → member class → member → instance → sink, where the nth
partition of an instance costs (2n − 1) / its capacity, and the nth of a member as much less, as the
second of two goals. An assignment is the best if and only if no cycle of its residual network has a
negative cost (Klein, "A primal method for minimal cost flows"). Then the shortest distances are
potentials, and the equally good assignments are those that differ in arcs of no reduced cost.
"""

from __future__ import annotations

from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Ints, distinct
from equilag.domain.constraint.blocks import NotMinimal
from equilag.domain.constraint.sinks import CountSteps, InstanceSums, ranks
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import member_counts

Exact: TypeAlias = Ints
"""Integers of 64 bits where they fit, else objects: Python's own of any size."""


class NegativeCycles(Exception):
    """The flow is not the cheapest; carries cycles of arcs, no two of them with a common node."""

    def __init__(self, cycles: list[list[int]]) -> None:
        self.cycles = cycles
        super().__init__(cycles)


def shortest_distances(tail: Ints, head: Ints, cost: Exact, n_nodes: int) -> Exact:
    """[nodes] the least cost of a path along arcs to each node, at most 0: from wherever it is
    least.

    Raises NegativeCycles. Bellman and Ford's algorithm, all arcs of a round in one array operation.
    """
    order, tails = np.argsort(head, kind="stable"), tail
    tail, head, cost = tail[order], head[order], cost[order]
    first = np.flatnonzero(np.append(True, head[1:] != head[:-1])[: len(head)])
    heads = head[first]
    place = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(head))))
    distance = np.zeros(n_nodes, dtype=cost.dtype)
    before = np.full(n_nodes, -1)
    look, rounds = 4, 0
    while True:
        through = distance[tail] + cost
        nearest = np.minimum.reduceat(through, first)
        better = (nearest < distance[heads]).astype(np.bool_)
        if not better.any():
            return distance
        by = np.flatnonzero(better[place] & (through == nearest[place]).astype(np.bool_))
        before[head[by]] = order[by]
        distance[heads[better]] = nearest[better]
        rounds += 1
        if rounds == look:
            look *= 2
            cycles = _cycles(before, tails)
            if cycles:
                raise NegativeCycles(cycles)


def _cycles(before: Ints, tail: Ints) -> list[list[int]]:
    """The cycles of arcs among those that lead to each node, one at most to each."""
    nodes = np.arange(len(before))
    far = np.where(before >= 0, tail[before], nodes)
    for _ in range(len(before).bit_length()):  # so many steps back that only cycles are left
        far = far[far]
    cycles, seen = [], set[int]()
    for start in distinct(far[before[far] >= 0]).tolist():
        node, cycle = start, list[int]()
        while node not in seen:
            seen.add(node)
            cycle.append(int(before[node]))
            node = int(tail[cycle[-1]])
        if cycle:
            cycles.append(cycle)
    return cycles


FITS: Final = 2**61
"""Costs below it, added up along a path, fit 64 bits."""


class InstanceFlow(NamedTuple):
    """Counts of classes and members, as units of the flow."""

    arcs: Ints
    """[arcs of the group] partitions of a class at the members of a class."""
    counts: Ints
    """[M] partitions of each member."""
    base: Ints
    """[M] those of them that stay where they are."""

    @staticmethod
    def of(group: Group, assigned: Index, pinned: Flags) -> InstanceFlow:
        """Of an assignment [P] with some pinned partitions [P]."""
        held = np.flatnonzero((assigned != NOBODY) & ~pinned)
        n_classes, width = group.eligible.shape
        key = group.partition_class[held].astype(np.int64) * width + group.class_of[assigned[held]]
        units = np.bincount(key, minlength=n_classes * width)
        classes, member_classes = group.arcs
        base = member_counts(np.where(pinned, group.owner, NOBODY), group.n_members)
        counts = member_counts(assigned, group.n_members)
        return InstanceFlow(units[classes * width + member_classes], counts, base)


class ResidualArcs(NamedTuple):
    """Arcs from node to node; `spans` tells where each kind of them begins and ends."""

    tail: Ints
    head: Ints
    cost: Exact
    spans: dict[str, slice]
    total: Ints
    """[I] partitions of each instance."""
    n_nodes: int


def residual_arcs(group: Group, flow: InstanceFlow, step: int = 1) -> ResidualArcs:
    """The arcs on which `step` units more or fewer can flow, with the cost of one of them."""
    extended = group.extended
    assert extended is not None and extended.instance_of is not None
    n_classes, n_member_classes = group.eligible.shape
    instance_of = extended.instance_of.astype(np.int64)
    n_instances = int(instance_of.max()) + 1
    class_node = n_classes + group.class_of.astype(np.int64)
    member = n_classes + n_member_classes + np.arange(group.n_members)
    first_instance = n_classes + n_member_classes + group.n_members
    sink = first_instance + n_instances
    instance_node = first_instance + instance_of
    counts = flow.counts
    up = np.flatnonzero(counts + step <= extended.room)
    down = np.flatnonzero(counts - step >= flow.base)
    total, capacity = np.zeros(n_instances, np.int64), np.zeros(n_instances, np.int64)
    np.add.at(total, instance_of, counts)
    np.add.at(capacity, instance_of, extended.capacity)
    grows, shrinks = distinct(instance_of[up]), distinct(instance_of[down])
    classes, member_classes = group.arcs
    used = np.flatnonzero(flow.arcs >= step)
    columns = {
        "take": (classes, n_classes + member_classes),
        "give": (n_classes + member_classes[used], classes[used]),
        "in": (class_node, member),
        "out": (member[down], class_node[down]),
        "more": (member[up], instance_node[up]),
        "fewer": (instance_node[down], member[down]),
        "grow": (first_instance + grows, np.full(len(grows), sink)),
        "shrink": (np.full(len(shrinks), sink), first_instance + shrinks),
    }
    per_member = _exact_costs(2 * counts, step, extended.capacity)
    per_instance = _ranked_costs(2 * total, step, capacity)
    largest = max(1, *(int(abs(cost).max(initial=0)) for cost in per_member))
    weight = 4 * group.n_members * largest + 1
    # A negative cycle is found after as many rounds as there are nodes, or twice as many.
    fits = 2 * (sink + 1) * (2 * n_instances + 2) * weight < FITS
    kind: Any = np.int64 if fits else np.object_
    nothing = np.zeros(len(member), dtype=kind)
    costs = [
        np.zeros(len(classes) + len(used), dtype=kind),
        nothing,
        nothing[: len(down)],
        per_member[0][up].astype(kind),
        -per_member[1][down].astype(kind),
        per_instance[0][grows].astype(kind) * weight,
        -per_instance[1][shrinks].astype(kind) * weight,
    ]
    ends = np.cumsum([0, *(len(tail) for tail, _ in columns.values())]).tolist()
    spans = {name: slice(*ends[i : i + 2]) for i, name in enumerate(columns)}
    tails, heads = zip(*columns.values(), strict=True)
    return ResidualArcs(
        np.concatenate(tails), np.concatenate(heads), np.concatenate(costs), spans, total, sink + 1
    )


def _exact_costs(double: Ints, step: int, capacity: Ints) -> tuple[Exact, Exact]:
    """What one unit costs if there are `step` more, and saves if there are `step` fewer; whole
    numbers in proportion to the true ones. `double` is twice the count."""
    scale = lcm(*np.unique(capacity).tolist())
    large = scale * (2 * step + int(double.max(initial=0))) >= FITS
    kind: Any = np.object_ if large else np.int64
    factor = np.array([scale // c for c in capacity.tolist()], dtype=kind)
    return (double + step) * factor, (double - step) * factor


def _ranked_costs(double: Ints, step: int, capacity: Ints) -> tuple[Ints, Ints]:
    """The same by rank from 1, which is enough where a cycle has one arc up and one down."""
    rank = ranks(np.concatenate(((double + step) / capacity, (double - step) / capacity)))
    return rank[: len(double)] + 1, rank[len(double) :] + 1


def instance_steps(group: Group, flow: InstanceFlow) -> tuple[CountSteps, Flags]:
    """What may change in the flow of an assignment, and the face [C, K]. Raises NotMinimal."""
    assert group.extended is not None and group.extended.instance_of is not None
    arcs = residual_arcs(group, flow)
    try:
        distance = shortest_distances(arcs.tail, arcs.head, arcs.cost, arcs.n_nodes)
    except NegativeCycles as error:
        raise _not_minimal(arcs, group, error.cycles[0]) from None
    even = (distance[arcs.tail] + arcs.cost == distance[arcs.head]).astype(np.bool_)
    face = np.zeros_like(group.eligible)
    classes, member_classes = group.arcs
    taken = even[arcs.spans["take"]]
    face[classes[taken], member_classes[taken]] = True
    first_member = sum(group.eligible.shape)
    more, fewer = (np.zeros(group.n_members, np.bool_) for _ in range(2))
    first_instance, n_instances = first_member + group.n_members, len(arcs.total)
    grows, shrinks = (np.zeros(n_instances, np.bool_) for _ in range(2))
    for flags, name, ends, first in (
        (more, "more", arcs.tail, first_member),
        (fewer, "fewer", arcs.head, first_member),
        (grows, "grow", arcs.tail, first_instance),
        (shrinks, "shrink", arcs.head, first_instance),
    ):
        span = arcs.spans[name]
        flags[ends[span][even[span]] - first] = True
    more &= even[arcs.spans["in"]]
    of = group.extended.instance_of.astype(np.int64)
    sums = InstanceSums(of, arcs.total - shrinks, arcs.total + grows)
    return CountSteps.within(sums, flow.counts, fewer, more), face


def _not_minimal(arcs: ResidualArcs, group: Group, cycle: list[int]) -> NotMinimal:
    """A member that gives along the cycle, and one that takes."""
    first_member = sum(group.eligible.shape)
    gives, takes = arcs.spans["fewer"], arcs.spans["more"]
    heavy = next(int(arcs.head[a]) for a in cycle if gives.start <= a < gives.stop)
    light = next(int(arcs.tail[a]) for a in cycle if takes.start <= a < takes.stop)
    return NotMinimal(heavy - first_member, light - first_member)
