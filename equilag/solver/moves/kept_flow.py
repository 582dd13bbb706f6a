"""The cheapest assignment as a minimum-cost flow: partitions that are alike, members, the sink.

The partitions of a node go to members that keep some of them, each along an arc of its own, or to a
*slot*, all members of which may take them at one cost; from there to a member, its instance, and
the sink. Bounds on counts are bounds of arcs. What an arc costs is up to the goal: moves, reads
across racks, or both. Several arcs from a node to a member may cost more and more.

The partitions of one class differ only in their owners, so that a class is a node. Units of
co-partitioned topics also differ in how many of their partitions an owner holds: those of one class
and one stake are a node, and a unit with several owners is a node of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.certificate.checks.potentials import FlowPrices, Potentials
from equilag.domain.columns import Index, Ints, by_number, counted, ranges
from equilag.domain.constraint import CountConstraint, CountInterval, InstanceSums, Network, Stops
from equilag.domain.group.group import NOBODY, Group
from equilag.solver.counts.min_cost_flow import cheapest_flow

Cells: TypeAlias = tuple[Ints, Ints, Ints]
"""Node or topic, member and units of every pair that there are any of, ascending."""


class NodeArcs(NamedTuple):
    """From nodes to members, or to slots."""

    node: Ints
    to: Ints
    number: Ints
    """Partitions that go along the arc at most."""
    cost: Ints
    """Of each of them, 0 or more."""


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
        stakes = group.extended.stakes
        if stakes is None:
            return _parts(group, constraint, stops)
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

    def potentials(self, group: Group, node: Ints, member: Ints, prices: FlowPrices) -> Potentials:
        """What proves the cheapest plan, from the heights of nodes [N] and members [M]."""
        by_node = node + prices.move * self.weight
        by_unit = np.where(group.assignable, by_node[self.of_partition], 0)
        return Potentials(by_unit, member, prices)


def _parts(group: Group, constraint: CountConstraint, stops: Stops) -> FlowNodes:
    """The parts as they are, where each partition has one owner."""
    parts, n_members, n_nodes = stops.parts, max(1, group.n_members), len(stops.supply)
    own = np.flatnonzero(constraint.free & (group.owner != NOBODY))
    key = parts.of_partition[own].astype(np.int64) * n_members + group.owner[own]
    key, number = counted(key, n_nodes * n_members)
    node, member = np.divmod(key, n_members)
    some = np.flatnonzero(constraint.face[parts.partition_class[node], group.class_of[member]])
    return FlowNodes(
        parts.of_partition,
        np.arange(n_nodes),
        stops.supply,
        np.ones(n_nodes, dtype=np.int64),
        group.owner,
        NodeArcs(node[some], member[some], number[some], np.zeros_like(some)),
    )


class KeptFlow(NamedTuple):
    """A cheapest flow, and the potentials that prove it."""

    kept: Ints
    """Units on the arcs to members, as are the next ones on those to slots."""
    opened: Ints
    given: Ints
    """[M] units that each member gets by way of its slot."""
    node: Ints
    """[N] heights of nodes above the sink, and of the sink above members [M]."""
    member: Ints
    sums: Ints
    """[I] height of the sink above instances."""


@dataclass(frozen=True, eq=False)
class KeptNetwork:
    """N nodes with a supply each, M members, S slots."""

    supply: Ints
    """[N]"""
    kept: NodeArcs
    open: NodeArcs
    slot_of: Ints
    """[M]"""
    counts: CountInterval
    """[M] fewest and most units of a member."""
    sums: InstanceSums | None = None
    """The same of instances."""

    def cheapest(self) -> KeptFlow:
        """Raises EquilagError if there is no flow."""
        n_nodes, n_members, supply = len(self.supply), len(self.slot_of), self.supply
        size = np.bincount(self.slot_of, minlength=int(self.open.to.max(initial=-1)) + 1)
        sums, members = self.sums, n_nodes + np.arange(n_members)
        first = n_nodes + n_members + len(size)
        n_sums = 0 if sums is None else len(sums.least)
        instances, sink = first + np.arange(n_sums), first + n_sums
        into = np.full(n_members, sink) if sums is None else instances[sums.of]
        # The only member of a slot is its node.
        slots = n_nodes + n_members + np.arange(len(size))
        single = size[self.slot_of] == 1
        slots[self.slot_of[single]] = members[single]
        shared, total = np.flatnonzero(~single), int(supply.sum())
        network = Network.of(
            sink + 1,
            (self.kept.node, n_nodes + self.kept.to, 0, self.kept.number),
            (self.open.node, slots[self.open.to], 0, self.open.number),
            (slots[self.slot_of[shared]], members[shared], 0, total),
            (members, into, *self.counts),
            (instances, sink, *((instances, instances) if sums is None else sums[1:])),
        )
        cost = np.zeros(len(network.tail), np.int64)
        paid = np.concatenate((self.kept.cost, self.open.cost))
        cost[: len(paid)] = paid
        ends = np.zeros(sink + 1, np.int64)
        ends[:n_nodes], ends[sink] = supply, -total
        units, height = cheapest_flow(network, ends, cost)
        kept, opened, passed, _ = np.split(
            units, np.cumsum([len(self.kept.node), len(self.open.node), len(shared)])
        )
        given = np.zeros(n_members, np.int64)
        given[shared] = passed
        by_slot = np.bincount(self.open.to, opened, len(size)).astype(np.int64)
        given[single] = by_slot[self.slot_of[single]]
        above = height - height[sink]
        return KeptFlow(kept, opened, given, above[:n_nodes], -above[members], -above[instances])

    def cells(self, flow: KeptFlow) -> Cells:
        """What members get of nodes."""
        by_slot = by_number(self.open.to, int(self.open.to.max(initial=0)) + 1)
        node = np.repeat(self.open.node[by_slot], flow.opened[by_slot])
        members = np.argsort(self.slot_of, kind="stable")
        key = node * len(members) + np.repeat(members, flow.given[members])
        own = self.kept.node * len(members) + self.kept.to
        keys = np.concatenate((key, np.repeat(own, flow.kept)))
        found, count = counted(keys, len(self.supply) * len(members))
        return found // max(1, len(members)), found % max(1, len(members)), count
