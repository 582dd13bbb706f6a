"""Whether a plan is noticeably better than another, and when none can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from equilag.domain.plan.plan import Plan
from equilag.domain.policy.objective import most_excess
from equilag.domain.policy.policy import Policy
from equilag.planner.explaining.bound_causes import in_unit
from equilag.planner.explaining.bound_rungs import BoundRungs
from equilag.planner.explaining.loosened import LooserName
from equilag.planner.solving.problem import NEGLIGIBLE
from equilag.solver.lower_bounds.load_bounds import excess_bound, load_bounds

OTHERWISE_BOUND: Final[frozenset[LooserName]] = frozenset(("co-partitioning", "subscriptions"))
"""Looser settings for which a bound on all assignments to subscribers is none."""
OF_MOVES: Final[frozenset[LooserName]] = frozenset(
    ("tolerance", "moves", "fewest-moves", "move-cost")
)
"""Those that trade moves for evenness, so that they save no moves."""
FEWER: Final = 0.9
"""Part of the moves that a plan as even has at most to save moves noticeably."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What no assignment to subscribers goes below; loads in the plan's unit."""

    heaviest: float
    spread: float
    excess: float
    step: float
    """What is gained at least where something is gained noticeably."""
    members: int

    def rules_out(self, plan: Plan) -> bool:
        """True if no plan is noticeably better than this one."""
        loads = plan.loads
        return not (
            loads.max - self.heaviest > self.step
            or loads.spread - self.spread > self.step
            or loads.excess - self.excess > most_excess(self.step, self.members)
        )


def floor_of(plan: Plan, policy: Policy) -> Floor:
    """The floor of a plan's group, whatever counts, pins, room, racks and moves. O(sets × P)."""
    counting = next(iter(BoundRungs(plan, policy))).counting
    bounds = load_bounds(counting, lambda: False)
    members = int((~plan.planned.group.idle).sum())
    step = NEGLIGIBLE * plan.loads.mean
    if bounds is None:
        return Floor(0.0, 0.0, 0.0, step, members)
    return Floor(
        in_unit(plan, bounds.highest.value),
        in_unit(plan, bounds.spread),
        in_unit(plan, excess_bound(counting, bounds).value),
        step,
        members,
    )


def helps(plan: Plan, other: Plan, name: LooserName) -> bool:
    """True if the other plan is noticeably more even, or as even with noticeably fewer moves.

    Noticeably is by more than the tolerance of the policy gives away, or, where the setting is
    about that, by more than anybody notices.
    """
    policy = plan.policy
    part = NEGLIGIBLE
    if policy is not None and name not in OF_MOVES:
        part = max(part, policy.tolerance / 100)
    step = part * plan.loads.mean
    members = int((~plan.planned.group.idle).sum())
    before, after = plan.loads, other.loads
    gains = (
        (before.max - after.max) / step if step else 0.0,
        (before.spread - after.spread) / step if step else 0.0,
        (before.excess - after.excess) / most_excess(step, members) if step else 0.0,
    )
    if max(gains) > 1:
        return True
    saves = len(other.moves) < len(plan.moves) and len(other.moves) <= FEWER * len(plan.moves)
    return saves and min(gains) >= -1 and name not in OF_MOVES
