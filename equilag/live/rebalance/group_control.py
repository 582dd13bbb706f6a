"""What every shell keeps of the group that it leads, and the two calls that it makes.

A shell is what takes part in a group: an assignor inside a consumer, the steward. It calls
`consider` after each observation, and requests a rebalance if that says so; and `record` after each
answer (`assignments.Answering`) that it has handed out.
"""

from __future__ import annotations

import time
from typing import Final

from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.assignments import RebalanceAnswer
from equilag.live.rebalance.controller import Considered, Controller, SeenGroup
from equilag.live.rebalance.handouts import Handouts, Round
from equilag.live.rebalance.sticky_plan import MakePlan
from equilag.planner.worth.thresholds import Thresholds

UNREAD: Final = 1 / 6
"""A round of a KIP-848 group in parts of the time from a plan until all members have it. A moved
partition is unread for two: a third of it, as measured with heartbeats of 0.3 s to 5 s."""


class GroupControl:
    """The state of one led group. Safe to use from several threads, `consider` from one."""

    def __init__(self, thresholds: Thresholds, policy: Policy) -> None:
        self.handouts = Handouts()
        self.controller = Controller(thresholds, policy)

    def consider(
        self, seen: SeenGroup, make_plan: MakePlan, dry_run: bool = False
    ) -> tuple[Considered, bool]:
        """Return the verdict on the group; and True if a rebalance is to be requested now, of which
        the plan is the target. A dry run has no target."""
        now, controller = time.monotonic(), self.controller
        considered = controller.consider(seen, self.handouts.known, now, make_plan)
        if (decision := considered.to_start) is None:
            return considered, False
        if not dry_run:
            target = seen.target(decision.plan, {})
            if seen.measured.capacities:  # it was planned by speeds
                target = target.by_speed()
            # Unless another rebalance came first.
            if not self.handouts.request(target, seen.rebalances, time.monotonic()):
                return considered, False
        controller.started(seen.loads, considered, now)
        return considered, True

    def confirm(self, now: float) -> None:
        """The members of a KIP-848 group have what was handed out."""
        taken = self.handouts.confirm(now)
        self.controller.rounds.record(Round(UNREAD * taken, None), now)

    def record(self, answer: RebalanceAnswer) -> None:
        """An answer was handed out."""
        now = time.monotonic()
        taken = self.handouts.record(answer.target, not answer.withheld, now)
        if taken is not None and any(answer.by_member.values()):
            self.controller.rounds.record(taken, now)
