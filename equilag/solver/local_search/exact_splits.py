"""Exact splits: the partitions of a few members dealt anew, so that each load is its target.

The last members off target seldom fit each other. Together with some members on target they have
many more splits: one member's partitions are chosen with the right sum, then the next member's
among what is left, and at last those of a pair. `split_estimate` says how many members are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, inf, lgamma, log, pi
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.group.group import Ints
from equilag.solver.exchange.exact_transfers import (
    SubsetPlaces,
    TargetRows,
    subsets_with_sum,
)

MAX_ROWS: Final = 12
"""Rows of one split; a split of more would take thousands of nodes."""
ENOUGH: Final = 30.0
"""Splits expected to exist among the rows taken, so that most attempts can succeed."""


class SplitEstimate(NamedTuple):
    """Rows and nodes of splits."""

    rows_for_all: int
    """How many rows a split should have that puts all of them on target."""
    rows_for_one: int
    """The same for one that puts a single row on target."""
    nodes: float
    """Expected nodes until a split of all rows succeeds; infinite if there are too few rows."""


def estimate_split(rows: TargetRows, within: int | None = None) -> SplitEstimate:
    """Of rows that are on target up to a distance `within`, by default that of the rows."""
    n_rows, width = rows.table.shape
    reach = rows.within if within is None else within
    # From below where others than these rows are short, too: hopeless splits cost most.
    short = len(rows.lag) - rows.n_partitions
    mean_count = max(0.0, width - short / n_rows)
    most = width if n_rows - short >= MAX_ROWS else mean_count
    found = _expected_subsets(rows, most, reach)
    if width < 2 or not found:
        return SplitEstimate(2, 2, inf)
    needed = _rows_for_all(found)
    enough = _rows_for_one(_expected_subsets(rows, mean_count, reach))
    return SplitEstimate(needed, enough, _expected_nodes(found, needed))


def _rows_for_all(found: list[float]) -> int:
    """How many rows a split should have that puts all of them on target.

    `found` [n] are the `_expected_subsets` of 2, 3, ... rows.
    """
    splits = np.cumprod([n / rows for rows, n in enumerate(found, 2)])
    return 2 + min(int(np.count_nonzero(splits < ENOUGH)), len(found) - 1)


def _rows_for_one(found: list[float]) -> int:
    """How many rows a split should have that puts one of them on target."""
    return 2 + min(int(np.searchsorted(found, 1.0)), len(found) - 1)


def _expected_nodes(found: list[float], rows: int) -> float:
    """How many nodes splits of so many rows are expected to take until one succeeds.

    The subsets of the first row lead to as many nodes for the other rows, and so on; those of the
    last pair are successes. Divided by the number of rows left, as a split counts once however its
    rows are ordered.
    """
    nodes = width = 1.0
    for left in range(rows, 2, -1):
        width *= found[left - 2] / left
        nodes += width
    return nodes / (width * found[0] / 2) if found else inf


def _expected_subsets(rows: TargetRows, each: float, within: int) -> list[float]:
    """[n] for 2, 3, ... rows with `each` partitions, how many choices of one row's partitions are
    expected to be on target: the number of choices, times the loads on target, over √(2π) standard
    deviations of their sums. As many as `TABLE` allows.
    """
    found = []
    for taken in range(2, min(len(rows.table), MAX_ROWS) + 1):
        if _log_choices(taken * each / 2, each / 2) > log(TABLE):
            break
        scatter = 2 * pi * max(1.0, rows.variance * each * (taken - 1) / taken)
        loads = log(2 * within + 1) - log(scatter) / 2
        found.append(exp(_log_choices(taken * each, each) + loads))
    return found


def _log_choices(of: float, size: float) -> float:
    """The logarithm of a binomial coefficient, for numbers that need not be whole."""
    return lgamma(of + 1) - lgamma(size + 1) - lgamma(of - size + 1)


ONE_FIRST: Final = 0.8
"""Probability that one more row is put on target while a split of all would also be possible: with
fewer rows off target, a split of all has more full rows."""


def split_exactly(
    rows: TargetRows, listed: SubsetPlaces, rng: np.random.Generator, stop: Callable[[], bool],
    patience: int,
) -> None:  # fmt: skip
    """Put rows on target that exact transfers leave over.

    Ends after `patience` times the nodes that are expected. `stop` is asked at every node.
    """
    estimate = estimate_split(rows)
    if estimate.nodes == inf:
        return
    needed, enough = estimate.rows_for_all, estimate.rows_for_one
    nodes = patience * (int(estimate.nodes) + len(rows.off))
    split = _Split(rows, listed, rng, stop, nodes)
    while (off := rows.off).size and split.nodes > 0:
        if len(off) > enough and (len(off) > needed or rng.random() < ONE_FIRST):
            split.settle_one(rng.choice(off, enough, replace=False))
        else:
            beside = _beside(rows, off, max(1, needed - len(off)), rng)
            split.settle_all(rng.permutation(np.concatenate((off, beside))))


def _beside(rows: TargetRows, off: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Rows on target at random, those without an empty place first: they have more splits."""
    on = rng.permutation(np.setdiff1d(np.arange(len(rows.table)), off))
    return on[np.argsort(rows.empty(on), kind="stable")][:most]


