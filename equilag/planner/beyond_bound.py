"""Why the bound of a plan does not hold for another assignment of its group."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from equilag.domain.constraint import CountConstraint, NotMinimal, count_constraint_of
from equilag.domain.group.group import NOBODY, Index
from equilag.domain.plan.metrics import count_moves, cross_reads, has_racks
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.objective import Objective

BeyondReason = Literal["counts", "moves", "racks", "partial", "rules"]
"""Why an assignment may be more even than the bound:

- ``counts``: its counts are not as even as the policy's balance asks, by capacity or topic by topic
  where the policy has it so.
- ``moves``: it moves more than the policy's limit, or more than the plan where moves come first.
- ``racks``: it reads more partitions across racks than the policy allows, or than the plan where
  these are to be few.
- ``partial``: it leaves partitions out.
- ``rules``: it breaks rules of the group.
"""


class BoundScope:
    """The assignments that the bound of one plan is about."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._group = plan.planned.group

    def beyond(self, assigned: Index, breaks_rules: bool) -> tuple[BeyondReason, ...]:
        """Why the bound does not hold for an assignment [P]; empty if it does.

        Counts are those of a whole assignment that keeps the rules; of others they say nothing.
        """
        collapsed = self._plan.planned.collapse(assigned)
        partial = bool(((collapsed == NOBODY) & self._group.assignable).any())
        moves = self._moves_more(assigned)
        found: list[BeyondReason] = []
        if not (partial or breaks_rules or self._are_even(collapsed, moves)):
            found.append("counts")
        if moves:
            found.append("moves")
        if self._reads_more(collapsed):
            found.append("racks")
        if partial:
            found.append("partial")
        if breaks_rules:
            found.append("rules")
        return tuple(found)

    @cached_property
    def _counts(self) -> CountConstraint | None:
        """None where the plan itself does not have such counts, as one without a search may not:
        then its bound asks for none."""
        plan = self._plan
        if plan.policy is None:
            return None
        try:
            planned = plan.planned.collapse(plan.assigned)
            return count_constraint_of(self._group, plan.policy, planned)
        except NotMinimal:
            return None

    def _are_even(self, collapsed: Index, moves: bool) -> bool:
        policy = self._plan.policy
        if self._counts is None or policy is None or policy.balance == "none":
            return True
        if moves and policy.pins_owned:
            return True  # what the pinned partitions leave of evenness is no measure for it
        return self._counts.admits(collapsed)

    def _moves_more(self, assigned: Index) -> bool:
        plan = self._plan
        if plan.policy is None:
            return False
        limit = Objective(plan.policy).move_limit(count_moves(plan.group, plan.assigned))
        return limit is not None and count_moves(plan.group, assigned) > limit

    def _reads_more(self, collapsed: Index) -> bool:
        plan = self._plan
        if plan.policy is None or not has_racks(self._group):
            return False
        limit = plan.policy.max_cross_rack
        if plan.policy.rack_aware:
            limit = cross_reads(self._group, plan.planned.collapse(plan.assigned))
        return limit is not None and cross_reads(self._group, collapsed) > limit
