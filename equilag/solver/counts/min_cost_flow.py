"""Minimum-cost flows: a few maximum flows, or OR-Tools' cost scaling; and the potentials that prove
them.

Where costs are moves, the paths of a flow have few different costs, and a maximum flow for each of
them is all it takes. Where those are many, cost scaling is faster. Costs that are too large for it
are rounded. What it leaves to be saved then are cycles of a negative cost in the residual network,
which are cancelled one by one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import Costs, NegativeCycles, Network
from equilag.domain.errors import EquilagError
from equilag.solver.counts.even_flow import maximum, new_graph

LARGEST_COST: Final = 2**36
"""Costs up to which the flow solver multiplies them by the number of nodes within 63 bits; larger
ones are rounded."""

SMALL: Final = 1_000
"""Arcs up to which cost scaling takes 0.3 ms, and is as fast."""
MOST_PHASES: Final = 8
"""Maximum flows that take a third of the time of cost scaling; most groups need four. With higher
costs than that, phases are more."""


class CheapestFlow(NamedTuple):
    units: Ints
    """[A]"""
    height: Ints
    """[nodes] no arc that has room costs less than its head lies above its tail; none that may have
    less, more."""


def cheapest_flow(network: Network, supply: Ints, cost: Ints) -> CheapestFlow:
    """The cheapest flow of what nodes supply, or lack (below 0), if units of each arc [A] have one
    cost, and what proves it. Raises EquilagError if there is no flow."""
    if len(cost) > SMALL and 0 <= cost.min() <= cost.max() < MOST_PHASES:
        found = _in_phases(network, supply, cost)
        if found is not None:
            return found
    units = solved_flow(network, supply, cost)
    if units is None:
        raise EquilagError("there is no flow that ships everything")
    while True:
        try:
            return CheapestFlow(units, network.heights(units, Costs(cost, cost)))
        except NegativeCycles as error:
            more, fewer = network.most - units, units - network.least
            for cycle in error.cycles:
                step = min(int(more[a] if a >= 0 else fewer[~a]) for a in cycle)
                for a in cycle:
                    units[max(a, ~a)] += step if a >= 0 else -step


def _in_phases(network: Network, supply: Ints, cost: Ints) -> CheapestFlow | None:
    """The same by the primal-dual method (Ahuja, Magnanti and Orlin, 9.8): a maximum flow along the
    paths of the least cost, whose minimum cut says which arcs lead on to those of the next. None
    where there are too many such costs, or no flow."""
    tail, head, least, most, source = network
    left, sink = supply.copy(), source + 1
    np.subtract.at(left, tail, least)
    np.add.at(left, head, least)
    gives, takes = np.flatnonzero(left > 0), np.flatnonzero(left < 0)
    # Of each arc what more fits, and then what may be taken back.
    tail = np.concatenate((tail, np.full_like(gives, source), takes))
    head = np.concatenate((head, gives, np.full_like(takes, sink)))
    room = np.concatenate((most - least, left[gives], -left[takes], np.zeros_like(tail)))
    prices = np.append(cost, np.zeros(len(gives) + len(takes), np.int64))
    prices = np.concatenate((prices, -prices))
    tail, head = np.concatenate((tail, head)), np.concatenate((head, tail))
    height, beyond = np.zeros(sink + 1, np.int64), np.ones(sink + 1, np.int8)
    beyond[source], rest = 0, int(left[gives].sum())
    for _ in range(MOST_PHASES):
        if not rest:
            break
        some = np.flatnonzero(room)
        begin, end = tail[some], head[some]
        price, leads = prices[some] + height[begin] - height[end], beyond[end] - beyond[begin]
        ahead = price[leads > 0]
        if not len(ahead):
            break
        step = ahead.min()
        height += step * beyond
        at = np.flatnonzero(price == step * leads)
        tight, graph = some[at], new_graph()
        arcs = graph.add_arcs_with_capacity(begin[at], end[at], room[tight])
        rest -= maximum(graph, source, sink)
        flow = np.asarray(graph.flows(arcs))
        room[tight] -= flow
        room[tight - len(room) // 2] += flow  # the other way, from the end if below 0
        beyond[:] = 1
        beyond[graph.get_source_side_min_cut()] = 0
    return None if rest else CheapestFlow(most - room[: len(cost)], height[:source])


def solved_flow(network: Network, supply: Ints, cost: Ints) -> Ints | None:
    """[A] units of a flow that is the cheapest but for the rounding of large costs; None if there
    is no flow."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    least, supply = network.least, supply.copy()
    if least.any():
        np.subtract.at(supply, network.tail, least)
        np.add.at(supply, network.head, least)
    largest = int(np.abs(cost).max(initial=0))
    solved = (cost // (largest // LARGEST_COST + 1)).astype(np.int64)
    graph = SimpleMinCostFlow()
    arcs = graph.add_arcs_with_capacity_and_unit_cost(
        network.tail, network.head, network.most - least, solved
    )
    graph.set_nodes_supplies(np.arange(len(supply)), supply)
    if graph.solve() != graph.OPTIMAL:
        return None
    return least + np.asarray(graph.flows(arcs), dtype=np.int64)
