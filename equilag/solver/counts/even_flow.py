"""The most even flow from supplies to takers, for any subscriptions: recursion by minimum cuts.

It makes Σ count² / capacity smallest; where capacities are equal, the sorted counts are
lexicographically smallest (Frank and Murota, "Decreasing minimization on M-convex sets: algorithms
and applications"). The level is the least marginal cost at which the takers have room for
everything. If everything can flow so that each taker gets what costs less than the level, and
nothing that costs more, that is the most even flow. If not, the minimum cut divides the network in
two: all takers above it get more than the level, or those below get less, and nothing crosses it
but what arcs of limited capacity carry down, which are full.

Too little room for partitions is an error that names what does not fit, and with whom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import EquilagError, InputError
from equilag.domain.show import form, plural, some_of
from equilag.solver.counts.even_shares import Takers

PLACE: Final = "max_partitions"
"""Its entry in `members` comes before it where the room of one member is too little."""
WHAT_A_UNIT_IS: Final = (
    "; a unit is one partition number of all topics that are co-partitioned, or any other partition"
)
NAMED: Final = 5
"""Topics and members that a message names: it stays within a few lines."""


def new_graph() -> Any:
    """An empty `SimpleMaxFlow`; OR-Tools' graphs are loaded when the first one is made."""
    from ortools.graph.python.max_flow import SimpleMaxFlow

    return SimpleMaxFlow()


def maximum(graph: Any, source: int, sink: int) -> int:
    """Units of a maximum flow, which the graph holds afterwards. Raises EquilagError."""
    if graph.solve(source, sink) != graph.OPTIMAL:
        raise EquilagError("the maximum flow solver failed")
    return int(graph.optimal_flow())


