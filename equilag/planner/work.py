"""What the stages of one run share: the problem, the best plan so far, and what is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from equilag.certificate.counting import Counting
from equilag.claim import Claim
from equilag.constraint import CountConstraint
from equilag.deadline import Deadline
from equilag.errors import ContradictedBound
from equilag.group import Group, Index, Ints
from equilag.metrics import count_moves, member_loads, spread
from equilag.objective import Figures, Objective, Proved
from equilag.planner.effort import Effort
from equilag.planner.progress import Progress, Watcher
from equilag.policy import Policy


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """An assignment with what it is compared by."""

    assigned: Index
    algorithm: str
    moves: int
    spread: int
    unevenness: float
    """Sum of squared distances from the mean load: the last tie-break."""


@dataclass(eq=False)
class Work:
    """One run of `solve`. `group` has no owners where the policy says ``fresh``."""

    group: Group
    real: Group
    policy: Policy
    deadline: Deadline
    rng: np.random.Generator
    seed: int = 0
    effort: Effort = field(default_factory=Effort)
    watcher: Watcher | None = None
    stage: str = ""
    best: Candidate | None = None
    front: dict[int, Candidate] = field(default_factory=dict)
    """The most even plan seen for each number of moves, of those that meet the counts."""
    constraint: CountConstraint | None = None
    exact: bool = False
    """Does `best` meet the count constraint."""
    claims: dict[str, Claim] = field(default_factory=dict)
    """The strongest claim of each name."""
    checked: dict[str, Claim] = field(default_factory=dict)
    """The strongest of those that rest on no solver."""
    moves_bound: int = 0
    notes: list[str] = field(default_factory=list)
    searched: int = 0
    """Work that an exhaustive search of the whole group was already allowed."""
    proved_again: bool = False
    """Was everything that the search can prove proved by it."""
    _counting: Counting | None = None
    _sets_alike: list[Ints] | None = None

    def stop(
        self, price: float, upto: float = 1.0, share: float | None = None
    ) -> Callable[[], bool]:
        """For a loop of one stage: is the time, or the part `upto` of the effort, used up.

        `price` is what one step costs, in seconds; `share` of the time left is all the stage gets,
        where time is what runs out.
        """
        return self.effort.metered(self.clock(share), price, upto)

    def clock(self, share: float | None = None) -> Callable[[], bool]:
        """Is the time used up, or a share of what is left of it unless effort is what runs out."""
        if share is None or self.effort.limited:
            return self.deadline.expired
        return self.deadline.share(self.deadline.left * share).expired

    def has_time(self, seconds: float) -> bool:
        """Is so much left; a step that is not taken for want of time marks the run as cut."""
        if seconds < self.deadline.left:
            return True
        self.deadline.cut = True
        return False

    @property
    def sets_alike(self) -> list[Ints]:
        """See `CountConstraint.alike_members`."""
        if self._sets_alike is None:
            assert self.constraint is not None
            self._sets_alike = self.constraint.alike_members()
        return self._sets_alike

    @property
    def counting(self) -> Counting:
        if self._counting is None:
            assert self.constraint is not None
            self._counting = Counting(self.group, self.constraint)
        return self._counting

    @property
    def moves_at_most(self) -> int | None:
        return Objective(self.policy).move_limit(self.moves_bound)

    @property
    def move_cost(self) -> int:
        """Records per move, where moves are part of the last goal."""
        return 0 if self.policy.moves_first or self.policy.fresh else self.policy.move_cost

    @property
    def spread_bound(self) -> int:
        claim = self.claims.get("spread_at_least")
        return claim.value if claim else 0

    @property
    def cost_bound(self) -> int:
        """Of spread + move cost × moves."""
        claim = self.claims.get("cost_at_least")
        return max(claim.value if claim else 0, self.spread_bound)

    def bound_of(self, name: str) -> int | None:
        claim = self.claims.get(name)
        return claim.value if claim else None

    def candidate(self, assigned: Index, algorithm: str) -> Candidate:
        loads = member_loads(assigned, self.group.lag, self.group.n_members)
        active = loads[~self.group.idle].astype(np.float64)
        unevenness = float(((active - active.mean()) ** 2).sum()) if len(active) else 0.0
        return Candidate(
            assigned,
            algorithm,
            count_moves(self.group.owner, assigned),
            spread(loads, self.group.idle),
            unevenness,
        )

    def cost(self, candidate: Candidate) -> int:
        return candidate.spread + self.move_cost * candidate.moves

    def key(self, candidate: Candidate) -> tuple[float, ...]:
        """Smaller is better, in the policy's order of goals."""
        limit = self.moves_at_most
        over = max(0, candidate.moves - limit) if limit is not None else 0
        if self.policy.moves_first and not self.policy.fresh:
            return candidate.moves, candidate.spread, candidate.unevenness
        return over, self.cost(candidate), candidate.moves, candidate.unevenness

    def offer(self, assigned: Index, algorithm: str) -> bool:
        """Take the assignment if it meets the counts and beats the best so far.

        Raises ContradictedBound if it is better than what was proved to be impossible.
        """
        assert self.constraint is not None
        if not self.constraint.admits(assigned):
            self.notes.append(f"{algorithm}: a plan that broke the count balance was thrown away")
            return False
        candidate = self.see(assigned, algorithm)
        self._hold_against_bounds(candidate)
        if self.best is None or not self.exact or self.key(candidate) < self.key(self.best):
            self.best, self.exact = candidate, True
            return True
        return False

    def see(self, assigned: Index, algorithm: str) -> Candidate:
        """Note a plan with exact counts for the front of moves against spread."""
        candidate = self.candidate(assigned, algorithm)
        known = self.front.get(candidate.moves)
        if known is None or candidate.spread < known.spread:
            self.front[candidate.moves] = candidate
        return candidate

    def points(self) -> list[Candidate]:
        """The front: moves ascending, spread strictly descending."""
        front: list[Candidate] = []
        for candidate in sorted(self.front.values(), key=lambda c: (c.moves, c.spread)):
            if not front or candidate.spread < front[-1].spread:
                front.append(candidate)
        return front

    @property
    def allowance(self) -> int:
        """Records of spread that the tolerance lets a plan exceed the best by."""
        if self.best is None:
            return 0
        allowed = Objective(self.policy).allowance(self.mean)
        return min(allowed, int(self.group.lag.sum()))

    def use_tolerance(self) -> None:
        """Of the plans that the tolerance takes for as good as the best, one with fewest moves."""
        if self.best is None or not self.exact or self.policy.moves_first or not self.allowance:
            return
        limit = self.cost(self.best) + self.allowance
        near = [c for c in self.front.values() if self.cost(c) <= limit]
        self.best = min([self.best, *near], key=lambda c: (c.moves, c.spread))

    def within(self, spread: int) -> list[Candidate]:
        """The plan of the fewest moves on the front with no more than this spread, if any."""
        fitting = [c for c in self.front.values() if c.spread <= spread]
        return [min(fitting, key=lambda c: (c.moves, c.spread))] if fitting else []

    def fewest_moves_within(self, spread: int) -> int:
        return min(c.moves for c in self.within(spread))

    def recheck(self) -> None:
        """Hold the best plan against a bound that is new."""
        if self.best is not None and self.exact:
            self._hold_against_bounds(self.best)

    def _hold_against_bounds(self, candidate: Candidate) -> None:
        limit = self.moves_at_most
        if limit is not None and candidate.moves > limit:
            return
        for name, value in (
            ("spread_at_least", candidate.spread),
            ("cost_at_least", self.cost(candidate)),
        ):
            claim = self.claims.get(name)
            if claim is None or value >= claim.value:
                continue
            text = f"{candidate.algorithm} found {value} where {claim.kind} claimed {claim.value}"
            if claim.evidence == "checked":
                raise ContradictedBound(f"{name}: {text}")
            self.notes.append(f"a solver's bound was wrong and is dropped: {name}: {text}")
            del self.claims[name]
            if name in self.checked:
                self.claims[name] = self.checked[name]

    def claim(self, claim: Claim) -> None:
        """Keep a claim if it says more than the one of its name that is known.

        Raises ContradictedBound if the best plan is better than what it says is proved.
        """
        if claim.evidence == "checked" and _says_more(claim, self.checked.get(claim.claim)):
            self.checked[claim.claim] = claim
        if _says_more(claim, self.claims.get(claim.claim)):
            self.claims[claim.claim] = claim
            self.recheck()

    @property
    def mean(self) -> float:
        active = int(np.count_nonzero(~self.group.idle))
        return int(self.group.lag[self.group.assignable].sum()) / active if active else 0.0

    @property
    def proved(self) -> bool:
        """Is every goal of the policy proved for the best plan, without any tolerance used."""
        if self.best is None or not self.exact:
            return False
        limit = self.moves_at_most
        if limit is not None and self.best.moves > limit:
            return False
        if self.move_cost:
            return self.cost(self.best) <= self.cost_bound
        return self.best.spread <= self.spread_bound

    @property
    def done(self) -> bool:
        """Is there nothing left to find: every goal proved, and no plan of fewer moves."""
        if self.best is None or "spread_at_least" not in self.claims or len(self.front) > 1:
            return False
        return self.best.moves <= self.moves_bound and self.best.spread == 0 and self.proved

    @property
    def optimal(self) -> bool:
        return (
            self.best is not None
            and self.exact
            and "counts" in self.claims
            and Objective(self.policy).is_proved(
                Figures(self.best.spread, self.best.moves),
                Proved(self.spread_bound, self.moves_bound, self.cost_bound),
                self.mean,
            )
        )

    def tell(self, stage: str) -> None:
        self.stage = stage
        self.report()

    def report(self) -> None:
        if self.watcher is not None:
            best = self.best.spread if self.best is not None else None
            bound = self.bound_of("spread_at_least")
            self.watcher(
                Progress(self.stage, best, bound, self.deadline.elapsed, self.deadline.limit)
            )


def _says_more(claim: Claim, old: Claim | None) -> bool:
    """A stronger value, or the same with better evidence."""
    if old is None or claim.value == old.value:
        return old is None or old.evidence == "solver"
    return (claim.value < old.value) == (claim.claim == "min_load_at_most")


def knee(front: list[Candidate]) -> Candidate:
    """The point furthest from the line between the ends, both axes taken from 0 to 1."""
    first, last = front[0], front[-1]
    width, height = last.moves - first.moves, first.spread - last.spread

    def distance(c: Candidate) -> float:
        return (first.spread - c.spread) / height - (c.moves - first.moves) / width

    return max(front, key=distance)
