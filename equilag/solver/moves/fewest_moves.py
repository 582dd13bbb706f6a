"""The fewest moves under the count constraint, with their proof, by a minimum-cost flow.

For counts and moves, the partitions of one class differ only in their owners. So the flow decides
how many partitions of a class each member holds, and a member keeps its own first. Reads across
racks, which the class of a member decides, are costs of the same flow.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import (
    FlowPrices,
    Potentials,
    bound_by_potentials,
    bound_by_topics,
    moves_claim,
)
from equilag.domain.columns import by_number, place_of, ranks
from equilag.domain.constraint import (
    CountConstraint,
    CountInterval,
    InstanceSums,
    Places,
    Stops,
    members_of_pairs,
)
from equilag.domain.errors import ContradictedBound, EquilagError
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import (
    count_moves,
    loads_of,
    member_counts,
    stakes_held,
)
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.kept_flow import Cells, FlowNodes, KeptNetwork, NodeArcs
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
        if policy.balance == "per-topic" and group.extended.move_unit is None:
            bound: int | None = bound_by_topics(group, constraint)
            claim = Claim("fewest_moves", reached, "per-topic")
        else:
            bound = bound_by_potentials(group, constraint, self.potentials)
            claim = moves_claim(group, min(reached, bound or 0), self.potentials)
        if bound is None or bound > reached:
            raise ContradictedBound(f"fewest moves: {reached} reached, {bound} proved")
        return claim


def fewest_moves(group: Group, constraint: CountConstraint) -> FewestMoves:
    """A plan with the fewest moves that the constraint allows, and its dual solution.

    O(P) for per-topic counts, else one minimum-cost flow on partition classes, member classes and
    members; where the partitions of a topic differ, on cells of topics and members too.
    """
    alike = group.partition_classes is None and not group.extended.has_stakes
    if constraint.per_topic and alike:
        cells, potentials = fewest_topic_moves(group, constraint)
        return FewestMoves(_deal(constraint, group.owner, group.topic_of, cells), potentials)
    return moves_against_reads(group, constraint, FlowPrices())


class _Takers(NamedTuple):
    """Who takes partitions: members, or cells of a topic and a member, by topic and then by member.
    The counts of members are sums of cells then, as those of instances are of members."""

    stops: Stops
    class_of_stop: Ints
    topic: Ints
    """0 for members."""
    member: Ints
    stop_of: Ints
    counts: CountInterval
    sums: InstanceSums | None

    @staticmethod
    def of_members(constraint: CountConstraint) -> _Takers:
        stops, stop_of = Stops.classes(constraint), constraint.group.class_of.astype(np.int64)
        every, free = np.arange(len(stop_of)), constraint.beside_pinned()
        return _Takers(stops, stops.where, 0 * every, every, stop_of, *free)

    @staticmethod
    def of_topics(constraint: CountConstraint) -> _Takers:
        places = Places.of_topics(constraint)
        stops = Stops.cells(constraint, places)
        stop_of = np.repeat(np.arange(len(stops.where)), places.size[stops.where])
        topic, member = members_of_pairs(stops.topic, stops.where, places.of, places.size)
        order = np.lexsort((member, topic))
        topic, member = topic[order], member[order]
        classes = constraint.group.class_of[places.one[stops.where]].astype(np.int64)
        counts = constraint.free_topics.at(topic, member)
        sums = InstanceSums(member, *constraint.beside_pinned()[0])
        return _Takers(stops, classes, topic, member, stop_of[order], counts, sums)


def moves_against_reads(
    group: Group, constraint: CountConstraint, prices: FlowPrices
) -> FewestMoves:
    """The plan whose moves and reads across racks cost least in all. The group has racks where
    reads have a price."""
    by_topic = constraint.per_topic
    takers = _Takers.of_topics(constraint) if by_topic else _Takers.of_members(constraint)
    parts, nodes = takers.stops.parts, FlowNodes.of(group, constraint, takers.stops)
    opened, kept = nodes.open_arcs(takers.stops), nodes.kept
    if prices != FlowPrices():
        across = prices.read * group.extended.cross_costs[parts.partition_class[nodes.part]]
        cost = prices.move * opened.cost + across[opened.node, takers.class_of_stop[opened.to]]
        opened = opened._replace(cost=cost)
        cost = prices.move * kept.cost + across[kept.node, group.class_of[kept.to]]
        kept = kept._replace(cost=cost)
    key = parts.topic[nodes.part[kept.node]] * group.n_members + kept.to
    cells = takers.topic * group.n_members + takers.member
    to = place_of(key, cells, max(1, len(group.topics)) * group.n_members)
    own = np.flatnonzero(to >= 0)
    kept = NodeArcs(kept.node[own], to[own], kept.number[own], kept.cost[own])
    network = KeptNetwork(nodes.supply, kept, opened, takers.stop_of, takers.counts, takers.sums)
    flow = network.cheapest()
    node, taker, units = network.cells(flow)
    cells_of = node, takers.member[taker], units
    dealt = _deal(constraint, nodes.holder, nodes.of_partition, cells_of)
    above = flow.sums if by_topic else flow.member
    return FewestMoves(dealt, nodes.potentials(group, flow.node, above, prices))


def _deal(
    constraint: CountConstraint,
    owner: Index,
    node: Index | Ints,
    cells: Cells,
) -> Index:
    """[P] the assignment for counts of each node and member: own partitions first, then free ones.

    `node` [P] is what each partition is in the `cells`, which ascend. Pinned partitions are left
    alone and not counted in the cells.
    """
    cell_node, cell_member, number = cells
    n_members, n_cells = constraint.group.n_members, len(number)
    assigned, free = constraint.pinned_assignment.copy(), constraint.free
    owned = np.flatnonzero(free & (owner != NOBODY))
    wanted = node[owned].astype(np.int64) * n_members + owner[owned]
    size = (int(node.max(initial=-1)) + 1) * n_members
    cell = place_of(wanted, cell_node * n_members + cell_member, size)
    if len(cell) and cell.min() < 0:
        owned, cell = owned[cell >= 0], cell[cell >= 0]
    own = np.bincount(cell, minlength=n_cells)
    assigned[owned] = owner[owned]
    over = np.flatnonzero((own > number)[cell])
    over = over[by_number(cell[over], n_cells)]
    cell = cell[over]
    assigned[owned[over[ranks(cell) >= number[cell]]]] = NOBODY
    left = number - np.minimum(own, number)
    pool = np.flatnonzero(free & (assigned == NOBODY))
    pool = pool[by_number(node[pool], int(cell_node.max(initial=0)) + 1)]
    if int(left.sum()) != len(pool):
        raise EquilagError("the flow does not cover every partition")
    assigned[pool] = np.repeat(cell_member, left)
    return assigned


def to_least_loaded(group: Group, constraint: CountConstraint, assigned: Index) -> Index:
    """[P] the assignment with all partitions that are with no owner of theirs dealt anew, as the
    fewest moves leave open who takes them: heaviest first, to the least load per unit of capacity.
    The same assignment if room gets in the way.

    O(log M + member classes) for each.
    """
    kept = stakes_held(group, np.arange(group.n_partitions), assigned) > 0
    loose = np.flatnonzero(constraint.free & ~kept)
    loose = loose[np.argsort(-group.lag[loose], kind="stable")]
    found = assigned.copy()
    found[loose] = NOBODY
    loads = loads_of(group, found)
    load, rate = loads.column.tolist(), loads.capacities.rate
    counts = member_counts(found, group.n_members)
    left = (constraint.counts_of().most - counts).tolist()
    takers: list[list[tuple[float, int, int]]] = [[] for _ in group.class_topics]
    for member, member_class in enumerate(group.class_of.tolist()):
        if left[member] > 0:
            takers[member_class].append((load[member], int(counts[member]), member))
    for heap in takers:
        heapify(heap)
    classes = [np.flatnonzero(row).tolist() for row in constraint.face]
    class_of, weight, times = group.partition_class.tolist(), group.lag.tolist(), rate.tolist()
    for partition in loose.tolist():
        heaps = [takers[k] for k in classes[class_of[partition]] if takers[k]]
        if not heaps:
            return assigned
        heap = min(heaps, key=lambda heap: heap[0])
        total, count, member = heap[0]
        found[partition] = member
        left[member] -= 1
        if left[member]:
            more = weight[partition] * times[member]
            heapreplace(heap, (total + more, count + 1, member))
        else:
            heappop(heap)
    return found if constraint.admits(found) else assigned
