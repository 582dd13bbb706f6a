"""The fewest moves under the count constraint, with their proof, by a minimum-cost flow.

For counts and moves, the partitions of one class differ only in their owners. So the flow decides
how many partitions of a class each member holds, and a member keeps its own first. Reads across
racks, which the class of a member decides, are costs of the same flow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import (
    Potentials,
    bound_by_potentials,
    bound_by_topics,
    moves_claim,
)
from equilag.domain.columns import by_number, place_of, ranges
from equilag.domain.constraint import (
    CountConstraint,
    CountInterval,
    InstanceSums,
)
from equilag.domain.errors import ContradictedBound, EquilagError
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import count_moves, cross_costs
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.flow_nodes import FlowNodes
from equilag.solver.moves.kept_flow import KeptNetwork, NodeArcs
from equilag.solver.moves.topic_moves import fewest_topic_moves


class FewestMoves(NamedTuple):
    assigned: Index
    """[P]"""
    potentials: Potentials
    """The proof, see `equilag.certificate.checks.potentials`."""

    def claim(self, group: Group, policy: Policy, constraint: CountConstraint) -> Claim:
        """The claim that no plan has fewer moves. Raises ContradictedBound if the plan itself has.

        It may be of fewer moves than the plan has only where topics are many, see
        `fewest_topic_moves`.
        """
        reached = count_moves(group, self.assigned)
        if policy.balance == "per-topic":
            bound: int | None = bound_by_topics(group, constraint)
            claim = Claim("fewest_moves", reached, "per-topic")
        else:
            bound = bound_by_potentials(group, constraint, self.potentials)
            claim = moves_claim(group, min(reached, bound or 0), self.potentials)
        if bound is None or bound > reached:
            raise ContradictedBound(f"fewest moves: {reached} reached, {bound} proved")
        return claim


class FlowPrices(NamedTuple):
    """What a flow adds up: moves alone, or moves and reads across racks."""

    move: int = 1
    read: int = 0


def fewest_moves(group: Group, constraint: CountConstraint) -> FewestMoves:
    """A plan with the fewest moves that the constraint allows, and its dual solution.

    O(P) for per-topic counts, else one minimum-cost flow on partition classes, member classes and
    members; where the partitions of a topic differ, on cells of topics and members too.
    """
    stakes = group.extended is not None and group.extended.stakes is not None
    if constraint.per_topic and group.partition_classes is None and not stakes:
        found = fewest_topic_moves(group, constraint)
        dealt = _deal(constraint, group.owner, group.topic_of, found.cells)
        return FewestMoves(dealt, found.potentials)
    return _by_flow(group, constraint, FlowPrices())


def moves_against_reads(group: Group, constraint: CountConstraint, prices: FlowPrices) -> Index:
    """[P] the plan whose moves and reads across racks cost least in all. The group has racks."""
    return _by_flow(group, constraint, prices).assigned


def _by_flow(group: Group, constraint: CountConstraint, prices: FlowPrices) -> FewestMoves:
    """The cheapest plan; the potentials are of moves alone."""
    nodes = FlowNodes.of(group, constraint)
    open_arcs, kept = nodes.open_arcs(group, constraint), nodes.kept
    if prices != FlowPrices():
        across = prices.read * cross_costs(group)[nodes.partition_class]
        cost = prices.move * open_arcs.cost + across[open_arcs.node, open_arcs.to]
        open_arcs = open_arcs._replace(cost=cost)
        cost = prices.move * kept.cost + across[kept.node, group.class_of[kept.to]]
        kept = kept._replace(cost=cost)
    if constraint.totals_then_topics:
        return _by_cells(group, constraint, nodes, open_arcs, kept)
    counts = CountInterval(*(count - constraint.fixed for count in constraint.counts_of()))
    sums, slot_of = constraint.instance_sums, group.class_of.astype(np.int64)
    sums = sums and sums.without(constraint.fixed)
    network = KeptNetwork(nodes.supply, kept, open_arcs, slot_of, counts, sums)
    flow = network.cheapest()
    dealt = _deal(constraint, nodes.holder, nodes.of_partition, network.cells(flow))
    return FewestMoves(dealt, nodes.potentials(group, flow.node, flow.member))


def _by_cells(
    group: Group, constraint: CountConstraint, nodes: FlowNodes, open_arcs: NodeArcs, kept: NodeArcs
) -> FewestMoves:
    """The same with a topic at a member for a member, and members for instances."""
    topics = constraint.topics
    n_places, n_members = len(topics.size), group.n_members
    topic, member = np.nonzero((topics.level + topics.open)[:, topics.place])
    cell = topic * n_members + member
    of_cells = constraint.free_topics.at(topic, member)
    topic_of_node = np.zeros(len(nodes.supply), np.int64)
    topic_of_node[nodes.of_partition[constraint.free]] = group.topic_of[constraint.free]
    # A node goes to the places of each class of members that it goes to.
    class_of_place = np.zeros(n_places, np.int64)
    class_of_place[topics.place] = group.class_of
    places = np.argsort(class_of_place, kind="stable")
    edges = np.searchsorted(class_of_place[places], np.arange(len(group.class_topics) + 1))
    begin, end = edges[open_arcs.to], edges[open_arcs.to + 1]
    to_place = places[ranges(begin, end)]
    arc = np.repeat(np.arange(len(begin)), end - begin)
    slot = topic_of_node[open_arcs.node[arc]] * n_places + to_place
    slots, slot_of = np.unique(topic * n_places + topics.place[member], return_inverse=True)
    to = place_of(slot, slots, len(group.topics) * n_places)
    arc, to = arc[to >= 0], to[to >= 0]
    opened = NodeArcs(open_arcs.node[arc], to, open_arcs.number[arc], open_arcs.cost[arc])
    to = place_of(
        topic_of_node[kept.node] * n_members + kept.to, cell, len(group.topics) * n_members
    )
    own = np.flatnonzero(to >= 0)
    kept = NodeArcs(kept.node[own], to[own], kept.number[own], kept.cost[own])
    sums = InstanceSums(member, *(count - constraint.fixed for count in constraint.counts_of()))
    network = KeptNetwork(nodes.supply, kept, opened, slot_of.ravel(), of_cells, sums)
    flow = network.cheapest()
    node, place, units = network.cells(flow)
    dealt = _deal(constraint, nodes.holder, nodes.of_partition, (node, member[place], units))
    return FewestMoves(dealt, nodes.potentials(group, flow.node, flow.sums))


def _deal(
    constraint: CountConstraint,
    owner: Index,
    node: Index | Ints,
    cells: tuple[Ints, Ints, Ints],
) -> Index:
    """[P] the assignment for counts of each node and member: own partitions first, then free ones.

    `node` [P] is what each partition is in the `cells`, which ascend. Pinned partitions are left
    alone and not counted in the cells.
    """
    cell_node, cell_member, number = cells
    n_members, n_cells = constraint.group.n_members, len(number)
    assigned = constraint.pinned_assignment.copy()
    free = constraint.free
    owned = np.flatnonzero(free & (owner != NOBODY))
    wanted = node[owned].astype(np.int64) * n_members + owner[owned]
    size = (int(node.max(initial=-1)) + 1) * n_members
    cell = place_of(wanted, cell_node * n_members + cell_member, size)
    if len(cell) and cell.min() < 0:
        owned, cell = owned[cell >= 0], cell[cell >= 0]
    own = np.bincount(cell, minlength=n_cells)
    over = np.flatnonzero((own > number)[cell])
    over = over[np.argsort(cell[over], kind="stable")]
    rank = np.arange(len(over)) - np.searchsorted(cell[over], cell[over])
    assigned[owned] = owner[owned]
    assigned[owned[over[rank >= number[cell[over]]]]] = NOBODY
    left = number - np.minimum(own, number)
    pool = np.flatnonzero(free & (assigned == NOBODY))
    pool = pool[by_number(node[pool], int(cell_node.max(initial=0)) + 1)]
    if int(left.sum()) != len(pool):
        raise EquilagError("the flow does not cover every partition")
    assigned[pool] = np.repeat(cell_member, left)
    return assigned
