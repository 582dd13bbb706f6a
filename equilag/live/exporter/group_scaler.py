"""How many processes a group needs: sized now and then, by its rates at any time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.weight import filled_rates, total_rate
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_answer import ScaleFacts
from equilag.planner.size import size
from equilag.planner.sizes.scaling import ScaleSettings, SteadyScale, scale_wish
from equilag.planner.sizes.sizing import Sizing

EFFORT: Final = 0.001
"""Counted work of a sizing in core-seconds per partition: 50 partitions are sized in 0.1 s."""
LEAST_EFFORT: Final = 0.02
MOST_S: Final = 5.0
"""Seconds by the clock: a group of 10,000 partitions has sizes of which some were not looked at."""
SHARE: Final = 0.02
"""Part of a core that the sizings of one group may take: one of 1,200 partitions takes 5 s of it,
and the speeds of members change all the time."""
OLD_S: Final = 600.0
"""Seconds after which a group is sized again: speeds, which may have changed, are good for an
hour."""
DRIFT: Final = 0.1
"""Part of the rates that may have gone from some partitions to others before it is sized again:
counts of some hundred records differ by that from one window to the next."""


@dataclass(frozen=True, slots=True)
class _Sized:
    sizing: Sizing
    at: float
    rate: Floats
    capacities: tuple[float | None, ...]


class GroupScaler:
    """One group over time; for one thread. Times are seconds of a monotonic clock."""

    def __init__(
        self, settings: ScaleSettings, threads: int | None = None, policy: Policy | None = None
    ) -> None:
        """`threads` of a process, None for what `size` takes."""
        self._settings, self._threads = settings, threads
        self._policy = (Policy() if policy is None else policy).with_weight("rate")
        self._steady = SteadyScale(settings)
        self._sized: _Sized | None = None
        self._rests_until = float("-inf")
        self.problem = ""
        """Why the group could not be sized."""

    def staleness(self, group: Group, now: float) -> float:
        """How much the group needs to be sized again; 0 for not at all, infinite for a new one."""
        known = self._sized
        if known is None or len(known.rate) != group.n_partitions:
            return float("inf")
        if now < self._rests_until:
            return 0.0
        if known.capacities != _capacities(group):
            return 2.0
        total = known.rate.sum(), (rate := filled_rates(group).rate).sum()
        if not all(total):  # while nothing is produced the proportions stay
            return 1.0 if total[1] else 0.0
        drift = float(np.abs(known.rate / total[0] - rate / total[1]).sum()) / 2
        return max(drift / DRIFT, (now - known.at) / OLD_S)

    def size(self, group: Group, now: float) -> None:
        """Compute which numbers help. Never raises what a group can cause."""
        room = 1 + self._settings.headroom / 100  # so that sizes around the need are looked at
        rate = filled_rates(group).rate
        rates = room * (rate if rate.any() else np.ones_like(rate))
        lag = np.zeros_like(group.lag)  # so that no time to catch up is looked for
        effort, begun = max(LEAST_EFFORT, EFFORT * group.n_partitions), time.thread_time()
        try:
            sizing = size(
                replace(group, rates=rates, lag=lag), self._policy, threads=self._threads,
                time_limit=MOST_S, effort=effort,
            )  # fmt: skip
        except InputError as error:
            self.problem = str(error)
            return
        self.problem = ""
        self._sized = _Sized(sizing, now, rate, _capacities(group))
        self._rests_until = now + (time.thread_time() - begun) / SHARE

    def facts(self, group: Group, now: float) -> ScaleFacts | None:
        """How many processes from now on; None for a group that was not sized. Where it cannot be
        sized any more, as while one of the threads of a process is missing, the old sizes hold."""
        known, steady = self._sized, self._steady
        if not group.n_members and group.n_partitions:
            helps = (steady.number,)
            return ScaleFacts(*helps, helps, None, 0, "no member runs that tells what is read")
        if known is None:
            return None
        rate = total_rate(group)
        threads = known.sizing.basis.threads
        present = -(-(group.n_members - known.sizing.basis.idle) // max(1, threads))
        wish = scale_wish(known.sizing, rate, self._settings)
        number, reason = steady.step(now, wish.wanted, present), wish.reason
        if wish.wanted is not None and number > wish.wanted:
            reason = f"{reason}; {number} were needed in the last {self._settings.window_s:g} s"
        return ScaleFacts(number, wish.helps, wish.need, present, reason, now - known.at)


def _capacities(group: Group) -> tuple[float | None, ...]:
    return tuple(member.capacity for member in group.members)
