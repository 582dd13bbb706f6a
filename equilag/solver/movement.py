"""Fewest moves under the count constraint, proved: minimum-cost flow on collapsed graphs.

Partitions of one topic class are alike as far as counts and moves go, so the flow decides how many
of a class each member holds; a member's own are kept first. Where all members read the same, and
where topics count one by one, there is a closed form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equilag.certificate.moves import Potentials
from equilag.counts import CountConstraint, topic_counts
from equilag.errors import EquilagError
from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.metrics import member_counts


class FewestMoves(NamedTuple):
    assigned: Index
    """[P]"""
    potentials: Potentials
    """The proof, see `equilag.certificate.moves`."""


def fewest_moves(group: Group, constraint: CountConstraint) -> FewestMoves:
    """A plan with the fewest moves that the constraint allows, and its dual solution.

    Linear for one subscription and for per-topic counts, else one minimum-cost flow on topic
    classes, member classes and members.
    """
    if constraint.topic_lo is not None and constraint.topic_hi is not None:
        return _per_topic(group, constraint, constraint.topic_lo, constraint.topic_hi)
    if len(group.eligible[group.eligible.any(axis=1)]) == 1 and not constraint.pinned.any():
        counts, potentials = _one_class(group, constraint)
        readers = np.flatnonzero(counts)
        cells = np.zeros(len(readers), np.int64), readers, counts[readers]
        node = np.where(group.assignable, 0, -1)
    else:
        cells, potentials = _by_flow(group, constraint)
        node = group.partition_class
    return FewestMoves(_deal(group, constraint, node, *cells), potentials)


def _one_class(group: Group, constraint: CountConstraint) -> tuple[Ints, Potentials]:
    """[M] counts: the spare places go to members that own more than the floor."""
    owned = member_counts(group.owner, group.n_members)
    counts = constraint.lo.copy()
    spare = int(np.count_nonzero(group.assignable)) - int(counts.sum())
    open_members = np.flatnonzero(constraint.hi > constraint.lo)
    rich = owned[open_members] > constraint.lo[open_members]
    first = np.concatenate((open_members[rich], open_members[~rich]))[:spare]
    counts[first] += 1
    n_rich = int(np.count_nonzero(rich))
    topic = np.zeros(len(group.topics), dtype=np.int64)
    if n_rich > spare:
        topic[group.reads.any(axis=1)] = 1
        member = -(owned <= constraint.lo).astype(np.int64)
    else:
        member = (owned > constraint.lo).astype(np.int64)
    return counts, Potentials(topic, member)


def _deal(
    group: Group,
    constraint: CountConstraint,
    node: Index | Ints,
    cell_node: Ints,
    cell_member: Ints,
    cell_count: Ints,
) -> Index:
    """[P] assignment from counts per (node, member): own ones first, the rest from the pool.

    `node` [P] is the topic or topic class of each partition. Pinned partitions are left alone and
    not counted in the cells.
    """
    n_members = group.n_members
    assigned = np.where(constraint.pinned, group.owner, NOBODY).astype(np.int32)
    free = group.assignable & ~constraint.pinned
    key = cell_node * n_members + cell_member
    order = np.argsort(key, kind="stable")
    key, cell_node, cell_member = key[order], cell_node[order], cell_member[order]
    left = cell_count[order].copy()
    owned = np.flatnonzero(free & (group.owner != NOBODY))
    own_key = node[owned].astype(np.int64) * n_members + group.owner[owned]
    owned = owned[np.argsort(own_key, kind="stable")]
    own_key = np.sort(own_key, kind="stable")
    rank = np.arange(len(owned)) - np.searchsorted(own_key, own_key)
    if len(key):
        cell = np.minimum(np.searchsorted(key, own_key), len(key) - 1)
        keep = (key[cell] == own_key) & (rank < left[cell])
        assigned[owned[keep]] = group.owner[owned[keep]]
        np.subtract.at(left, cell[keep], 1)
    pool = np.flatnonzero(free & (assigned == NOBODY))
    pool = pool[np.argsort(node[pool], kind="stable")]
    if int(left.sum()) != len(pool):
        raise EquilagError("the flow does not cover every partition")
    assigned[pool] = np.repeat(cell_member, left)
    return assigned


def _per_topic(group: Group, constraint: CountConstraint, lo: Ints, hi: Ints) -> FewestMoves:
    owned = topic_counts(group, group.owner)
    size = np.where(group.reads.any(axis=1), group.topic_size, 0)
    remainder = size - lo.sum(axis=1)
    topic, member = np.nonzero(hi > lo)
    gain = owned[topic, member] > lo[topic, member]
    room_lo, room_hi = constraint.lo - lo.sum(axis=0), constraint.hi - lo.sum(axis=0)
    counts = lo.copy()
    if _binds(topic, member, room_lo, room_hi):
        taken, potentials = _extras_by_flow(topic, member, gain, remainder, room_lo, room_hi)
        counts[topic, member] += taken
    else:
        # Nothing ties the topics together: each gives its remainder to those who own more.
        potentials = _topic_potentials(topic, member, gain, remainder, group.n_members)
        order = np.lexsort((member, ~gain, topic))
        rank = np.arange(len(order)) - np.searchsorted(topic[order], topic[order])
        first = order[rank < remainder[topic[order]]]
        counts[topic[first], member[first]] += 1
    pinned = topic_counts(group, np.where(constraint.pinned, group.owner, NOBODY))
    cells = counts - pinned
    cell_topic, cell_member = np.nonzero(cells)
    dealt = _deal(
        group, constraint, group.topic_of, cell_topic, cell_member, cells[cell_topic, cell_member]
    )
    return FewestMoves(dealt, potentials)


def _binds(topic: Ints, member: Ints, room_lo: Ints, room_hi: Ints) -> bool:
    """Do the members' totals say more than their topics do."""
    most = np.bincount(member, minlength=len(room_lo))
    return bool((room_lo > 0).any() or (room_hi < most).any())


