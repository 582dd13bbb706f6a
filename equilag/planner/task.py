"""What a run is asked to do. Quick to import: the clock of a run starts after this is loaded."""

from __future__ import annotations

from typing import NamedTuple

from equilag.group import Group
from equilag.objective import Objective
from equilag.policy import Policy


class Task(NamedTuple):
    """A group and what is asked for."""

    original: Group
    objective: Objective
    seed: int
    group: Group
    """The group that is planned: without owners where the policy says ``fresh``."""

    @staticmethod
    def of(original: Group, objective: Objective, seed: int = 0) -> Task:
        fresh = objective.policy.fresh
        return Task(original, objective, seed, original.without_owners() if fresh else original)

    @property
    def policy(self) -> Policy:
        return self.objective.policy
