"""The assignments that a constraint allows as flows, and the constraint of the best ones.

Partitions flow from their *part* to a *stop*, on to a *place*, from there to the instance whose
threads its members are, and to the sink. Parts are classes of partitions, stops classes of members.
Where topics count one by one, parts are of one topic, and stops are *cells*, a topic at a place.

The members of a place are alike: what comes to it is dealt to them evenly, in all and of each
topic, which can always be done (in turn, topic by topic). So one partition more costs as much for
each of them, and the flows need not know members. Even counts of instances, members or topics and
few reads across racks are goals of such flows (`equilag.domain.constraint.network`). Each goal
turns a constraint into a narrower one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints, place_of
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.network import (
    Costs,
    Exact,
    NegativeCycles,
    Network,
    NotMinimal,
    among_exact,
    step_costs,
)
from equilag.domain.constraint.stops import Places, Stops, sums_of
from equilag.domain.constraint.topic_intervals import CountInterval, InstanceSums, TopicIntervals
from equilag.domain.group.group import NOBODY, Index
from equilag.domain.plan.metrics import topic_counts

ANY: Final = 2**40
"""Units of an arc that all cost the same: more than there are partitions."""

NONE: Final = slice(0)
"""No arcs."""


class StepRange(NamedTuple):
    """Partitions at each member of a place, or of an instance, counted from what there is now."""

    begin: int
    end: int


STEP: Final = StepRange(0, 1)


@dataclass(frozen=True, eq=False)
class AssignmentNetwork:
    """Arcs [A] from parts to stops, from cells to places, then one for each place [D] and one for
    each instance."""

    constraint: CountConstraint
    by_topic: bool
    places: Places
    stops: Stops
    sums: InstanceSums | None
    width: Ints
    """[A] units of one cost: one for each member of a place or of a cell's, `ANY` from parts."""
    base: Ints
    """[A] pinned partitions of each of those, which do not flow."""
    capacity: Ints
    """[A]"""
    network: Network

    @staticmethod
    def of(constraint: CountConstraint, by_topic: bool = False) -> AssignmentNetwork:
        """O(P + arcs). Topics count one by one only without instances, and where partition classes
        are of one topic, or of all partitions of several."""
        group, sums = constraint.group, None if by_topic else sums_of(constraint)
        places = Places.of_topics(constraint) if by_topic else Places.of_members(constraint, sums)
        stops = Stops.cells(constraint, places) if by_topic else Stops.classes(constraint)
        _, one, size = places
        n_parts = len(stops.parts.topic)
        first_place = n_parts + len(stops.where)
        from_place = n_parts + group.class_of[one].astype(np.int64)
        cells, pinned, instances = np.zeros((3, 0), np.int64)
        fixed = constraint.fixed[one]
        least, most = (count - fixed for count in constraint.counts_of(one))
        low, high, to, sink = cells, cells, cells, first_place
        if by_topic:
            from_place, sink = first_place + np.arange(len(one)), first_place + len(one)
            to, cells = stops.where, np.arange(len(stops.where))
            held = topic_counts(group, constraint.pinned_assignment)
            pinned = held[stops.topic, one[to]].astype(np.int64)
            low, high = 0 * to, most[to]
            if constraint.per_topic:
                low, high = constraint.free_topics.at(stops.topic, one[to])
        capacity = group.extended.capacity
        into, totals = np.full_like(one, sink), (instances,) * 4
        if sums is not None:
            into, instances = sink + sums.of[one], sink + np.arange(len(sums.least))
            kept = constraint.fixed
            totals = (*sums.without(kept)[1:], sums.total(kept), sums.total(capacity))
        sink += len(instances)
        network = Network.of(
            sink + 1,
            (stops.part, n_parts + stops.stop, 0, stops.supply[stops.part]),
            (n_parts + cells, first_place + to, low * size[to], high * size[to]),
            (from_place, into, least * size, most * size),
            (instances, sink, *totals[:2]),
        )
        ones = np.ones_like(stops.part)
        return AssignmentNetwork(
            constraint, by_topic, places, stops, sums,
            np.concatenate((ANY * ones, size[to], size, np.ones_like(instances))),
            np.concatenate((0 * ones, pinned, fixed, totals[2])),
            np.concatenate((ones, capacity[one[to]], capacity[one], totals[3])),
            network,
        )  # fmt: skip

    @cached_property
    def kinds(self) -> tuple[slice, slice, slice, slice]:
        """The arcs from parts, those of cells, of places, and of instances."""
        pairs, cells = len(self.stops.part), len(self.stops.where) * self.by_topic
        places, end = pairs + cells, len(self.network.tail)
        last = places + len(self.places.one)
        return slice(pairs), slice(pairs, places), slice(places, last), slice(last, end)

    @property
    def even_goals(self) -> tuple[slice, ...]:
        """The arcs whose counts are to be even, in this order."""
        _, cells, places, instances = self.kinds
        if self.by_topic:
            return (cells,)
        return (places,) if self.sums is None else (instances, places)

    @cached_property
    def class_of_stop(self) -> Ints:
        """The member class of each stop."""
        if not self.by_topic:
            return self.stops.where
        return self.constraint.group.class_of[self.places.one[self.stops.where]].astype(np.int64)

    def flow_of(self, assigned: Index) -> Ints:
        """[A] the flow of an assignment [P], without partitions that are where they may not be."""
        group, (parts, part, stop, _, where, _) = self.constraint.group, self.stops
        free = np.flatnonzero(self.constraint.free & (assigned != NOBODY))
        member, wide = assigned[free], group.n_members + len(group.class_topics)
        to = (self.places.of if self.by_topic else group.class_of)[member]
        key = parts.of_partition[free].astype(np.int64) * wide + to
        found = place_of(key, part * wide + where[stop], len(parts.topic) * wide)
        found = found[found >= 0]
        columns = [np.bincount(found, minlength=len(part))]
        if self.by_topic:
            columns.append(np.bincount(stop[found], minlength=len(where)))
        columns.append(np.bincount(self.places.of[member], minlength=len(self.places.one)))
        if self.sums is not None:
            columns.append(self.sums.total(np.bincount(member, minlength=group.n_members)))
        return np.concatenate(columns)

    def count_costs(
        self, flow: Ints, goal: slice, window: StepRange = STEP, ranks: bool = False
    ) -> Costs:
        """What counts cost on some arcs: one of the partitions of a window more, or one fewer; or
        their `ranks`, see `step_costs`."""
        number, units, base = self.width[goal], flow[goal], self.base[goal]
        more = 2 * (units // number + base) + sum(window)
        fewer = 2 * (-(-units // number) + base) - sum(window)
        found = step_costs(more, fewer, self.capacity[goal], self.network.n_nodes, ranks)
        return Costs(*(self._column(goal, cost) for cost in found))

    def read_costs(self) -> Costs:
        """Reads across racks."""
        across = self.constraint.group.extended.cross_costs
        classes = self.stops.parts.partition_class[self.stops.part]
        cost = self._column(self.kinds[0], across[classes, self.class_of_stop[self.stops.stop]])
        return Costs(cost, cost)

    def _column(self, arcs: slice, values: Exact) -> Exact:
        """[A] values of some arcs, 0 for others."""
        column = np.zeros(len(self.network.tail), values.dtype)
        column[arcs] = values
        return column

    def room(self, flow: Ints, goal: slice, window: StepRange = STEP) -> CountInterval:
        """[A] units that may come less, and more, at the costs of `count_costs`; all that may on
        arcs that are not of the goal."""
        least, most, width = self.network.least, self.network.most, np.full_like(flow, ANY)
        width[goal] = self.width[goal]
        low, high = -(-flow // width), flow // width
        fewer = [np.clip((low - step) * width, least, flow) for step in window]
        more = [np.clip((high + step) * width, flow, most) for step in window]
        return CountInterval(fewer[0] - fewer[1], more[1] - more[0])

    def narrowed(self, flow: Ints, costs: Costs, goal: slice = NONE) -> AssignmentNetwork:
        """The network of the cheapest flows; `flow` is one of those, no matter which.

        `goal` are the arcs with a cost of counts. Members and instances have no more, or no fewer,
        where no others can make up for it. Raises NegativeCycles.
        """
        members = NONE if goal == self.kinds[1] else goal
        tail, head, _, _, n_nodes = self.network
        height = self.network.heights(flow, costs)
        climb = height[head] - height[tail]
        fewer, more = self.room(flow, goal)
        fewer, more = fewer * (costs.fewer == climb), more * (costs.more == climb)
        # Units pass between tails of one level: one arc has fewer only if another has more.
        level, gives, takes = height[tail[members]], fewer[members] > 0, more[members] > 0
        fewer[members] *= among_exact(level, level[takes])
        more[members] *= among_exact(level, level[gives])
        # What comes to a head has to go on, or something else has to stay away.
        heads = head[members]
        passed = np.zeros(n_nodes, np.bool_)
        passed[heads] = True
        near = np.flatnonzero(passed[tail] | passed[head])
        shrinks, grows = near[fewer[near] > 0], near[more[near] > 0]
        into, off = np.zeros((2, n_nodes), np.bool_)
        into[tail[shrinks]] = into[head[grows]] = off[tail[grows]] = off[head[shrinks]] = True
        fewer[members] *= into[heads]
        more[members] *= off[heads]
        return replace(self, network=self.network._replace(least=flow - fewer, most=flow + more))

    def evened(self, flow: Ints, counts: Ints, *goals: slice) -> AssignmentNetwork:
        """The network of the flows with the smallest Σ count² / capacity of some goals in turn,
        those of the network unless given; `flow` is one of them, that of `counts` [M]. Raises
        NotMinimal."""
        network = self
        for goal in goals or self.even_goals:
            # Threads of several instances may get more on one path.
            once = goal == self.even_goals[0] and not self.by_topic
            try:
                costs = network.count_costs(flow, goal, ranks=once)
                network = network.narrowed(flow, costs, goal)
            except NegativeCycles as error:
                raise self._step_of(error.cycles[0], counts, goal) from None
        return network

    def _step_of(self, cycle: list[int], counts: Ints, goal: slice) -> NotMinimal:
        """A member that gives along the cycle of a residual network, and one that takes."""
        _, cells, places, _ = self.kinds
        begin, end = (cells if goal == cells else places).indices(len(self.width))[:2]
        heavy = next(~arc - begin for arc in cycle if begin <= ~arc < end)
        if goal == cells:
            member = int(self.places.one[self.stops.where[heavy]])
            return NotMinimal(member, member, int(self.stops.topic[heavy]))
        light = next(arc - begin for arc in cycle if begin <= arc < end)
        return self.step_between(heavy, light, counts)

    def step_between(self, heavy: int, light: int, counts: Ints) -> NotMinimal:
        """From the member of a place with most, to that of another with least."""
        giver, taker = (np.flatnonzero(self.places.of == place) for place in (heavy, light))
        return NotMinimal(int(giver[counts[giver].argmax()]), int(taker[counts[taker].argmin()]))

    @property
    def narrowed_constraint(self) -> CountConstraint:
        """What all assignments have in common whose flows are flows of the network."""
        constraint, (pairs, cells, places, instances) = self.constraint, self.kinds
        low, high = self.network.least, self.network.most
        face = np.zeros_like(constraint.face)
        taken = high[pairs] > 0
        classes = self.stops.parts.partition_class[self.stops.part[taken]]
        face[classes, self.class_of_stop[self.stops.stop[taken]]] = True
        fewest, highest = low // self.width + self.base, -(-high // self.width) + self.base
        least, most = fewest[places][self.places.of], highest[places][self.places.of]
        sums = constraint.instance_sums
        if self.sums is not None:
            sums = InstanceSums(self.sums.of, fewest[instances], highest[instances])
            if np.array_equal(sums[1:], (sums.total(least), sums.total(most))):
                sums = None
        found = replace(constraint, face=face, _least=least, _most=most, instance_sums=sums)
        if not self.by_topic:
            return found
        group = constraint.group
        level = np.zeros((len(group.topics), len(self.places.one)), np.int64)
        is_open = np.zeros(level.shape, np.bool_)
        pinned = topic_counts(group, constraint.pinned_assignment)
        topic, member = np.nonzero(pinned)
        level[topic, self.places.of[member]] = pinned[topic, member]
        level[self.stops.topic, self.stops.where] = fewest[cells]
        is_open[self.stops.topic, self.stops.where] = highest[cells] > fewest[cells]
        # Where totals leave no choice, topics have none.
        is_open[:, level.sum(axis=0) == highest[places]] = False
        full = level.sum(axis=0) + is_open.sum(axis=0) == fewest[places]
        level[:, full] += is_open[:, full]
        is_open[:, full] = False
        after_totals = constraint.totals_then_topics or not constraint.per_topic
        topics = TopicIntervals(group, self.places.of, level, is_open, after_totals)
        return replace(found, _topics=topics)
