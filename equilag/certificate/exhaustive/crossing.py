"""Which of the patterns that are listed fit which nodes: many pairs are looked at at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.item_masks import Bits, Patterns, SearchTask, disjoint
from equilag.domain.columns import ranges
from equilag.domain.group.group import Ints

CROSS: Final = 400_000
"""Pairs of node and pattern in one array operation."""
SPLIT: Final = 8
"""Pairs for each node and pattern from which on it pays to set some apart."""
SAVED: Final = 8
"""The part of the pairs that has to be saved by that, as one in so many."""


def fitting_pairs(
    task: SearchTask, listed: Patterns, free: Bits, loads: tuple[Ints, Ints], ends: Ints
) -> Iterator[tuple[Ints, Ints, Patterns]]:
    """Pairs of a node and a pattern of what is free there [n, W], with a load between two [n]
    and at most so many ends of moves [n]: numbers of nodes, and of patterns among those given
    with them.

    While pairs are many, the patterns with an item that many nodes lack are set apart; not where
    moves do not matter, as the nodes nearest to the mean load would come later then.
    """
    budget, items = task.budget, task.items
    first, number = listed.within(*loads, ends)
    weight = number.sum(axis=1)
    pairs = np.cumsum(weight)
    if task.target.moves_matter and pairs[-1] > SPLIT * (len(free) + len(listed.load)):
        anywhere = disjoint(listed.mask, ~np.bitwise_or.reduce(free, axis=0))
        budget.spend(listed.mask.size)
        if not anywhere.all():
            yield from fitting_pairs(task, listed.take(anywhere), free, loads, ends)
            return
        lacks, has = ~items.chosen(free), items.chosen(listed.mask)
        budget.spend((lacks.size + has.size) // 4)
        saved = (weight @ lacks) * has.mean(axis=0)
        item = int(saved.argmax())
        if saved[item] * SAVED > pairs[-1]:
            without = listed.take(~has[:, item])
            for nodes, part in ((lacks, without), (~lacks, listed)):
                here = np.flatnonzero(nodes[:, item])
                if len(here):
                    some = loads[0][here], loads[1][here]
                    for i, j, those in fitting_pairs(task, part, free[here], some, ends[here]):
                        yield here[i], j, those
            return
    for begin, end in _parts(pairs, CROSS):
        rows = slice(begin, end)
        i = np.repeat(np.arange(begin, end), weight[rows])
        start = first[rows].ravel()
        j = ranges(start, start + number[rows].ravel())
        budget.spend(len(i) * (2 + 2 * listed.mask.shape[1]))
        fits = disjoint(listed.mask[j], ~free[i])
        if fits.any():
            yield i[fits], j[fits], listed


def _parts(ends: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Runs of rows with at most so many pairs together, or one row each; `ends` [rows] are the
    pairs of all rows up to each."""
    begin = 0
    while begin < len(ends):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin = end
