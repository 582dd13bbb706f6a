"""What a rebalance gains and what it costs, in one unit: records that wait, times the seconds.

Both come from the fluid model: the lag of the current assignment, of the planned one, and of the
planned one with its rebalance.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Index
from equilag.domain.plan.metrics import member_sums
from equilag.planner.simulation.fluid import (
    Conditions,
    FluidState,
    RebalanceProtocol,
    lag_seconds,
    rebalanced,
)

ROUND_S: Final = 3.0
"""How long a round is taken to last until one was measured: members notice it by their heartbeats,
by default every 3 s."""
POLLS: Final = 2
"""Polls of the slowest member in a round: one to join, one to apply what it was assigned."""
COOPERATIVE_ROUNDS: Final = 2
"""Members first release what moves, and get it in the next round."""
COMMIT_S: Final = 5.0
"""The default interval of automatic commits."""
WORTH_S: Final = 300.0
"""How far a gain is counted: by then load and members have often changed."""
MARGIN: Final = 2.0
"""A gain must be so many times the price: rates, speeds and pauses are estimates."""
PEAK_SHARE: Final = 0.005
"""Part of the time in which a group is taken to have all the load that it can carry. Headroom that
is even gains nothing until then; with less, small fast groups would never prepare for a peak, and
with ten times more large slow ones would move hundreds of partitions for it."""


class Pace(NamedTuple):
    """How a group rebalances."""

    round_s: float = ROUND_S
    """From one assignment to the next."""
    rounds: int = COOPERATIVE_ROUNDS
    """Of a cooperative group, where partitions move; an eager one needs one."""
    commit_s: float = COMMIT_S
    """The longest time between two commits of a partition."""
    protocol: RebalanceProtocol = "eager"

    @classmethod
    def of_polls(cls, poll_s: float, rounds: int, protocol: RebalanceProtocol) -> Pace:
        """The pace of a group whose slowest member polls at these intervals."""
        return cls(max(ROUND_S, POLLS * poll_s), rounds, max(COMMIT_S, poll_s), protocol)

    @property
    def pause_s(self) -> float:
        """For how long partitions pause: all of an eager group, else those that move."""
        return self.round_s * (1 if self.protocol == "eager" else max(1, self.rounds - 1))

    def __str__(self) -> str:
        rounds = 1 if self.protocol == "eager" else self.rounds
        return f"{rounds} {'round' if rounds == 1 else 'rounds'} of {self.round_s:.1f} s"


class Weighed(NamedTuple):
    """A plan's gain and price, in record-seconds."""

    gain: float
    price: float

    @property
    def net(self) -> float:
        """The gain less the price with its margin."""
        return self.gain - MARGIN * self.price

    @property
    def pays(self) -> bool:
        return self.net > 0

    def __str__(self) -> str:
        return f"gains {self.gain:,.0f} record-seconds, costs {self.price:,.0f}"


def weigh(
    lag: Floats,
    before: Conditions,
    after: Index | None,
    pace: Pace,
    seconds: float = WORTH_S,
    guessed: Flags | None = None,
) -> Weighed:
    """Weigh a change of owners against its rebalance over some seconds. O(P).

    `lag` [P] is in records; rates and capacities of `before` hold all along. `after` [P] are the
    new owners; None weighs what no plan exceeds: one member that reads with the capacity of all,
    at the price of a rebalance with one move. Lag that the next commits take away counts as read.
    Capacities that are `guessed` [M] are raised until all of these members that are not behind keep
    up with what they have. To the gain at these rates comes that at the highest rates that the
    group can carry, for `PEAK_SHARE` of the time.
    """
    rate, backlog = before.rate, np.maximum(0.0, lag - before.rate * pace.commit_s)
    if guessed is not None:
        held, capacity = before.member_rates(), before.capacity
        behind = member_sums(backlog, before.owner, len(capacity)) > held * pace.commit_s
        fits = guessed & ~behind & (capacity > 0)
        times = float((held[fits] / capacity[fits]).max(initial=1.0))
        before = before._replace(capacity=np.where(guessed, times * capacity, capacity))
    peak = float(before.capacity.sum()) / float(rate.sum()) if rate.any() else 0.0
    gain = 0.0
    if peak > 1.0:
        full = before._replace(rate=peak * rate)
        empty = FluidState.start(np.zeros_like(lag), full.rate)
        gain = PEAK_SHARE * _saved(empty, full, _with_owners(full, after), seconds)
    then = _with_owners(before, after)
    state = FluidState.start(backlog, rate)
    gain += _saved(state, before, then, seconds)
    if after is None and pace.protocol == "cooperative":
        return Weighed(gain, float(rate.mean()) * pace.pause_s**2 / 2)
    schedule = rebalanced(before, then, pace.pause_s, pace.protocol)
    if after is not None:  # on average; at most twice as much
        backlog = backlog + np.where(before.owner != after, rate * pace.commit_s / 2, 0.0)
    paid = lag_seconds(FluidState.start(backlog, rate), schedule, seconds)
    return Weighed(gain, max(0.0, paid - lag_seconds(state, [(0.0, then)], seconds)))


def _with_owners(conditions: Conditions, owner: Index | None) -> Conditions:
    if owner is not None:
        return conditions._replace(owner=owner)
    everything = conditions.capacity.sum(keepdims=True)
    return Conditions(conditions.rate, everything, np.zeros_like(conditions.owner, dtype=np.int32))


def _saved(state: FluidState, now: Conditions, then: Conditions, seconds: float) -> float:
    return lag_seconds(state, [(0.0, now)], seconds) - lag_seconds(state, [(0.0, then)], seconds)
