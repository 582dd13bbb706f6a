"""The state of a solve, and what stages contribute to it.

Stages read the state and yield contributions; only `SolveState.record` changes it. An `Aim` is what
an exact stage is to close: the gap between the best candidate and the bound on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.certificate.checks.search_checks import search_target
from equilag.certificate.exhaustive.small_problem import SearchTarget
from equilag.domain.group.group import Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim, Evidence
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.domain.plan.proofs import Proofs
from equilag.domain.policy.objective import EXCESS, SPREAD, VALUE, Proved
from equilag.planner.solving.front import Candidate, ParetoFront, candidate_of
from equilag.planner.solving.problem import Problem


class Proposal(NamedTuple):
    """An assignment [P] for the front."""

    assigned: Index
    algorithm: str


class Searched(NamedTuple):
    """The whole group was searched exhaustively, with so much work allowed, in array elements."""

    work: int


class Note(NamedTuple):
    """What went wrong or was left out, in words for the plan's reader."""

    text: str


Contribution: TypeAlias = Proposal | Searched | Note | Claim


@dataclass(eq=False)
class SolveState:
    """The front and the proofs of one problem.

    What the front holds depends on no limit on moves, no move cost and no tolerance. They choose
    one of its candidates, so that the plans of one group agree with each other.
    """

    problem: Problem
    front: ParetoFront = field(default_factory=ParetoFront)
    proofs: Proofs = field(default_factory=Proofs)
    searched: int = 0
    """Work of the largest exhaustive search of the whole group."""
    notes: list[str] = field(default_factory=list)
    whole_front: bool = False
    """True if every point of the front is asked for, not only the one that the policy takes."""
    _selected: tuple[int, Candidate] | None = None
    """The candidate that the policy takes, and the changes of the front until then."""

    @staticmethod
    def of(problem: Problem, start: Candidate, proofs: Proofs, notes: list[str]) -> SolveState:
        """The state of a run that has found `start`."""
        state = SolveState(problem, proofs=proofs, notes=notes)
        state.front.record(start)
        return state

    def record(self, contribution: Contribution) -> None:
        """Take what a stage found, if it is any better than what is known.

        Raises ContradictedBound if a plan is better than what was proved to be impossible.
        """
        match contribution:
            case Proposal(assigned, algorithm):
                self._propose(assigned, algorithm)
            case Claim():
                self._claim(contribution)
            case Searched(work):
                self.searched = max(work, self.searched)
            case Note(text):
                self.notes.append(text)

    def _claim(self, claim: Claim) -> None:
        if not self.proofs.record(claim):
            return
        for candidate in self.front.candidates:
            self._hold_against_bounds(candidate)
        objective = self.problem.objective
        if claim.claim == SPREAD and claim.evidence == "checked" and objective.move_cost:
            value = claim.value + objective.cost(self.problem.fewest_moves)
            limit = {"max_moves": claim.data["max_moves"]} if "max_moves" in claim.data else {}
            self._claim(Claim(VALUE, value, "sum", limit))

    def _propose(self, assigned: Index, algorithm: str) -> None:
        if not self.problem.constraint.admits(assigned):
            # Local searches do not know a limit on reads across racks.
            if not self.problem.constraint.limits_reads:
                self.notes.append(
                    f"{algorithm}: a plan that broke the count balance was thrown away"
                )
            return
        candidate = candidate_of(self.problem.group, assigned, algorithm, self.problem.shortage)
        if self.front.record(candidate):
            self._hold_against_bounds(candidate)

    def _hold_against_bounds(self, candidate: Candidate) -> None:
        objective = self.problem.objective
        self.notes += self.proofs.hold_against(objective, candidate.figures, candidate.algorithm)

    # What stages ask.

    @cached_property
    def rng(self) -> np.random.Generator:
        """The run's random numbers, from its seed; made when a stage first needs them."""
        return np.random.default_rng(self.problem.task.seed)

    @property
    def incumbent(self) -> Candidate:
        """The candidate that the policy takes."""
        if self._selected is None or self._selected[0] != self.front.changes:
            self._selected = self.front.changes, self.problem.choose(self.front.candidates)
        return self._selected[1]

    @property
    def unlimited(self) -> Candidate:
        """The candidate that the policy would take without its limit on moves."""
        policy = self.problem.objective.policy
        if policy.max_moves is None:
            return self.incumbent
        free = self.problem.with_policy(replace(policy, max_moves=None))
        return free.choose(self.front.candidates)

    @property
    def most_even(self) -> Candidate:
        """The most even candidate of those that the search is about."""
        return self.front.most_even(self.problem.search_limit)

    @property
    def gap(self) -> Load:
        """From the proved spread to that of `most_even`."""
        return self.most_even.spread - self.proofs.spread_within(self.problem.search_limit)

    @property
    def proved(self) -> bool:
        """True if the least spread is proved of `most_even`, and no excess is left to be saved."""
        return self.spread_proved and self.excess_settled(self.most_even)

    @property
    def spread_proved(self) -> bool:
        """True if no plan that the search is about has a smaller spread than `most_even`."""
        return self.most_even.spread <= self.proofs.spread_within(self.problem.search_limit)

    def excess_settled(self, candidate: Candidate, allowance: float = 0.0) -> bool:
        """True if no plan has less excess than the candidate by more than is worth looking for.
        What the search does must not depend on the policy's tolerance."""
        slack = max(self.problem.excess_of(NEGLIGIBLE * self.problem.mean), allowance)
        return candidate.excess <= float(self.proofs.value(EXCESS) or 0) + slack

    def bound_within(self, moves: int | None) -> Load:
        """No plan with at most `moves` has a smaller spread."""
        known = self.proofs.spread_within(moves)
        return known if moves is None else max(known, self.problem.forced_spread(moves))

    @property
    def limit(self) -> int | None:
        """The moves beyond which a plan is out of the question for the policy."""
        return self.problem.move_limit

    @property
    def bounds(self) -> Proved:
        """The bounds as the objective takes them."""
        return self.proofs.proved(self.problem.fewest_moves, self.limit)

    @property
    def optimal(self) -> bool:
        """True if every goal of the policy is proved for the incumbent, within the tolerance."""
        if "counts" not in self.proofs:
            return False
        objective, figures = self.problem.objective, self.incumbent.figures
        return objective.is_proved(figures, self.bounds, self.problem.mean)

    @property
    def done(self) -> bool:
        """True if nothing is left to find."""
        if self.whole_front:
            return self.excess_settled(self.most_even) and self.goals_done
        problem = self.problem
        allowance = problem.excess_of(problem.objective.allowance(problem.mean))
        return self.excess_settled(self.incumbent, allowance) and self.goals_done

    @property
    def goals_done(self) -> bool:
        """True if nothing is left to find but excess, of which little is proved."""
        return self.front_proved if self.whole_front else self.final

    @property
    def final(self) -> bool:
        """True if every goal of the policy is proved, and no plan beats this one on both axes.

        No plan as good moves less, and none with as many moves is noticeably more even.
        """
        if not self.optimal:
            return False
        problem, best = self.problem, self.incumbent
        if not problem.moves_trade:  # no move is saved, so that a tolerance gives nothing
            return problem.objective.is_proved(best.figures, self.bounds)
        objective = problem.objective
        caps = problem.caps(problem.least_short(self.front.candidates))
        cap = max(caps.value, objective.value(best.figures))
        if best.spread - self.bound_within(best.moves) > NEGLIGIBLE * problem.mean:
            return False
        if best.moves == problem.fewest_moves:
            return True
        fewer = range(best.moves - 1, best.moves)
        if objective.move_cost and objective.unit is None:
            fewer = range(problem.fewest_moves, best.moves)
        # Prices are too many to look at each: what the fewest moves cost is at most that of others.
        least = 0 if objective.unit is None else objective.cost(problem.fewest_moves)
        return all(
            self.bound_within(moves)
            > cap - (objective.cost(moves) if objective.unit is None else least)
            for moves in fewer
        )

    @property
    def front_proved(self) -> bool:
        """True if the spread of each point of the front is proved to be the least."""
        points = self.front.points()
        ends = [point.moves - 1 for point in points[1:]]
        return all(
            self.bound_within(moves) >= point.spread
            for point, moves in zip(points, [*ends, self.problem.search_limit], strict=True)
        )


