"""The cheapest flows of an assignment network: the most even counts, or few reads across racks.

From the flow at hand the cheapest circulation of the residual network is added, at the costs of one
step more or less on each arc: wide steps at first, single ones at the end (capacity scaling; Ahuja,
Magnanti and Orlin, "Network Flows", 14.5). No negative cycle is left then, which is what proves the
result. A circulation of wide steps is taken only if it lowers the cost.
"""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import ROUNDING, Index, Ints, by_number, in_turn
from equilag.domain.constraint import (
    NONE,
    STEP,
    AssignmentNetwork,
    Costs,
    CountConstraint,
    NegativeCycles,
    Network,
    StepRange,
    reads_constraint,
    topics_constraint,
)
from equilag.solver.counts.even_flow import SupplyNetwork, even_flow
from equilag.solver.counts.even_shares import EvenShares, Takers
from equilag.solver.counts.min_cost_flow import cheapest_flow


def totals_flow(network: AssignmentNetwork) -> Ints:
    """[A] a flow of the network with the smallest Σ count² / capacity, first of instances and then
    of members. The network is that of all assignments; there is room for everything."""
    constraint, (_, one, size), places = network.constraint, network.places, network.kinds[2]
    group, most = constraint.group, constraint.counts_of().most
    _, part, stop, _, _, supply = network.stops
    of_place, base = group.class_of[one].astype(np.int64), network.base[places]
    takers = Takers(of_place, size, network.capacity[places], base, most[one])
    units = supply[part]
    if len(group.class_topics) > 1:
        units = even_flow(SupplyNetwork.of_classes(part, stop, supply, takers))
    by_class = np.zeros(len(group.class_topics), np.int64)
    np.add.at(by_class, stop, units)
    given = EvenShares.of(takers, by_class).dealt(takers, np.zeros(len(one)))[0]
    sums = network.sums
    if sums is None:
        return np.concatenate((units, given))
    of_instances = np.zeros(len(sums.least), np.int64)
    np.add.at(of_instances, sums.of[one], given)
    flow = np.concatenate((units, given, of_instances))
    for goal in network.even_goals:
        flow = _cheapest(network, flow, goal)
        network = network.narrowed(flow, network.count_costs(flow, goal), goal)
    return flow


def topics_evened(constraint: CountConstraint, assigned: Index) -> tuple[Index, CountConstraint]:
    """An assignment [P] with the smallest Σ count² / capacity over topics and members that the
    constraint allows, from another one within it; and the constraint of all such assignments."""
    network = AssignmentNetwork.of(constraint, by_topic=True)
    found = dealt(network, _cheapest(network, network.flow_of(assigned), *network.even_goals))
    return found, topics_constraint(constraint, found)


def fewest_reads(constraint: CountConstraint, assigned: Index) -> tuple[Index, CountConstraint]:
    """The same for reads across racks."""
    network = AssignmentNetwork.of(constraint, constraint.totals_then_topics)
    found = dealt(network, _cheapest(network, network.flow_of(assigned), NONE))
    return found, reads_constraint(constraint, found)


def _costs(network: AssignmentNetwork, flow: Ints, goal: slice, window: StepRange = STEP) -> Costs:
    """Of counts on the arcs of the goal; of reads across racks without any."""
    return network.read_costs() if goal == NONE else network.count_costs(flow, goal, window)


def _cheapest(network: AssignmentNetwork, flow: Ints, goal: slice) -> Ints:
    """[A] the flow with the least costs of a goal, from any other one."""
    highest = int((flow[goal] // network.width[goal]).max(initial=0)) + 1
    wide = [STEP, *(StepRange(1 << k, 2 << k) for k in range(highest.bit_length()))]
    while True:
        costs = _costs(network, flow, goal)
        try:
            network.network.heights(flow, costs)
        except NegativeCycles:
            convex = bool((costs.more != costs.fewer).any())
            added = _circulation(network, flow, goal, wide if convex else wide[:1])
            if convex and not _saves(network, flow, added, goal):
                added = _circulation(network, flow, goal, wide[:1])
            flow = flow + added
        else:
            return flow


def _circulation(
    network: AssignmentNetwork, flow: Ints, goal: slice, windows: list[StepRange]
) -> Ints:
    """[A] what to add to the flow, so that it is the cheapest if windows are priced right."""
    tail, head, *_, n_nodes = network.network
    columns: list[tuple[Ints, ...]] = []
    for window in windows:
        fewer, more = network.room(flow, goal, window)
        costs = _costs(network, flow, goal, window)
        up, down = np.flatnonzero(more), np.flatnonzero(fewer)
        columns += [
            (tail[up], head[up], more[up], costs.more[up], up, np.ones_like(up)),
            (head[down], tail[down], fewer[down], -costs.fewer[down], down, -np.ones_like(down)),
        ]
    begin, end, room, cost, arc, sign = map(np.concatenate, zip(*columns, strict=True))
    residual = Network(begin, end, np.zeros_like(room), room, n_nodes)
    units = cheapest_flow(residual, np.zeros(n_nodes, np.int64), cost).units
    added = np.zeros_like(flow)
    np.add.at(added, arc, sign * units)
    return added


def _saves(network: AssignmentNetwork, flow: Ints, added: Ints, goal: slice) -> bool:
    """True if the flow costs less with what is added: wide steps are priced on average."""
    number, cost = network.width[goal], []
    for units in (flow[goal], flow[goal] + added[goal]):
        count, rest = np.divmod(units, number)
        count = count + network.base[goal]
        squares = (number - rest) * count**2 + rest * (count + 1) ** 2
        cost.append(squares / network.capacity[goal])
    return bool((cost[1] - cost[0]).sum() < -ROUNDING * cost[0].sum())


def dealt(network: AssignmentNetwork, flow: Ints) -> Index:
    """[P] the assignment for a flow: the members of a place take turns, topic by topic."""
    constraint, (pairs, _, of_places, _) = network.constraint, network.kinds
    (parts, _, stop, _, where, _), size = network.stops, network.places.size
    assigned = constraint.pinned_assignment.copy()
    free = np.flatnonzero(constraint.free)
    free = free[by_number(parts.of_partition[free], len(parts.topic))]
    to = np.repeat(where[stop], flow[pairs])
    order = by_number(to, len(size) + len(where))
    # Places ascend by class.
    place = to[order] if network.by_topic else np.repeat(np.arange(len(size)), flow[of_places])
    assigned[free[order]] = in_turn(place, network.places.of)
    return assigned
