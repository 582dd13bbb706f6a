"""Minimum-cost flows: found by OR-Tools' cost scaling, proved by potentials of our own.

Costs that are too large for the solver are rounded. What it leaves to be saved then are cycles of a
negative cost in the residual network, which are cancelled one by one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import Costs, NegativeCycles, Network
from equilag.domain.errors import EquilagError

LARGEST_COST: Final = 2**36
"""Costs up to which the flow solver multiplies them by the number of nodes within 63 bits; larger
ones are rounded."""


class CheapestFlow(NamedTuple):
    units: Ints
    """[A]"""
    height: Ints
    """[nodes] no arc that has room costs less than its head lies above its tail; none that may have
    less, more."""


def cheapest_flow(network: Network, supply: Ints, cost: Ints) -> CheapestFlow:
    """The cheapest flow of what nodes supply, or lack (below 0), if units of each arc [A] have one
    cost, and what proves it. Raises EquilagError if there is no flow."""
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