class _Split:
    """Splits of some rows, with what they have in common."""

    def __init__(
        self, rows: TargetRows, listed: SubsetPlaces, rng: np.random.Generator,
        stop: Callable[[], bool], nodes: int,
    ) -> None:  # fmt: skip
        self.rows = rows
        self.listed = listed
        self.rng = rng
        self.stop = stop
        self.nodes = nodes
        """Nodes left."""

    def settle_one(self, members: Ints) -> bool:
        """Put the first of the rows on target, the others wherever what is left puts them.

        False if no choice of its partitions was found.
        """
        places, empty = self._places(members)
        target, within = int(self.rows.targets[members[0]]), self.rows.within
        window = target - within, target + within
        for size in self._sizes(len(members), len(empty)):
            if not self._enter():
                break
            for chosen in self._subsets(places, size, window):
                rest = np.delete(places, chosen)
                parts = [places[chosen], *self._dealt(rest, len(members) - 1)]
                self._refill(members, parts, empty)
                return True
        return False

    def settle_all(self, members: Ints) -> None:
        """Put all the rows on target, or leave them as they are."""
        places, empty = self._places(members)
        targets = self.rows.targets[members].tolist()
        parts = self._parts(places, targets, len(empty))
        if parts is not None:
            self._refill(members, parts, empty)

    def _parts(self, places: Ints, targets: list[int], n_empty: int) -> list[Ints] | None:
        """Places of each row with its target as their sum, None where none were found."""
        if len(targets) == 1:
            return [places]
        window = self._window(places, targets)
        for size in self._sizes(len(targets), n_empty):
            if not self._enter():
                return None
            left = n_empty - (size < self.rows.table.shape[1])
            for chosen in self._with_heaviest(places, size, window):
                others = self._parts(np.delete(places, chosen), targets[1:], left)
                if others is not None:
                    return [places[chosen], *others]
        return None

    def _enter(self) -> bool:
        """Count a node; False if it must not be entered."""
        self.nodes = 0 if self.stop() else self.nodes - 1
        return self.nodes > 0

    def _places(self, members: Ints) -> tuple[Ints, Ints]:
        """The partitions and the empty places of some rows."""
        places = self.rows.table[members].ravel()
        empty = places >= self.rows.n_partitions
        return places[~empty], places[empty]

    def _sizes(self, n_rows: int, n_empty: int) -> list[int]:
        """How many partitions the next row may get, the fewest first: those left then have more
        splits."""
        width = self.rows.table.shape[1]
        return [width - 1] * (n_empty > 0) + [width] * (n_empty < n_rows)

    def _subsets(self, places: Ints, size: int, window: tuple[int, int]) -> Iterator[Ints]:
        lag = self.rows.lag[places]
        return subsets_with_sum(lag, size, window, self.listed, self.rng)

    def _window(self, places: Ints, targets: list[int]) -> tuple[int, int]:
        """The loads of the first row that are on target and let the others be so."""
        within = self.rows.within
        left = int(self.rows.lag[places].sum()) - sum(targets[1:])
        beyond = (len(targets) - 1) * within
        return max(targets[0] - within, left - beyond), min(targets[0] + within, left + beyond)

    def _with_heaviest(self, places: Ints, size: int, window: tuple[int, int]) -> Iterator[Ints]:
        """Subsets with the heaviest place: so no split is found once for each order of its rows."""
        heaviest = int(self.rows.lag[places].argmax())
        others = np.delete(np.arange(len(places)), heaviest)
        own = int(self.rows.lag[places[heaviest]])
        rest = window[0] - own, window[1] - own
        for chosen in self._subsets(places[others], size - 1, rest):
            yield np.append(others[chosen], heaviest)

    def _dealt(self, places: Ints, n_rows: int) -> list[Ints]:
        """The places dealt to so many rows in turn, by descending lag, back and forth."""
        by_lag = places[np.argsort(-self.rows.lag[places], kind="stable")]
        turn = np.arange(len(places))
        round_number, seat = np.divmod(turn, n_rows)
        row = np.where(round_number % 2 == 0, seat, n_rows - 1 - seat)
        return [by_lag[row == number] for number in range(n_rows)]

    def _refill(self, members: Ints, parts: list[Ints], empty: Ints) -> None:
        """Give the rows their partitions, and an empty place each where they have one fewer."""
        width, used = self.rows.table.shape[1], 0
        for row, part in zip(members.tolist(), parts, strict=True):
            missing = width - len(part)
            self.rows.refill(row, np.concatenate((part, empty[used : used + missing])))
            used += missing