@dataclass(frozen=True, eq=False)
class SupplyNetwork:
    """Supplies [S], arcs [A] to places [D], and the takers there.

    The capacity of an arc that is less than its supply is as much for each taker of the place, and
    all of those are alike.
    """

    supply: Ints
    tail: Ints
    head: Ints
    capacity: Ints
    takers: Takers
    n_places: int

    @staticmethod
    def of_classes(
        classes: Ints, member_classes: Ints, supply: Ints, takers: Takers
    ) -> SupplyNetwork:
        """From partition classes [C], of which there are `supply`, to member classes."""
        # More than a class holds: a full arc would draw the minimum cut to itself.
        n_places = int(takers.place.max(initial=-1)) + 1
        return SupplyNetwork(supply, classes, member_classes, supply[classes] + 1, takers, n_places)

    def short_of_room(self) -> Ints:
        """The supplies that there is too little room for together; none if all fit."""
        graph, _, places = self.graph()
        source = len(self.supply) + self.n_places
        room = np.zeros(self.n_places, np.int64)
        np.add.at(
            room, self.takers.place, self.takers.width * (self.takers.room - self.takers.base)
        )
        graph.add_arcs_with_capacity(places, np.full(len(places), source + 1), room)
        if maximum(graph, source, source + 1) == int(self.supply.sum()):
            return np.zeros(0, np.int64)
        reached = np.sort(np.asarray(graph.get_source_side_min_cut(), dtype=np.int64))
        return reached[reached < len(self.supply)]

    def graph(self) -> tuple[Any, Ints, Ints]:
        """Without arcs out of places; the numbers of its arcs, and the nodes of the places. The
        last nodes are the source and the sink."""
        graph, n_sources = new_graph(), len(self.supply)
        places = n_sources + np.arange(self.n_places)
        source = n_sources + self.n_places
        arcs = graph.add_arcs_with_capacity(self.tail, n_sources + self.head, self.capacity)
        graph.add_arcs_with_capacity(np.full(n_sources, source), np.arange(n_sources), self.supply)
        graph.add_arc_with_capacity(source, source + 1, 0)  # so that the last node exists
        return graph, arcs, places

    def between(self) -> Ints | tuple[Flags, Flags]:
        """[A] a flow of everything that gives each taker what costs less than the level, and one
        more at most, which costs that. Without any, the supplies [S] and the places [D] above a
        minimum cut."""
        total = int(self.supply.sum())
        lower, upper = self.takers.bounds(total, self.n_places)
        graph, arcs, places = self.graph()
        source = len(self.supply) + self.n_places
        sink, overflow = source + 1, source + 2
        graph.add_arcs_with_capacity(places, np.full(len(places), sink), lower)
        graph.add_arcs_with_capacity(places, np.full(len(places), overflow), upper - lower)
        # What may pass `lower` in all is exactly what is left over, so that it fills up.
        graph.add_arc_with_capacity(overflow, sink, total - int(lower.sum()))
        if maximum(graph, source, sink) == total:
            return np.asarray(graph.flows(arcs), dtype=np.int64)
        above = np.zeros(overflow + 1, np.bool_)
        above[graph.get_source_side_min_cut()] = True
        return above[: len(self.supply)], above[len(self.supply) : source]

    def part(self, sources: Flags, places: Flags, taken: Ints) -> tuple[SupplyNetwork, Ints]:
        """Some supplies and places, and the arcs between them; `taken` [A] are units that flow
        already."""
        gone, got = np.zeros_like(self.supply), np.zeros(self.n_places, np.int64)
        np.add.at(gone, self.tail, taken)
        np.add.at(got, self.head, taken)
        takers = self.takers.where(np.flatnonzero(places[self.takers.place]))
        if got.any():
            size = np.bincount(self.takers.place, self.takers.width, self.n_places).astype(np.int64)
            each = (got // np.maximum(1, size))[takers.place]
            takers = takers._replace(base=takers.base + each)
        arcs = np.flatnonzero(sources[self.tail] & places[self.head])
        net = SupplyNetwork(
            (self.supply - gone)[sources],
            (np.cumsum(sources) - 1)[self.tail[arcs]],
            (np.cumsum(places) - 1)[self.head[arcs]],
            self.capacity[arcs],
            takers._replace(place=(np.cumsum(places) - 1)[takers.place]),
            int(places.sum()),
        )
        return net, arcs


def even_flow(whole: SupplyNetwork) -> Ints:
    """[A] units on each arc of a most even flow that ships everything. One maximum flow for each
    set of takers of one level, and one for each cut between them.

    Raises EquilagError if a supply cannot be shipped.
    """
    units = np.zeros(len(whole.tail), dtype=np.int64)
    parts = [(whole, np.arange(len(whole.tail)))]
    while parts:
        net, arcs = parts.pop()
        if not net.supply.any():
            continue
        found = net.between()
        if not isinstance(found, tuple):
            units[arcs] += found
            continue
        sources, places = found
        if not places.any() or places.all():
            raise EquilagError("a partition cannot be given to any of its subscribers")
        down = net.capacity * (sources[net.tail] & ~places[net.head])
        units[arcs] += down
        for above in (sources, places), (~sources, ~places):
            part, some = net.part(*above, down)
            parts.append((part, arcs[some]))
    return units


def check_room(constraint: CountConstraint) -> None:
    """Raises InputError if members have no room for what is pinned, and then for what is free."""
    group, base = constraint.group, constraint.fixed
    if not group.extended.has_room_limits:
        return
    word, note = ("unit", WHAT_A_UNIT_IS) if group.extended.has_units else ("partition", "")
    room = np.minimum(group.extended.room, group.n_partitions) - base
    over = np.flatnonzero(room < 0)
    if len(over):
        first = int(over[0])
        kept, most = plural(int(base[first]), word), int(group.extended.room[first])
        problem = f"{group.members[first].id!r} keeps {kept} and has room for {most:,}"
        raise InputError(problem + note, f"members[{first}].{PLACE}")
    takers = Takers.of_group(group, base)
    short = SupplyNetwork.of_classes(*group.arcs, constraint.supply, takers).short_of_room()
    if not len(short):
        return
    free = np.flatnonzero(constraint.free)
    readers = np.logical_or.reduce(group.eligible[short], axis=0)
    who = np.flatnonzero(readers[group.class_of])
    inside = free[np.isin(group.partition_class[free], short)]
    topics = [group.topics[t] for t in np.unique(group.topic_of[inside]).tolist()]
    members = [group.members[m].id for m in who.tolist()]
    more = " more" if base[who].any() else ""
    left = f"{form(len(members), 'has', 'have')} room for {int(room[who].sum()):,}{more}"
    what = f"{plural(len(inside), word)} of {some_of(topics, NAMED)}"
    raise InputError(f"{what}, but {some_of(members, NAMED)} {left}{note}", PLACE)
