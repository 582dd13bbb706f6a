"""Lag over time under conditions that change at given times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from equilag.domain.columns import NOBODY, Floats
from equilag.domain.group.throughput import catch_up_seconds, spare
from equilag.planner.simulation.fluid_state import Conditions, FluidState

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
        lag = state.member_lags(owner, n_members + 1)
        rate = np.bincount(owner, conditions.rate, n_members + 1).astype(np.float64)
        return cls(lag, -spare(rate, np.append(conditions.capacity, 0.0)))

    def after(self, seconds: Floats) -> Floats:
        """[T, M + 1] records after some times [T]: however a member shares its capacity, it reads
        all of it while it has a backlog."""
        return np.maximum(self.lag + np.multiply.outer(seconds, self.growth), 0.0)

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
            totals[row] = lags.after(np.array([times[row] - begin])).sum()
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


def read_at(state: FluidState, schedule: Schedule) -> float:
    """The time from which on there is no backlog; inf for never. O(P) for each change."""
    return float(members_read_at(state, schedule).max())


def _courses(state: FluidState, schedule: Schedule) -> Iterator[tuple[float, float, MemberLags]]:
    """From when to when, and the members' lags in between."""
    starts = [*(start for start, _ in schedule), np.inf]
    for (begin, end), (_, conditions) in zip(pairwise(starts), schedule, strict=True):
        yield begin, end, MemberLags.of(state, conditions)
        if end < np.inf:
            state = state.after(end - begin, conditions)


RebalanceProtocol: TypeAlias = Literal["eager", "cooperative"]
PROTOCOLS: Final[tuple[RebalanceProtocol, ...]] = get_args(RebalanceProtocol)


def during_rebalance(
    before: Conditions, after: Conditions, protocol: RebalanceProtocol
) -> Conditions:
    """What holds in a rebalance, with the rates and capacities of `after`.

    Eager members give up everything before it, so nobody reads. Cooperative members give up only
    what goes to another one: that is read by nobody, the rest by its owner. What had no owner is
    not read until the end.
    """
    if protocol == "eager":
        return after._replace(capacity=np.zeros_like(after.capacity))
    stays = before.owner == after.owner
    return after._replace(owner=np.where(stays, after.owner, NOBODY).astype(np.int32))


def rebalanced(
    before: Conditions,
    after: Conditions,
    pause: float,
    protocol: RebalanceProtocol,
    at: float = 0.0,
) -> Schedule:
    """A rebalance `at` some time: it takes `pause` seconds, then `after` holds. Without a partition
    that changes hands there is none."""
    if pause == 0 or np.array_equal(before.owner, after.owner):
        return [(at, after)]
    return [(at, during_rebalance(before, after, protocol)), (at + pause, after)]
