"""Sets of members that the counting bounds are tried with, by minimum cuts.

If lag could be shared in parts, all loads could be within `level`, or above it, if and only if a
maximum flow carries all lag to the members, or fills all of them. If not, a minimum cut leaves too
few takers, or too little to take, and its members prove a better level, and so on: the last set is
the one that proves most (Dinkelbach, "On nonlinear fractional programming").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.domain.budget import ROUNDS
from equilag.domain.columns import Floats, Ints, rows_together
from equilag.domain.group.group import Flags
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.solver.counts.even_flow import maximum, new_graph

UNIT: Final = 2.0**40
"""Units of flow that stand for all lag, so that their sums fit 63 bits."""
EXTREMES: Final = 4
"""Sorts of members at each end that are tried as sets of their own, and numbers of partitions that
are, each alone with a fast member."""
MOST_CLASSES: Final = 2_000
"""Member classes up to which these are looked for: 20 ms."""


def member_sets(counting: Counting) -> Iterator[Flags]:
    """[M] sets once or several times, the most promising ones first."""
    yield from _by_themselves(counting)
    if len(counting.group.class_topics) == 1:
        return
    flow = _LoadFlow(counting)
    for lightest in (False, True):
        level = flow.mean
        for _ in range(ROUNDS):
            last, (members, level) = level, flow.cut(level, lightest)
            yield members
            if abs(level - last) <= NEGLIGIBLE * level:
                break


class _LoadFlow:
    """The flow of lag from buckets to member classes."""

    def __init__(self, counting: Counting) -> None:
        self.counting = counting
        self.active = np.flatnonzero(counting.active)
        self.class_of = counting.group.class_of[self.active]
        self.n_classes = len(counting.group.class_topics)
        self.capacity = 1.0 / counting.capacities.rate[self.active]
        fastest = np.zeros(self.n_classes)
        np.maximum.at(fastest, self.class_of, self.capacity)
        reached, (bucket, member_class) = np.zeros(counting.n_buckets), counting.arcs
        np.maximum.at(reached, bucket, fastest[member_class])
        self._fastest = reached[counting.bucket]
        self._least, self._most = np.zeros_like(bucket), counting.size[bucket]
        if counting.per_topic:
            topics = counting.constraint.free_topics
            members = np.zeros((len(topics.size), self.n_classes), np.int64)
            np.add.at(members, (topics.place, counting.group.class_of), 1)
            self._least = (topics.level @ members)[bucket, member_class]
            self._most = self._least + (topics.open @ members)[bucket, member_class]

    @property
    def mean(self) -> float:
        """The load of members that share everything."""
        lag = self.counting.lag.sum() + self.counting.base[self.active].sum()
        return float(lag) / float(self.capacity.sum())

    def cut(self, level: float, lightest: bool) -> tuple[Flags, float]:
        """The members [M] that cannot all have at most this load, or at least for the `lightest`,
        and the level that they can have: the same one if all can."""
        counting, n, n_classes = self.counting, self.counting.n_buckets, self.n_classes
        bucket, member_class = counting.arcs
        lag = counting.lag.astype(np.float64)
        if lightest:  # what a partition has beyond the level does not count
            lag = np.minimum(lag, level * self._fastest)
        upto = np.concatenate(([0.0], np.cumsum(lag)))
        end = np.cumsum(counting.size)
        begin = end - counting.size
        least = upto[begin[bucket] + self._least] - upto[begin[bucket]]
        most = upto[end[bucket]] - upto[end[bucket] - self._most]
        supply = upto[end] - upto[begin] - np.bincount(bucket, least, n)
        carried = np.bincount(member_class, least, n_classes)
        spare = level * self.capacity - counting.base[self.active]
        room = np.maximum(self._by_class(np.maximum(spare, 0.0)) - carried, 0.0)
        over = self._by_class(np.maximum(-spare, 0.0)) * (not lightest)
        unit = UNIT / max(1.0, float(supply.sum()), float(room.sum()))
        source, sink, places = n + n_classes, n + n_classes + 1, n + np.arange(n_classes)
        graph = new_graph()
        columns = most - least, supply, room, over
        whole = [np.rint(column * unit).astype(np.int64) for column in columns]
        if not counting.per_topic:
            whole[0] += int(UNIT)  # more than there is: a full arc would draw the cut to itself
        graph.add_arcs_with_capacity(bucket, n + member_class, whole[0])
        graph.add_arcs_with_capacity(np.full(n, source), np.arange(n), whole[1])
        graph.add_arcs_with_capacity(places, np.full(n_classes, sink), whole[2])
        graph.add_arcs_with_capacity(np.full(n_classes, source), places, whole[3])
        ends = whole[2:3] if lightest else (whole[1], whole[3])
        missing = sum(int(end.sum()) for end in ends) - maximum(graph, source, sink)
        inside = np.zeros(sink + 1, np.bool_)
        side = graph.get_sink_side_min_cut if lightest else graph.get_source_side_min_cut
        inside[side()] = True
        chosen = inside[n:source]
        capacity = float(self._by_class(self.capacity)[chosen].sum())
        apart = missing / unit / capacity if capacity else 0.0
        better = level - apart if lightest else level + apart
        return chosen[counting.group.class_of] & counting.active, better

    def _by_class(self, column: Floats | Ints) -> Floats:
        total = np.zeros(self.n_classes)
        np.add.at(total, self.class_of, column)
        return total


def _by_themselves(counting: Counting) -> list[Flags]:
    """[M] members of one class, capacity and pinned load that must carry the most by themselves, or
    can carry the least, as their counts force it. None of them where all are alike."""
    group, classes = counting.group, len(counting.group.class_topics)
    order, new = rows_together([group.class_of, counting.kind, counting.base])
    if np.count_nonzero(new) == 1 or classes > MOST_CLASSES or counting.per_topic:
        return []
    sort_of = np.empty(len(order), np.int64)
    sort_of[order] = np.cumsum(new) - 1
    number = np.bincount(sort_of[counting.active], minlength=int(new.sum()))
    columns = counting.lo, counting.hi, counting.base, 1.0 / counting.capacities.rate
    fewest, most, base, capacity = (np.bincount(sort_of, column) for column in columns)
    load = np.full((2, len(number)), np.nan)
    first = order[new]
    for member_class in range(classes):
        mine = np.flatnonzero((group.class_of[first] == member_class) & (number > 0))
        lags = np.sort(counting.lag[counting.within_reach(member_class)])
        upto = np.concatenate(([0], np.cumsum(lags)))
        few, many = (np.minimum(n[mine], len(lags)).astype(np.int64) for n in (fewest, most))
        both = base[mine] + (upto[few], upto[-1] - upto[len(lags) - many])
        load[:, mine] = both / capacity[mine]
    ends = (
        np.argsort(-load[0], kind="stable")[:EXTREMES],
        np.argsort(load[1], kind="stable")[:EXTREMES],
    )
    return [(sort_of == sort) & counting.active for sort in np.concatenate(ends).tolist()]
