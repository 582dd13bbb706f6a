"""What the improving stages have to solve: a task with the count constraint of its plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from equilag.certificate.counting import Counting
from equilag.constraint import CountConstraint
from equilag.group import Group, Ints
from equilag.metrics import mean_load
from equilag.objective import Objective
from equilag.planner.task import Task


@dataclass(frozen=True, eq=False)
class Problem:
    """A task with the count constraint that every plan must meet."""

    task: Task
    make_constraint: Callable[[], CountConstraint]
    fewest_moves: int
    """No plan within the constraint has fewer; 0 where nothing is proved."""

    @cached_property
    def constraint(self) -> CountConstraint:
        """What every plan must meet; made when first asked for, as plans without lag never ask."""
        return self.make_constraint()

    @property
    def group(self) -> Group:
        return self.task.group

    @property
    def objective(self) -> Objective:
        return self.task.objective

    @cached_property
    def move_limit(self) -> int | None:
        """The moves beyond which a plan is out of the question; None for no limit."""
        return self.objective.move_limit(self.fewest_moves)

    @cached_property
    def moves_matter(self) -> bool:
        """True if an exchange that adds a move can make a plan worse or forbidden."""
        return self.objective.moves_matter(self.fewest_moves)

    @cached_property
    def counting(self) -> Counting:
        """The load bounds by counting."""
        return Counting(self.group, self.constraint)

    @cached_property
    def sets_alike(self) -> list[Ints]:
        """Sets of interchangeable members, the largest first."""
        return self.constraint.alike_members()

    @cached_property
    def mean(self) -> float:
        """Assigned lag per member that is not idle."""
        return mean_load(self.group)

    @cached_property
    def allowance(self) -> int:
        """Records by which the tolerance lets the last goal exceed the best."""
        return min(self.objective.allowance(self.mean), int(self.group.lag.sum()))
