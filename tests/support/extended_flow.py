"""The best counts, cross-rack reads and moves of an extended group, by one min-cost flow of units.

Every unit is routed by itself along a shortest path of the residual network: unit → member →
instance → sink. A member's k-th unit costs (2k − 1) / capacity, an instance's likewise, so that the
sums are Σ count² / capacity. The goals are one number per arc, each weighed more than all that come
after it together; integers of any size keep that exact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from support.extended_oracle import OracleGroup

Cost = Callable[[int], int]
"""The cost of an arc's next unit of flow, of the flow it has."""


@dataclass
class OracleArc:
    tail: int
    head: int
    room: int
    cost: Cost
    flow: int = 0


class OracleNetwork:
    """Arcs with convex costs, on nodes 0, 1, …"""

    def __init__(self, nodes: int) -> None:
        self._arcs: list[list[OracleArc]] = [[] for _ in range(nodes)]

    def connect(self, tail: int, head: int, room: int, cost: Cost) -> None:
        arc = OracleArc(tail, head, room, cost)
        self._arcs[tail].append(arc)
        self._arcs[head].append(arc)

    def filled(self, tail: int) -> int:
        """The head of the first arc from `tail` that has flow."""
        return next(arc.head for arc in self._arcs[tail] if arc.tail == tail and arc.flow)

    def send(self, start: int, end: int) -> bool:
        """Send one unit of flow along a shortest residual path; False if there is none.

        Bellman and Ford's algorithm with a queue. No residual cycle has a negative cost, since
        every path before was a shortest one.
        """
        distance = {start: 0}
        by: dict[int, tuple[int, OracleArc, int]] = {}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for there, arc, step, cost in self._residual(node):
                length = distance[node] + cost
                if there not in distance or length < distance[there]:
                    distance[there] = length
                    by[there] = node, arc, step
                    queue.append(there)
        if end not in distance:
            return False
        while end != start:
            end, arc, step = by[end]
            arc.flow += step
        return True

    def _residual(self, node: int) -> Iterator[tuple[int, OracleArc, int, int]]:
        for arc in self._arcs[node]:
            if arc.tail == node and arc.flow < arc.room:
                yield arc.head, arc, 1, arc.cost(arc.flow)
            elif arc.head == node and arc.flow:
                yield arc.tail, arc, -1, -arc.cost(arc.flow - 1)


def cheapest_assignment(
    group: OracleGroup, rack_aware: bool = False, counted: bool = True
) -> list[int] | None:
    """The member of each unit in one best assignment; None if not all units fit.

    The goals in their order: counts by instance and by member if `counted`, cross-rack reads if
    `rack_aware`, moves.
    """
    n, n_members = len(group.units), len(group.members)
    sink = n + n_members + len(group.instance_factor)
    racks = int(rack_aware)
    unit_bound = 1 + sum(max(unit.moves) for unit in group.units)
    rack_weight = racks * unit_bound
    member_weight = unit_bound * (1 + racks * sum(max(unit.cross) for unit in group.units))
    # Σ (2k − 1) over at most n units is at most n².
    instance_weight = member_weight * (1 + n * n * max(group.member_factor, default=0))
    network = OracleNetwork(sink + 1)
    for number, unit in enumerate(group.units):
        for member in unit.takers:
            cost = rack_weight * unit.cross[member] + unit.moves[member]
            network.connect(number, n + member, 1, _constant(cost))
    for member in range(n_members):
        price = member_weight * group.member_factor[member] * counted
        head = n + n_members + group.instance[member]
        network.connect(n + member, head, group.room[member], _marginal(price))
    for instance, factor in enumerate(group.instance_factor):
        price = instance_weight * factor * counted
        network.connect(n + n_members + instance, sink, n, _marginal(price))
    if not all(network.send(number, sink) for number in range(n)):
        return None
    return [network.filled(number) - n for number in range(n)]


def _constant(cost: int) -> Cost:
    return lambda _: cost


def _marginal(price: int) -> Cost:
    return lambda flow: price * (2 * flow + 1)
