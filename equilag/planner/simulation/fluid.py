"""Lag over time as a fluid, under conditions that change at given times; any moment is exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index
from equilag.domain.group.throughput import catch_up_seconds, spare
from equilag.domain.plan.metrics import member_sums


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


Schedule: TypeAlias = Sequence[tuple[float, Conditions]]
"""Times in seconds, ascending, the first one that of the state, and what holds from each on."""


class MemberLags(NamedTuple):
    """The lag of each member from some moment on; the last entry is what nobody owns."""

    lag: Floats
    """[M + 1] records at that moment."""
    growth: Floats
    """[M + 1] records per second, while there is a backlog."""

    @classmethod
    def of(cls, state: FluidState, conditions: Conditions) -> MemberLags:
        n_members = conditions.n_members
        owner = np.where(conditions.owner == NOBODY, n_members, conditions.owner).astype(np.int32)
        lag = member_sums(state.lag, owner, n_members + 1)
        rate = member_sums(conditions.rate, owner, n_members + 1)
        return cls(lag, -spare(rate, np.append(conditions.capacity, 0.0)))

    def after(self, seconds: float) -> Floats:
        """[M + 1] records some seconds later: however a member shares its capacity, it reads all of
        it while it has a backlog."""
        return np.maximum(self.lag + seconds * self.growth, 0.0)

    def seconds(self, length: float) -> float:
        """The lag of all, in records times seconds, over this length of time."""
        with np.errstate(divide="ignore", invalid="ignore"):
            empty = np.where(self.growth < 0, self.lag / -self.growth, np.inf)
        until = np.minimum(length, empty)
        return float((until * (self.lag + self.growth * until / 2)).sum())

    def read_after(self) -> Floats:
        """[M + 1] seconds until each has no backlog, and none comes again; inf for never."""
        return catch_up_seconds(self.lag, -self.growth)


def states_at(
    state: FluidState, schedule: Schedule, times: Sequence[float]
) -> Iterator[FluidState]:
    """The state at each of these times, which ascend. O(P) for each."""
    changes = [*(start for start, _ in schedule[1:]), np.inf]
    at = 0
    for time in times:
        while time > changes[at]:
            state = state.after(changes[at] - state.time, schedule[at][1])
            at += 1
        state = state.after(time - state.time, schedule[at][1])
        yield state


def total_lags(state: FluidState, schedule: Schedule, times: Floats) -> Floats:
    """[T] the lag of all partitions at each of these times. O(P) for each change and O(T M)."""
    totals = np.zeros(len(times))
    for begin, end, lags in _courses(state, schedule):
        here = np.flatnonzero((times >= begin) & (times < end))
        for row in here:  # a table of all would be large
            totals[row] = lags.after(times[row] - begin).sum()
    return totals


def lag_seconds(state: FluidState, schedule: Schedule, end: float) -> float:
    """The total lag from the state's time until `end`, in records times seconds. O(P) for each
    change."""
    return sum(
        lags.seconds(min(until, end) - begin)
        for begin, until, lags in _courses(state, schedule)
        if begin < end
    )


def members_read_at(state: FluidState, schedule: Schedule) -> Floats:
    """[M + 1] the time from which on each member has no backlog, inf for never; the last entry is
    what nobody owns. O(P) for each change."""
    last = np.full(schedule[0][1].n_members + 1, state.time)
    for begin, end, lags in _courses(state, schedule):
        needed = lags.read_after()
        last = np.where(needed > 0, np.minimum(end, begin + needed), last)
    return last


def _courses(state: FluidState, schedule: Schedule) -> Iterator[tuple[float, float, MemberLags]]:
    """From when to when, and the members' lags in between."""
    starts = [*(start for start, _ in schedule), np.inf]
    for (begin, end), (_, conditions) in zip(pairwise(starts), schedule, strict=True):
        yield begin, end, MemberLags.of(state, conditions)
        if end < np.inf:
            state = state.after(end - begin, conditions)


RebalanceProtocol: TypeAlias = Literal["eager", "cooperative"]
PROTOCOLS: Final[tuple[RebalanceProtocol, ...]] = get_args(RebalanceProtocol)


def rebalanced(
    before: Conditions, after: Conditions, pause: float, protocol: RebalanceProtocol
) -> Schedule:
    """A rebalance at time 0: it takes `pause` seconds, then `after` holds. Without a partition that
    changes hands there is none.

    With the rates and capacities of `after`, eager members give up everything before it, so nobody
    reads. Cooperative members give up only what goes to another one: that is read by nobody, the
    rest by its owner. What had no owner is not read until the end.
    """
    if pause == 0 or np.array_equal(before.owner, after.owner):
        return [(0.0, after)]
    during = after._replace(capacity=np.zeros_like(after.capacity))
    if protocol == "cooperative":
        stays = before.owner == after.owner
        during = after._replace(owner=np.where(stays, after.owner, NOBODY).astype(np.int32))
    return [(0.0, during), (pause, after)]
