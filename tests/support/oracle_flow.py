"""The best counts, cross-rack reads and moves of a group, by one min-cost flow."""

from __future__ import annotations

from typing import Any

import networkx as nx
from support.oracle_groups import OracleGroup

from equilag.domain.columns import NOBODY


def cheapest_assignment(
    group: OracleGroup, rack_aware: bool = False, counted: bool = True
) -> list[int] | None:
    """The member of each unit in one best assignment, by one min-cost flow; None if not all fit.

    The goals in their order: counts by instance and by member if `counted`, cross-rack reads if
    `rack_aware`, moves. A member's k-th unit costs (2k − 1) / capacity, an instance's likewise, so
    that the sums are Σ count² / capacity. Each goal is weighed more than all that come after it
    together; integers of any size keep that exact.
    """
    n, racks = len(group.units), int(rack_aware)
    unit_bound = 1 + sum(max(unit.moves, default=0) for unit in group.units)
    cross_bound = 1 + racks * sum(max(unit.cross, default=0) for unit in group.units)
    # Σ (2k − 1) over at most n units is at most n².
    count_bound = 1 + n * n * max(group.member_factor, default=0)
    graph: Any = nx.MultiDiGraph()
    graph.add_node("sink", demand=n)
    alike: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for number, unit in enumerate(group.units):
        alike.setdefault((unit.takers, unit.cross, unit.moves), []).append(number)
    for place, ((takers, cross, moves), numbers) in enumerate(alike.items()):
        graph.add_node(("units", place), demand=-len(numbers))
        for m in takers:
            cost = racks * unit_bound * cross[m] + moves[m]
            graph.add_edge(("units", place), m, weight=cost)
    for m, factor in enumerate(group.member_factor):
        for k in range(min(group.room[m], n)):
            price = counted * unit_bound * cross_bound * factor * (2 * k + 1)
            graph.add_edge(m, ("instance", group.instance[m]), capacity=1, weight=price)
    shared = len(group.instance_factor) < len(group.members)
    for place, factor in enumerate(group.instance_factor):
        for k in range(n):
            price = counted * shared * count_bound * unit_bound * cross_bound * factor * (2 * k + 1)
            graph.add_edge(("instance", place), "sink", capacity=1, weight=price)
    try:
        _, flow = nx.network_simplex(graph)
    except nx.NetworkXUnfeasible:
        return None
    placed = [NOBODY] * n
    for place, numbers in enumerate(alike.values()):
        arcs = flow["units", place].items()
        members = [m for m, edges in arcs for _ in range(sum(edges.values()))]
        for number, m in zip(numbers, members, strict=True):
            placed[number] = m
    return placed
