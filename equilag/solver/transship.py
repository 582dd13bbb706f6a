"""Cheapest flow, repaired from one that is cheapest for what it ships so far.

The primal-dual method (Ford and Fulkerson, "Flows in Networks"; Ahuja, Magnanti and Orlin, "Network
Flows", 9.8): shortest distances from the nodes that hold too much, then a maximum flow along the
shortest paths to those that lack something, until nothing is left over. A start close to the end
takes a few rounds, each of O(arcs × steps of a shortest path) and one maximum flow; and the
distances add up to the potentials that prove the result.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.errors import EquilagError
from equilag.group import Flags, Ints

FAR: Final = np.int64(2**40)


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
        distance = _distances(tail, head, length, excess)
        potential += distance
        shortest = np.flatnonzero(length + distance[tail] == distance[head])
        capacity = np.concatenate((arcs.capacity[room] - units[room], units[used]))[shortest]
        shipped, change = _most(tail[shortest], head[shortest], capacity, excess)
        excess += change
        forward = shortest < len(room)
        units[room[shortest[forward]]] += shipped[forward]
        units[used[shortest[~forward] - len(room)]] -= shipped[~forward]
    return CheapestFlow(units, potential)


def _distances(tail: Ints, head: Ints, length: Ints, excess: Ints) -> Ints:
    """[nodes] from those with an excess, as far as the furthest that can be reached of those that
    lack something; whatever is beyond counts as just as far. Dial's algorithm, by rounds."""
    distance = np.where(excess > 0, 0, FAR)
    lacking = np.flatnonzero(excess < 0)
    reached: Flags = distance[head] == FAR
    now = 0
    while True:
        tail, head, length = tail[reached], head[reached], length[reached]
        through = distance[tail] + length
        here = head[through <= now]
        if len(here):
            distance[here] = now
            if (distance[lacking] < FAR).all():
                break
            reached = distance[head] == FAR
            continue
        nearest = int(through.min(initial=FAR))
        if nearest >= FAR:
            break
        now = nearest
        reached = through >= 0  # all of them: nothing has changed
    if (distance[lacking] == FAR).all():
        raise EquilagError("there is no flow that ships everything")
    return np.minimum(distance, now)


def _most(tail: Ints, head: Ints, capacity: Ints, excess: Ints) -> tuple[Ints, Ints]:
    """A maximum flow from the nodes that hold too much to those that lack something: units by arc,
    and what it changes of the excess."""
    from ortools.graph.python.max_flow import SimpleMaxFlow

    graph, source, sink = SimpleMaxFlow(), len(excess), len(excess) + 1
    over, under = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
    main = graph.add_arcs_with_capacity(tail, head, capacity)
    out = graph.add_arcs_with_capacity(np.full(len(over), source), over, excess[over])
    into = graph.add_arcs_with_capacity(under, np.full(len(under), sink), -excess[under])
    if graph.solve(source, sink) != graph.OPTIMAL:
        raise EquilagError("the maximum flow solver failed")
    change = np.zeros(len(excess), dtype=np.int64)
    change[over] -= graph.flows(out)
    change[under] += graph.flows(into)
    return np.asarray(graph.flows(main), dtype=np.int64), change
