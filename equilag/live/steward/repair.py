"""Rebalances that put something right, whatever the load: partitions that were added or deleted,
and partitions that break a rule of the policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from equilag.domain.figures import plural
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.fitting_policy import count_broken
from equilag.live.steward.observer import Observation

_GAP_S: Final = 15.0
"""Seconds between two repairs of topics of the same sizes: longer than such a rebalance takes, so
that one that did not help is not repeated at once."""


class Repair:
    """Whether a repair is due: two observations in a row must show the need, unless it is
    partitions that were added: they do not go away."""

    def __init__(self) -> None:
        self.seen = False
        """True if the last observation showed a need."""
        self._tried_at = -_GAP_S
        self._tried_sizes: Mapping[str, int] = {}
        self._hopeless: tuple[int, int] | None = None
        """Members, and partitions that break rules, for which a plan put nothing right."""

    def without_hopeless(self, observation: Observation) -> Observation:
        """Return the observation without broken rules that no plan puts right."""
        if self._hopeless == (len(observation.members), observation.broken):
            return replace(observation, broken=0)
        return observation

    def is_due(
        self, observation: Observation, pending: bool, before: Mapping[str, int], now: float
    ) -> bool:
        """Return True if a plan is to be made for a repair. `pending`: a rebalance is on its way;
        `before` has the topics' sizes in the last assignment, as far as they are known."""
        sizes, seen = observation.sizes, self.seen
        self.seen = observation.to_repair and not pending
        sure = seen or any(n > before.get(topic, n) for topic, n in sizes.items())
        in_vain = sizes == self._tried_sizes and now - self._tried_at < _GAP_S
        if not (self.seen and sure) or in_vain:
            return False
        self._tried_at, self._tried_sizes = now, sizes
        return True

    def helps(self, observation: Observation, decision: Decision, policy: Policy) -> bool:
        """Return True if the plan puts something right."""
        if not observation.complete:
            return True
        left = count_broken(observation.group, policy, decision.plan.assigned)
        if left < observation.broken:
            return True
        self._hopeless = (len(observation.members), observation.broken)
        self.seen = False
        return False

    def reason(self, observation: Observation) -> str:
        """Return what is to be put right, as text."""
        unowned, gone = observation.unowned, observation.group.dropped_claims
        if unowned:
            return plural(unowned, "partition without an owner", "partitions without an owner")
        if gone:
            return plural(gone, "owned partition is gone", "owned partitions are gone")
        broken = plural(observation.broken, "partition breaks a rule", "partitions break rules")
        return f"{broken} of the policy"
