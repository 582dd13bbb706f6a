"""The stages that even out the lag of a plan whose counts are exact, and bring it closer to home.

Each starts from the best plan so far and offers what it finds; none leaves the count constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.exhaustive.patterns import Budget
from equilag.group import Index
from equilag.metrics import count_moves
from equilag.planner.stages import STEP
from equilag.planner.work import Work, knee
from equilag.solver.local_search.cyclic_exchanges import Window
from equilag.solver.local_search.greedy_descent import downhill, homeward
from equilag.solver.local_search.large_neighbourhood import WORK, improve, kicked
from equilag.solver.local_search.paired_exchange import even_out
from equilag.solver.local_search.pairwise_swaps import sweep
from equilag.solver.local_search.window_search import level

FEW: Final = 8
MANY: Final = 400
"""Neighbourhoods that are tried, where an exhaustive search is to follow, and where none is."""
SETTLE: Final = 1e-6
"""Seconds per partition before the first round of `even_out`."""
EVEN_OUT: Final = "even-out"


class Trade:
    """From the fewest moves downhill, best exchange per move first: the front as it comes."""

    name: Final = "trade"
    STEPS: Final = 400
    LARGEST: Final = 100_000

    def applies(self, work: Work) -> bool:
        return _open(work) and work.group.n_partitions <= self.LARGEST

    def run(self, work: Work) -> None:
        constraint = work.constraint
        assert constraint is not None
        start = work.front[min(work.front)]
        share = 2 / 3 if work.moves_at_most is not None else 1 / 3
        stop = work.stop(3 * STEP + 2e-6 * work.group.n_partitions, upto=0.3, share=share)
        for assigned in downhill(
            work.group, constraint, start.assigned, work.rng, stop, self.STEPS
        ):
            if not _moves_matter(work) or _within(work, assigned):
                work.offer(assigned, "trade")
            else:
                work.see(assigned, "trade")


class EvenOut:
    """Even loads at any size where moves do not count: of all who read the same, set by set."""

    name: Final = "even out"
    SETS: Final = 50
    SHARE: Final = 0.5
    """Of the time left, where there are several sets."""

    def applies(self, work: Work) -> bool:
        if not _open(work) or _moves_matter(work):
            return False
        return bool(work.sets_alike) and work.has_time(SETTLE * work.group.n_partitions)

    def run(self, work: Work) -> None:
        best, constraint, size = work.best, work.constraint, work.group.n_partitions
        assert best is not None and constraint is not None
        work.effort.spend(SETTLE * size)
        sets = work.sets_alike[: self.SETS]
        found = best.assigned
        enough = work.spread_bound if constraint.all_alike else 0
        for number, members in enumerate(sets):
            share = self.SHARE / (len(sets) - number) if len(sets) > 1 else None
            stop = work.stop(STEP * 2 + 2e-8 * size, upto=0.5, share=share)
            if work.deadline.expired():
                break
            found = even_out(work.group, found, work.rng, stop, enough, members)
        work.offer(found, EVEN_OUT)


class Sweeps:
    """Exchanges in bulk, many pairs at once."""

    name: Final = "sweeps"
    LARGEST: Final = 20_000
    """Partitions up to which they can add to what `EvenOut` has found."""

    def applies(self, work: Work) -> bool:
        if not _open(work):
            return False
        assert work.best is not None and work.constraint is not None
        if work.best.algorithm == EVEN_OUT and work.constraint.all_alike:
            return work.group.n_partitions <= self.LARGEST
        return True

    def run(self, work: Work) -> None:
        best, constraint = work.best, work.constraint
        assert best is not None and constraint is not None
        stop = work.stop(STEP + 2e-7 * work.group.n_partitions, upto=0.7)
        found = sweep(
            work.group, constraint, best.assigned, work.rng, stop, enough=work.spread_bound,
            keep_moves=_moves_matter(work),
        )  # fmt: skip
        work.offer(found, "sweeps")


class Level:
    """Where subscriptions differ and moves do not count: exchanges of a few members at a time."""

    name: Final = "level"
    LARGEST: Final = 200_000
    SHARE: Final = 0.5
    """Of the time left: a member that comes no closer may need an exact split."""

    def applies(self, work: Work) -> bool:
        if not _open(work) or _moves_matter(work) or work.group.n_partitions > self.LARGEST:
            return False
        if work.searched:  # small enough for an exhaustive search to have the last word
            return False
        assert work.constraint is not None
        return not work.constraint.per_topic and not work.constraint.all_alike

    def run(self, work: Work) -> None:
        assert work.best is not None and work.constraint is not None
        low, high = work.bound_of("min_load_at_most"), work.bound_of("max_load_at_least")
        if low is None or high is None:
            return
        found = level(
            work.group, work.constraint, work.best.assigned, Window(low, max(low, high)),
            work.rng,
            work.stop(6 * STEP + 6e-7 * work.group.n_partitions, upto=0.75, share=self.SHARE),
        )  # fmt: skip
        work.offer(found, "level")


class Neighbourhoods:
    """A few members at the extremes, their best split found exactly."""

    name: Final = "neighbourhoods"
    LARGEST: Final = 100_000

    def applies(self, work: Work) -> bool:
        return _open(work) and work.group.n_partitions <= self.LARGEST

    def run(self, work: Work) -> None:
        assert work.best is not None
        rounds = FEW if work.searched else MANY
        with work.effort.search(rounds * WORK, work.deadline.expired, upto=0.7) as total:
            _split(work, work.best.assigned, rounds, total, work.deadline.expired)


class Restarts:
    """The same from somewhere near the best plan, for groups of which a way down is short."""

    name: Final = "restarts"
    LARGEST: Final = 2_000
    TIMES: Final = 8
    SHARE: Final = 0.5
    """Of the time left; what is beyond these sizes is better left to the whole model."""

    def applies(self, work: Work) -> bool:
        small = work.group.n_partitions <= self.LARGEST
        return _open(work) and small and not work.searched and not _moves_matter(work)

    def run(self, work: Work) -> None:
        assert work.best is not None and work.constraint is not None
        stop = work.clock(self.SHARE)
        with work.effort.search(MANY * WORK, stop, upto=0.8) as total:
            for _ in range(self.TIMES):
                if work.proved or stop() or total.work <= 0:
                    return
                start = kicked(work.group, work.constraint, work.best.assigned, work.rng)
                _split(work, start, MANY, total, stop)


def _split(work: Work, start: Index, rounds: int, total: Budget, stop: Callable[[], bool]) -> None:
    assert work.constraint is not None
    found = improve(
        work.group, work.constraint, start, work.rng, stop,
        enough=work.spread_bound, keep_moves=_moves_matter(work), rounds=rounds, total=total,
    )  # fmt: skip
    work.offer(found, "neighbourhoods")


class FewerMoves:
    """Back to the owners where the spread (and its tolerance) allows it."""

    name: Final = "fewer moves"
    LARGEST: Final = 20_000

    def applies(self, work: Work) -> bool:
        return (
            work.exact
            and work.best is not None
            and not work.policy.moves_first
            and work.best.moves > work.moves_bound
            and work.group.n_partitions <= self.LARGEST
            and not work.policy.fresh
        )

    def run(self, work: Work) -> None:
        constraint, best = work.constraint, work.best
        assert constraint is not None and best is not None
        stop = work.stop(STEP / 2 + 2e-9 * work.group.n_partitions, upto=0.95)
        allowance = work.allowance
        for start in [best, *work.within(best.spread + allowance)]:
            limit = max(start.spread, best.spread + allowance)
            home = homeward(work.group, constraint, start.assigned, limit, stop)
            work.offer(home, "fewer-moves")


class Knee:
    """A better middle of the front: what a run offers beside its plan is worth some effort too."""

    name: Final = "choices"
    LARGEST: Final = 20_000
    ROUNDS: Final = 16

    def applies(self, work: Work) -> bool:
        small = work.group.n_partitions <= self.LARGEST
        return work.exact and small and not work.policy.moves_first and len(work.points()) > 2

    def run(self, work: Work) -> None:
        constraint = work.constraint
        assert constraint is not None
        middle = knee(work.points())
        stop = work.stop(STEP)
        found = sweep(
            work.group, constraint, middle.assigned, work.rng, stop, enough=work.spread_bound,
            keep_moves=True,
        )  # fmt: skip
        with work.effort.search(self.ROUNDS * WORK, work.deadline.expired) as total:
            found = improve(
                work.group, constraint, found, work.rng, work.deadline.expired,
                enough=work.spread_bound, keep_moves=True, rounds=self.ROUNDS, total=total,
            )  # fmt: skip
        work.see(found, "choices")


def _open(work: Work) -> bool:
    """Is there a plan with exact counts whose spread is not proved the best yet."""
    return work.exact and not work.proved and work.constraint is not None


def _moves_matter(work: Work) -> bool:
    """May no exchange add a move, as far as bulk methods can tell."""
    return work.moves_at_most is not None or work.move_cost > 0


def _within(work: Work, assigned: np.ndarray) -> bool:
    limit = work.moves_at_most
    return limit is None or count_moves(work.group.owner, assigned) <= limit
