"""Most even flow from supplies to sinks: recursive splitting by minimum cuts.

The sorted sink totals are made lexicographically smallest (decreasingly minimal; Frank and Murota,
"Decreasing minimization on M-convex sets: algorithms and applications"). One maximum flow each
decides whether a set of sinks can be filled up to the level of an even split, or kept below it; if
not, its minimum cut splits the set into two independent ones. Each half inherits what the cut
proves about its level, so that most halves need only one more flow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Flags, Ints


def new_graph() -> Any:
    """An empty `SimpleMaxFlow`; OR-Tools' graphs are loaded when the first one is made."""
    from ortools.graph.python.max_flow import SimpleMaxFlow

    return SimpleMaxFlow()


def maximum(graph: Any, source: int, sink: int) -> int:
    """Units of a maximum flow, which the graph holds afterwards. Raises EquilagError."""
    if graph.solve(source, sink) != graph.OPTIMAL:
        raise EquilagError("the maximum flow solver failed")
    return int(graph.optimal_flow())


ANY: Final = 2**62
"""A level at which every sink has room for everything: above all counts."""


@dataclass(frozen=True, eq=False)
class Network:
    """Supplies [S], sinks [D] and arcs [A] from supplies to sinks.

    A sink stands for `width` members that are alike and hold `base` units each. The capacity of an
    arc into it that is less than its supply must be a multiple of the width: as much for each.
    """

    supply: Ints
    base: Ints
    width: Ints
    tail: Ints
    head: Ints
    capacity: Ints


def even_flow(net: Network) -> Ints:
    """[A] units on each arc of a most even flow that ships every unit.

    Sinks of width w share their units as evenly as possible. Up to three maximum flows per part,
    often one. Raises EquilagError if a supply cannot be shipped at all.
    """
    units = np.zeros(len(net.tail), dtype=np.int64)
    all_of = np.arange(len(net.supply)), np.arange(len(net.base)), np.arange(len(net.tail))
    parts = [_Part(net, *all_of)]
    while parts:
        part = parts.pop()
        if not part.total:
            continue
        upper, lower = part.without_poor()
        even = upper.between() if upper is not None else None
        if upper is None or even is None:
            above, below, down = part.cut_in_two(fills=upper is part)
            # Arcs that lead down across the cut are full in every most even flow.
            units[part.arcs[down]] += part.net.capacity[down]
            parts += [above, below]
            continue
        units[upper.arcs] += even
        if lower is not None:
            parts.append(lower)
    return units


