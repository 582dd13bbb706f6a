"""Filters on a member's patterns by what they leave to the other members, all patterns at once.

A filter drops patterns that cannot be completed. What it keeps is decided deeper in the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.item_masks import SearchNode, SearchTask
from equilag.certificate.exhaustive.patterns import Patterns, kept_of
from equilag.domain.group.group import Flags, Ints

MAX_PARTNERS: Final = 3_000
"""Most patterns of one member that are compared with all those of another: beyond, going deeper
costs less."""
PAIRS_AT_ONCE: Final = 500_000
"""Pairs of patterns in one array operation, which takes some 4 MB for each of its arrays."""


class Taken(NamedTuple):
    """What some open members take together, in n different ways [n]; loads include base loads.

    Extremes are loads as they are compared.
    """

    mask: Ints
    load: Ints
    """Sum of these members' loads, not scaled."""
    kept: Ints
    """Items kept so far, these members and those before them."""
    lightest: Ints
    """Lightest load of these members."""
    heaviest: Ints

    def where(self, keep: Flags) -> Taken:
        return Taken(*(column[keep] for column in self))


def taken_by(task: SearchTask, node: SearchNode, member: int, patterns: Patterns) -> Taken:
    """Each pattern of one open member."""
    kept = kept_of(patterns.mask, task.items.own[member])
    load = patterns.load
    factor = task.items.factor_of(member)
    lag = load if factor == 1 else load // factor
    return Taken(patterns.mask, lag, node.kept + kept, load, load)


def completable(
    task: SearchTask, node: SearchNode, taken: Taken, rest: tuple[int, ...], total: int
) -> Flags:
    """[n] False where what one member takes cannot be completed by the members `rest`.

    `total` is the node's open load.
    """
    fits = np.ones(len(taken.mask), dtype=np.bool_)
    if len(rest) == 1:
        fits = _last_fits(task, node, taken, rest[0], total)
    if task.target.counts_kept:
        still = sum(task.may_keep(node, member) for member in rest)
        fits &= taken.kept + still >= task.target.min_kept
    if len(rest) > 1:
        fits &= _mean_fits(task, node, taken, rest, total)
    return fits


def _mean_fits(
    task: SearchTask, node: SearchNode, taken: Taken, rest: tuple[int, ...], total: int
) -> Flags:
    """[n] False where the mean load that is left to the members `rest` is too far from the others'.

    `taken` is one member's.
    """
    everything, factor, n_rest = task.items.total, task.items.factor, len(rest)
    load = taken.lightest
    spread = min(task.target.spread, everything)
    low = np.maximum(np.maximum(load, node.high) - spread, 0)
    high = np.minimum(np.minimum(load, node.low) + spread, everything)
    left = total - taken.load
    fits: Flags = low <= high
    if factor is None:
        # Divided, not multiplied: a load near 2^62 times some members passes 2^63.
        fits &= (low <= left // n_rest) & (-(-left // n_rest) <= high)
        return fits
    least, most = np.zeros_like(left), np.zeros_like(left)
    for one in factor[list(rest)].tolist():
        least += -(-low // one)
        most += np.minimum(high // one, total)
    fits &= (least <= left) & (left <= most)
    return fits


def open_load(task: SearchTask, node: SearchNode) -> int:
    """Load of the free items and the open members, not scaled."""
    return task.items.load(node.free) + int(task.items.base[list(node.members)].sum())


def _last_fits(task: SearchTask, node: SearchNode, taken: Taken, last: int, total: int) -> Flags:
    """[n] True where the last open member can take everything that is left."""
    items, target = task.items, task.target
    limits = items.limits[last]
    other = node.free & ~taken.mask
    load = (total - taken.load) * items.factor_of(last)
    count = np.bitwise_count(other)
    low = np.minimum(np.minimum(taken.lightest, load), node.low)
    high = np.maximum(np.maximum(taken.heaviest, load), node.high)
    kept = taken.kept + kept_of(other, items.own[last])
    fits: Flags = (other & ~items.eligible[last]) == 0
    fits &= (count >= limits.lo) & (count <= limits.hi)
    fits &= high - low <= target.spreads_with(kept)
    return fits & (load >= target.floor) & (load <= target.cap)


def last_two_fit(
    task: SearchTask,
    node: SearchNode,
    taken: Taken,
    rest: tuple[int, ...],
    listed: Mapping[int, Patterns],
    total: int,
) -> Flags:
    """[n] False where the last two members, `rest`, cannot share what is left.

    `listed` are all their patterns, `total` is the node's open load.
    """
    second, last = sorted(rest, key=lambda member: len(listed[member].mask))
    others = taken_by(task, node, second, listed[second])
    n_others = len(others.mask)
    if n_others > MAX_PARTNERS:
        return np.ones(len(taken.mask), dtype=np.bool_)
    result = np.zeros(len(taken.mask), dtype=np.bool_)
    step = max(1, PAIRS_AT_ONCE // max(1, n_others))
    for begin in range(0, len(taken.mask), step):
        task.budget.spend(8 * min(step, len(taken.mask) - begin) * n_others)
        i, j = np.nonzero(taken.mask[begin : begin + step, None] & others.mask[None, :] == 0)
        i += begin
        both = Taken(
            taken.mask[i] | others.mask[j],
            taken.load[i] + others.load[j],
            taken.kept[i] + others.kept[j] - node.kept,
            np.minimum(taken.lightest[i], others.lightest[j]),
            np.maximum(taken.heaviest[i], others.heaviest[j]),
        )
        result[i[_last_fits(task, node, both, last, total)]] = True
    return result
