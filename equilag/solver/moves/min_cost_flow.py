"""Cheapest flow, repaired from one that is cheapest for what it ships so far.

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

from equilag.constraint import ranges
from equilag.errors import EquilagError
from equilag.group import Ints
from equilag.solver.counts.max_flow import maximum, new_graph

FAR: Final = np.int64(2**40)
FEW: Final = 600
"""Arcs up to which paths are sought one by one."""


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
        shipped, change = _most(tail[shortest], head[shortest], capacity, excess)
        excess += change
        forward = shortest < len(room)
        units[room[shortest[forward]]] += shipped[forward]
        units[used[shortest[~forward] - len(room)]] -= shipped[~forward]
    return CheapestFlow(units, potential)


def _distances(tail: Ints, head: Ints, length: Ints, excess: Ints) -> tuple[Ints, int]:
    """[nodes] from those with an excess, up to that of the furthest within reach of those that lack
    something, which is the second answer; beyond, no less than that."""
    lacking = np.flatnonzero(excess < 0)
    if len(tail) <= FEW:
        distance = _one_by_one(tail, head, length, excess)
    else:
        distance = _all_at_once(tail, head, length, excess)
    within = distance[lacking[distance[lacking] < FAR]]
    if not len(within):
        raise EquilagError("there is no flow that ships everything")
    return distance, int(within.max())


def _one_by_one(tail: Ints, head: Ints, length: Ints, excess: Ints) -> Ints:
    """Dijkstra's algorithm, which on few arcs takes less time than the calls of NumPy would."""
    distance = [0 if units > 0 else int(FAR) for units in excess.tolist()]
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


def _all_at_once(tail: Ints, head: Ints, length: Ints, excess: Ints) -> Ints:
    """Dial's algorithm, the nodes of one distance together; it ends where nothing lacks more."""
    by_tail = np.argsort(tail.astype(np.min_scalar_type(len(excess))), kind="stable")
    head, length = head[by_tail], length[by_tail]
    edges = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=len(excess)))))
    distance = np.where(excess > 0, 0, FAR)
    left = np.ones(len(excess), dtype=np.bool_)
    now = 0
    while now < FAR and left[excess < 0].any():
        nodes = np.flatnonzero(left & (distance == now))
        while len(nodes):
            left[nodes] = False
            out = ranges(edges[nodes], edges[nodes + 1])
            to, through = head[out], now + length[out]
            nearer = through < distance[to]
            to, through = to[nearer], through[nearer]
            np.minimum.at(distance, to, through)
            nodes = np.unique(to[through == now])
        now = int(distance.min(where=left, initial=FAR))
    return np.where(left, FAR, distance)


def _most(tail: Ints, head: Ints, capacity: Ints, excess: Ints) -> tuple[Ints, Ints]:
    """A maximum flow from the nodes that hold too much to those that lack something: units by arc,
    and what it changes of the excess."""
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
