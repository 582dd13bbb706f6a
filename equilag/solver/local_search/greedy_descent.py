"""Trading moves against lag spread: step by step from few moves, and back towards the owners."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from equilag.constraint import CountConstraint
from equilag.group import NOBODY, Group, Index, Ints
from equilag.solver.local_search.pairwise_swaps import FAR, Exchange, options

PARTNERS = 48
"""Members at either end that an extreme is paired with in one step, at most."""
WIDE = 64
"""Partitions of a member that one step looks at."""
PATIENCE = 20
"""Steps without a find after which to give up, where only some partitions are looked at."""
CELLS = 80_000
"""Array elements of one step, about."""


def downhill(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    steps: int,
) -> Iterator[Index]:
    """The assignments [P] on a greedy way from few moves to an even plan, one after the other.

    Each step is the exchange at the heaviest or the lightest member that lowers its excess most per
    move. O(partners × c²) array elements a step.
    """
    work = Exchange.of(group, constraint, assigned)
    if len(work.active) < 2:
        return
    patience = PATIENCE if int(work.counts.max()) > WIDE else 1
    missed = 0
    for _ in range(steps):
        if stop() or missed >= patience:
            return
        if _step(work, rng):
            missed = 0
            yield work.assigned.copy()
        else:
            missed += 1


def _step(work: Exchange, rng: np.random.Generator) -> bool:
    order = work.active[np.argsort(-work.loads[work.active], kind="stable")]
    width = min(WIDE, int(work.counts.max())) + 1
    partners = max(4, min(PARTNERS, CELLS // (4 * width * width)))
    near = np.unique(np.concatenate((order[:partners], order[-partners:])))
    top, bottom = order[0], order[-1]
    to = near[near != top]
    since = near[(near != bottom) & (near != top)]
    heavy = np.concatenate((np.full(len(to), top), since)).astype(np.int32)
    light = np.concatenate((to, np.full(len(since), bottom))).astype(np.int32)
    by_member, start = work.holdings(rng, near, WIDE)
    found = options(work, by_member, start, heavy, light)
    weight = found.change
    over, under = work.loads[heavy][:, None, None], work.loads[light][:, None, None]
    at_top = (heavy == top)[:, None, None]
    # How far the extreme member comes down (or up), the other not going past where it was.
    drop = np.where(at_top, np.minimum(weight, over - under - weight), -1)
    rise = np.minimum(weight, over - under - weight)
    gain = np.where(at_top, drop, rise)
    gain = np.where(found.fits, gain, -1)
    cost = np.maximum(found.moves, 0)
    score = np.where(gain > 0, gain / np.where(cost == 0, 0.25, cost), -1.0)
    pick = int(score.argmax()) if score.size else 0
    if not score.size or score.flat[pick] <= 0:
        return False
    row, i, j = np.unravel_index(pick, score.shape)
    work.apply(
        found.give[row, i : i + 1], found.take[row, j : j + 1], heavy[row : row + 1],
        light[row : row + 1],
    )  # fmt: skip
    return True


def homeward(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    spread: int,
    stop: Callable[[], bool],
) -> Index:
    """[P] as few moves as exchanges back to owners reach while the spread stays within `spread`.

    Passes over the moved partitions, first for exchanges that bring two home, then for any that
    brings one, until neither is left. O(P) array elements for each partition looked at.
    """
    work = Exchange.of(group, constraint, assigned)
    found = True
    while found:
        found = False
        for least in (2, 1):
            for p in _away(work).tolist():
                if stop():
                    return work.assigned
                if work.assigned[p] != group.owner[p]:
                    found |= _bring_home(work, p, spread, least)
    return work.assigned


def _away(work: Exchange) -> Ints:
    """Partitions that are assigned to others than their owners."""
    owner = work.group.owner
    return np.flatnonzero((owner != NOBODY) & (owner != work.assigned) & (work.assigned != NOBODY))


def _bring_home(work: Exchange, p: int, spread: int, least: int) -> bool:
    """Give `p` to its owner for another partition of the owner's, or for nothing, if that saves
    `least` moves or more."""
    group, constraint = work.group, work.constraint
    holder, owner = int(work.assigned[p]), int(group.owner[p])
    if not constraint.may(p, owner):
        return False
    mine = np.flatnonzero((work.assigned == owner) & constraint.free)
    fits = constraint.may(mine, holder)
    any_topic = not constraint.per_topic
    if not any_topic:
        fits = fits & (group.topic_of[mine] == group.topic_of[p])
    mine = mine[fits]
    saved = 1 - (group.owner[mine] == owner) + (group.owner[mine] == holder).astype(np.int64)
    weight = group.lag[p] - group.lag[mine]
    room = constraint.may_lose_one(work.counts, holder)
    if any_topic and room and constraint.may_gain_one(work.counts, owner):
        mine = np.append(mine, NOBODY)
        saved, weight = np.append(saved, 1), np.append(weight, group.lag[p])
    enough = saved >= least
    if not enough.any():
        return False
    mine, weight = mine[enough], weight[enough]
    high, low = work.extremes()
    first, second = work.loads[owner] + weight, work.loads[holder] - weight
    top = np.maximum(np.maximum(first, second), _others(work, owner, holder, high, 1))
    bottom = np.minimum(np.minimum(first, second), _others(work, owner, holder, low, -1))
    within = np.flatnonzero(top - bottom <= spread)
    if not len(within):
        return False
    back = mine[within[:1]]
    work.apply(np.array([p]), back, np.array([holder], np.int32), group.owner[p : p + 1])
    return True


def _others(work: Exchange, one: int, other: int, extreme: int, sign: int) -> int:
    """The heaviest (sign 1) or lightest (−1) load of everybody else."""
    if work.loads[one] != extreme and work.loads[other] != extreme:
        return extreme
    rest = work.active[(work.active != one) & (work.active != other)]
    if not len(rest):
        return int(-sign * FAR)
    loads = work.loads[rest]
    return int(loads.max() if sign > 0 else loads.min())
