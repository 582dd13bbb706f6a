"""What the partitions of a group are in the flow that finds the fewest moves: its nodes.

The partitions of one class differ only in their owners, so that a class is a node. Units of
co-partitioned topics also differ in how many of their partitions an owner holds: those of one class
and one stake are a node, and a unit with several owners is a node of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import Potentials
from equilag.domain.constraint import CountConstraint, InstanceSums
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.solver.moves.min_cost_flow import Arcs, cheapest_flow


class KeptArcs(NamedTuple):
    """From nodes to the members that own some of them."""

    node: Ints
    member: Ints
    number: Ints
    """Partitions that go along the arc at most."""
    cost: Ints
    """Moves of each partition, beyond those that cannot be avoided; 0 for its best owner."""
    start: Ints
    """Partitions that stay with their holder along the arc, before counts are looked at."""


class FlowNodes(NamedTuple):
    of_partition: Ints
    """[P]"""
    partition_class: Ints
    """[N] the partition class of each node."""
    weight: Ints
    """[N] moves of a partition that goes to a member with no stake in it."""
    holder: Index
    """[P] the member with which a partition stays for nothing, NOBODY without any."""
    kept: KeptArcs
    are_classes: bool = False
    """True if each partition class is a node, with its number."""

    def potentials(self, group: Group, node: Ints, member: Ints) -> Potentials:
        """What proves the fewest moves, from the heights of nodes [N] and members [M]."""
        by_node = node + self.weight
        if group.extended is None or group.extended.stakes is None:
            return Potentials.of_classes(group, by_node, member)
        nothing = np.zeros(len(group.topics), dtype=np.int64)
        by_unit = np.where(group.assignable, by_node[self.of_partition], 0)
        return Potentials(nothing, member, by_unit)


def flow_nodes(group: Group, constraint: CountConstraint) -> FlowNodes:
    """The nodes for the free partitions. O(P log P)."""
    stakes = group.extended.stakes if group.extended is not None else None
    if stakes is None:
        return _classes(group, constraint)
    n_units = group.n_partitions
    within = stakes.where(constraint.may(stakes.unit, stakes.member))
    unit, member, number = within
    holder, weight = within.largest(n_units)
    several = np.bincount(unit, minlength=n_units) > 1
    heaviest = int(weight.max(initial=0)) + 1
    pooled = group.partition_class.astype(np.int64) * heaviest + weight
    own_node = len(group.eligible) * heaviest + np.arange(n_units)
    _, first, of_unit = np.unique(
        np.where(several, own_node, pooled), return_index=True, return_inverse=True
    )
    of_unit = of_unit.ravel()
    lost = weight[unit] - number
    arc = (of_unit[unit] * max(1, group.n_members) + member) * heaviest + lost
    _, one, times = np.unique(arc, return_index=True, return_counts=True)
    return FlowNodes(
        of_unit,
        group.partition_class[first].astype(np.int64),
        weight[first],
        holder,
        KeptArcs(
            of_unit[unit[one]],
            member[one].astype(np.int64),
            times,
            lost[one],
            np.where(member[one] == holder[unit[one]], times, 0),
        ),
    )


def _classes(group: Group, constraint: CountConstraint) -> FlowNodes:
    n_members, n_classes = max(1, group.n_members), len(group.eligible)
    own = np.flatnonzero(constraint.free & (group.owner != NOBODY))
    own = own[constraint.may(own, group.owner[own])]
    key = group.partition_class[own].astype(np.int64) * n_members + group.owner[own]
    key, number = np.unique(key, return_counts=True)
    return FlowNodes(
        group.partition_class.astype(np.int64),
        np.arange(n_classes),
        np.ones(n_classes, dtype=np.int64),
        group.owner,
        KeptArcs(key // n_members, key % n_members, number, np.zeros_like(key), number),
        are_classes=True,
    )


class KeptFlow(NamedTuple):
    """A minimum-cost flow within the counts: units by batch of arcs, and its potentials."""

    units: list[Ints]
    supply: Ints
    member: Ints


def between_counts(
    batches: Sequence[tuple[Ints, Ints, Ints, Ints | int]],
    start: Ints,
    supply: Ints,
    counts: tuple[Ints, Ints],
    n_more: int,
    sums: InstanceSums | None = None,
) -> KeptFlow:
    """A minimum-cost flow that gives each member between lo and hi units (`counts`), and each
    instance as many as `sums` allows.

    A batch is tails, heads, capacities and costs of arcs, or one cost; the nodes are the supplies,
    the members, and `n_more` others. The flow starts with `start` units on the first batch, on
    arcs that cost nothing: all owned partitions kept.
    """
    lo, hi = counts
    if sums is None:
        sums = InstanceSums(np.zeros(len(lo), np.int64), supply[:0], supply[:0])
    first, n_sums = len(supply), len(sums.least)
    instances = first + len(lo) + n_more + np.arange(n_sums)
    sink = first + len(lo) + n_more + n_sums
    members = first + np.arange(len(lo))
    into = instances[sums.of] if n_sums else np.full(len(lo), sink)
    tails, heads, capacities, costs = zip(*batches, strict=True)
    arcs = Arcs(
        np.concatenate((*tails, members, instances)),
        np.concatenate((*heads, into, np.full(n_sums, sink))),
        np.concatenate((*capacities, hi - lo, sums.most - sums.least)),
        np.concatenate(
            (*map(np.broadcast_to, costs, map(np.shape, tails)), 0 * lo, 0 * sums.least)
        ),
    )
    held = np.bincount(heads[0] - first, weights=start, minlength=len(lo)).astype(np.int64)
    over = np.clip(held - lo, 0, hi - lo)
    got = sums.total(over + lo) if n_sums else sums.least
    above = np.clip(got - sums.least, 0, sums.most - sums.least)
    units = np.zeros(len(arcs.tail), dtype=np.int64)
    units[: len(start)] = start
    units[len(units) - len(lo) - n_sums :] = np.concatenate((over, above))
    excess = np.zeros(sink + 1, dtype=np.int64)
    excess[:first] = supply
    np.subtract.at(excess, tails[0], start)
    excess[members] = held - over - lo
    excess[instances] = got - above - sums.least
    excess[sink] = -int(excess.sum())
    found = cheapest_flow(arcs, units, excess)
    height = found.potential
    edges = np.cumsum([len(tail) for tail in tails])
    return KeptFlow(
        np.split(found.units, edges)[:-1],
        1 + height[:first] - height[sink],
        height[sink] - height[members],
    )
