"""Whether members keep up: records per second that are produced, beside those that they can read;
and what they read between two samples.

By how much they fall behind, exactly, is the goal before all others where rates are known. `spare`
is the one definition of keeping up, for plans, sizes, simulations and fleets.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from equilag.domain.columns import ROUNDING, Flags, Floats, Index, Ints
from equilag.domain.group.group import Group
from equilag.domain.group.member_capacities import Load
from equilag.domain.group.weight import filled_rates, known_rates, knows_rates
from equilag.domain.plan.metrics import member_loads, member_sums
from equilag.domain.plan.plan_figures import HotPartition, ThroughputFigures
from equilag.domain.reduction.reduce import Reduction, known_capacities


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """[P] between two samples; 0 where an offset is unknown."""

    seconds: float
    known: Flags
    """Commits and ends of both moments are known, and did not go back."""
    before: Ints
    """Records that waited at the first one."""
    after: Ints
    read: Ints
    produced: Ints

    is_whole: bool
    """True if every partition that lags is known."""

    @property
    def fallen(self) -> int:
        """Records by which the lag fell, below 0 where it grew."""
        return int(self.before.sum()) - int(self.after.sum())


def progress_of(group: Group) -> ReadProgress | None:
    """None without an earlier sample."""
    now, earlier = group.offsets, group.previous
    if now is None or earlier is None:
        return None
    then = earlier.offsets
    known: Flags = group.assignable.copy()
    for column in (now.committed, now.log_end, then.committed, then.log_end):
        known &= column >= 0
    known &= (now.committed >= then.committed) & (now.log_end >= then.log_end)

    def between(last: Ints, first: Ints) -> Ints:
        found: Ints = np.where(known, last - first, 0)
        return found

    return ReadProgress(
        earlier.seconds_before,
        known,
        np.maximum(0, between(then.log_end, np.maximum(then.committed, then.log_start))),
        np.maximum(0, between(now.log_end, np.maximum(now.committed, now.log_start))),
        between(now.committed, then.committed),
        between(now.log_end, then.log_end),
        not group.lag[group.assignable & ~known].any(),
    )


def rates_and_capacities(reduction: Reduction) -> tuple[Floats, Floats] | None:
    """[P] and [M] of the given group, unknown ones filled in.

    None where lag or the user's own weights are spread, or no rate or no capacity is known.
    """
    group, weights = reduction.given, reduction.weights
    if weights is None or weights.kind == "given":
        return None
    if not (knows_rates(group) and group.knows_capacities):
        return None
    return filled_rates(group).rate, np.array(known_capacities(group))


def throughput(
    reduction: Reduction, assigned: Index, least_short: float = 0.0
) -> ThroughputFigures | None:
    """The figures of an assignment [P] of the given group, `least_short` as it is proved. O(P).

    None where `rates_and_capacities` is.
    """
    known = rates_and_capacities(reduction)
    if known is None:
        return None
    group, (rate, capacity) = reduction.given, known
    active = ~reduction.group.idle
    load = member_sums(rate, assigned, group.n_members)
    used = np.where(active, load / capacity, 0.0)
    short = float(np.maximum(-spare(load, capacity), 0.0)[active].sum())
    return ThroughputFigures(
        float(load.sum()),
        float(capacity[active].sum()),
        float(used.max(initial=0.0)),
        group.by_member(used),
        short,
        min(least_short, short),  # what is proved is exact, of rates as `_digits` rounds them
        tuple(hot_partitions(reduction, known_rates(group), capacity)),
        caught_up(member_loads(assigned, group.lag, group.n_members), load, capacity),
    )


def caught_up(lag: Ints, rate: Floats, capacity: Floats) -> float | None:
    """Seconds until members with these lags, rates and capacities [M] have read everything; None if
    one of them with a lag never has."""
    seconds = float(catch_up_seconds(lag, spare(rate, capacity)).max(initial=0.0))
    return seconds if np.isfinite(seconds) else None


def spare(rate: Floats, capacity: Floats) -> Floats:
    """Records per second that members read beyond what is produced for them, below 0 where that is
    more; 0 where the two are the same but for rounding."""
    left: Floats = capacity - rate
    same = np.abs(left) <= ROUNDING * np.maximum(rate, capacity)
    return np.where(same, 0.0, left)


def catch_up_seconds(lag: Ints | Floats, left: Floats) -> Floats:
    """Seconds until so much lag is read with so many records per second to spare; inf for never."""
    ahead = left > 0
    never: Floats = np.where((left < 0) | (lag > 0), np.inf, 0.0)
    return np.where(ahead, lag / np.where(ahead, left, 1.0), never)


def hot_partitions(reduction: Reduction, rate: Floats, capacity: Floats) -> list[HotPartition]:
    """Partitions, or units of co-partitioned topics, whose known rate exceeds the capacity of every
    member that may take them; the largest rate first.

    `rate` [P], 0 for unknown, and `capacity` [M] are those of the given group.
    """
    planned = reduction.group
    of_unit = unit_weights(reduction, rate)
    fastest = np.zeros(len(planned.class_topics))
    busy = np.flatnonzero(~planned.idle)
    np.maximum.at(fastest, planned.class_of[busy], capacity[busy])
    taker: Floats = np.where(planned.eligible, fastest, 0.0).max(axis=1, initial=0.0)
    most = taker[planned.partition_class]
    found = np.flatnonzero(of_unit > most)
    hot = found[np.argsort(-of_unit[found], kind="stable")]
    return [
        HotPartition(*planned.partition_name(p), float(of_unit[p]), float(most[p]))
        for p in hot.tolist()
    ]


def unit_weights(reduction: Reduction, weight: Floats) -> Floats:
    """[units] the sum of a weight [P] over the partitions of each unit; 0 where nobody reads it."""
    planned = reduction.group
    unit_of = np.arange(len(weight)) if reduction.unit_of is None else reduction.unit_of
    found: Floats = np.zeros(planned.n_partitions)
    np.add.at(found, unit_of, weight)
    found[~planned.assignable] = 0.0
    return found


MOST: Final = 2**26
"""All rates and capacities together stay below this in the unit that they are counted in, as far as
their decimals go: seven digits of them, which CP-SAT adds up exactly (`MAX_TOTAL`)."""
MOST_DIGITS: Final = 9
"""Decimals of a rate beyond which nobody measures one."""


@dataclass(frozen=True, eq=False)
class Shortage:
    """Rates and capacities of the planned group, in whole numbers; `scale` of them are 1 record/s.

    P units (partitions, or those of co-partitioned topics that go together), M members.
    """

    rate: Ints
    """[P]"""
    capacity: Ints
    """[M] 0 for idle members; at most the sum of all rates."""
    fastest: Ints
    """[P] the largest capacity of a member that may take it."""
    scale: int

    @staticmethod
    def of(reduction: Reduction) -> Shortage | None:
        """None where nothing is known of rates or capacities, or neither rates nor work count."""
        known = rates_and_capacities(reduction)
        if known is None:
            return None
        group, rate = reduction.group, unit_weights(reduction, known[0])
        read = np.where(group.idle, 0.0, np.minimum(known[1], rate.sum()))  # more is never used
        digits = _digits(np.concatenate([rate, read]))
        capacity = _whole(read, digits)
        most = np.zeros(len(group.class_topics), np.int64)
        np.maximum.at(most, group.class_of, capacity)
        fastest = np.where(group.eligible, most, 0).max(axis=1, initial=0)[group.partition_class]
        return Shortage(_whole(rate, digits), capacity, fastest, 10**digits)

    def over(self, assigned: Index) -> Ints:
        """[M] what each member cannot read of what is produced to it; `assigned` is [P]."""
        over: Ints = np.maximum(self.held(assigned) - self.capacity, 0)
        return over

    def held(self, assigned: Index) -> Ints:
        """[M] what is produced to each member."""
        return member_loads(assigned, self.rate, len(self.capacity))

    def short(self, assigned: Index) -> Load:
        """Records per second by which the members fall behind, in all. O(P)."""
        return self.records(int(self.over(assigned).sum()))

    @cached_property
    def least(self) -> Load:
        """No assignment is less short: what exceeds all capacities, or each partition's fastest
        reader."""
        rate = self.rate[self.fastest > 0]
        total = int(rate.sum()) - int(self.capacity.sum())
        hot = int(np.maximum(rate - self.fastest[self.fastest > 0], 0).sum())
        return self.records(max(total, hot, 0))

    def records(self, whole: int) -> Load:
        """A whole number of this unit in records per second."""
        found = Fraction(whole, self.scale)
        return found.numerator if found.denominator == 1 else found


def _digits(values: Floats) -> int:
    """Decimals that tell the values exactly, or as many as leave their sum below MOST."""
    for digits in range(MOST_DIGITS + 1):
        scaled = values * 10**digits
        if scaled.sum() * 10 >= MOST or np.array_equal(np.rint(scaled) / 10**digits, values):
            return digits
    return MOST_DIGITS


def _whole(values: Floats, digits: int) -> Ints:
    found: Ints = np.rint(values * 10**digits).astype(np.int64)
    return found


def shortage_of(reduction: Reduction, assigned: Index) -> Load:
    """Records per second by which members fall behind under an assignment [P] of the given group;
    0 where nothing is known of it."""
    shortage = Shortage.of(reduction)
    return 0 if shortage is None else shortage.short(reduction.collapse(assigned))
