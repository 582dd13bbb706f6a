"""What a run is asked to do. Quick to import: the clock of a run starts after this is loaded."""

from __future__ import annotations

from typing import NamedTuple

from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import move_cost_scale
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction


class Task(NamedTuple):
    """A group and what is asked for."""

    reduction: Reduction
    objective: Objective
    seed: int
    group: Group
    """The reduced group that is planned: without owners where the policy says ``fresh``."""

    @staticmethod
    def of(reduction: Reduction, objective: Objective, seed: int = 0) -> Task:
        planned = reduction.group
        if planned.real is not None:
            objective = objective._replace(scale=move_cost_scale(planned))
        if objective.policy.fresh:
            planned = planned.without_owners()
        return Task(reduction, objective, seed, planned)

    @property
    def original(self) -> Group:
        """The reduced group with its owners."""
        return self.reduction.group

    @property
    def policy(self) -> Policy:
        return self.objective.policy
