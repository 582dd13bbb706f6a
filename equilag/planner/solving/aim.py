"""What an exact stage is to close: the gap between the best candidate and the bound on it."""

from __future__ import annotations

from typing import NamedTuple

from equilag.certificate.checks.search_checks import search_target
from equilag.certificate.exhaustive.small_problem import SearchTarget
from equilag.domain.plan.claim import Claim, Evidence
from equilag.domain.policy.objective import SPREAD, VALUE
from equilag.planner.solving.front import Candidate
from equilag.planner.solving.state import SolveState


class Aim(NamedTuple):
    """The least spread + `move_cost` x moves of all plans with at most `limit` moves."""

    limit: int | None
    move_cost: int = 0

    @property
    def claim(self) -> str:
        """The name of the claim that bounds it."""
        return VALUE if self.move_cost else SPREAD

    def bound(self, state: SolveState) -> int:
        """No plan is below this, in records."""
        bound = state.proofs.spread_within(self.limit)
        return max(bound, state.proofs.value(self.claim, self.limit) or 0)

    def reached(self, state: SolveState) -> int | None:
        """What the best candidate has, in records; None without any."""
        best = self.best(state)
        return None if best is None else self.value(best)

    def best(self, state: SolveState) -> Candidate | None:
        """The best candidate within the limit."""
        rows = state.front.candidates
        fitting = [c for c in rows if self.limit is None or c.moves <= self.limit]
        return min(fitting, key=self.value, default=None)

    def value(self, candidate: Candidate) -> int:
        """Of one candidate, in records."""
        return candidate.spread + self.move_cost * candidate.moves

    def open(self, state: SolveState) -> bool:
        """True if there is a gap left to close."""
        reached = self.reached(state)
        return reached is not None and reached > self.bound(state)

    def target(self, state: SolveState, value: int) -> SearchTarget:
        """What must not exist if no plan is below `value`."""
        proofs = state.proofs
        return search_target(value, self.limit, self.move_cost, proofs.highest, proofs.lowest)

    def proved(
        self, value: int, kind: str, evidence: Evidence = "checked", **data: object
    ) -> Claim:
        """The claim that no plan is below `value`."""
        return Claim(self.claim, value, kind, {"max_moves": self.limit, **data}, evidence)


def aim_of_search(state: SolveState) -> Aim:
    """The most even end of the front."""
    return Aim(state.problem.search_limit)


def aim_of_policy(state: SolveState) -> Aim:
    """What the policy asks for."""
    return Aim(state.limit, state.problem.objective.move_cost)
