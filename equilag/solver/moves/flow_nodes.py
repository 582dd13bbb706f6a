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
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.topic_parts import topic_parts
from equilag.solver.moves.kept_flow import NodeArcs


class FlowNodes(NamedTuple):
    """N nodes of the free partitions."""

    of_partition: Ints | Index
    """[P]"""
    partition_class: Ints
    """[N]"""
    supply: Ints
    """[N] free partitions."""
    weight: Ints
    """[N] moves of a partition that goes to a member with no stake in it."""
    holder: Index
    """[P] the member with which a partition stays for nothing, NOBODY without any."""
    kept: NodeArcs
    """To the members that own some; a partition costs its moves."""

    @staticmethod
    def of(group: Group, constraint: CountConstraint) -> FlowNodes:
        """O(P log P)."""
        stakes = group.extended.stakes if group.extended is not None else None
        if stakes is None:
            return _classes(group, constraint)
        n_units, n_members = group.n_partitions, max(1, group.n_members)
        unit, member, number = within = stakes.where(constraint.may(stakes.unit, stakes.member))
        holder, weight = within.largest(n_units)
        several = np.bincount(unit, minlength=n_units) > 1
        weights, of_weight = np.unique(weight, return_inverse=True)
        alike, alike_classes = _alike(group, constraint)
        pooled = alike.astype(np.int64) * len(weights) + of_weight.ravel()
        own_node = len(alike_classes) * len(weights) + np.arange(n_units)
        _, first, of_unit = np.unique(
            np.where(several, own_node, pooled), return_index=True, return_inverse=True
        )
        of_unit = of_unit.ravel()
        losses, of_loss = np.unique(weight[unit] - number, return_inverse=True)
        arc = (of_unit[unit] * n_members + member) * len(losses) + of_loss.ravel()
        arc, times = counted(arc, len(first) * n_members * len(losses))
        pair, loss = np.divmod(arc, max(1, len(losses)))
        kept = NodeArcs(pair // n_members, pair % n_members, times, losses[loss])
        classes = group.partition_class[first].astype(np.int64)
        supply = np.bincount(of_unit[constraint.free], minlength=len(first))
        return FlowNodes(of_unit, classes, supply, weight[first], holder, kept)

    def open_arcs(self, group: Group, constraint: CountConstraint) -> NodeArcs:
        """From every node to each member class that may take its partitions; one costs a move."""
        classes, member_classes = constraint.arcs
        edges = np.searchsorted(classes, np.arange(len(group.eligible) + 1))
        some = np.flatnonzero(self.supply)
        begin, end = edges[self.partition_class[some]], edges[self.partition_class[some] + 1]
        node, to = np.repeat(some, end - begin), member_classes[ranges(begin, end)]
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


def _classes(group: Group, constraint: CountConstraint) -> FlowNodes:
    of_partition, classes = _alike(group, constraint)
    n_members, n_nodes = max(1, group.n_members), len(classes)
    own = np.flatnonzero(constraint.free & (group.owner != NOBODY))
    key = of_partition[own].astype(np.int64) * n_members + group.owner[own]
    key, number = counted(key, n_nodes * n_members)
    node, member = np.divmod(key, n_members)
    some = np.flatnonzero(constraint.face[classes[node], group.class_of[member]])
    return FlowNodes(
        of_partition,
        classes,
        np.bincount(of_partition[constraint.free], minlength=n_nodes),
        np.ones(n_nodes, dtype=np.int64),
        group.owner,
        NodeArcs(node[some], member[some], number[some], np.zeros_like(some)),
    )


def _alike(group: Group, constraint: CountConstraint) -> tuple[Ints | Index, Ints]:
    """[P] what partitions are but for their owners, and the class of each: classes, or those of one
    topic where topics count after the totals."""
    if not constraint.totals_then_topics:
        return group.partition_class, np.arange(len(group.eligible))
    parts = topic_parts(group)
    return parts.of_partition, parts.partition_class.astype(np.int64)
