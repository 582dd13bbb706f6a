"""The stages of a run, in order. A new method is a new stage, not another branch of an old one.

A stage has a name, says whether there is anything in it for the work at hand, and leaves what it
found with `Work.offer` and `Work.claim`; the deadline is the work's.
"""

from __future__ import annotations

from typing import Final, Protocol

from equilag.claim import Claim
from equilag.constraint import constraint_of
from equilag.group import NOBODY
from equilag.planner.cost_estimate import SAFE, in_time, seconds_of_flow
from equilag.planner.fallback import fallback
from equilag.planner.work import Work
from equilag.solver.counts.even_counts import balanced_assignment, counts_claim
from equilag.solver.counts.quotas import has_quotas, keep_to_quotas
from equilag.solver.lower_bounds.load_bounds import NO_LAG, LoadBounds, difference, load_bounds
from equilag.solver.moves.fewest_moves import fewest_moves

STEP: Final = 1.5e-4
"""Seconds that a step on small arrays takes, some ten calls of NumPy: what effort is priced by."""


class Stage(Protocol):
    """One step of a run, see above."""

    @property
    def name(self) -> str: ...

    def applies(self, work: Work) -> bool: ...

    def run(self, work: Work) -> None: ...


class QuotasAtOnce:
    """Exact counts and the fewest moves together, where they have a closed form."""

    name: Final = "quotas"

    def applies(self, work: Work) -> bool:
        return (
            work.constraint is None and not work.policy.fresh and has_quotas(work.real, work.policy)
        )

    def run(self, work: Work) -> None:
        found = keep_to_quotas(work.real)
        work.constraint = found.constraint(work.real)
        work.policy.check_limit(found.moves)
        work.moves_bound = found.moves
        for claim in found.claims(work.real):
            work.claim(claim)
        work.offer(found.assigned, "quotas")


class Heuristic:
    """A valid plan at once: before the exact counts where they may take too long (`early`), and
    after them where there is none yet."""

    name: Final = "heuristic"

    def __init__(self, early: bool = False) -> None:
        self.early = early

    def applies(self, work: Work) -> bool:
        if work.best is not None:
            return False
        return (
            not self.early or SAFE * seconds_of_flow(work.group, work.policy) > work.deadline.limit
        )

    def run(self, work: Work) -> None:
        assigned, name = fallback(work.group, work.policy)
        work.best = work.candidate(assigned, name)


class Counts:
    """Exactly balanced counts, and with them the constraint of all that follows."""

    name: Final = "counts"

    def applies(self, work: Work) -> bool:
        return work.constraint is None and in_time(work)

    def run(self, work: Work) -> None:
        assigned = balanced_assignment(work.group, work.policy)
        work.constraint = constraint = constraint_of(work.group, work.policy, assigned)
        work.claim(counts_claim(work.group, constraint))
        first = work.best
        if first is not None and constraint.admits(first.assigned):
            work.offer(first.assigned, first.algorithm)
        else:
            work.offer(assigned, "balance")


class Moves:
    """The fewest moves that the counts allow, with their proof."""

    name: Final = "fewest moves"

    def applies(self, work: Work) -> bool:
        if work.constraint is None or "fewest_moves" in work.claims:
            return False
        return bool((work.real.owner != NOBODY).any()) and in_time(work)

    def run(self, work: Work) -> None:
        constraint = work.constraint
        assert constraint is not None
        if constraint.has_pinned:
            return  # no owned partition moves at all
        found = fewest_moves(work.real, constraint)
        claim = found.claim(work.real, work.policy, constraint)
        work.moves_bound = claim.value
        work.claim(claim)
        work.policy.check_limit(claim.value)
        if work.policy.fresh:
            return
        # What comes after starts from here, and not from a plan that moves everything.
        work.best, work.front = None, {}
        work.offer(found.assigned, "min-cost-flow")


class Bounds:
    """What no plan can beat, by counting."""

    name: Final = "bounds"
    SHARE: Final = 0.25
    """Of the time left."""

    def applies(self, work: Work) -> bool:
        return work.constraint is not None

    def run(self, work: Work) -> None:
        size = work.group.n_partitions
        if not work.group.lag.any():
            found: LoadBounds | None = None if work.group.idle.all() else NO_LAG
        else:
            reached = work.best.spread if work.best is not None else None
            stop = work.stop(STEP + 2e-7 * size, upto=0.2, share=self.SHARE)
            found = load_bounds(work.counting, stop, reached)
        if found is not None:
            claim_bounds(work, found)


def claim_bounds(work: Work, found: LoadBounds) -> None:
    """Both loads, how far they are apart, and what that costs with the moves that are forced."""
    for claim in (found.highest, found.lowest, difference(found)):
        work.claim(claim)
    if work.move_cost:
        value = found.spread + work.move_cost * work.moves_bound
        work.claim(Claim("cost_at_least", value, "sum"))
