"""What the improving stages have to solve: a task with the count constraint of its plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.move_limited import spread_bounds
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Ints
from equilag.domain.group.member_capacities import Load
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.broken_rules import forced_by
from equilag.domain.plan.metrics import (
    mean_load,
    most_moves,
)
from equilag.domain.policy.objective import Caps, Objective, most_excess
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction
from equilag.domain.show import plural
from equilag.planner.solving.front import Candidate


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
        scale, unit = planned.extended.move_cost_scale, planned.extended.move_unit
        objective = objective._replace(scale=scale, unit=unit)
        if objective.policy.fresh:
            planned = planned.without_owners()
        return Task(reduction, objective, seed, planned)

    def with_policy(self, policy: Policy) -> Task:
        """The same for another policy of the same count balance."""
        return self._replace(objective=self.objective._replace(policy=policy))

    @property
    def original(self) -> Group:
        """The reduced group with its owners."""
        return self.reduction.group

    @property
    def policy(self) -> Policy:
        return self.objective.policy


MOST_FORCED: Final = 64
"""Moves up to which counting bounds the spread: beyond, it proves next to nothing."""


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

    def with_policy(self, policy: Policy) -> Problem:
        """The same problem for another policy of the same count balance."""
        return replace(self, task=self.task.with_policy(policy))

    @property
    def moves_trade(self) -> bool:
        """True if plans may move more than they must for the sake of the spread."""
        return self.has_owners and not self.moves_matter

    @cached_property
    def has_owners(self) -> bool:
        """True if anybody owns anything, as far as the plan is concerned."""
        return bool((self.group.owner != NOBODY).any())

    @property
    def moves_matter(self) -> bool:
        """True if no plan may move more than it must: the search keeps to the fewest moves."""
        return self.objective.moves_rank_first

    @property
    def search_limit(self) -> int | None:
        """The moves beyond which the search does not look; None for no limit.

        A limit of the policy's is not among them: the search is the same for all limits.
        """
        return self.fewest_moves if self.moves_matter else None

    @cached_property
    def forced_spreads(self) -> list[Load]:
        """[moves + 1] what the spread is at least with so many moves, by counting; may be empty."""
        if not self.has_owners or self.constraint.instance_sums is not None:
            return []
        return spread_bounds(self.group, self.constraint, min(most_moves(self.group), MOST_FORCED))

    def forced_spread(self, moves: int) -> Load:
        """The spread is at least this with at most so many moves, by counting."""
        forced = self.forced_spreads
        return forced[moves] if 0 <= moves < len(forced) else 0

    @cached_property
    def counting(self) -> Counting:
        """The load bounds by counting."""
        return Counting(self.group, self.constraint)

    @cached_property
    def sets_alike(self) -> list[Ints]:
        """Sets of interchangeable members, the largest first; none where capacities differ."""
        return [] if self.has_capacities else self.constraint.alike_members()

    @cached_property
    def has_capacities(self) -> bool:
        """True if loads are compared per unit of capacity."""
        return self.group.extended.has_capacities

    @cached_property
    def counts_few_moves(self) -> bool:
        """True if the beam for a few moves applies: loads are integers, a move is a partition."""
        plain = not (self.has_capacities or self.group.extended.has_stakes)
        forced = self.group.extended.forced_moves > 0
        return plain and not forced and self.constraint.instance_sums is None

    @cached_property
    def mean(self) -> float:
        """Assigned load per member that is not idle, as loads are compared."""
        return mean_load(self.group)

    @cached_property
    def active(self) -> int:
        """Members that are not idle."""
        return int(np.count_nonzero(~self.group.idle))

    def excess_of(self, spread: float) -> float:
        """The most excess that a spread leaves."""
        return most_excess(spread, self.active)

    def caps(self, candidates: Sequence[Candidate]) -> Caps:
        """Up to which value and excess a candidate is as good as the best one."""
        return self.objective.caps([c.figures for c in candidates], self.mean, self.active)

    def choose(self, candidates: Sequence[Candidate]) -> Candidate:
        """The candidate that the policy takes."""
        least = self.least_short(candidates)
        caps = self.caps(least)
        return min(least, key=lambda c: self.objective.key(c.figures, self.fewest_moves, caps))

    @cached_property
    def shortage(self) -> Shortage | None:
        """By how much members fall behind; None where rates or capacities are not known."""
        return Shortage.of(self.task.reduction)

    def short_of(self, candidate: Candidate) -> float | None:
        """Records per second by which members fall behind; None where that is not known."""
        return None if self.shortage is None else float(candidate.figures.short)

    def least_short(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Those of the candidates within the policy's limit on moves that fall behind least."""
        if self.shortage is None:
            return candidates
        limit = None if self.task.policy.fresh else self.objective.asked_limit

        def rank(candidate: Candidate) -> tuple[Load, ...]:
            beyond = 0 if limit is None else max(0, candidate.moves - limit)
            return self.objective.too_many(candidate.moves), beyond, candidate.figures.short

        least = min(map(rank, candidates))
        return [candidate for candidate in candidates if rank(candidate) == least]


def check_limit(task: Task, moves: int, count: int | None = None) -> None:
    """Raises InputError if a limit of the policy's is below what is forced: moves as `count_moves`
    has them, and `count` partitions, where fewer are forced than these moves have."""
    count = task.original.extended.moved_partitions(moves) if count is None else count
    weight, heaviest = task.original.extended.moved_weight(moves), task.policy.max_move_weight
    limit, name = task.policy.max_moves, "max_moves"
    if heaviest is not None and weight > heaviest:
        name, problem = "max_move_weight", f"{heaviest} is less than the moved weight of"
        problem = f"{problem} {ceil(weight)} that {_cause(task)}"
    elif limit is not None and count > limit:
        problem = f"{limit} is fewer than the {plural(count, 'move')} that {_cause(task)}"
    else:
        return
    extended = task.original.extended
    if extended.forced_moves and not task.policy.pins_owned:
        problem += f" ({extended.forced_moves:,} of them from owners that may not keep theirs)"
    if task.policy.balance != "none" and not task.policy.pins_owned:
        problem += f"; with balance none {'fewer' if name == 'max_moves' else 'less'} may do"
    raise InputError(problem, name)


def _cause(task: Task) -> str:
    """What forces moves, with its verb."""
    if task.policy.pins_owned:
        return "owners that may not keep theirs force"
    found = forced_by(task.policy, task.reduction)
    *others, last = found or ["the group"]
    verb = "forces" if found in ([], ["room"]) else "force"
    return f"{', '.join(others)} and {last} {verb}" if others else f"{last} {verb}"
