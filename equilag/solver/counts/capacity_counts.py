"""A first assignment with counts by capacity: sinks by one flow, their members, then partitions."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import InstanceFlow, Sinks
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import member_counts
from equilag.solver.counts.capacity_flow import capacity_flow
from equilag.solver.counts.capacity_slots import CapacitySlots, share_in_sinks
from equilag.solver.counts.deal_to_slots import deal_to_slots, slots_of_classes
from equilag.solver.counts.instance_cycles import cheapest_by_cycles


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
