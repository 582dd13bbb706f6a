"""The cheapest assignment as a minimum-cost flow: partitions that are alike, members, the sink.

The partitions of a node go to members that keep some of them, each along an arc of its own, or to a
*slot*, all members of which may take them at one cost; from there to a member, its instance, and
the sink. Bounds on counts are bounds of arcs. What an arc costs is up to the goal: moves, reads
across racks, or both. Several arcs from a node to a member may cost more and more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Ints, counted
from equilag.domain.constraint import CountInterval, InstanceSums, Network
from equilag.solver.counts.min_cost_flow import cheapest_flow


class NodeArcs(NamedTuple):
    """From nodes to members, or to slots."""

    node: Ints
    to: Ints
    number: Ints
    """Partitions that go along the arc at most."""
    cost: Ints
    """Of each of them, 0 or more."""


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

    def cells(self, flow: KeptFlow) -> tuple[Ints, Ints, Ints]:
        """Node, member and units of every pair that there are any of."""
        by_slot = np.argsort(self.open.to, kind="stable")
        node = np.repeat(self.open.node[by_slot], flow.opened[by_slot])
        members = np.argsort(self.slot_of, kind="stable")
        key = node * len(members) + np.repeat(members, flow.given[members])
        own = self.kept.node * len(members) + self.kept.to
        keys = np.concatenate((key, np.repeat(own, flow.kept)))
        found, count = counted(keys, len(self.supply) * len(members))
        return found // max(1, len(members)), found % max(1, len(members)), count
