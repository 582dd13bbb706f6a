"""Minimum-cost flow, from a start that is cheapest for what it ships so far.

The primal-dual method (Ford and Fulkerson, "Flows in Networks"; Ahuja, Magnanti and Orlin, "Network
Flows", 9.8): shortest distances from the nodes that hold too much, then a maximum flow along the
shortest paths to those that lack something, until nothing is left over. A start close to the end
takes a few rounds, each of O(arcs × steps of a shortest path) and one maximum flow; and the
distances add up to the potentials that prove the result.
"""

from __future__ import annotations

import heapq
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import distinct, ranges
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Ints
from equilag.solver.counts.even_flow import maximum, new_graph

UNREACHED: Final = np.int64(2**62)
"""Distance of a node that no path reaches: above any sum of costs along a path (`MAX_PRICE`)."""
SMALL_GRAPH: Final = 600
"""Arcs up to which Dijkstra's algorithm in Python is faster than Dial's in NumPy: 0.13 against
0.14 ms at 600 arcs, 0.26 against 0.17 ms at 1,200."""


MOST_STEPS: Final = 8
"""Costs up to which shortest paths are few: a round of the method ships all of the same length. The
moves of a unit are as many as its topics, which are two or three."""


class Arcs(NamedTuple):
    """From node `tail` to node `head`, at a cost of 0 or more per unit; each [A]."""

    tail: Ints
    head: Ints
    capacity: Ints
    cost: Ints


class CheapestFlow(NamedTuple):
    units: Ints
    """[A]"""
    potential: Ints
    """[nodes] no arc that has room costs less than its head lies above its tail; none that has
    units, more."""


def cheapest_flow(arcs: Arcs, start: Ints, excess: Ints) -> CheapestFlow:
    """The cheapest flow that leaves no excess, from one that leaves some, positive and negative.

    `start` [A] must be the cheapest flow for what it ships, at potentials of 0: units only on arcs
    that cost nothing. `excess` [nodes] adds up to 0. Raises EquilagError if there is no such flow.
    """
    if arcs.cost.max(initial=0) > MOST_STEPS:
        found = _by_scaling(arcs, start, excess)
        if found is not None:
            return found
    units, excess = start.copy(), excess.copy()
    potential = np.zeros(len(excess), dtype=np.int64)
    while (excess > 0).any():
        room, used = np.flatnonzero(units < arcs.capacity), np.flatnonzero(units > 0)
        tail = np.concatenate((arcs.tail[room], arcs.head[used]))
        head = np.concatenate((arcs.head[room], arcs.tail[used]))
        length = np.concatenate((arcs.cost[room], -arcs.cost[used]))
        length += potential[tail] - potential[head]
        distance, furthest = _distances(tail, head, length, excess)
        near = distance <= furthest
        distance = np.minimum(distance, furthest)
        potential += distance
        shortest = np.flatnonzero((length + distance[tail] == distance[head]) & near[tail])
        capacity = np.concatenate((arcs.capacity[room] - units[room], units[used]))[shortest]
        shipped, change = _maximum(tail[shortest], head[shortest], capacity, excess)
        excess += change
        forward = shortest < len(room)
        units[room[shortest[forward]]] += shipped[forward]
        units[used[shortest[~forward] - len(room)]] -= shipped[~forward]
    return CheapestFlow(units, potential)


def _by_scaling(arcs: Arcs, start: Ints, excess: Ints) -> CheapestFlow | None:
    """The same by OR-Tools' cost scaling, whatever the costs; None where they are too large for it.

    Potentials are shortest distances where all nodes start at 0.
    """
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    supply = excess.copy()
    np.add.at(supply, arcs.tail, start)
    np.subtract.at(supply, arcs.head, start)
    graph = SimpleMinCostFlow()
    rows = graph.add_arcs_with_capacity_and_unit_cost(*arcs)
    graph.set_nodes_supplies(np.arange(len(supply)), supply)
    status = graph.solve()
    if status == graph.BAD_COST_RANGE:
        return None
    if status != graph.OPTIMAL:
        raise EquilagError("there is no flow that ships everything")
    units = np.asarray(graph.flows(rows), dtype=np.int64)
    room, used = units < arcs.capacity, units > 0
    tail = np.concatenate((arcs.tail[room], arcs.head[used]))
    head = np.concatenate((arcs.head[room], arcs.tail[used]))
    length = np.concatenate((arcs.cost[room], -arcs.cost[used]))
    potential, before = np.zeros(len(supply), np.int64), None
    while before is None or (potential != before).any():
        before = potential.copy()
        np.minimum.at(potential, head, potential[tail] + length)
    return CheapestFlow(units, potential)