def _topic_potentials(
    topic: Ints, member: Ints, gain: Flags, remainder: Ints, n_members: int
) -> Potentials:
    """A remainder is worth a kept partition where more members own one than it has places."""
    takers = np.bincount(topic[gain], minlength=len(remainder))
    return Potentials((takers > remainder).astype(np.int64), np.zeros(n_members, dtype=np.int64))


class _Arcs:
    """Collects arcs, with a name for each batch, for flow and residual graph alike."""

    def __init__(self) -> None:
        self.batches: dict[str, tuple[Ints, Ints, Ints, int]] = {}

    def add(self, name: str, tail: Any, head: Any, capacity: Any, cost: int = 0) -> None:
        tail, head, capacity = np.broadcast_arrays(tail, head, capacity)
        self.batches[name] = (tail.ravel(), head.ravel(), capacity.ravel(), cost)

    def solve(self, supply_nodes: Ints, supply: Ints, sink: int) -> dict[str, Ints]:
        """Units on each arc of a cheapest flow from the supplies to the sink, by batch."""
        from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

        graph = SimpleMinCostFlow()
        arcs = {
            name: graph.add_arcs_with_capacity_and_unit_cost(t, h, u, np.full(len(t), cost))
            for name, (t, h, u, cost) in self.batches.items()
        }
        graph.set_nodes_supplies(supply_nodes, supply)
        graph.set_node_supply(sink, -int(supply.sum()))
        if graph.solve() != graph.OPTIMAL:
            raise EquilagError("the minimum-cost flow solver failed")
        return {name: np.asarray(graph.flows(a), dtype=np.int64) for name, a in arcs.items()}

    def solve_between(
        self, supply: Ints, first: int, lo: Ints, hi: Ints
    ) -> tuple[dict[str, Ints], Ints]:
        """A cheapest flow that gives each member between `lo` and `hi` units, and its distances.

        Nodes: supplies from 0 on, members from `first` on, then the sink; what lies between is the
        caller's. Returns the units by batch and the residual distances of all nodes.
        """
        members = first + np.arange(len(lo))
        sink = first + len(lo)
        overflow = sink + 1
        self.add("lo", members, sink, lo)
        self.add("hi", members, overflow, hi - lo)
        self.add("rest", np.array([overflow]), sink, int(supply.sum() - lo.sum()))
        flow = self.solve(np.arange(len(supply)), supply, sink)
        # Distances on the graph in which a member's count is one arc with bounds lo and hi.
        del self.batches["lo"], self.batches["hi"], self.batches["rest"]
        self.add("count", members, sink, hi - lo)
        flow["count"] = flow["hi"] + flow["lo"] - lo
        return flow, self.distances(flow, overflow + 1)

    def distances(self, flow: dict[str, Ints], n_nodes: int) -> Ints:
        """[nodes] shortest distances in the residual graph: Bellman and Ford's rounds on arrays."""
        tails, heads, costs = [], [], []
        for name, (tail, head, capacity, price) in self.batches.items():
            forward, backward = flow[name] < capacity, flow[name] > 0
            tails += [tail[forward], head[backward]]
            heads += [head[forward], tail[backward]]
            costs += [np.full(int(forward.sum()), price), np.full(int(backward.sum()), -price)]
        tail, head, cost = np.concatenate(tails), np.concatenate(heads), np.concatenate(costs)
        distance = np.zeros(n_nodes, dtype=np.int64)
        for _ in range(n_nodes + 1):
            better = distance.copy()
            np.minimum.at(better, head, distance[tail] + cost)
            if np.array_equal(better, distance):
                return distance
            distance = better
        raise EquilagError("the minimum-cost flow is not optimal: its residual graph has a cycle")


