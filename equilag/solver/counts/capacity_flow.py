"""Counts by capacity for any subscriptions: recursive splitting by minimum cuts.

As in `equilag.solver.counts.even_flow`, with a level of marginal costs in place of a count: if not
everything fits where each sink takes what costs no more than the level, or not all sinks get what
costs less, a minimum cut splits the network in two independent ones; else the level is that of all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.errors import EquilagError
from equilag.solver.counts.capacity_slots import CapacitySlots
from equilag.solver.counts.even_flow import maximum, new_graph


def capacity_flow(supply: Ints, slots: CapacitySlots, tail: Ints, head: Ints) -> Ints:
    """[A] units from supplies to slots with the smallest Σ count² / capacity, base included.

    There must be room for all units. Up to three maximum flows for each level.
    """
    units = np.zeros(len(tail), dtype=np.int64)
    all_of = np.arange(len(supply)), np.arange(len(slots.width)), np.arange(len(tail))
    parts = [all_of]
    while parts:
        sources, sinks, arcs = parts.pop()
        total = int(supply[sources].sum())
        if not total:
            continue
        part = slots.part(sinks)
        lower, upper = (part.width * each for each in part.bounds(total))
        net = _Network(
            supply[sources],
            np.searchsorted(sources, tail[arcs]),
            np.searchsorted(sinks, head[arcs]),
            len(sinks),
        )
        found = net.between(lower, upper)
        if found is not None:
            units[arcs] = found
            continue
        above = net.short_of_room(upper) or net.short_of_units(lower)
        if above is None or not above[1].any() or above[1].all():
            raise EquilagError("a level has neither a flow nor a cut")
        for side in (above, (~above[0], ~above[1])):
            inside = side[0][net.tail] & side[1][net.head]
            parts.append((sources[side[0]], sinks[side[1]], arcs[inside]))
    return units


class _Network(NamedTuple):
    """Supplies, arcs, and how many sinks there are."""

    supply: Ints
    tail: Ints
    head: Ints
    n_sinks: int

    def between(self, lower: Ints, upper: Ints) -> Ints | None:
        """[arcs] a flow of all units that gives each sink from `lower` to `upper`, if any."""
        total = int(self.supply.sum())
        graph, main, nodes, sink = self._graph()
        overflow = sink + 1
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), lower)
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), overflow), upper - lower)
        # What may pass `lower` in all is exactly what is left over, so that it fills up.
        graph.add_arc_with_capacity(overflow, sink, total - int(lower.sum()))
        if maximum(graph, sink - 1, sink) < total:
            return None
        return np.asarray(graph.flows(main), dtype=np.int64)

    def short_of_room(self, upper: Ints) -> tuple[Flags, Flags] | None:
        """The supplies and sinks on the source's side of a minimum cut, if not all units fit."""
        graph, _, nodes, sink = self._graph()
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), upper)
        if maximum(graph, sink - 1, sink) == int(self.supply.sum()):
            return None
        above = np.zeros(sink + 1, dtype=np.bool_)
        above[graph.get_source_side_min_cut()] = True
        return above[: len(self.supply)], above[len(self.supply) : sink - 1]

    def short_of_units(self, lower: Ints) -> tuple[Flags, Flags] | None:
        """Those on the other side than the sink of a minimum cut, if not all sinks are filled."""
        graph, _, nodes, sink = self._graph()
        graph.add_arcs_with_capacity(nodes, np.full(len(nodes), sink), lower)
        if maximum(graph, sink - 1, sink) == int(lower.sum()):
            return None
        above = np.ones(sink + 1, dtype=np.bool_)
        above[graph.get_sink_side_min_cut()] = False
        return above[: len(self.supply)], above[len(self.supply) : sink - 1]

    def _graph(self) -> tuple[Any, Ints, Ints, int]:
        """The graph without arcs out of sinks, its main arcs, the nodes of sinks, its sink; the
        source is the node before that."""
        graph, n_sources = new_graph(), len(self.supply)
        nodes = n_sources + np.arange(self.n_sinks)
        source = n_sources + self.n_sinks
        # More than a supply holds: a full arc would draw the minimum cut to itself.
        capacity = self.supply[self.tail] + 1
        main = graph.add_arcs_with_capacity(self.tail, n_sources + self.head, capacity)
        graph.add_arcs_with_capacity(np.full(n_sources, source), np.arange(n_sources), self.supply)
        graph.add_arc_with_capacity(source, source + 1, 0)  # so that the last node exists
        return graph, main, nodes, source + 1
