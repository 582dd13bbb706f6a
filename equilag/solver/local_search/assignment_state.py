"""The assignment that a local search improves step by step, with what each step needs at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from equilag.domain.columns import Floats, ranges
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.group.loads import LoadColumn, excess
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.metrics import fair_load, loads_of, member_counts, topic_counts


def disjoint_pairs(one: Ints, other: Ints, n_members: int) -> Ints:
    """The indices of the pairs that remain if each in turn takes both its members from the rest.

    The pairs are given best first. All pairs that come before every other of either member are
    taken at once, until none is left.
    """
    left, taken = np.arange(len(one)), []
    while len(left):
        first = np.full(n_members, len(one))
        np.minimum.at(first, one[left], left)
        np.minimum.at(first, other[left], left)
        best = left[(first[one[left]] == left) & (first[other[left]] == left)]
        taken.append(best)
        used = np.zeros(n_members, np.bool_)
        used[one[best]] = used[other[best]] = True
        left = left[~(used[one[left]] | used[other[left]])]
    return np.concatenate(taken) if taken else left


class Window(NamedTuple):
    """The loads that the proved bounds leave, both ends included, and where a search ends."""

    low: Any = 2**62
    """The upper bound of the lightest load; an integer where loads are, as `high`."""
    high: Any = 0
    """The lower bound of the heaviest one, but not below `low`."""
    enough: float = 0
    """A spread at which the search ends."""
    most_moves: float | None = None
    """No plan moves more than this; None where moves do not count."""

    def outside(self, load: LoadColumn) -> LoadColumn:
        """Distance of each load from the window; 0 inside."""
        found: LoadColumn = np.maximum(np.maximum(self.low - load, load - self.high), 0)
        return found

    def wider(self, extremes: tuple[float, float]) -> Window:
        """It, widened halfway to both extreme loads; the same if they are inside."""
        high, low = max(self.high, extremes[0]), min(self.low, extremes[1])
        return self._replace(low=(self.low + low) // 2, high=-(-(self.high + high) // 2))


@dataclass(eq=False)
class AssignmentState:
    """A valid assignment within a constraint; loads and counts follow every change.

    Shapes as in `Group`: M members, K member classes, T topics, C partition classes, P partitions.
    """

    group: Group
    constraint: CountConstraint
    assigned: Index
    """[P] member of each partition."""
    loads: LoadColumn
    """[M] load of each member, as loads are compared: lag times `factor`."""
    counts: Ints
    """[M] partitions of each member."""
    per_topic: Index | None
    """[T, M] partitions of each topic at each member; None unless topics count one by one."""
    active: Index
    """The members that are not idle."""
    factor: Floats | None = None
    """[M] see `Capacities.rate`; None where all are 1."""
    shortage: Shortage | None = None
    """Where members must not fall further behind; None where nobody looks at that."""
    _settled: Flags | None = field(default=None, init=False)
    """[P] what `settle` has fixed; None for nothing."""
    _held: list[list[int]] | None = field(default=None, init=False)

    @staticmethod
    def of(group: Group, constraint: CountConstraint, assigned: Index) -> AssignmentState:
        """A copy of the assignment [P]; O(P)."""
        capacities = group.extended.capacities
        return AssignmentState(
            group,
            constraint,
            assigned.copy(),
            loads_of(group, assigned).column,
            member_counts(assigned, group.n_members),
            topic_counts(group, assigned) if constraint.per_topic else None,
            np.flatnonzero(~group.idle).astype(np.int32),
            None if capacities.are_equal else capacities.rate,
        )

    # Loads

    def extremes(self) -> tuple[float, float]:
        """The heaviest and the lightest load of the members that are not idle."""
        loads = self.loads[self.active]
        return (loads.max().item(), loads.min().item()) if len(loads) else (0, 0)

    @property
    def spread(self) -> float:
        """Heaviest less lightest load of the members that are not idle."""
        high, low = self.extremes()
        return high - low

    @property
    def unevenness(self) -> tuple[float, float]:
        """The spread, and the excess over the mean load."""
        fair = None if self.factor is None else self.fair
        return self.spread, excess(self.loads[self.active], fair)

    @property
    def mean(self) -> float:
        """The load that all members would have if they were equally loaded; rounded down where
        loads are integers."""
        if self.factor is None:
            return int(self.loads[self.active].sum()) // len(self.active)
        return float(self.fair)

    def scaled(self, lag: Ints, members: Ints | Index | int) -> LoadColumn:
        """What lags add to the loads of members; the two are broadcast together."""
        return lag if self.factor is None else lag * self.factor[members]

    @cached_property
    def fair(self) -> Fraction:
        """The load that all members would have if they were equally loaded."""
        return fair_load(self.group)

    def by_load(self) -> Index:
        """The members that are not idle, the heaviest first."""
        return self.active[np.argsort(-self.loads[self.active], kind="stable")]

    # Who holds what

    @property
    def movable(self) -> Flags:
        """[P] True for the partitions that may change hands."""
        free = self.constraint.free
        return free if self._settled is None else free & ~self._settled

    def held_by(self, member: int) -> Ints:
        """The movable partitions of a member, ascending; O(P)."""
        return np.flatnonzero((self.assigned == member) & self.movable)

    @property
    def held(self) -> list[list[int]]:
        """[M] the movable partitions of each member, in the order in which they came to it."""
        if self._held is None:
            order, start = self.by_member()
            self._held = [order[a:b].tolist() for a, b in pairwise(start.tolist())]
        return self._held

    def by_member(self, of: Ints | Index | None = None) -> tuple[Ints, Ints]:
        """The movable partitions by member, and [M + 1] where each member's begin.

        Of the members `of` alone, where they are given.
        """
        movable = self.movable
        if of is not None:
            wanted = np.zeros(self.group.n_members, np.bool_)
            wanted[of] = True
            movable = movable & wanted[self.assigned]
        free = np.flatnonzero(movable)
        order = free[np.argsort(self.assigned[free], kind="stable")]
        return order, self.starts(order)

    def starts(self, by_member: Ints) -> Ints:
        """[M + 1] where each member's begin in partitions that are sorted by member."""
        return np.searchsorted(self.assigned[by_member], np.arange(self.group.n_members + 1))

    # Who may hold what

    @cached_property
    def _by_class(self) -> tuple[Ints, Ints]:
        """Free partitions by partition class, and [C + 1] where each class's begin."""
        free = np.flatnonzero(self.constraint.free)
        order = free[np.argsort(self.group.partition_class[free], kind="stable")]
        edges = np.arange(len(self.group.eligible) + 1)
        return order, np.searchsorted(self.group.partition_class[order], edges)

    @cached_property
    def _takeable(self) -> dict[int, Ints]:
        return {}

    def takeable(self, member: int) -> Ints:
        """Free partitions that the member may hold."""
        member_class = int(self.group.class_of[member])
        if member_class not in self._takeable:
            order, start = self._by_class
            classes = np.flatnonzero(self.constraint.face[:, member_class])
            self._takeable[member_class] = order[ranges(start[classes], start[classes + 1])]
        return self._takeable[member_class]

    def others_for(self, member: int) -> Ints:
        """Movable partitions of others that the member may take."""
        may = self.takeable(member)
        theirs = self.assigned[may] != member
        if self._settled is not None:
            theirs &= ~self._settled[may]
        others: Ints = may[theirs]
        return others

    @cached_property
    def takers_of_classes(self) -> tuple[Ints, Ints]:
        """Member classes by the partition class that they may take from, and [C + 1] where those of
        each partition class begin."""
        classes, member_classes = np.nonzero(self.constraint.face)
        return member_classes, np.searchsorted(classes, np.arange(len(self.constraint.face) + 1))

    def one_for_each_instance(
        self, one_sided: Flags, givers: Ints | Index, takers: Ints | Index
    ) -> Flags:
        """[exchanges] those that can be made together: of the ones without a return, which change
        counts, only one for each instance whose sum is limited. Best first."""
        sums = self.constraint.instance_sums
        if sums is None:
            return np.ones(len(one_sided), np.bool_)
        alone = np.flatnonzero(one_sided)
        first = disjoint_pairs(sums.of[givers[alone]], sums.of[takers[alone]], len(sums.least))
        kept = ~one_sided
        kept[alone[first]] = True
        return kept

    # Changes

    def settle(self, partition: int) -> None:
        """Leave a partition where it is from now on."""
        self.held[int(self.assigned[partition])].remove(partition)
        if self._settled is None:
            self._settled = np.zeros(len(self.assigned), np.bool_)
        self._settled[partition] = True

    def pass_on(self, partition: int, giver: int, taker: int) -> None:
        """Hand one partition from giver to taker."""
        self.assigned[partition] = taker
        if self._held is not None:
            self._held[giver].remove(partition)
            self._held[taker].append(partition)
        lag = self.group.lag[partition]
        factor = self.factor
        self.loads[giver] -= lag if factor is None else lag * factor[giver]
        self.loads[taker] += lag if factor is None else lag * factor[taker]
        self.counts[giver] -= 1
        self.counts[taker] += 1
        if self.per_topic is not None:
            topic = self.group.topic_of[partition]
            self.per_topic[topic, giver] -= 1
            self.per_topic[topic, taker] += 1

    def transfer(self, partitions: Ints, takers: Ints | Index) -> None:
        """Hand each of some partitions to its taker; O(partitions)."""
        givers = self.assigned[partitions]
        self.assigned[partitions] = takers
        self._held = None
        lag = self.group.lag[partitions]
        np.subtract.at(self.loads, givers, self.scaled(lag, givers))
        np.add.at(self.loads, takers, self.scaled(lag, takers))
        np.subtract.at(self.counts, givers, 1)
        np.add.at(self.counts, takers, 1)
        if self.per_topic is not None:
            topic = self.group.topic_of[partitions]
            np.subtract.at(self.per_topic, (topic, givers), 1)
            np.add.at(self.per_topic, (topic, takers), 1)

    def exchange(self, given: Ints, taken: Ints, givers: Index, takers: Index) -> None:
        """Hand each `given` from giver to taker, and each `taken` (NOBODY for none) back."""
        back = taken != NOBODY
        partitions = np.concatenate((given, taken[back]))
        self.transfer(partitions, np.concatenate((takers, givers[back])))