def _by_flow(
    group: Group, constraint: CountConstraint
) -> tuple[tuple[Ints, Ints, Ints], Potentials]:
    """Counts per (topic class, member) by one flow: class → member class → member → sink."""
    n_classes, n_kinds = group.eligible.shape
    n_members = group.n_members
    free = group.assignable & ~constraint.pinned
    base = member_counts(np.where(constraint.pinned, group.owner, NOBODY), n_members)
    lo, hi = constraint.lo - base, constraint.hi - base
    supply = np.bincount(group.partition_class[free], minlength=n_classes).astype(np.int64)
    kind_node, member_node = n_classes, n_classes + n_kinds
    sink = member_node + n_members
    own = np.flatnonzero(free & (group.owner != NOBODY))
    own_class, own_member = group.partition_class[own], group.owner[own]
    inside = constraint.allowed[own_class, group.class_of[own_member]]
    own_key = own_class[inside].astype(np.int64) * n_members + own_member[inside]
    own_key, own_count = np.unique(own_key, return_counts=True)
    own_c, own_m = own_key // max(n_members, 1), own_key % max(n_members, 1)
    open_c, open_k = np.nonzero(constraint.allowed & (supply > 0)[:, None])
    members: Ints = np.arange(n_members)
    arcs = _Arcs()
    arcs.add("kept", own_c, member_node + own_m, own_count)
    arcs.add("open", open_c, kind_node + open_k, supply[open_c] + 1, cost=1)
    arcs.add("kind", kind_node + group.class_of, member_node + members, hi + 1)
    flow, distance = arcs.solve_between(supply, member_node, lo, hi)
    member = distance[sink] - distance[member_node:sink]
    by_class = 1 + distance[:n_classes] - distance[sink]
    potentials = Potentials(by_class[group.topic_class], member)
    given_k = np.repeat(open_k, flow["open"])
    given_c = np.repeat(open_c, flow["open"])[np.argsort(given_k, kind="stable")]
    by_kind = np.argsort(group.class_of, kind="stable")
    given_m = np.repeat(members[by_kind], flow["kind"][by_kind])
    key = np.concatenate((given_c * n_members + given_m, np.repeat(own_key, flow["kept"])))
    key, count = np.unique(key, return_counts=True)
    return (key // max(n_members, 1), key % max(n_members, 1), count), potentials


def _extras_by_flow(
    topic: Ints, member: Ints, gain: Flags, remainder: Ints, room_lo: Ints, room_hi: Ints
) -> tuple[Ints, Potentials]:
    """Who takes the topics' remainders (``both``): one flow from topics to members."""
    n_topics, n_members = len(remainder), len(room_lo)
    sink = n_topics + n_members
    arcs = _Arcs()
    arcs.add("kept", topic[gain], n_topics + member[gain], 1)
    arcs.add("open", topic[~gain], n_topics + member[~gain], 1, cost=1)
    flow, distance = arcs.solve_between(remainder, n_topics, room_lo, room_hi)
    taken = np.zeros(len(topic), dtype=np.int64)
    taken[gain], taken[~gain] = flow["kept"], flow["open"]
    potentials = Potentials(
        1 + distance[:n_topics] - distance[sink], distance[sink] - distance[n_topics:sink]
    )
    return taken, potentials
