"""The most even counts of topics among the most even totals, and few reads across racks, by flows.

From the flow at hand the cheapest circulation of the residual network is added, at the costs of one
step more or less on each arc: wide steps at first, single ones at the end (capacity scaling; Ahuja,
Magnanti and Orlin, "Network Flows", 14.5). No negative cycle is left then, which is what proves the
result. The solver is not relied on: a circulation is taken only if it lowers the cost, and cycles
that it leaves are cancelled one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TypeAlias

import numpy as np

from equilag.domain.columns import Index, Ints, by_number
from equilag.domain.constraint import (
    STEP,
    Costs,
    CountConstraint,
    NegativeCycles,
    Network,
    StepRange,
    TopicNetwork,
    reads_constraint,
    topics_constraint,
)
from equilag.solver.counts.min_cost_flow import solved_flow

CostsOf: TypeAlias = Callable[..., Costs]
"""Of a flow [A], and a window if it is not that of single steps."""


def topics_evened(constraint: CountConstraint, assigned: Index) -> tuple[Index, CountConstraint]:
    """An assignment [P] with the smallest Σ count² / capacity over topics and members that the
    constraint allows, from another one within it; and the constraint of all such assignments."""
    network = TopicNetwork.of(constraint)
    flow = cheapest(network, network.flow_of(assigned), network.count_costs)
    found = dealt(network, flow)
    return found, topics_constraint(constraint, found)


def fewest_reads(constraint: CountConstraint, assigned: Index) -> tuple[Index, CountConstraint]:
    """The same for reads across racks, where topics count one by one after the totals."""
    network = TopicNetwork.of(constraint)
    costs = network.read_costs()
    flow = cheapest(network, network.flow_of(assigned), lambda *_: costs)
    found = dealt(network, flow)
    return found, reads_constraint(constraint, found)


def cheapest(network: TopicNetwork, flow: Ints, costs_of: CostsOf) -> Ints:
    """[A] the cheapest flow of the network, from any other one."""
    highest = int((flow // network.width).max(initial=0)) + 1
    wide = [STEP, *(StepRange(1 << k, 2 << k) for k in range(highest.bit_length()))]
    while True:
        costs = costs_of(flow)
        try:
            network.network.heights(flow, costs)
        except NegativeCycles as error:
            added = None
            if (costs.more != costs.fewer).any():
                added = _circulation(network, flow, costs_of, wide)
            if added is None or not _saves(network, flow, added):
                added = _circulation(network, flow, costs_of, wide[:1])
            flow = flow + (_around(flow, error.cycles) if added is None else added)
        else:
            return flow


def _around(flow: Ints, cycles: list[list[int]]) -> Ints:
    """[A] one unit around each of the cycles."""
    added = np.zeros_like(flow)
    for arc in chain.from_iterable(cycles):
        added[max(arc, ~arc)] += 1 if arc >= 0 else -1
    return added


def _circulation(
    network: TopicNetwork, flow: Ints, costs_of: CostsOf, windows: list[StepRange]
) -> Ints | None:
    """[A] what to add to the flow; None where that saves nothing, if windows are priced right."""
    tail, head, *_, n_nodes = network.network
    columns: list[tuple[Ints, ...]] = []
    for window in windows:
        fewer, more = network.room(flow, window)
        costs = costs_of(flow, window)
        up, down = np.flatnonzero(more), np.flatnonzero(fewer)
        columns += [
            (tail[up], head[up], more[up], costs.more[up], up, np.ones_like(up)),
            (head[down], tail[down], fewer[down], -costs.fewer[down], down, -np.ones_like(down)),
        ]
    begin, end, room, cost, arc, sign = map(np.concatenate, zip(*columns, strict=True))
    residual = Network(begin, end, np.zeros_like(room), room, n_nodes)
    units = solved_flow(residual, np.zeros(n_nodes, np.int64), cost)
    if units is None or not (units * cost).sum() < 0:
        return None
    added = np.zeros_like(flow)
    np.add.at(added, arc, sign * units)
    return added


def _saves(network: TopicNetwork, flow: Ints, added: Ints) -> bool:
    """True if the flow costs less with what is added: wide steps are priced on average."""
    cells = slice(len(network.part), len(network.part) + len(network.topic))
    number, cost = network.width[cells], []
    for units in (flow[cells], flow[cells] + added[cells]):
        count, rest = np.divmod(units, number)
        count = count + network.pinned
        cost.append(((number - rest) * count**2 + rest * (count + 1) ** 2) / network.capacity)
    return bool((cost[1] - cost[0]).sum() < -1e-9 * cost[0].sum())


def dealt(network: TopicNetwork, flow: Ints) -> Index:
    """[P] the assignment for a flow: the members of a place take turns, topic by topic."""
    constraint = network.constraint
    assigned = constraint.pinned_assignment.copy()
    free = np.flatnonzero(constraint.free)
    free = free[by_number(network.parts.of_partition[free], len(network.parts.topic))]
    place = np.repeat(network.place_of_cell[network.cells], flow[: len(network.part)])
    order = by_number(place, len(network.size))
    free, place = free[order], place[order]
    rank = np.arange(len(free)) - np.searchsorted(place, place)
    members, first = np.argsort(network.place, kind="stable"), np.cumsum(network.size)
    begin = first - network.size
    assigned[free] = members[begin[place] + rank % network.size[place]]
    return assigned
