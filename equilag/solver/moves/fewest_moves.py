"""The fewest moves under the count constraint, with their proof, by a minimum-cost flow.

For counts and moves, the partitions of one class differ only in their owners. So the flow decides
how many partitions of a class each member holds, and a member keeps its own first. There is a
closed form where all partitions are of one class, and where topics count one by one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import (
    Potentials,
    bound_by_potentials,
    bound_by_topics,
    moves_claim,
)
from equilag.domain.constraint import CountConstraint, reads_constraint
from equilag.domain.errors import ContradictedBound, EquilagError
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import count_moves, cross_costs, member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.flow_nodes import FlowNodes, between_counts, flow_nodes
from equilag.solver.moves.topic_moves import fewest_topic_moves


class FewestMoves(NamedTuple):
    assigned: Index
    """[P]"""
    potentials: Potentials
    """The proof, see `equilag.certificate.checks.potentials`."""
    exact: bool = True
    """False where the proof may be of fewer moves than `assigned` has."""

    def claim(self, group: Group, policy: Policy, constraint: CountConstraint) -> Claim:
        """The claim that no plan has fewer moves. Raises ContradictedBound if it is not proved."""
        reached = count_moves(group, self.assigned)
        if policy.balance == "per-topic":
            bound: int | None = bound_by_topics(group, constraint)
            claim = Claim("fewest_moves", reached, "per-topic")
        else:
            bound = bound_by_potentials(group, constraint, self.potentials)
            if bound is not None and not self.exact:
                reached = min(bound, reached)
            claim = moves_claim(group, reached, self.potentials)
        if bound != reached:
            raise ContradictedBound(f"fewest moves: {reached} reached, {bound} proved")
        return claim


class FlowPrices(NamedTuple):
    """What a flow adds up: moves alone, or moves and reads across racks."""

    move: int = 1
    read: int = 0


MOVES_ALONE: Final = FlowPrices()


def fewest_moves(group: Group, constraint: CountConstraint) -> FewestMoves:
    """A plan with the fewest moves that the constraint allows, and its dual solution.

    O(P) for one partition class and for per-topic counts, else one minimum-cost flow on partition
    classes, member classes and members.
    """
    if constraint.per_topic:
        found = fewest_topic_moves(group, constraint)
        cells = found.topic, found.member, found.number
        dealt = _deal(constraint, group.owner, group.topic_of, *cells)
        return FewestMoves(dealt, found.potentials, found.exact)
    if _has_one_class(group, constraint):
        counts, potentials = _one_class(group, constraint)
        readers = np.flatnonzero(counts)
        cells = np.zeros(len(readers), np.int64), readers, counts[readers]
        node = np.where(group.assignable, 0, -1)
        owner = group.owner
    else:
        nodes = flow_nodes(group, constraint)
        cells, potentials = _by_flow(group, constraint, nodes)
        node, owner = nodes.of_partition, nodes.holder
    return FewestMoves(_deal(constraint, owner, node, *cells), potentials)


def fewest_across(constraint: CountConstraint) -> tuple[Index, CountConstraint]:
    """A plan with the fewest reads across racks that the constraint allows, and the constraint of
    all such plans."""
    group = constraint.group.without_owners()
    assigned = moves_against_reads(group, constraint, FlowPrices(0, 1))
    return assigned, reads_constraint(constraint, assigned)


def moves_against_reads(group: Group, constraint: CountConstraint, prices: FlowPrices) -> Index:
    """[P] the plan whose moves and reads across racks cost least in all; `read` is 1 or more.

    The group has racks. One flow, as for the fewest moves.
    """
    nodes = flow_nodes(group, constraint)
    cells, _ = _by_flow(group, constraint, nodes, prices)
    return _deal(constraint, nodes.holder, nodes.of_partition, *cells)


def _has_one_class(group: Group, constraint: CountConstraint) -> bool:
    """True if free partitions are alike but for who owns them, none has several owners, and only
    the intervals of members matter."""
    if group.extended is not None and group.extended.stakes is not None:
        return False
    if constraint.has_pinned or constraint.instance_sums is not None:
        return False
    if constraint.most_across is not None and not np.array_equal(constraint.face, group.eligible):
        return False  # not every member may take a partition with the fewest reads across racks
    return len(group.eligible[group.eligible.any(axis=1)]) == 1


def _one_class(group: Group, constraint: CountConstraint) -> tuple[Ints, Potentials]:
    """[M] counts: each member's fewest, then what members own beyond that, then anything."""
    owned = member_counts(group.owner, group.n_members)
    least, most = constraint.counts_of()
    counts = least.copy()
    spare = int(np.count_nonzero(group.assignable)) - int(counts.sum())
    wanted = np.clip(owned - least, 0, most - least)
    for more in (wanted, most - least - wanted):
        taken = np.clip(spare - (np.cumsum(more) - more), 0, more)
        counts += taken
        spare -= int(taken.sum())
    crowded = int(wanted.sum() > (counts - least).sum())
    by_class: Ints = crowded * np.logical_or.reduce(group.eligible, axis=1).astype(np.int64)
    # A member that keeps all that it owns is worth nothing beyond that.
    enough = least if crowded else np.maximum(least, most - 1)
    member: Ints = (owned > enough).astype(np.int64) - crowded
    return counts, Potentials.of_classes(group, by_class, member)