@dataclass(frozen=True, eq=False)
class _Part:
    """A network that is independent of the rest."""

    net: Network
    sources: Ints
    sinks: Ints
    arcs: Ints
    """What its supplies [s], sinks [d] and arcs [a] are in the whole network."""
    fits: int = ANY
    """A level known to have room for all units."""
    fills: int = -1
    """A level up to which the units are known to fill every sink."""

    @cached_property
    def total(self) -> int:
        """Units to ship."""
        return int(self.net.supply.sum())

    def room(self, level: int) -> Ints:
        """[d] units that each sink takes until its members hold `level`."""
        return self.net.width * np.maximum(level - self.net.base, 0)

    @cached_property
    def level(self) -> int:
        """The lowest level at which the sinks have room for all units."""
        base, width = self.net.base, self.net.width
        high = int(base.max())
        even = -(-(self.total + int((width * base).sum())) // int(width.sum()))
        if even > high:  # all members take part
            return even
        low = int(base.min())
        while low < high:
            middle = (low + high) // 2
            if int(self.room(middle).sum()) >= self.total:
                high = middle
            else:
                low = middle + 1
        return low

    def between(self) -> Ints | None:
        """[a] units of a flow that lifts every sink to level - 1 and none above level, if any."""
        level = self.level
        graph, main, nodes, sink = self._graph()
        low, high, overflow = self.room(level - 1), self.room(level), sink + 1
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), low)
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), overflow), high - low)
        # What may pass the lower room in all is exactly what is left over, so that it fills up.
        graph.add_arc_with_capacity(overflow, sink, self.total - int(low.sum()))
        if maximum(graph, sink - 1, sink) < self.total:
            return None
        return np.asarray(graph.flows(main), dtype=np.int64)

    def without_poor(self) -> tuple[_Part | None, _Part | None]:
        """Split off the poor sinks with the supplies that they reach: the rest, then the poor ones.

        The two are independent if the rest can be filled beyond the level of the poor. Returns
        (part, None) without poor sinks, and (None, None) if they might not get all they reach.
        """
        if self.fills >= self.level - 1:
            return self, None
        level = self.level - 1
        wide = bool((self.net.capacity >= self.net.supply[self.net.tail]).all())
        while True:
            poor, sources = self._poor(level)
            if not poor.any():
                return self, None
            if not wide or poor.all():
                return None, None
            upper, lower, _ = self._split(~sources, ~poor, level, self.fills)
            if upper.level - 1 <= level:
                return upper, lower
            level = upper.level - 1

    def _poor(self, level: int) -> tuple[Flags, Flags]:
        """[d] sinks that cannot be filled to `level`, and [s] the supplies that they reach.

        The first ones reach too little even alone. If they take all they reach, others may reach
        too little of what is left, and so on.
        """
        net, room = self.net, self.room(level)
        poor = np.zeros(len(room), dtype=np.bool_)
        taken = np.zeros(len(net.supply), dtype=np.bool_)
        while True:
            units = np.where(taken[net.tail], 0, np.minimum(net.supply[net.tail], net.capacity))
            reach = np.bincount(net.head, weights=units, minlength=len(room))
            more = ~poor & (reach < room)
            if not more.any():
                return poor, taken
            poor |= more
            taken[net.tail[more[net.head]]] = True

    def cut_in_two(self, fills: bool) -> tuple[_Part, _Part, Flags]:
        """Split at a minimum cut: the part above, the part below, the arcs [a] that lead down.

        `fills` is True if the units may fill the sinks up to the level below the part's level.
        """
        level, above = self.level, None
        if fills and level < self.fits:
            above = self._above_cut(level, short="supply")
        if above is None:
            level -= 1
            above = self._above_cut(level, short="room")
        if above is None or not above[1].any() or above[1].all():
            raise EquilagError("a partition cannot be given to any of its subscribers")
        return self._split(*above, level, max(level, self.fills))

    def _above_cut(self, level: int, short: str) -> tuple[Flags, Flags] | None:
        """[s], [d] the supplies and sinks above a minimum cut, with room up to `level`.

        The cut is the one nearest to the shortage: ``supply`` that finds no room, or ``room`` that
        is not filled. None without a shortage.
        """
        room = self.room(level)
        graph, _, nodes, sink = self._graph()
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), room)
        if maximum(graph, sink - 1, sink) == (self.total if short == "supply" else int(room.sum())):
            return None
        above = np.zeros(sink + 1, dtype=np.bool_)
        if short == "supply":
            above[graph.get_source_side_min_cut()] = True
        else:
            above[graph.get_sink_side_min_cut()] = True
            above = ~above
        return above[: len(self.sources)], above[len(self.sources) : sink - 1]

    def _split(
        self, sources: Flags, sinks: Flags, level: int, fills: int
    ) -> tuple[_Part, _Part, Flags]:
        """Split in two: the given supplies and sinks, all others, and the arcs [a] between them.

        The first part fills its sinks up to `fills`; the second one fits within `level`. The arcs
        lead from the first part to the second.
        """
        net = self.net
        from_above, to_above = sources[net.tail], sinks[net.head]
        down = from_above & ~to_above
        shipped = np.zeros(len(net.supply), dtype=np.int64)
        got = np.zeros(len(net.base), dtype=np.int64)
        np.add.at(shipped, net.tail[down], net.capacity[down])
        np.add.at(got, net.head[down], net.capacity[down])
        rest = replace(net, supply=net.supply - shipped, base=net.base + got // net.width)
        upper = self._half(rest, sources, sinks, from_above & to_above, self.fits, fills)
        below = ~from_above & ~to_above
        lower = self._half(rest, ~sources, ~sinks, below, min(level, self.fits), self.fills)
        return upper, lower, down

    def _half(
        self, rest: Network, sources: Flags, sinks: Flags, arcs: Flags, fits: int, fills: int
    ) -> _Part:
        net = Network(
            rest.supply[sources],
            rest.base[sinks],
            rest.width[sinks],
            (np.cumsum(sources) - 1)[rest.tail[arcs]],
            (np.cumsum(sinks) - 1)[rest.head[arcs]],
            rest.capacity[arcs],
        )
        return _Part(net, self.sources[sources], self.sinks[sinks], self.arcs[arcs], fits, fills)

    def _graph(self) -> tuple[Any, Ints, Ints, int]:
        """Return the graph without arcs out of sinks, its main arcs, the nodes of sinks, its sink.

        The graph's source is the node before its sink.
        """
        net, graph = self.net, new_graph()
        n_sources, n_sinks = len(net.supply), len(net.base)
        sinks = n_sources + np.arange(n_sinks)
        source = n_sources + n_sinks
        main = graph.add_arcs_with_capacity(net.tail, n_sources + net.head, net.capacity)
        graph.add_arcs_with_capacity(np.full(n_sources, source), np.arange(n_sources), net.supply)
        graph.add_arc_with_capacity(source, source + 1, 0)  # so that the last node exists
        return graph, main, sinks, source + 1
