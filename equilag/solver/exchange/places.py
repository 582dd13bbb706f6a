"""The places of some members: a table of what each holds, for searches under mixed subscriptions.

A place holds a partition, or is empty: a member that may hold one partition more has an empty
place, which counts as a partition without lag. So every exchange of places keeps the counts inside
their intervals, as long as an empty place only goes to a member with room for it
(`PlaceTable.room`).

A layer is one place of each member. Among all ways to deal a layer back, one place to each member
that may hold it, the assignment problem finds the one whose loads are closest to the window: any
number of exchanges along cycles of any length in one step (a very large neighbourhood: Ahuja,
Ergun, Orlin and Punnen, "A survey of very large-scale neighborhood search techniques"). Layers are
drawn at random, so that the next one offers other exchanges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np

from equilag.domain.constraint import CountConstraint, ranges
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.group.loads import LoadColumn
from equilag.domain.plan.metrics import loads_of, member_counts
from equilag.solver.local_search.load_targets import Window

NOTHING: Final = -1
"""In the table: a column that a member does not use."""


class PlaceTable:
    """Who of some members holds which place, and who could; loads follow every change.

    Shapes: N members of the table, S places, W columns. The first places are free partitions, in
    ascending order; the others are empty.
    """

    def __init__(
        self, group: Group, constraint: CountConstraint, assigned: Index, members: Ints
    ) -> None:
        """Of the `members` [N] and the free partitions that they hold in `assigned` [P]. O(P)."""
        self.members = members
        row = np.full(group.n_members + 1, NOBODY, np.int64)  # the last one stands for NOBODY
        row[members] = np.arange(len(members))
        self.partition: Ints = np.flatnonzero((row[assigned] != NOBODY) & constraint.free)
        """[n] the partitions of the first places."""
        least, most = constraint.counts_of(members)
        counts = member_counts(assigned, group.n_members)[members]
        if constraint.instance_sums is not None:  # counts that stay keep to the sums of instances
            least = most = counts
        # One each: a cycle takes no more, and all that wide intervals leave make a table of GB.
        empty = np.flatnonzero(most > counts)
        self.holder: Ints = np.concatenate((row[assigned[self.partition]], empty))
        """[S] the row of the member that holds the place."""
        self.lag: Ints = np.concatenate((group.lag[self.partition], np.zeros(len(empty), np.int64)))
        self.loads: LoadColumn = loads_of(group, assigned).column[members]
        """[N] load of each member, pinned partitions included."""
        capacities = group.extended.capacities
        self._factor = None if capacities.are_equal else capacities.rate[members]
        self.room: Ints = np.minimum(most, counts + 1) - least
        """[N] the most empty places of each member."""
        self._class_of = group.class_of[members]
        self._bucket = group.partition_class[self.partition]
        self._face = constraint.face
        self._fill()

    def _fill(self) -> None:
        size = np.bincount(self.holder, minlength=len(self.members))
        order = np.argsort(self.holder, kind="stable")
        self.column: Ints = np.zeros(len(self.holder), np.int64)
        self.column[order] = ranges(np.zeros_like(size), size)
        self.table: Ints = np.full((len(self.members), max(1, int(size.max(initial=0)))), NOTHING)
        """[N, W] the places of each member."""
        self.table[self.holder, self.column] = np.arange(len(self.holder))

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Every place with every member that may hold it: both [arcs], by ascending place."""
        buckets, bucket_of = np.unique(self._bucket, return_inverse=True)
        bucket, taker = np.nonzero(self._face[buckets][:, self._class_of])
        start = np.searchsorted(bucket, np.arange(len(buckets) + 1))
        begin, end = start[bucket_of], start[bucket_of + 1]
        place = np.repeat(np.arange(len(bucket_of)), end - begin)
        elastic = np.flatnonzero(self.room)
        empty = np.arange(len(bucket_of), len(self.holder))
        return (
            np.concatenate((place, np.repeat(empty, len(elastic)))),
            np.concatenate((taker[ranges(begin, end)], np.tile(elastic, len(empty)))),
        )

    @property
    def n_partitions(self) -> int:
        return len(self.partition)

    def scaled(self, places: Ints | int, rows: Ints | int) -> LoadColumn:
        """What places add to the loads of the members of rows."""
        return self.lag[places] if self._factor is None else self.lag[places] * self._factor[rows]

    @property
    def n_empty(self) -> Ints:
        """[N] empty places of each member."""
        return np.bincount(self.holder[self.n_partitions :], minlength=len(self.members))

    @property
    def extremes(self) -> tuple[float, float]:
        """The lightest and the heaviest load."""
        return self.loads.min().item(), self.loads.max().item()

    def hold(self, holder: Ints) -> None:
        """Hand every place [S] to its holder; all members get as many as they have."""
        change = np.flatnonzero(holder != self.holder)
        before = self.holder[change]
        np.subtract.at(self.loads, before, self.scaled(change, before))
        np.add.at(self.loads, holder[change], self.scaled(change, holder[change]))
        self.holder = holder
        self._fill()

    def permute(self, places: Ints, takers: Ints) -> None:
        """Member `takers[i]` gets `places[i]` in the column of the place that it gives: one place
        of each member that takes part."""
        givers = self.holder[places]
        column = np.zeros(len(self.members), np.int64)
        column[givers] = self.column[places]
        self.loads[givers] -= self.scaled(places, givers)
        self.loads[takers] += self.scaled(places, takers)
        self.holder[places], self.column[places] = takers, column[takers]
        self.table[takers, column[takers]] = places

    def assigned(self, before: Index) -> Index:
        """[P] the assignment; what is not in the table stays as in `before`."""
        result = before.copy()
        result[self.partition] = self.members[self.holder[: self.n_partitions]]
        return result


