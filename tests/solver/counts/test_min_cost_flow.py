"""Cheapest flows against networkx, with the potentials that prove them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.domain.constraint import Network
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Ints
from equilag.solver.counts import min_cost_flow
from equilag.solver.counts.min_cost_flow import LARGEST_COST, CheapestFlow, cheapest_flow


def net_out(network: Network, units: Ints) -> Ints:
    """[nodes] what leaves each node, less what enters it."""
    out = np.zeros(network.n_nodes, dtype=np.int64)
    np.add.at(out, network.tail, units)
    np.subtract.at(out, network.head, units)
    return out


def least_cost(network: Network, cost: Ints, supply: Ints) -> int | None:
    """As networkx finds it; None if there is no flow."""
    graph: Any = nx.MultiDiGraph()
    rest = supply - net_out(network, network.least)
    for node, units in enumerate(rest.tolist()):
        graph.add_node(node, demand=-units)
    columns = network.tail, network.head, network.most - network.least, cost
    for tail, head, room, weight in zip(*(column.tolist() for column in columns), strict=True):
        graph.add_edge(tail, head, capacity=room, weight=weight)
    forced = sum(a * b for a, b in zip(cost.tolist(), network.least.tolist(), strict=True))
    try:
        return int(nx.network_simplex(graph)[0]) + forced
    except nx.NetworkXUnfeasible:
        return None


def check(network: Network, cost: Ints, supply: Ints) -> bool:
    """Is there a flow; if so, the cheapest one was found and its potentials prove it: by cost
    scaling, in any number of phases, and in few."""
    truth = least_cost(network, cost, supply)
    for small, phases in ((10**9, 1), (0, 2**60), (0, 4)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(min_cost_flow, "SMALL", small)
            patch.setattr(min_cost_flow, "MOST_PHASES", phases)
            if truth is None:
                with pytest.raises(EquilagError):
                    cheapest_flow(network, supply, cost)
                continue
            found = cheapest_flow(network, supply, cost)
        total = sum(a * b for a, b in zip(cost.tolist(), found.units.tolist(), strict=True))
        assert total == truth
        proves(network, cost, found, supply)
    return truth is not None


def proves(network: Network, cost: Ints, found: CheapestFlow, supply: Ints) -> None:
    """The flow ships the supply within the bounds, and no arc speaks against it."""
    units, climb = found.units, found.height[network.head] - found.height[network.tail]
    assert (net_out(network, units) == supply).all()
    assert ((network.least <= units) & (units <= network.most)).all()
    assert (climb <= cost)[units < network.most].all()
    assert (climb >= cost)[units > network.least].all()


@st.composite
def networks(draw: st.DrawFn) -> tuple[Network, Ints, Ints]:
    """A network with costs, and a supply that some flow ships or any at all."""
    nodes = draw(st.integers(2, 7))
    node, few = st.integers(0, nodes - 1), st.integers(0, 3)
    rows = draw(st.lists(st.tuples(node, node, few, few, few, few), max_size=18))
    rows = [row for row in rows if row[0] != row[1]]
    tail, head, least, room, cost, units = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    network = Network(tail, head, least, least + room, nodes)
    supply = net_out(network, least + np.minimum(units, room))
    if draw(st.integers(0, 4)) == 0:  # perhaps more than there is a flow for
        supply[draw(node)] += 1
        supply[draw(node)] -= 1
    return network, cost, supply


@given(networks())
def test_cheapest_on_small_networks(found: tuple[Network, Ints, Ints]) -> None:
    check(*found)


@pytest.mark.parametrize("dearest", [1, 20, 2**58])
@pytest.mark.parametrize("seed", range(5))
def test_cheapest_on_larger_networks_whatever_is_rounded(seed: int, dearest: int) -> None:
    """Up to 60 nodes and 900 arcs, sparse and dense."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(10, 60))
    n_arcs = nodes * int(rng.integers(1, 15))
    tail = rng.integers(0, nodes, n_arcs)
    head = (tail + rng.integers(1, nodes, n_arcs)) % nodes
    most = rng.integers(0, 9, n_arcs)
    # On paths of a few arcs costs above the solver's fit 63 bits.
    cost = rng.integers(0, dearest + 1, n_arcs)
    if dearest > LARGEST_COST:
        cost = np.where(rng.random(n_arcs) < 0.5, cost // 2**30, cost // 64)
    network = Network(tail, head, np.zeros_like(most), most, nodes)
    assert check(network, cost, net_out(network, rng.integers(0, most + 1)))
