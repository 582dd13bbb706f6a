"""Flow networks, and what all cheapest flows of a network have in common.

A goal is a cost on arcs, the same for each unit or higher for each further one. A flow has the
smallest cost if and only if no cycle of its residual network has a negative cost (Klein, "A primal
method for minimal cost flows"). Then the shortest distances are potentials, and the cheapest flows
are those that keep to complementary slackness with them (Ahuja, Magnanti and Orlin, "Network
Flows", 9.4): the flows of the same network with narrower bounds. So goals can be taken one after
the other, each among the flows that are best for those before it.
"""

from __future__ import annotations

from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Ints, distinct

Exact: TypeAlias = Ints
"""Integers of 64 bits where they fit, else objects: Python's own of any size."""
FITS: Final = 2**61
"""Costs below it, added up along a path, fit 64 bits."""


class NegativeCycles(Exception):
    """The flow is not the cheapest; carries cycles of arcs, no two of them with a common node."""

    def __init__(self, cycles: list[list[int]]) -> None:
        super().__init__(cycles)
        self.cycles = cycles


class NotMinimal(Exception):
    """The counts can be evened out further; carries the two members of such a step."""

    def __init__(self, heavy: int, light: int, topic: int | None = None) -> None:
        self.heavy, self.light, self.topic = heavy, light, topic
        super().__init__(heavy, light, topic)


class Costs(NamedTuple):
    """What one unit more on each arc [A] costs, and what one unit fewer saves: the same where all
    units of the arc cost the same."""

    more: Exact
    fewer: Exact


class Network(NamedTuple):
    """Arcs from node to node, with the fewest and the most units of each [A]."""

    tail: Ints
    head: Ints
    least: Ints
    most: Ints
    n_nodes: int

    @staticmethod
    def of(n_nodes: int, *arcs: tuple[Ints, Ints | int, Ints | int, Ints | int]) -> Network:
        """From columns of some kinds of arcs, one kind after the other."""
        rows = ([np.full(len(columns[0]), one) for one in columns] for columns in arcs)
        tail, head, least, most = map(np.concatenate, zip(*rows, strict=True))
        return Network(tail, head, least, most, n_nodes)

    def heights(self, flow: Ints, costs: Costs) -> Exact:
        """[nodes] potentials of a flow [A] of the smallest cost, the same for every such flow: no
        arc on which a unit more fits leads up by more than that costs. They are the least costs of
        paths to each node, from wherever; at most 0.

        Raises NegativeCycles, with arcs a that get units and arcs ~a that lose some. Bellman and
        Ford's algorithm, all arcs of a round in one array operation: O(arcs × steps).
        """
        grows, shrinks = np.flatnonzero(flow < self.most), np.flatnonzero(flow > self.least)
        tail = np.concatenate((self.tail[grows], self.head[shrinks]))
        head = np.concatenate((self.head[grows], self.tail[shrinks]))
        cost = np.concatenate((costs.more[grows], -costs.fewer[shrinks]))
        height = np.zeros(self.n_nodes, cost.dtype)
        before = np.full(self.n_nodes, -1)
        look, rounds = 4, 0
        while True:
            through = height[tail] + cost
            lower = (through < height[head]).nonzero()[0]
            if not len(lower):
                return height
            to, through = head[lower], through[lower]
            np.minimum.at(height, to, through)
            by = (through == height[to]).nonzero()[0][::-1]  # the first arc of several counts
            before[to[by]] = lower[by]
            rounds += 1
            if rounds == look:
                look *= 2
                cycles = _cycles(before, tail)
                if cycles:
                    arcs = np.concatenate((grows, ~shrinks))
                    raise NegativeCycles([arcs[cycle].tolist() for cycle in cycles])


def step_costs(more: Ints, fewer: Ints, capacity: Ints, path: int, once: bool) -> Costs:
    """Costs over capacities, in proportion as whole numbers, of which `path` are added up. The nth
    partition costs (2n − 1) / capacity.

    Their ranks are enough where no path has more than one of each (`once`).
    """
    scale = lcm(*np.unique(capacity).tolist())
    if 2 * path * scale * (int(more.max(initial=0)) + 1) < FITS:
        return Costs(more * (scale // capacity), fewer * (scale // capacity))
    if once:
        # Exact: different quotients differ by more than they are rounded by, as long as counts
        # stay below 2^24 and capacities below 2^20, those of instances below 2^27.
        quotients = np.concatenate((more / capacity, fewer / capacity))
        rank = np.unique(quotients, return_inverse=True)[1].ravel()
        return Costs(rank[: len(more)] + 1, rank[len(more) :] + 1)
    factor: Any = np.array([scale // one for one in capacity.tolist()], dtype=np.object_)
    return Costs(more * factor, fewer * factor)


def among_exact(values: Exact, others: Exact) -> Flags:
    known = set(others.tolist())
    return np.array([value in known for value in values.tolist()], np.bool_)


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
