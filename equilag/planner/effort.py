"""A budget of work instead of time: the same on every machine, so that a run can be repeated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from equilag.exhaustive.patterns import Budget

ELEMENT: Final = 8e-9
"""Seconds for an array element of a search."""
NODE: Final = 12_000
"""Array elements that a node of a search is worth: some twenty calls of NumPy."""


@dataclass(slots=True)
class Effort:
    """Seconds' worth of work, as priced on one core of about 2.8 GHz; infinite unless limited.

    A stage pays a price for each step that it is about to take, so that what is done depends on
    the group, the policy and the seed alone.
    """

    limit: float = math.inf
    spent: float = 0.0

    @property
    def limited(self) -> bool:
        return self.limit < math.inf

    def left(self, upto: float = 1.0) -> float:
        """What may still be spent of the first part `upto` of the budget."""
        return max(0.0, self.limit * upto - self.spent)

    def spend(self, seconds: float) -> None:
        self.spent += seconds

    @contextmanager
    def search(self, most: int, expired: Callable[[], bool], upto: float = 1.0) -> Iterator[Budget]:
        """A budget for searches, of at most `most` array elements; what they cost is paid after."""
        allowed = int(min(most, self.left(upto) / ELEMENT)) if self.limited else most
        budget = Budget(allowed, expired, node=NODE if self.limited else 0)
        try:
            yield budget
        finally:
            self.spend((allowed - max(0, budget.work)) * ELEMENT)

    def metered(
        self, expired: Callable[[], bool], price: float, upto: float = 1.0
    ) -> Callable[[], bool]:
        """What a loop asks before each step: `price` seconds are paid each time.

        True once the first part `upto` of the budget is spent, or the clock says so.
        """
        if not self.limited:
            return expired

        def stop() -> bool:
            self.spent += price
            return self.spent > self.limit * upto or expired()

        return stop
