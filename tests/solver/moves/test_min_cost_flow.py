"""Cheapest flows repaired from a start, against networkx, with the potentials that prove them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Ints
from equilag.solver.moves import min_cost_flow as min_cost_flow
from equilag.solver.moves.min_cost_flow import Arcs, CheapestFlow, cheapest_flow

WAYS = {"one by one": 10**9, "all at once": 0}
"""Arcs up to which each of the two ways to find paths is taken."""


def net_out(arcs: Arcs, units: Ints, nodes: int) -> Ints:
    """[nodes] what leaves each node, less what enters it."""
    out = np.zeros(nodes, dtype=np.int64)
    np.add.at(out, arcs.tail, units)
    np.subtract.at(out, arcs.head, units)
    return out


def least_cost(arcs: Arcs, supply: Ints) -> int | None:
    """As networkx finds it; None if there is no flow."""
    graph: Any = nx.MultiDiGraph()
    for node, units in enumerate(supply.tolist()):
        graph.add_node(node, demand=-units)
    for tail, head, capacity, cost in zip(*(column.tolist() for column in arcs), strict=True):
        graph.add_edge(tail, head, capacity=capacity, weight=cost)
    try:
        return int(nx.min_cost_flow_cost(graph))
    except nx.NetworkXUnfeasible:
        return None


def check(arcs: Arcs, supply: Ints, start: Ints) -> bool:
    """Is there a flow; if so, the cheapest one was found and its potentials prove it."""
    excess = supply - net_out(arcs, start, len(supply))
    given_start, given_excess = start.copy(), excess.copy()
    truth = least_cost(arcs, supply)
    if truth is None:
        with pytest.raises(EquilagError):
            cheapest_flow(arcs, start, excess)
    else:
        found = cheapest_flow(arcs, start, excess)
        assert int((arcs.cost * found.units).sum()) == truth
        proves(arcs, found, supply)
    assert (start == given_start).all()
    assert (excess == given_excess).all()
    return truth is not None


def proves(arcs: Arcs, found: CheapestFlow, supply: Ints) -> None:
    """The flow ships the supply within the capacities, and no arc speaks against it."""
    units, climb = found.units, found.potential[arcs.head] - found.potential[arcs.tail]
    assert (net_out(arcs, units, len(supply)) == supply).all()
    assert (units >= 0).all()
    assert (units <= arcs.capacity).all()
    assert (climb <= arcs.cost)[units < arcs.capacity].all()
    assert (climb >= arcs.cost)[units > 0].all()


@st.composite
def networks(draw: st.DrawFn) -> tuple[Arcs, Ints, Ints]:
    """Arcs, a supply that some flow ships or any at all, and a start."""
    nodes = draw(st.integers(2, 7))
    node, few = st.integers(0, nodes - 1), st.integers(0, 3)
    rows = draw(st.lists(st.tuples(node, node, few, few, few, few), max_size=18))
    rows = [row for row in rows if row[0] != row[1]]
    tail, head, capacity, cost, one, other = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    arcs = Arcs(tail, head, capacity, cost)
    supply = net_out(arcs, np.minimum(one, capacity), nodes)
    if draw(st.integers(0, 4)) == 0:  # perhaps more than there is a flow for
        supply[draw(node)] += 1
        supply[draw(node)] -= 1
    return arcs, supply, np.where(cost == 0, np.minimum(other, capacity), 0)


@pytest.mark.parametrize("few", WAYS.values(), ids=WAYS.keys())
@given(network=networks())
def test_cheapest_on_small_networks(few: int, network: tuple[Arcs, Ints, Ints]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(min_cost_flow, "SMALL_GRAPH", few)
        check(*network)


def random_network(seed: int) -> tuple[Arcs, Ints, Ints]:
    """Up to 60 nodes and 900 arcs, sparse and dense, with costs from 0 to 1 or to 20."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(10, 60))
    n_arcs = nodes * int(rng.integers(1, 15))
    tail = rng.integers(0, nodes, n_arcs)
    head = (tail + rng.integers(1, nodes, n_arcs)) % nodes
    capacity = rng.integers(0, 9, n_arcs)
    cost = rng.integers(0, (2, 21)[seed % 2], n_arcs)
    arcs = Arcs(tail, head, capacity, cost)
    supply = net_out(arcs, rng.integers(0, capacity + 1), nodes)
    start = np.where(cost == 0, rng.integers(0, capacity + 1), 0)
    return arcs, supply, start


@pytest.mark.parametrize("seed", range(10))
def test_both_ways_find_the_cheapest_on_larger_networks(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arcs, supply, start = random_network(seed)
    found = []
    for few in WAYS.values():
        monkeypatch.setattr(min_cost_flow, "SMALL_GRAPH", few)
        found.append(cheapest_flow(arcs, start, supply - net_out(arcs, start, len(supply))))
    assert check(arcs, supply, start)
    one, other = found
    assert (one.units == other.units).all()
    assert (one.potential == other.potential).all()


@pytest.mark.parametrize("few", WAYS.values(), ids=WAYS.keys())
def test_one_round_for_each_length_of_a_path(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(min_cost_flow, "SMALL_GRAPH", few)
    ways = 40
    middle = np.arange(1, ways + 1)
    ends = np.full(ways, ways + 1)
    arcs = Arcs(
        np.concatenate((0 * middle, middle)),
        np.concatenate((middle, ends)),
        np.ones(2 * ways, dtype=np.int64),
        np.concatenate((middle, 2 * middle)),
    )
    for shipped in (1, 7, ways):
        supply = np.zeros(ways + 2, dtype=np.int64)
        supply[[0, -1]] = shipped, -shipped
        assert check(arcs, supply, np.zeros(2 * ways, dtype=np.int64))
    supply[[0, -1]] += 1, -1
    assert not check(arcs, supply, np.zeros(2 * ways, dtype=np.int64))
