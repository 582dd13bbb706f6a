"""Most even flows, against those with convex costs."""

from __future__ import annotations

from math import lcm
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Ints
from equilag.solver.counts.even_flow import SupplyNetwork, even_flow
from equilag.solver.counts.even_shares import Takers

CAPACITIES = ((1,), (1, 2, 3), (7, 10, 999))
"""Those of one network are drawn from one of these."""


def network(
    supply: list[int] | Ints,
    base: list[int] | Ints,
    width: list[int] | Ints,
    arcs: list[tuple[int, int, int]],
    capacity: list[int] | Ints | None = None,
) -> SupplyNetwork:
    """Arcs are tail, head and capacity; each place has `width` members that are alike."""
    tail, head, most = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    units, fixed, wide = (np.array(column, dtype=np.int64) for column in (supply, base, width))
    every, each = np.arange(len(fixed)), np.ones_like(fixed)
    if capacity is not None:
        each = np.array(capacity, dtype=np.int64)
    takers = Takers(every, wide, each, fixed, fixed + int(units.sum()))
    return SupplyNetwork(units, tail, head, most, takers, len(every))


def factors(net: SupplyNetwork) -> list[int]:
    """[D] what the square of a member's count is multiplied by, instead of divided by capacity."""
    scale = lcm(*net.takers.capacity.tolist())
    return [scale // each for each in net.takers.capacity.tolist()]


def cost(net: SupplyNetwork, units: Ints) -> int:
    """Σ count² / capacity of all members of all places, as whole numbers; a place's share evenly
    what it gets."""
    got = np.zeros(net.n_places, dtype=np.int64)
    np.add.at(got, net.head, units)
    rows = zip(net.takers.base.tolist(), net.takers.width.tolist(), got.tolist(), factors(net),
               strict=True)  # fmt: skip
    return sum(
        factor * (base + units // width + (place < units % width)) ** 2
        for base, width, units, factor in rows
        for place in range(width)
    )


def by_convex_costs(net: SupplyNetwork) -> int | None:
    """The smallest cost of a flow; None if there is none."""
    graph: Any = nx.MultiDiGraph()
    total = int(net.supply.sum())
    graph.add_node("end", demand=total)
    for source, units in enumerate(net.supply.tolist()):
        graph.add_node(("source", source), demand=-units)
    for tail, head, capacity in zip(
        net.tail.tolist(), net.head.tolist(), net.capacity.tolist(), strict=True
    ):
        graph.add_edge(("source", tail), ("sink", head), capacity=capacity, weight=0)
    reach = np.bincount(net.head, np.minimum(net.capacity, net.supply[net.tail]), net.n_places)
    bases, widths = net.takers.base.tolist(), net.takers.width.tolist()
    kept = 0
    for sink, (base, width, factor) in enumerate(zip(bases, widths, factors(net), strict=True)):
        kept += width * factor * base**2
        for place in range(width):
            member = ("member", sink, place)
            graph.add_edge(("sink", sink), member, capacity=total, weight=0)
            for unit in range(int(reach[sink])):
                weight = factor * (2 * (base + unit) + 1)
                graph.add_edge(member, "end", capacity=1, weight=weight)
    try:
        return kept + int(nx.network_simplex(graph)[0])
    except nx.NetworkXUnfeasible:
        return None


def agrees(net: SupplyNetwork, truth: int | None) -> None:
    if truth is None:
        with pytest.raises(EquilagError):
            even_flow(net)
        return
    units = even_flow(net)
    assert (units >= 0).all()
    assert (units <= net.capacity).all()
    shipped = np.zeros(len(net.supply), dtype=np.int64)
    np.add.at(shipped, net.tail, units)
    assert (shipped == net.supply).all()
    assert cost(net, units) == truth


@st.composite
def networks(draw: st.DrawFn, wide: bool) -> SupplyNetwork:
    """Up to three supplies and four places; wide arcs carry more than any supply.

    Where arcs are narrow, a place has one member.
    """
    supply = draw(st.lists(st.integers(0, 5), min_size=1, max_size=3))
    base, width = st.sampled_from([0, 1, 2, 4, 9]), st.integers(1, 3 if wide else 1)
    capacity = st.sampled_from(draw(st.sampled_from(CAPACITIES)))
    sinks = draw(st.lists(st.tuples(base, width, capacity), min_size=1, max_size=4))
    pair = st.tuples(st.integers(0, len(supply) - 1), st.integers(0, len(sinks) - 1))
    pairs = draw(st.lists(pair, unique=True, max_size=7))
    room = st.integers(0, 3)
    arcs = [(s, d, supply[s] + 1 if wide else draw(room)) for s, d in pairs]
    bases, widths, capacities = zip(*sinks, strict=True)
    return network(supply, list(bases), list(widths), arcs, list(capacities))


@pytest.mark.parametrize("wide", [True, False])
@given(st.data())
def test_most_even_of_small_networks(wide: bool, data: st.DataObject) -> None:
    net = data.draw(networks(wide))
    agrees(net, by_convex_costs(net))


def random_network(seed: int, shape: tuple[int, int], dense: float, kind: str) -> SupplyNetwork:
    """With a flow; a few places reach far less than the others."""
    n_sources, n_sinks = shape
    rng = np.random.default_rng(seed)
    reach = rng.random((n_sources, n_sinks)) < dense * rng.random(n_sinks) ** 2
    reach[np.arange(n_sources), rng.integers(0, n_sinks, n_sources)] = True
    tail, head = np.nonzero(reach)
    capacity = rng.integers(1, 2 if kind == "ones" else 9, len(tail))
    supply = np.zeros(n_sources, dtype=np.int64)
    np.add.at(supply, tail, rng.integers(0, capacity + 1))
    base, width = rng.integers(0, 1 + seed % 3 * 4, n_sinks), np.ones(n_sinks, dtype=np.int64)
    if kind == "wide":
        capacity, width = supply[tail] + 1, rng.integers(1, 2 + seed % 4, n_sinks)
    each = rng.choice(CAPACITIES[seed % 3], n_sinks)
    return network(supply, base, width, list(zip(tail, head, capacity, strict=True)), each)


SHAPES = ((6, 14), (14, 6), (12, 12), (25, 4))
"""Supplies and places."""


@pytest.mark.parametrize("kind", ["wide", "narrow", "ones"])
@pytest.mark.parametrize("seed", range(8))
def test_most_even_of_larger_networks(seed: int, kind: str) -> None:
    net = random_network(seed, SHAPES[seed % 4], (0.3, 0.7)[seed // 4 % 2], kind)
    agrees(net, by_convex_costs(net))
