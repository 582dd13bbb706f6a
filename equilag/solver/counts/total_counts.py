"""The most even counts of members, or of instances and then of their members, by flows.

The partitions of a class are alike, and so are members of one class with one capacity: what flows
is how many partitions of each class the members of each class take.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from equilag.domain.columns import Index, Ints, by_number
from equilag.domain.constraint import AssignmentNetwork, NegativeCycles
from equilag.solver.counts.even_flow import SupplyNetwork, even_flow
from equilag.solver.counts.even_shares import EvenShares, Takers


def totals_flow(network: AssignmentNetwork) -> Ints:
    """[A] a flow of the network with the smallest Σ count² / capacity, first of instances and then
    of members. The network is that of all assignments; there is room for everything."""
    group = network.constraint.group
    members = Takers.of_group(group, network.fixed)
    takers, of, mixed = members, members.place, False
    if network.sums is not None:
        # The members of one class and one instance are one taker: for each partition, all of them
        # may take it, or none.
        key = network.sums.of * len(group.class_topics) + members.place
        _, first, of = np.unique(key, return_index=True, return_inverse=True)
        of = of.ravel()
        takers = members.together(of, members.place[first])
        mixed = len(first) > len(network.sums.least)
    supply = network.constraint.supply
    units = supply[network.classes]
    if len(group.class_topics) > 1:
        alike = takers.alike() if takers.threads is None else takers
        net = SupplyNetwork.of_classes(network.classes, network.member_classes, supply, alike)
        units = even_flow(net)
    by_class = np.zeros(len(group.class_topics), np.int64)
    np.add.at(by_class, network.member_classes, units)
    counts = _shared(takers, by_class)
    if network.sums is None:
        return np.concatenate((units, counts))
    counts = _shared(members._replace(place=of), counts)
    flow = np.concatenate((units, counts, network.sums.total(counts)))
    return cheapest_by_cycles(network, flow) if mixed else flow


def _shared(takers: Takers, units: Ints) -> Ints:
    """[takers] the even shares of the units [places]."""
    shares = EvenShares.of(takers, units)
    last = np.zeros(len(takers.place))
    if takers.threads is not None:
        last = takers.last_of_threads(shares.least + shares.open)
    return shares.dealt(takers.place, last)[0]


def cheapest_by_cycles(network: AssignmentNetwork, flow: Ints) -> Ints:
    """[A] the flow with the best counts of instances, then of members, from any flow; best if close
    to it. Units go round negative cycles, many at first and single ones at the end."""
    flow = flow.copy()
    for of_instances in (True, False):
        step = 1 << max(0, int(flow.max(initial=0)).bit_length() - 2)
        while step:
            costs = network.count_costs(flow, of_instances, step)
            try:
                network.network.heights(flow, costs, step)
                step //= 2
            except NegativeCycles as error:
                for arc in chain.from_iterable(error.cycles):
                    flow[max(arc, ~arc)] += step if arc >= 0 else -step
        network = network.narrowed(flow, network.count_costs(flow, of_instances))
    return flow


def deal(network: AssignmentNetwork, flow: Ints, assigned: Index) -> None:
    """Assign [P] the free partitions as the flow says."""
    group = network.constraint.group
    units, counts, _ = network.parts(flow)
    free = np.flatnonzero(network.constraint.free)
    if len(group.class_topics) > 1:
        free = free[by_number(group.partition_class[free], len(group.eligible))]
        to = np.repeat(network.member_classes, units)
        free = free[by_number(to, len(group.class_topics))]
    members = np.argsort(group.class_of, kind="stable")
    assigned[free] = np.repeat(members, counts[members])