def _distances(tail: Ints, head: Ints, length: Ints, excess: Ints) -> tuple[Ints, int]:
    """[nodes] shortest distance from a node with an excess, and the distance of the furthest node
    that lacks something and can be reached.

    Distances beyond the second are not exact, but never below it.
    """
    lacking = np.flatnonzero(excess < 0)
    if len(tail) <= SMALL_GRAPH:
        distance = _dijkstra(tail, head, length, excess)
    else:
        distance = _dial(tail, head, length, excess)
    within = distance[lacking[distance[lacking] < UNREACHED]]
    if not len(within):
        raise EquilagError("there is no flow that ships everything")
    return distance, int(within.max())


def _dijkstra(tail: Ints, head: Ints, length: Ints, excess: Ints) -> Ints:
    """Shortest distances by Dijkstra's algorithm, on small graphs."""
    distance = [0 if units > 0 else int(UNREACHED) for units in excess.tolist()]
    out: list[list[tuple[int, int]]] = [[] for _ in distance]
    for t, h, far in zip(tail.tolist(), head.tolist(), length.tolist(), strict=True):
        out[t].append((far, h))
    heap = [(0, node) for node, there in enumerate(distance) if not there]
    while heap:
        there, node = heapq.heappop(heap)
        if there > distance[node]:
            continue
        for far, next_one in out[node]:
            through = there + far
            if through < distance[next_one]:
                distance[next_one] = through
                heapq.heappush(heap, (through, next_one))
    return np.array(distance, dtype=np.int64)


def _dial(tail: Ints, head: Ints, length: Ints, excess: Ints) -> Ints:
    """Shortest distances by Dial's algorithm, all nodes of one distance in one array operation.

    It ends when the distance of every node that lacks something is known.
    """
    by_tail = np.argsort(tail.astype(np.min_scalar_type(len(excess))), kind="stable")
    head, length = head[by_tail], length[by_tail]
    edges = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=len(excess)))))
    distance = np.where(excess > 0, 0, UNREACHED)
    left = np.ones(len(excess), dtype=np.bool_)
    now = 0
    while now < UNREACHED and left[excess < 0].any():
        nodes = np.flatnonzero(left & (distance == now))
        while len(nodes):
            left[nodes] = False
            out = ranges(edges[nodes], edges[nodes + 1])
            to, through = head[out], now + length[out]
            nearer = through < distance[to]
            to, through = to[nearer], through[nearer]
            np.minimum.at(distance, to, through)
            nodes = distinct(to[through == now])
        now = int(distance.min(where=left, initial=UNREACHED))
    return np.where(left, UNREACHED, distance)


def _maximum(tail: Ints, head: Ints, capacity: Ints, excess: Ints) -> tuple[Ints, Ints]:
    """A maximum flow from the nodes with an excess to those that lack something: units by arc, and
    [nodes] the change of the excess."""
    graph, source, sink = new_graph(), len(excess), len(excess) + 1
    over, under = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
    main = graph.add_arcs_with_capacity(tail, head, capacity)
    out = graph.add_arcs_with_capacity(np.full(len(over), source), over, excess[over])
    into = graph.add_arcs_with_capacity(under, np.full(len(under), sink), -excess[under])
    maximum(graph, source, sink)
    change = np.zeros(len(excess), dtype=np.int64)
    change[over] -= graph.flows(out)
    change[under] += graph.flows(into)
    return np.asarray(graph.flows(main), dtype=np.int64), change
