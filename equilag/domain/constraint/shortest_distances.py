"""Shortest distances in a residual network, or the cycles of negative cost that rule them out."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from equilag.domain.columns import Ints, distinct

Exact: TypeAlias = Ints
"""Integers of 64 bits where they fit, else objects: Python's own of any size."""


class NegativeCycles(Exception):
    """The flow is not the cheapest; carries cycles of arcs, no two of them with a common node."""

    def __init__(self, cycles: list[list[int]]) -> None:
        self.cycles = cycles
        super().__init__(cycles)


def shortest_distances(tail: Ints, head: Ints, cost: Exact, n_nodes: int) -> Exact:
    """[nodes] the least cost of a path along arcs to each node, at most 0: from wherever it is
    least.

    Raises NegativeCycles. Bellman and Ford's algorithm, all arcs of a round in one array operation.
    """
    order, tails = np.argsort(head, kind="stable"), tail
    tail, head, cost = tail[order], head[order], cost[order]
    first = np.flatnonzero(np.append(True, head[1:] != head[:-1])[: len(head)])
    heads = head[first]
    place = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(head))))
    distance = np.zeros(n_nodes, dtype=cost.dtype)
    before = np.full(n_nodes, -1)
    look, rounds = 4, 0
    while True:
        through = distance[tail] + cost
        nearest = np.minimum.reduceat(through, first)
        better = (nearest < distance[heads]).astype(np.bool_)
        if not better.any():
            return distance
        by = np.flatnonzero(better[place] & (through == nearest[place]).astype(np.bool_))
        before[head[by]] = order[by]
        distance[heads[better]] = nearest[better]
        rounds += 1
        if rounds == look:
            look *= 2
            cycles = _cycles(before, tails)
            if cycles:
                raise NegativeCycles(cycles)


def _cycles(before: Ints, tail: Ints) -> list[list[int]]:
    """The cycles of arcs among those that lead to each node, one at most to each."""
    nodes = np.arange(len(before))
    far = np.where(before >= 0, tail[before], nodes)
    for _ in range(len(before).bit_length()):  # so many steps back that only cycles are left
        far = far[far]
    cycles, seen = [], set[int]()
    for start in distinct(far[before[far] >= 0]).tolist():
        node, cycle = start, list[int]()
        while node not in seen:
            seen.add(node)
            cycle.append(int(before[node]))
            node = int(tail[cycle[-1]])
        if cycle:
            cycles.append(cycle)
    return cycles
