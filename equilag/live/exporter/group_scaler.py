"""How many processes a group needs: sized now and then, by its rates at any time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.columns import Floats
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.weight import filled_rates, total_rate
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_answer import ScaleFacts
from equilag.planner.sizes.scaling import ScaleSettings, SteadyScale, load_limit, scale_wish
from equilag.planner.sizes.size_run import LeastMembers, SizeRun, least_members
from equilag.planner.sizes.sizing import LeastSize, Sizing

EFFORT: Final = 0.0004
"""Counted work of a sizing in core-seconds per partition: 50 partitions are sized in 0.03 s."""
CLOSE: Final = 0.005
"""Part of a load by which it may be above the best: half of what a number that helps saves."""
LEAST_EFFORT: Final = 0.02
NO_EFFORT: Final = 1e-9
"""Bounds are counted, and partitions dealt."""
MOST_S: Final = 5.0
"""Seconds by the clock: a group of 10,000 partitions has sizes of which some were not looked at."""
OLD_S: Final = 3600.0
"""Seconds after which a group is sized again whose rates and speeds have hardly changed: as long as
speeds are good for."""
DRIFT: Final = 0.1
"""Part of the rates that may have gone from some partitions to others, or of the speeds from some
members to others, before it is sized again: counts of some hundred records differ by that from one
window to the next."""


@dataclass(frozen=True, slots=True)
class _Sized:
    sizing: Sizing
    at: float
    rate: Floats
    speeds: Floats

    def pace(self, group: Group) -> float:
        """How fast members are now, compared with then."""
        then, now = (values[values > 0] for values in (self.speeds, _speeds(group)))
        return float(now.mean() / then.mean()) if len(now) and len(then) else 1.0

    def present(self, group: Group) -> int:
        """Processes that run now and read anything."""
        basis = self.sizing.basis
        return -(-(group.n_members - basis.idle) // max(1, basis.threads))


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
        self.problem = ""
        """Why the group could not be sized."""

    def staleness(self, group: Group, now: float) -> float:
        """How much the group needs to be sized again; 0 for not at all, infinite for a new one."""
        known = self._sized
        if known is None or len(known.rate) != group.n_partitions:
            return float("inf")
        speeds, rate = _speeds(group), filled_rates(group).rate
        if len(speeds) != len(known.speeds) or speeds.any() != known.speeds.any():
            return 2.0
        if not (known.rate.any() and rate.any()):  # while nothing is produced proportions stay
            return 1.0 if rate.any() else 0.0
        drift = max(_drift(known.rate, rate), _drift(known.speeds, speeds))
        return max(drift / DRIFT, (now - known.at) / OLD_S)

    def size(self, group: Group, now: float) -> None:
        """Compute which numbers help. Never raises what a group can cause."""
        room = 1 + self._settings.headroom / 100  # so that sizes around the need are looked at
        rate = filled_rates(group).rate
        rates = room * (rate if rate.any() else np.ones_like(rate))
        lag = np.zeros_like(group.lag)  # so that no time to catch up is looked for
        effort = max(LEAST_EFFORT, EFFORT * group.n_partitions)
        try:
            run = SizeRun(replace(group, rates=rates, lag=lag), self._policy, None, self._threads)
            sizing = run.answer(None, Budget.of_run(MOST_S, 0.0, effort), CLOSE)
        except InputError as error:
            self.problem = str(error)
            return
        self.problem = ""
        self._sized = _Sized(sizing, now, rate, _speeds(group))

    def least(self, group: Group) -> LeastMembers | None:
        """How many members keep up, as far as the sizes tell, or bounds before there are any; None
        where they do not."""
        known, rate = self._sized, total_rate(group)
        if known is None:
            with suppress(InputError):
                return least_members(group, self._policy, Budget.of_run(MOST_S, 0.0, NO_EFFORT))
        if known is None or rate is None or known.sizing.basis.capacity is None:
            return None
        sizing, present = known.sizing, known.present(group)
        limit = load_limit(sizing, rate, pace=known.pace(group))
        rows = [row for row in sizing.rows if row.size >= present]
        found = next((row.size for row in rows if row.load <= limit), None)
        beyond = any(row.size == present and row.load_at_least > limit for row in rows)
        least, threads = LeastSize(present + beyond, found), sizing.basis.threads
        return LeastMembers(present, threads, least, sizing.last, sizing.hot)

    def facts(self, group: Group, now: float) -> ScaleFacts | None:
        """How many processes from now on; None for a group that was not sized. Where it cannot be
        sized any more, as while one of the threads of a process is missing, the old sizes hold."""
        known, steady = self._sized, self._steady
        if not group.n_members and group.n_partitions:
            helps = (steady.number,)
            return ScaleFacts(*helps, helps, None, 0, "no member runs that tells what is read")
        if known is None:
            return None
        present = known.present(group)
        wish = scale_wish(known.sizing, total_rate(group), self._settings, known.pace(group))
        number, reason = steady.step(now, wish.wanted, present), wish.reason
        if wish.wanted is not None and number > wish.wanted:
            reason = f"{reason}; {number} were needed in the last {self._settings.window_s:g} s"
        return ScaleFacts(number, wish.helps, wish.need, present, reason, now - known.at)


def _speeds(group: Group) -> Floats:
    """[M] what members can process; 0 where it is not known."""
    return np.array([member.capacity or 0.0 for member in group.members])


def _drift(before: Floats, now: Floats) -> float:
    """Part of the sum that has gone from some to others."""
    return float(np.abs(before / (before.sum() or 1.0) - now / (now.sum() or 1.0)).sum()) / 2
