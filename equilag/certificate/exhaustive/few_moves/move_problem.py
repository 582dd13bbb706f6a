"""A small problem with its items as bits in the order of their owners."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.certificate.exhaustive.small_problem import OUTSIDE, ScaledLoads, SmallProblem
from equilag.certificate.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.domain.budget import OutOfBudget
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Ints
from equilag.domain.plan.metrics import has_stakes

Bits: TypeAlias = npt.NDArray[np.uint64]

WORD: Final = 62
"""Bits of a word that are used: a shift by all of them still fits into 64 bits."""
MAX_MEMBERS_MOVING: Final = 60
"""Most members: a set of members is one integer of 63 bits."""
MAX_ITEMS_MOVING: Final = 512
"""Most items, eight words each: beyond, even the pairs of items are too many to list."""
MOVE_CELLS: Final = MAX_MEMBERS_MOVING * MAX_ITEMS_MOVING
"""Items times members up to which it is worth to look at a group."""


def whole_problem_of_few_moves(
    group: Group, constraint: CountConstraint, max_moves: int | None
) -> WholeGroup | None:
    """As `whole_problem`, for the search for a few moves; None where that does not apply."""
    if has_stakes(group) or constraint.instance_sums is not None:
        return None
    return whole_problem(group, constraint, max_moves, MOVE_CELLS)


@dataclass(frozen=True, eq=False, slots=True)
class MoveProblem:
    """I items by owner and then by lag, ascending; items without an owner come last.

    The items of one owner lie side by side in one of W words. J members.
    """

    order: Ints
    """[I] the item's place in the small problem."""
    lag: Ints
    allowed: Flags
    """[I, J]"""
    owner: Ints
    """[I] NOBODY without an owner."""
    lo: Ints
    hi: Ints
    start: Ints
    """[J] lags of what each member owns, and of its base."""
    scaled: ScaledLoads
    """What makes lags comparable."""
    word: Ints
    bit: Ints
    """[I] place of the item's bit."""
    first: Ints
    """[J + 1] where each owner's items begin."""
    counts: Ints
    """[J] items that each member owns."""
    words: int
    total: int
    """Lag of all items and all base loads."""

    @staticmethod
    def of(problem: SmallProblem) -> MoveProblem:
        """Raises OutOfBudget if the problem is too large, or counts are limited by topic."""
        members, items = len(problem.base), len(problem.lag)
        total = int(problem.lag.sum() + problem.base.sum())
        too_large = members > MAX_MEMBERS_MOVING or items > MAX_ITEMS_MOVING
        scaled = ScaledLoads.of(problem)
        # Sums of lags over members must stay below 2^62.
        if too_large or problem.topic is not None or total >= 2**61 // (members + 1):
            raise OutOfBudget
        if not scaled.fits:
            raise OutOfBudget
        if (problem.owner == OUTSIDE).any():
            raise OutOfBudget
        last = np.where(problem.owner == NOBODY, members, problem.owner)
        order = np.lexsort((problem.lag, last))
        first = np.searchsorted(last[order], np.arange(members + 1))
        word, bit = _places(np.diff(first).tolist(), items)
        owner, lag = problem.owner[order], problem.lag[order]
        start = problem.base.copy()
        np.add.at(start, owner[: first[-1]], lag[: first[-1]])
        return MoveProblem(
            order, lag, problem.allowed[order], owner, np.maximum(problem.lo, 0), problem.hi,
            start, scaled, word, bit, first, np.diff(first), int(word.max(initial=0)) + 1, total,
        )  # fmt: skip

    @property
    def members(self) -> int:
        return len(self.start)

    @property
    def loose(self) -> Ints:
        """The items without an owner."""
        return np.arange(self.first[-1], len(self.lag))

    def masks(self) -> Bits:
        """[I, W] each item alone."""
        made = np.zeros((len(self.lag), self.words), dtype=np.uint64)
        made[np.arange(len(self.lag)), self.word] = np.uint64(1) << self.bit.astype(np.uint64)
        return made

    def forced_moves(self) -> tuple[int, int]:
        """The moves that the counts force: partitions that members own too many of, and partitions
        that they own too few of."""
        lost = int(np.maximum(self.counts - self.hi, 0).sum())
        gained = int(np.maximum(self.lo - self.counts, 0).sum())
        return lost, max(0, gained - len(self.loose))

    def without_spare_moves(self, losses: bool, gains: bool) -> MoveProblem:
        """The same where no loss (or no gain) is allowed beyond those that the counts force.

        Then members that do not own too many keep all that is theirs, and members that do not own
        too few gain nothing.
        """
        allowed, own = self.allowed.copy(), np.arange(self.first[-1])
        owner = self.owner[: self.first[-1]]
        if losses:
            keeps = own[(self.counts <= self.hi)[owner]]
            mine = allowed[keeps, owner[keeps]]
            allowed[keeps] = False
            allowed[keeps, owner[keeps]] = mine
        if gains and not len(self.loose):
            full = self.counts >= self.lo
            mine = allowed[own, owner]
            allowed[:, full] = False
            allowed[own, owner] = mine
        return replace(self, allowed=allowed)

    def held_only_by(self, item: int, holder: int) -> MoveProblem:
        """The same, where nobody but `holder` may take the item."""
        allowed = self.allowed.copy()
        allowed[item] = False
        allowed[item, holder] = self.allowed[item, holder]
        return replace(self, allowed=allowed)


def _places(sizes: list[int], items: int) -> tuple[Ints, Ints]:
    """Word and bit of each item; no owner's items are in two words."""
    word, bit = np.zeros(items, np.int64), np.zeros(items, np.int64)
    here = used = done = 0
    for size in sizes:
        if size > WORD:
            raise OutOfBudget
        if used + size > WORD:
            here, used = here + 1, 0
        word[done : done + size] = here
        bit[done : done + size] = used + np.arange(size)
        done, used = done + size, used + size
    rest = used + np.arange(items - done)
    word[done:], bit[done:] = here + rest // WORD, rest % WORD
    return word, bit