STEPS: Final = 100
"""Steps of the distance from the window, up to the worst load: the cost is the square of this
number, since a linear cost would leave a few members far outside."""
NEAR: Final = 2
"""Times the lower end of the window up to which a member takes part in every layer."""
FAR_SHARE: Final = 0.3
"""Probability with which any other member takes part, once a layer of all was of no use: such a
layer takes a quarter of the time."""
PATIENCE: Final = 25
"""Layers in a row without extreme loads closer to the window, after which other exchanges have to
help."""


def deal_layers(
    places: PlaceTable,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> bool:
    """Deal layers until PATIENCE in a row do not bring the extreme loads closer to the window.

    Leaves the best loads found in `places`; True if they are any better. `stop` is called before
    every layer.
    """
    first = least = _beyond(places, window)
    best = places.holder.copy()
    stalled = 0
    while least and stalled < PATIENCE and not stop():
        rows = _rows(places, window, FAR_SHARE if stalled else 1.0, rng)
        layer = _layer(places, rows, rng)
        taker = _dealt(places, rows, layer, window)
        if taker is None:
            break
        places.permute(layer, taker)
        reached = _beyond(places, window)
        stalled += 1
        if reached < least:
            best, least, stalled = places.holder.copy(), reached, 0
    places.hold(best)
    return least < first


def _beyond(places: PlaceTable, window: Window) -> float:
    """How far the lightest load is below the window, and the heaviest above it."""
    low, high = places.extremes
    return float(max(0, window.low - low) + max(0, high - window.high))


def _rows(places: PlaceTable, window: Window, far_share: float, rng: np.random.Generator) -> Ints:
    """The members that take part: of those far above the window's lower end only a share."""
    near = places.loads <= NEAR * window.low
    return np.flatnonzero(near | (rng.random(len(near)) < far_share))


def _layer(places: PlaceTable, rows: Ints, rng: np.random.Generator) -> Ints:
    """One place of each of the rows, at random."""
    size = np.bincount(places.holder, minlength=len(places.members))[rows]
    return places.table[rows, (rng.random(len(size)) * size).astype(np.int64)]


def _dealt(places: PlaceTable, rows: Ints, layer: Ints, window: Window) -> Ints | None:
    """The row that gets each place of the layer; None if the solver fails."""
    in_layer = np.zeros(len(places.holder), np.bool_)
    in_layer[layer] = True
    number = np.full(len(places.members), -1)
    number[rows] = np.arange(len(rows))
    place, member = places.pairs
    arcs = np.flatnonzero(in_layer[place] & (number >= 0)[member])
    place, member = place[arcs], member[arcs]
    empty, left = places.n_empty, places.loads.copy()
    empty[rows] -= layer >= places.n_partitions
    left[rows] -= places.scaled(layer, rows)
    fits = (place < places.n_partitions) | (empty < places.room)[member]
    outside = window.outside(left[member] + places.scaled(place, member))
    worst = window.outside(places.loads).max()
    fits &= (outside <= worst) | (places.holder[place] == member)
    place, member, outside = place[fits], member[fits], outside[fits]
    cost = (outside * STEPS // max(1, worst)).astype(np.int64) ** 2
    found = _cheapest(number[places.holder[place]], number[member], cost, len(rows))
    return None if found is None else rows[found]


def _cheapest(left: Ints, right: Ints, cost: Ints, size: int) -> Ints | None:
    """[size] the partner of each left node in the cheapest perfect assignment."""
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver: Any = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(left.astype(np.int32), right.astype(np.int32), cost)
    if solver.solve() != solver.OPTIMAL:
        return None
    return np.array([solver.right_mate(node) for node in range(size)], np.int64)