def _deal(
    constraint: CountConstraint,
    owner: Index,
    node: Index | Ints,
    cell_node: Ints,
    cell_member: Ints,
    cell_count: Ints,
) -> Index:
    """[P] the assignment for counts per (node, member): own partitions first, then free ones.

    `node` [P] is the topic or partition class of each partition. Pinned partitions are left alone
    and not counted in the cells.
    """
    n_members = constraint.group.n_members
    assigned = constraint.pinned_assignment.copy()
    free = constraint.free
    key = cell_node * n_members + cell_member
    order = np.argsort(key, kind="stable")
    key, cell_node, cell_member = key[order], cell_node[order], cell_member[order]
    left = cell_count[order].copy()
    owned = np.flatnonzero(free & (owner != NOBODY))
    own_key = node[owned].astype(np.int64) * n_members + owner[owned]
    owned = owned[np.argsort(own_key, kind="stable")]
    own_key = np.sort(own_key, kind="stable")
    rank = np.arange(len(owned)) - np.searchsorted(own_key, own_key)
    if len(key):
        cell = np.minimum(np.searchsorted(key, own_key), len(key) - 1)
        keep = (key[cell] == own_key) & (rank < left[cell])
        assigned[owned[keep]] = owner[owned[keep]]
        np.subtract.at(left, cell[keep], 1)
    pool = np.flatnonzero(free & (assigned == NOBODY))
    pool = pool[np.argsort(node[pool], kind="stable")]
    if int(left.sum()) != len(pool):
        raise EquilagError("the flow does not cover every partition")
    assigned[pool] = np.repeat(cell_member, left)
    return assigned


def _by_flow(
    group: Group, constraint: CountConstraint, nodes: FlowNodes, prices: FlowPrices = MOVES_ALONE
) -> tuple[tuple[Ints, Ints, Ints], Potentials]:
    """Counts per (node, member) by one flow: node → member class → member → sink.

    The potentials are of moves alone.
    """
    n_nodes, n_member_classes = len(nodes.weight), group.eligible.shape[1]
    n_members = group.n_members
    free = constraint.free
    base = member_counts(constraint.pinned_assignment, n_members)
    supply = np.bincount(nodes.of_partition[free], minlength=n_nodes).astype(np.int64)
    open_n, open_k = _open_arcs(constraint, nodes, supply)
    members: Ints = np.arange(n_members)
    single = (group.class_size == 1)[group.class_of]
    shared = members[~single]
    class_node = n_nodes + n_members + np.arange(n_member_classes)
    class_node[group.class_of[single]] = n_nodes + members[single]  # its only member's
    plenty = int(supply.sum()) + 1
    kept, start = nodes.kept, nodes.kept.start
    kept_cost, open_cost = prices.move * kept.cost, prices.move * nodes.weight[open_n]
    if prices.read:
        across = cross_costs(group)[nodes.partition_class]
        kept_cost += prices.read * across[kept.node, group.class_of[kept.member]]
        open_cost += prices.read * across[open_n, open_k]
        start = np.zeros_like(start)  # it must cost nothing
    kept_arcs = kept.node, n_nodes + kept.member, kept.number, kept_cost
    open_arcs = open_n, class_node[open_k], np.full_like(open_n, plenty), open_cost
    to_class = class_node[group.class_of[shared]]
    passing = to_class, n_nodes + shared, np.full_like(shared, plenty), np.zeros_like(shared)
    least, most = constraint.counts_of()
    counts = least - base, most - base
    found = between_counts(
        [kept_arcs, open_arcs, passing],
        start,
        supply,
        counts,
        n_member_classes,
        constraint.instance_sums and constraint.instance_sums.without(base),
    )
    stayed, opened, passed = found.units
    given = np.zeros(n_members, dtype=np.int64)
    given[shared] = passed
    by_class = np.bincount(open_k, weights=opened, minlength=n_member_classes).astype(np.int64)
    given[single] = by_class[group.class_of[single]]
    given_k = np.repeat(open_k, opened)
    given_n = np.repeat(open_n, opened)[np.argsort(given_k, kind="stable")]
    order = np.argsort(group.class_of, kind="stable")
    given_m = np.repeat(members[order], given[order])
    width = max(n_members, 1)
    own_key = kept.node * width + kept.member
    key = np.concatenate((given_n * width + given_m, np.repeat(own_key, stayed)))
    key, count = np.unique(key, return_counts=True)
    potentials = nodes.potentials(group, found.supply - 1, found.member)
    return (key // width, key % width, count), potentials


def _open_arcs(constraint: CountConstraint, nodes: FlowNodes, supply: Ints) -> tuple[Ints, Ints]:
    """Node and member class of every pair that the constraint allows."""
    if nodes.are_classes:
        classes, member_classes = constraint.group.arcs
        open_arcs = constraint.face[classes, member_classes] & (supply[classes] > 0)
        return classes[open_arcs], member_classes[open_arcs]
    found, found_classes = np.nonzero(
        constraint.face[nodes.partition_class] & (supply > 0)[:, None]
    )
    return found, found_classes
