"""Most even flow from supplies to sinks: recursive splitting by minimum cuts.

The sorted sink totals are made lexicographically smallest (decreasingly minimal; Frank and Murota,
"Decreasing minimization on M-convex sets: algorithms and applications"). One maximum flow each
decides whether a set of sinks can be kept below the level of an even split, or filled up to it;
if not, its minimum cut splits the set in two independent ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilag.errors import EquilagError
from equilag.group import Flags, Ints


@dataclass(frozen=True, eq=False)
class Network:
    """Supplies [S], sinks [D] and arcs [A] from supplies to sinks.

    A sink stands for `width` members alike that hold `base` units each.
    """

    supply: Ints
    base: Ints
    width: Ints
    tail: Ints
    head: Ints
    capacity: Ints


def even_flow(net: Network) -> Ints:
    """[A] units on each arc of a most even flow that ships every unit.

    Sinks of width w share their units as evenly as possible. About (number of blocks) maximum
    flows in the worst case, O(log) of it where levels are spread. Raises EquilagError if a supply
    cannot be shipped at all.
    """
    flow = np.zeros(len(net.tail), dtype=np.int64)
    supply, base = net.supply.copy(), net.base.copy()
    jobs = [(np.ones(len(supply), np.bool_), np.ones(len(base), np.bool_))]
    while jobs:
        sources, sinks = jobs.pop()
        arcs = np.flatnonzero(sources[net.tail] & sinks[net.head])
        total = int(supply[sources].sum())
        if not total:
            continue
        part = _Part(net, supply, base, arcs, np.flatnonzero(sources), np.flatnonzero(sinks))
        level = part.level(total)
        high = part.cut(level, short="supply")
        if high.value == total:
            low = part.cut(level - 1, short="room")
            if low.full:
                flow[arcs] += part.between(level, total)
                continue
            upper_sources, upper_sinks = sources & ~low.sources, sinks & ~low.sinks
        else:
            upper_sources, upper_sinks = sources & high.sources, sinks & high.sinks
        lower_sources, lower_sinks = sources & ~upper_sources, sinks & ~upper_sinks
        if not upper_sinks.any() or not lower_sinks.any():
            raise EquilagError("a partition cannot be given to any of its subscribers")
        # Arcs that lead down across the cut are full in every most even flow.
        down = arcs[upper_sources[net.tail[arcs]] & lower_sinks[net.head[arcs]]]
        flow[down] += net.capacity[down]
        np.subtract.at(supply, net.tail[down], net.capacity[down])
        np.add.at(base, net.head[down], net.capacity[down])
        jobs += [(upper_sources, upper_sinks), (lower_sources, lower_sinks)]
    return flow


@dataclass(frozen=True, eq=False)
class _Cut:
    value: int
    full: bool
    sources: Flags
    sinks: Flags


@dataclass(frozen=True, eq=False)
class _Part:
    """One set of supplies and sinks that is independent of the rest."""

    net: Network
    supply: Ints
    base: Ints
    arcs: Ints
    sources: Ints
    sinks: Ints

    def room(self, level: int) -> Ints:
        """Units that each sink takes until its members hold `level`."""
        return self.net.width[self.sinks] * np.maximum(level - self.base[self.sinks], 0)

    def level(self, total: int) -> int:
        """The lowest level at which the sinks have room for `total` units, by bisection."""
        low = int(self.base[self.sinks].min())
        high = int(self.base[self.sinks].max()) + total
        while low < high:
            middle = (low + high) // 2
            if int(self.room(middle).sum()) >= total:
                high = middle
            else:
                low = middle + 1
        return low

    def cut(self, level: int, short: str) -> _Cut:
        """Maximum flow with room up to `level`; the minimum cut nearest to what falls short.

        `short` names it: ``supply`` that finds no room, or ``room`` that is not filled.
        """
        room = self.room(level)
        graph, _ = self._graph()
        sink = graph.num_nodes() - 1
        graph.add_arcs_with_capacity(self._sink_nodes, np.full(len(room), sink), room)
        _solve(graph, sink)
        supply_side = short == "supply"
        side = graph.get_source_side_min_cut() if supply_side else graph.get_sink_side_min_cut()
        nodes = np.zeros(sink + 1, dtype=np.bool_)
        nodes[side] = True
        n_sources = len(self.net.supply)
        value = int(graph.optimal_flow())
        return _Cut(value, value == int(room.sum()), nodes[:n_sources], nodes[n_sources : sink - 1])

    def between(self, level: int, total: int) -> Ints:
        """Units on each arc of a flow that lifts every sink to level − 1 and none above level."""
        graph, main = self._graph()
        sink = graph.num_nodes() - 1
        overflow = sink + 1
        low, high, nodes = self.room(level - 1), self.room(level), self._sink_nodes
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), low)
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), overflow), high - low)
        # What may pass the lower room in all is exactly what is left over, so that it fills up.
        graph.add_arc_with_capacity(overflow, sink, total - int(low.sum()))
        _solve(graph, sink)
        if int(graph.optimal_flow()) != total:
            raise EquilagError("the maximum flow does not fill its block")
        return np.asarray(graph.flows(main), dtype=np.int64)

    @property
    def _sink_nodes(self) -> Ints:
        return len(self.net.supply) + self.sinks

    def _graph(self) -> tuple[Any, Ints]:
        """Nodes: supplies, sinks, source, then (as the last one) the sink of all."""
        from ortools.graph.python.max_flow import SimpleMaxFlow

        net, graph = self.net, SimpleMaxFlow()
        n_sources = len(net.supply)
        main = graph.add_arcs_with_capacity(
            net.tail[self.arcs], n_sources + net.head[self.arcs], net.capacity[self.arcs]
        )
        source = n_sources + len(net.base)
        from_source = np.full(len(self.sources), source)
        graph.add_arcs_with_capacity(from_source, self.sources, self.supply[self.sources])
        graph.add_arc_with_capacity(source, source + 1, 0)  # so that the last node exists
        return graph, main


def _solve(graph: Any, sink: int) -> None:
    if graph.solve(sink - 1, sink) != graph.OPTIMAL:
        raise EquilagError("the maximum flow solver failed")
