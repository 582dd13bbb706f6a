"""What limits rebalances: time, moves, what the last one brought; and which verdicts are news."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.group.group import Group
from equilag.live.rebalance.handouts import Round
from equilag.planner.simulation.rebalance_price import (
    COMMIT_S,
    COOPERATIVE_ROUNDS,
    POLLS,
    ROUND_S,
    Pace,
)
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import Verdict

COOLDOWN_DOUBLINGS: Final = 5
"""The longest cooldown is 32 times the shortest: a quarter of an hour with the default of 30 s. So
long an imbalance may have to wait after rebalances that brought nothing."""
PLAN_S: Final = 15.0
"""Seconds from a plan that came to nothing to the next: three observations."""
PLAN_DOUBLINGS: Final = 4
"""At most 4 minutes. Two plans of 5 s, one of them with a limit of moves, are 4 % of a core."""


class Backoff:
    """The time from one attempt to the next, which doubles while they bring nothing, and halves
    while they help; `now` is in seconds of a monotonic clock."""

    def __init__(self, shortest_s: float, max_doublings: int) -> None:
        self._shortest_s, self._max_doublings = shortest_s, max_doublings
        self._doublings = 0
        self._started_at = float("-inf")

    @property
    def seconds(self) -> float:
        """The time in force."""
        return self._shortest_s * float(2**self._doublings)

    def start(self, now: float) -> None:
        """An attempt was made."""
        self._started_at = now

    def left(self, now: float) -> float:
        """Seconds until the next attempt."""
        return max(0.0, self._started_at + self.seconds - now)

    def judge(self, helped: bool) -> None:
        """The last attempt helped, or brought nothing."""
        doublings = self._doublings + (-1 if helped else 1)
        self._doublings = min(self._max_doublings, max(0, doublings))


_FORGET_S: Final = 600.0
"""Seconds in which half of what a round was longer than usual is forgotten. An outage in the middle
of one makes all others look too costly, and without any it is not measured again."""


SEEN_COMMIT_S: Final = 2 * COMMIT_S
"""What the longest time between commits seems to be, at the usual intervals of commits and of
observations, where polls take no time."""


class RoundTimes:
    """How long the rounds of a group take, and how many a plan needs: as in its last rebalance."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None
        """Seconds of the last round, and when it ended."""
        self._rounds = COOPERATIVE_ROUNDS

    def record(self, taken: Round, now: float) -> None:
        """A round ended in an assignment."""
        self._last = taken.seconds, now
        if taken.rounds is not None:
            self._rounds = max(COOPERATIVE_ROUNDS, taken.rounds)

    @property
    def applied_s(self) -> float:
        """Seconds in which members apply what they were assigned; 0 before a round was measured."""
        return 0.0 if self._last is None else self._last[0]

    def pace(self, cooperative: bool, commit_s: float, now: float) -> Pace:
        """Return the pace. Before a round was measured it is the longest time between commits if
        that is longer than usual: commits wait for polls as rounds do. And a round takes the polls
        that these commits show, as members without records, at the start, poll faster."""
        usual = commit_s if commit_s > COMMIT_S else ROUND_S
        seconds = usual
        if self._last is not None:
            seconds, at = self._last
            seconds -= max(0.0, seconds - usual) * (1.0 - 0.5 ** ((now - at) / _FORGET_S))
        seconds = max(seconds, POLLS * (commit_s - SEEN_COMMIT_S))
        return Pace(seconds, self._rounds, commit_s, "cooperative" if cooperative else "eager")


_HOUR_S: Final = 3600.0
MOVES_PER_PARTITION: Final = 10
"""Default moves per partition and hour: a group whose load is dealt anew every 2 minutes needs
about that, and a steady one none."""


class MoveBudget:
    """Starts full; `per_hour` None stands for a default by the number of partitions."""

    def __init__(self, per_hour: int | None) -> None:
        self._per_hour = per_hour
        self._used = 0.0
        """Moves taken that are not yet refilled."""
        self._at = 0.0

    def left(self, n_partitions: int, now: float) -> int:
        """Moves that may be taken now."""
        most = self._limit(n_partitions)
        self._refill(most, now)
        return max(0, int(most - self._used))

    def take(self, moves: int, n_partitions: int, now: float) -> None:
        """A rebalance with these moves was started."""
        self._refill(self._limit(n_partitions), now)
        self._used += moves

    def _limit(self, n_partitions: int) -> int:
        return n_partitions * MOVES_PER_PARTITION if self._per_hour is None else self._per_hour

    def _refill(self, most: int, now: float) -> None:
        self._used = max(0.0, self._used - most * max(0.0, now - self._at) / _HOUR_S)
        self._at = now


class PromisedRelief(NamedTuple):
    """What was promised when a rebalance was started."""

    group: Group
    """The group as it was before."""
    percent: float
    """Relief of the most relieved member, in percent of a fair share."""
    possible: float
    """The relief that no plan could have exceeded then."""
    due: float
    """When to judge, in seconds of a monotonic clock."""
    in_seconds: bool
    """True if capacities were known then."""

    def found(self, loads: GroupLoads, possible: Gain) -> float | None:
        """Return the relief that came, in percent, in a group whose members are the same; None if
        its topics are others now, or the first speeds were measured since: the rebalance was right
        by what was known.

        It is by how much the group is more even, or would be less even now had it kept its
        assignment.
        """
        before, group = self.group, loads.group
        same = before.topics == group.topics and np.array_equal(
            before.topic_start, group.topic_start
        )
        if not same or loads.in_seconds != self.in_seconds:
            return None
        more_even = self.possible - possible.relief_percent
        avoided = gain_of(loads, before.owner, group.owner).relief_percent
        return max(0.0, more_even, avoided)


_AGAIN_S: Final = 60.0
"""A verdict of the same ground is no news within a minute: near a threshold it comes and goes with
every observation."""


class VerdictNews:
    """Remembers what was told. `now` is in seconds of any monotonic clock."""

    def __init__(self) -> None:
        self._ground = ""
        self._told_at: dict[str, float] = {}

    def is_news(self, verdict: Verdict, now: float) -> bool:
        """Return True for a verdict whose ground is another one than before, and was not told
        lately. A rebalance is told by itself."""
        changed, self._ground = verdict.ground != self._ground, verdict.ground
        if verdict.worth_it:
            self._told_at = {}
            return False
        if not changed or now - self._told_at.get(verdict.ground, float("-inf")) < _AGAIN_S:
            return False
        self._told_at[verdict.ground] = now
        return True
