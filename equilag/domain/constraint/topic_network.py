"""Flows in which topics count one by one among the assignments that a constraint allows.

Partitions flow from their part of a topic, all of one class, to a *cell*, a topic at a place, on to
the place and to the sink. The members of a place are alike: what comes to it is dealt to them
evenly, in all and of each topic, which can always be done (in turn, topic by topic). So a further
partition of a cell costs as much for each of them, and the flows need not know members. Which parts
a cell may take from depends on the class of its members alone, as costs on these arcs do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints, place_of, rows_together
from equilag.domain.constraint.assignment_network import step_costs
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.constraint.topic_counts import CountInterval, TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals
from equilag.domain.group.group import NOBODY, Index
from equilag.domain.group.topic_parts import TopicParts, topic_parts
from equilag.domain.plan.metrics import cross_costs

ANY: Final = 2**40
"""Units of an arc that all cost the same: more than there are partitions."""


class StepRange(NamedTuple):
    """Partitions of one cell at each member of a place, counted from what it has now."""

    begin: int
    end: int


STEP: Final = StepRange(0, 1)


@dataclass(frozen=True, eq=False)
class TopicNetwork:
    """Arcs [A] from parts of topics to cells [L], then one for each cell, one for each place."""

    constraint: CountConstraint
    place: Ints
    """[M]"""
    size: Ints
    """[places] members."""
    parts: TopicParts
    part: Ints
    """Part and cell of the first arcs, ascending."""
    cells: Ints
    topic: Ints
    """[L]"""
    place_of_cell: Ints
    """[L] by topic and then by place."""
    pinned: Ints
    """[L] pinned partitions at each member, which do not flow."""
    width: Ints
    """[A] units of one cost: one for each member of a cell's place, `ANY` of other arcs."""
    network: Network

    @staticmethod
    def of(constraint: CountConstraint) -> TopicNetwork:
        """Of a group without instances. Partition classes are of one topic, or of all partitions
        of several. O(P + parts × places)."""
        group = constraint.group
        parts = topic_parts(group)
        place, first = _places(constraint)
        size = np.bincount(place, minlength=len(first))
        n_parts = len(parts.topic)
        supply = np.bincount(parts.of_partition[constraint.free], minlength=n_parts)
        open_to = constraint.face[parts.partition_class][:, group.class_of[first]]
        part, places = np.nonzero(open_to & (supply > 0)[:, None])
        key = parts.topic[part] * len(first) + places
        cell, cells = np.unique(key, return_inverse=True)
        topic, place_of_cell = np.divmod(cell, max(1, len(first)))
        least, most = constraint.counts_of(first)
        held = TopicCounts.of(group, constraint.pinned_assignment)
        pinned = held.at(topic, first[place_of_cell])
        least, most = least - constraint.fixed[first], most - constraint.fixed[first]
        number, supply = size[place_of_cell], supply[part]
        low, high = np.zeros_like(topic), most[place_of_cell]
        if constraint.per_topic:
            low, high = constraint.free_topics.at(topic, first[place_of_cell])
        n_cells = len(cell)
        sink = n_parts + n_cells + len(first)
        places = n_parts + n_cells + np.arange(len(first))
        network = Network.of(
            sink + 1,
            (part, n_parts + cells.ravel(), 0, supply),
            (n_parts + np.arange(n_cells), places[place_of_cell], low * number, high * number),
            (places, sink, least * size, most * size),
        )
        width = np.full(len(network.tail), ANY)
        width[len(part) : len(part) + n_cells] = number
        return TopicNetwork(
            constraint, place, size, parts, part, cells.ravel(), topic, place_of_cell, pinned,
            width, network,
        )  # fmt: skip

    def flow_of(self, assigned: Index) -> Ints:
        """[A] the flow of an assignment [P] that the constraint allows."""
        free = np.flatnonzero(self.constraint.free & (assigned != NOBODY))
        place, n_places = self.place[assigned[free]], len(self.size)
        of = self.parts.of_partition[free].astype(np.int64) * n_places + place
        pairs = self.part * n_places + self.place_of_cell[self.cells]
        found = place_of(of, pairs, len(self.parts.topic) * n_places)
        units = np.bincount(found[found >= 0], minlength=len(pairs))
        cells, places = np.zeros_like(self.topic), np.zeros_like(self.size)
        np.add.at(cells, self.cells, units)
        np.add.at(places, self.place_of_cell, cells)
        return np.concatenate((units, cells, places))

    def _part(self, flow: Ints) -> Ints:
        """[L] what comes to cells."""
        return flow[len(self.part) :][: len(self.topic)]

    @property
    def capacity(self) -> Ints:
        """[L] that the counts of a member of the cell's place rest on."""
        extended = self.constraint.group.extended
        capacity = np.ones(len(self.place), np.int64) if extended is None else extended.capacity
        of_place = np.zeros(len(self.size), np.int64)
        of_place[self.place] = capacity
        return of_place[self.place_of_cell]

    def count_costs(self, flow: Ints, window: StepRange = STEP) -> Costs:
        """What counts of topics cost: one of the partitions of a window more, or one fewer."""
        number, units = self.size[self.place_of_cell], self._part(flow)
        low, high = units // number + self.pinned, -(-units // number) + self.pinned
        capacity, path = self.capacity, self.network.n_nodes
        more, fewer = step_costs(
            2 * low + sum(window), 2 * high - sum(window), capacity, path, once=False
        )
        columns = []
        for cost in (more, fewer):
            column = np.zeros(len(flow), cost.dtype)
            column[len(self.part) :][: len(cost)] = cost
            columns.append(column)
        return Costs(*columns)

    def read_costs(self) -> Costs:
        """Reads across racks."""
        group = self.constraint.group
        member_class = np.zeros(len(self.size), np.int64)
        member_class[self.place] = group.class_of
        to = member_class[self.place_of_cell[self.cells]]
        cost = np.zeros(len(self.network.tail), np.int64)
        cost[: len(to)] = cross_costs(group)[self.parts.partition_class[self.part], to]
        return Costs(cost, cost)

    def room(self, flow: Ints, window: StepRange = STEP) -> CountInterval:
        """[A] units that may come less, and more, at the costs of `count_costs`."""
        least, most = self.network.least, self.network.most
        low, high = -(-flow // self.width), flow // self.width
        fewer, more = (
            (np.clip((low - step) * self.width, least, flow),
             np.clip((high + step) * self.width, flow, most))
            for step in window
        )  # fmt: skip
        return CountInterval(fewer[0] - more[0], more[1] - fewer[1])

    def narrowed(self, flow: Ints, costs: Costs) -> TopicNetwork:
        """The network of the cheapest flows; `flow` is one of those. Raises NegativeCycles."""
        height = self.network.heights(flow, costs)
        climb = height[self.network.head] - height[self.network.tail]
        fewer, more = self.room(flow)
        least = flow - np.where(costs.fewer == climb, fewer, 0)
        most = flow + np.where(costs.more == climb, more, 0)
        return replace(self, network=self.network._replace(least=least, most=most))

    def evened(self, flow: Ints) -> TopicNetwork:
        """The network of the flows with the smallest Σ count² / capacity over topics and members;
        `flow` is one of them. Raises NotMinimal."""
        try:
            return self.narrowed(flow, self.count_costs(flow))
        except NegativeCycles as error:
            first = len(self.part)
            cell = next(~arc - first for arc in error.cycles[0] if ~arc >= first)
            place, topic = int(self.place_of_cell[cell]), int(self.topic[cell])
            member = int(np.flatnonzero(self.place == place)[0])
            raise NotMinimal(member, member, topic) from None

    @property
    def narrowed_constraint(self) -> CountConstraint:
        """What all assignments have in common whose flows are flows of the network."""
        group, n_pairs, n_cells = self.constraint.group, len(self.part), len(self.topic)
        least, most = self.network.least, self.network.most
        member_class = np.zeros(len(self.size), np.int64)
        member_class[self.place] = group.class_of
        face = np.zeros_like(self.constraint.face)
        taken = np.flatnonzero(most[:n_pairs] > 0)
        classes = self.parts.partition_class[self.part[taken]]
        face[classes, member_class[self.place_of_cell[self.cells[taken]]]] = True
        level = np.zeros((len(group.topics), len(self.size)), np.int64)
        if self.constraint.has_pinned:
            topic, member, count = TopicCounts.of(group, self.constraint.pinned_assignment).cells()
            level[topic, self.place[member]] = count
        is_open = np.zeros(level.shape, np.bool_)
        number, cells = self.size[self.place_of_cell], slice(n_pairs, n_pairs + n_cells)
        low, high = least[cells] // number, -(-most[cells] // number)
        level[self.topic, self.place_of_cell] += low
        is_open[self.topic, self.place_of_cell] = high > low
        topics = TopicIntervals(group, self.place, level, is_open, after_totals=True)
        lower, upper = (bound[n_pairs + n_cells :] for bound in (least, most))
        fixed = self.constraint.fixed
        return replace(
            self.constraint,
            _face=face,
            _least=(lower // self.size)[self.place] + fixed,
            _most=(-(-upper // self.size))[self.place] + fixed,
            _topics=topics,
        )


def _places(constraint: CountConstraint) -> tuple[Ints, Ints]:
    """[M] the place of each member, and a member of each place: those of one class, capacity and
    interval of counts; where partitions are pinned, each by itself."""
    group = constraint.group
    every = np.arange(group.n_members)
    if constraint.per_topic:
        first = np.zeros(len(constraint.topics.size), np.int64)
        first[constraint.topics.place[::-1]] = every[::-1]
        return constraint.topics.place, first
    if constraint.has_pinned:
        return every, every
    columns: list[Ints | Index] = [*constraint.counts_of(), group.class_of]
    if group.extended is not None:
        columns.append(group.extended.capacity)
    order, new = rows_together(columns)
    place = np.empty_like(every)
    place[order] = np.cumsum(new) - 1
    return place, order[new]