class Aim(NamedTuple):
    """The least spread + `move_cost` x moves of all plans with at most `limit` moves."""

    limit: int | None
    move_cost: int = 0

    @property
    def claim(self) -> str:
        """The name of the claim that bounds it."""
        return VALUE if self.move_cost else SPREAD

    def bound(self, state: SolveState) -> Load:
        """No plan is below this, in records."""
        bound = state.proofs.spread_within(self.limit)
        return max(bound, state.proofs.value(self.claim, self.limit) or 0)

    def reached(self, state: SolveState) -> Load | None:
        """What the best candidate has, in records; None without any."""
        best = self.best(state)
        return None if best is None else self.value(best)

    def best(self, state: SolveState) -> Candidate | None:
        """The best candidate within the limit."""
        rows = state.front.candidates
        fitting = [c for c in rows if self.limit is None or c.moves <= self.limit]
        return min(fitting, key=self.value, default=None)

    def value(self, candidate: Candidate) -> Load:
        """Of one candidate, in records."""
        return candidate.spread + self.move_cost * candidate.moves

    def open(self, state: SolveState) -> bool:
        """True if there is a gap left to close."""
        reached = self.reached(state)
        return reached is not None and reached > self.bound(state)

    def target(self, state: SolveState, value: Load) -> SearchTarget:
        """What must not exist if no plan is below `value`."""
        proofs = state.proofs
        return search_target(value, self.limit, self.move_cost, proofs.highest, proofs.lowest)

    def proved(
        self, value: Load, kind: str, evidence: Evidence = "checked", **data: object
    ) -> Claim:
        """The claim that no plan is below `value`."""
        return Claim(self.claim, value, kind, {"max_moves": self.limit, **data}, evidence)


def aim_of_search(state: SolveState) -> Aim:
    """The most even end of the front."""
    return Aim(state.problem.search_limit)


def aim_of_policy(state: SolveState) -> Aim:
    """What the policy asks for; where moves have a weight, their cost is bounded beside."""
    objective = state.problem.objective
    return Aim(state.limit, 0 if objective.unit else objective.move_cost)
