"""A first assignment with counts by capacity: sinks by one flow, their members, then partitions.

For any subscriptions the counts come from recursive splitting by minimum cuts. As in
`equilag.solver.counts.even_flow`, with a level of marginal costs in place of a count: if not
everything fits where each sink takes what costs no more than the level, or not all sinks get what
costs less, a minimum cut splits the network in two independent ones; else the level is that of all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import (
    InstanceFlow,
    NegativeCycles,
    Sinks,
    residual_arcs,
    shortest_distances,
)
from equilag.domain.constraint.by_instance import ResidualArcs
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import member_counts
from equilag.solver.counts.capacity_slots import (
    CapacitySlots,
    deal_to_slots,
    share_in_sinks,
    slots_of_classes,
)
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


def cheapest_by_cycles(group: Group, flow: InstanceFlow) -> InstanceFlow:
    """The flow of the smallest cost from one that has the same units; best if close to it."""
    free = int((flow.counts - flow.base).max(initial=0))
    step = 1 << max(0, free.bit_length() - 2)
    while step:
        arcs = residual_arcs(group, flow, step)
        try:
            shortest_distances(arcs.tail, arcs.head, arcs.cost, arcs.n_nodes)
            step //= 2
        except NegativeCycles as error:
            flow = _moved(group, flow, arcs, error.cycles, step)
    return flow


def _moved(
    group: Group, flow: InstanceFlow, arcs: ResidualArcs, cycles: list[list[int]], step: int
) -> InstanceFlow:
    """The flow after `step` units went round each of the cycles."""
    on_arcs, counts = flow.arcs.copy(), flow.counts.copy()
    classes, member_classes = group.arcs
    n_classes, n_member_classes = group.eligible.shape
    key = classes * n_member_classes + member_classes
    first_member = n_classes + n_member_classes
    for arc in np.concatenate([np.array(cycle) for cycle in cycles]).tolist():
        tail, head = int(arcs.tail[arc]), int(arcs.head[arc])
        kind = next(name for name, span in arcs.spans.items() if span.start <= arc < span.stop)
        if kind == "take":
            on_arcs[np.searchsorted(key, tail * n_member_classes + head - n_classes)] += step
        elif kind == "give":
            on_arcs[np.searchsorted(key, head * n_member_classes + tail - n_classes)] -= step
        elif kind == "more":
            counts[tail - first_member] += step
        elif kind == "fewer":
            counts[head - first_member] -= step
    return InstanceFlow(on_arcs, counts, flow.base)


def spread_by_capacity(group: Group, assigned: Index, free: Ints) -> None:
    """Give out the partitions `free`, on top of those that are assigned [P] already, so that
    instances have the smallest Σ count² / capacity, and then members. There must be room for all.
    """
    base = member_counts(assigned, group.n_members)
    sinks = Sinks.of_group(group)
    slots = CapacitySlots.of_sinks(group, sinks, base)
    supply = np.bincount(group.partition_class[free], minlength=len(group.eligible))
    tail, head = slots_of_classes(group, slots.member_class)
    tail, head = tail[supply[tail] > 0], head[supply[tail] > 0]
    order = free
    if tail[0] == tail[-1]:
        units = _one_class(slots.part(head), len(free))
    else:
        units = capacity_flow(supply, slots, tail, head)
        order = free[np.argsort(group.partition_class[free], kind="stable")]
    filled = np.zeros(len(slots.width), np.int64)
    np.add.at(filled, head, units)
    share = share_in_sinks(group, sinks, base, _evenly(filled, slots))
    if sinks.are_instances:
        members = np.argsort(slots.of[sinks.of], kind="stable")
        deal_to_slots(assigned, order, np.repeat(head, units), members, share[members])
        return
    by_class = _of_classes(group, tail, slots.member_class[head], units)
    flow = cheapest_by_cycles(group, InstanceFlow(by_class, base + share, base))
    classes = np.repeat(group.arcs[1], flow.arcs)
    members = np.argsort(group.class_of, kind="stable")
    deal_to_slots(assigned, order, classes, members, (flow.counts - base)[members])


def _one_class(slots: CapacitySlots, units: int) -> Ints:
    """[D] the units of each slot where everybody may take everything: no flow needed."""
    lower, upper = slots.bounds(units)
    more = slots.width * (upper - lower)
    spare = units - int((slots.width * lower).sum())
    found: Ints = slots.width * lower + np.clip(spare - (np.cumsum(more) - more), 0, more)
    return found


def _evenly(filled: Ints, slots: CapacitySlots) -> Ints:
    """[S] the units of each sink, of so many for its slot [D]."""
    order = np.argsort(slots.of, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    place -= (np.cumsum(slots.width) - slots.width)[slots.of]
    share: Ints = (filled // slots.width)[slots.of] + (place < (filled % slots.width)[slots.of])
    return share


def _of_classes(group: Group, tail: Ints, member_class: Ints, units: Ints) -> Ints:
    """The units on the arcs of the group, from those on arcs to slots."""
    classes, member_classes = group.arcs
    width = len(group.class_topics)
    found = np.zeros(len(classes), np.int64)
    place = np.searchsorted(classes * width + member_classes, tail * width + member_class)
    np.add.at(found, place, units)
    return found
