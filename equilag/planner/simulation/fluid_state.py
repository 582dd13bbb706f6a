"""The backlogs of a group at one moment, and how they go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index


def member_sums(values: Floats, owner: Index, n_members: int) -> Floats:
    """[M] the sum of a column [P] over the partitions of each member; without what nobody owns."""
    held = owner != NOBODY
    if held.all():
        return np.bincount(owner, values, n_members).astype(np.float64)
    return np.bincount(owner[held], values[held], n_members).astype(np.float64)


def fair_shares(demand: Floats, owner: Index, budget: Floats) -> Floats:
    """[P] the max-min fair shares of the members' budgets [M] in the demands [P].

    A member with budget for all of its demands meets them. Any other one has a level: it gives each
    of its partitions the level, or the demand where that is less, and so spends its whole budget.
    What nobody owns gets nothing.

    Progressive filling: demands below an equal share are met, the others share what is left, until
    no demand is below. A round takes O(P); shares approach the level so fast that three to six
    rounds do, and each sum is over one member alone, so that large groups are as exact as small
    ones.
    """
    n_members = len(budget)
    shares = np.where(owner == NOBODY, 0.0, demand)
    short = budget < member_sums(demand, owner, n_members)
    rest = np.flatnonzero(np.append(short, False)[owner])  # the last one is NOBODY's
    left = budget.copy()
    while len(rest):
        member = owner[rest]
        number = np.bincount(member, minlength=n_members)
        level = (np.maximum(left, 0.0) / np.maximum(number, 1))[member]
        met = demand[rest] < level
        if not met.any():
            shares[rest] = level
            break
        left -= np.bincount(member[met], demand[rest[met]], n_members)
        rest = rest[~met]
    return shares


ROUNDING: Final = 1e-12
"""A lag below this part of what there was to read is rounding: doubles have 16 digits, and a member
may add up a thousand of them."""


class Conditions(NamedTuple):
    """What stays the same for a while."""

    rate: Floats
    """[P] records produced per second."""
    capacity: Floats
    """[M] records that a member reads per second while it has a backlog; 0 while it stands
    still."""
    owner: Index
    """[P] who reads the partition, or NOBODY."""

    @property
    def n_members(self) -> int:
        return len(self.capacity)

    def member_rates(self) -> Floats:
        """[M] records produced per second for each member."""
        return member_sums(self.rate, self.owner, self.n_members)


class Arrivals(NamedTuple):
    """Records that came at constant rates, and what came before them."""

    rate: Floats
    seconds: float
    earlier: Arrivals | None


@dataclass(frozen=True, slots=True, eq=False)
class FluidState:
    """The lags of all partitions at one moment, and how old they are.

    A member reads its whole capacity while any of its partitions has a backlog, and shares it
    equally between those that have one; a partition without a backlog gets what is produced, up to
    that share. Under such constant conditions a backlog that has been read stays read, since the
    share only grows. So a partition with `lag` and `rate` has been given, after t seconds,
    min(level, lag + rate t), with one level for all partitions of a member: the cumulative reads
    are max-min fair, and any moment is computed at once, without the events before it.
    """

    time: float
    """Seconds since the start."""
    lag: Floats
    """[P] records."""
    produced: Arrivals
    """What was produced since the start; the earliest are the rates before it, without an end."""

    @classmethod
    def start(cls, lag: Floats, rate: Floats) -> FluidState:
        """The state at time 0; the backlog came at these rates [P], as age is concerned."""
        return cls(0.0, np.asarray(lag, dtype=np.float64), Arrivals(rate, np.inf, None))

    def after(self, seconds: float, conditions: Conditions) -> FluidState:
        """The state some seconds later, under constant conditions. O(P)."""
        if seconds == 0:
            return self
        demand = self.lag + conditions.rate * seconds
        read = fair_shares(demand, conditions.owner, conditions.capacity * seconds)
        lag = demand - read
        lag[lag <= ROUNDING * demand] = 0.0
        before = self.produced
        if before.rate is conditions.rate and before.earlier is not None:  # the same ones went on
            came = before._replace(seconds=before.seconds + seconds)
        else:
            came = Arrivals(conditions.rate, seconds, before)
        return FluidState(self.time + seconds, lag, came)

    def age(self) -> Floats:
        """[P] seconds since the oldest unread record was produced, 0 where all is read.

        A backlog from before the start is as old as its records over the rate; one of a partition
        without a rate came at the start, at the latest. O(P) for each change of the rates since the
        oldest unread record.
        """
        age, rest, left = np.zeros_like(self.lag), self.lag.copy(), np.flatnonzero(self.lag > 0)
        came: Arrivals | None = self.produced
        while came is not None and len(left):
            rate, is_first = came.rate[left], came.earlier is None
            with np.errstate(divide="ignore", invalid="ignore"):
                back = np.where(rate > 0, rest[left] / rate, 0.0 if is_first else np.inf)
            age[left] += np.minimum(back, came.seconds)
            rest[left] -= rate * came.seconds if not is_first else 0.0
            left = left[(back > came.seconds) & (rest[left] > 0)]
            came = came.earlier
        return age

    def member_lags(self, owner: Index, n_members: int) -> Floats:
        """[M] records of each member's partitions; O(P)."""
        return member_sums(self.lag, owner, n_members)
