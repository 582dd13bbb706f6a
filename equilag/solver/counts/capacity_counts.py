"""A first assignment with counts by capacity: sinks by one flow, their members, then partitions."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import (
    InstanceFlow,
    NegativeCycles,
    Sinks,
    residual_arcs,
    shortest_distances,
)
from equilag.domain.constraint.by_instance import ResidualArcs
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import member_counts
from equilag.solver.counts.capacity_flow import capacity_flow
from equilag.solver.counts.capacity_slots import (
    CapacitySlots,
    deal_to_slots,
    share_in_sinks,
    slots_of_classes,
)


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
