"""What the partitions of a group are in the flow that finds the fewest moves: its nodes.

The partitions of one class differ only in their owners, so that a class is a node. Units of
co-partitioned topics also differ in how many of their partitions an owner holds: those of one class
and one stake are a node, and a unit with several owners is a node of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import Potentials
from equilag.domain.columns import Index, Ints, counted, ranges
from equilag.domain.constraint import CountConstraint, Stops
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.topic_parts import TopicParts
from equilag.solver.moves.kept_flow import NodeArcs


class FlowNodes(NamedTuple):
    """N nodes of the free partitions."""

    of_partition: Ints | Index
    """[P]"""
    part: Ints | Index
    """[N] the part of each node, which differ but for owners."""
    supply: Ints
    """[N] free partitions."""
    weight: Ints
    """[N] moves of a partition that goes to a member with no stake in it."""
    holder: Index
    """[P] the member with which a partition stays for nothing, NOBODY without any."""
    kept: NodeArcs
    """To the members that own some; a partition costs its moves."""

    @staticmethod
    def of(group: Group, constraint: CountConstraint, stops: Stops) -> FlowNodes:
        """O(P log P)."""
        stakes = group.extended.stakes if group.extended is not None else None
        if stakes is None:
            return _parts(group, constraint, stops.parts)
        n_units, n_members = group.n_partitions, max(1, group.n_members)
        unit, member, number = within = stakes.where(constraint.may(stakes.unit, stakes.member))
        holder, weight = within.largest(n_units)
        several = np.bincount(unit, minlength=n_units) > 1
        weights, of_weight = np.unique(weight, return_inverse=True)
        part = stops.parts.of_partition
        pooled = part.astype(np.int64) * len(weights) + of_weight.ravel()
        own_node = len(stops.parts.topic) * len(weights) + np.arange(n_units)
        _, first, of_unit = np.unique(
            np.where(several, own_node, pooled), return_index=True, return_inverse=True
        )
        of_unit = of_unit.ravel()
        losses, of_loss = np.unique(weight[unit] - number, return_inverse=True)
        arc = (of_unit[unit] * n_members + member) * len(losses) + of_loss.ravel()
        arc, times = counted(arc, len(first) * n_members * len(losses))
        pair, loss = np.divmod(arc, max(1, len(losses)))
        kept = NodeArcs(pair // n_members, pair % n_members, times, losses[loss])
        supply = np.bincount(of_unit[constraint.free], minlength=len(first))
        return FlowNodes(of_unit, part[first], supply, weight[first], holder, kept)

    def open_arcs(self, stops: Stops) -> NodeArcs:
        """From every node to each stop that may take its partitions; one costs a move."""
        edges = np.searchsorted(stops.part, np.arange(len(stops.parts.topic) + 1))
        some = np.flatnonzero(self.supply)
        begin, end = edges[self.part[some]], edges[self.part[some] + 1]
        node, to = np.repeat(some, end - begin), stops.stop[ranges(begin, end)]
        return NodeArcs(node, to, self.supply[node], self.weight[node])

    def potentials(self, group: Group, node: Ints, member: Ints) -> Potentials:
        """What proves the fewest moves, from the heights of nodes [N] and members [M]."""
        by_node = node + self.weight
        if self.of_partition is group.partition_class:
            return Potentials.of_classes(group, by_node, member)
        if self.of_partition is group.topic_of:
            return Potentials(by_node, member)
        nothing = np.zeros(len(group.topics), dtype=np.int64)
        by_unit = np.where(group.assignable, by_node[self.of_partition], 0)
        return Potentials(nothing, member, by_unit)


def _parts(group: Group, constraint: CountConstraint, parts: TopicParts) -> FlowNodes:
    """The parts as they are, where each partition has one owner."""
    n_members, n_nodes = max(1, group.n_members), len(parts.topic)
    own = np.flatnonzero(constraint.free & (group.owner != NOBODY))
    key = parts.of_partition[own].astype(np.int64) * n_members + group.owner[own]
    key, number = counted(key, n_nodes * n_members)
    node, member = np.divmod(key, n_members)
    some = np.flatnonzero(constraint.face[parts.partition_class[node], group.class_of[member]])
    return FlowNodes(
        parts.of_partition,
        np.arange(n_nodes),
        np.bincount(parts.of_partition[constraint.free], minlength=n_nodes),
        np.ones(n_nodes, dtype=np.int64),
        group.owner,
        NodeArcs(node[some], member[some], number[some], np.zeros_like(some)),
    )
