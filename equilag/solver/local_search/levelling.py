"""Levelling: loads into the window that the bounds leave.

Round by round, the members farthest outside the window exchange partitions with others that read
the same topics, half of them from the other end of the loads and half at random: all pairs of a
round at once, each by the exchange that brings the two closest to the window. When single
partitions bring nothing any more, two go at a time, which leaves loads some hundred times closer.

Where moves count, a descent through ever narrower windows makes the front of moves and spread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from equilag.domain.budget import PATIENCE
from equilag.domain.columns import ROUNDING, Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import count_moves, moves_added
from equilag.solver.exchange.pair_exchanges import FREE, NO_GAIN, Pairs, Score, exchange_best
from equilag.solver.local_search.assignment_state import AssignmentState, Window
from equilag.solver.local_search.heavy_apart import heavy_apart

ROUND_SIZE: Final = 16_000
"""Entries of pairs that one round looks at, about: some 5 ms."""
FEWEST_FAR: Final = 8
"""Members that a round tries to help, if there are so many, so that it is worth its overhead."""
MAX_PARTNERS: Final = 32
"""Members that one member is tried with in a round."""
TO_TWOS: Final = 12
"""Rounds in a row without progress by single partitions, after which two go at a time."""
TWOS: Final = 400
"""Pairs of partitions of one member that are looked at, about."""
REACH: Final = 0.3
"""Of the spread: how far from the extremes members take part at most, where moves are limited."""


def level_loads(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    window: Window,
    heaviest: int | None = None,
) -> Index:
    """[P] an assignment with a spread that is no larger.

    The target is the window, per unit of capacity. Where moves are limited, few members can get
    there, and those near the extremes come first. Given `heaviest`, so many partitions are set
    apart first, and the others are dealt anew where that helps. `stop` is called before every
    round. O(P), and O(pairs × c log c) for each round, where c is the largest count.
    """
    for better in level_steps(group, constraint, assigned, rng, stop, window, heaviest):
        assigned = better  # only the last one is kept: each has 4 bytes a partition
    return assigned


def level_steps(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    window: Window,
    heaviest: int | None = None,
) -> Iterator[Index]:
    """Yield the assignments [P] of `level_loads`, each more even than the one before."""
    state, limit, left = AssignmentState.of(group, constraint, assigned), window.most_moves, None
    least = state.unevenness
    if len(state.active) < 2:
        return
    if heaviest is not None:
        state = _start(state, window, heaviest)
    missed, nearest, stalled, beside = np.zeros(group.n_members, np.int64), np.inf, 0, 0
    while stalled < PATIENCE and least[0] > window.enough and not stop():
        near = window
        if limit is not None:
            near = _near_the_extremes(state, window, rng)
            left = limit - count_moves(group, state.assigned)
        far, pairs = _pairs(state, window, near, missed, beside, rng)
        if not len(far):
            break
        made = exchange_best(state, pairs, _score(state, pairs, window, left), left, beside)
        missed[far] += 1
        missed[made] = 0
        stalled += 1
        if limit is None and (apart := _apart(state, window)) < nearest:
            nearest, stalled = apart, 0
        if len(made) and state.unevenness < least:
            least = state.unevenness
            if limit is not None:
                stalled = 0
            yield state.assigned.copy()
        if not beside and stalled >= TO_TWOS:
            beside = TWOS * len(state.active) // (len(assigned) + 1)
            missed, stalled = np.zeros(group.n_members, np.int64), 0


def descend_in_windows(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    window: Window,
    widths: Sequence[float],
) -> Iterator[Index]:
    """Yield assignments [P] on the way from `assigned`, a plan of few moves, to windows of loads
    that are by one of the `widths` after the other wider than the given one."""
    for width in widths:
        low, high = window.low - int(width / 2), window.high + int(width / 2)
        wider = Window(low, high, high - low, np.inf)
        for better in level_steps(group, constraint, assigned, rng, stop, wider):
            yield (assigned := better)


def heaviest_gives(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    stop: Callable[[], bool],
    moves: float,
) -> Index:
    """[P] the assignment after at most so many moves, each from the heaviest member to the lightest
    one, of the partition that leaves the heavier of both the least load. O(P) per move."""
    state = AssignmentState.of(group, constraint, assigned)
    while moves > 0 and len(state.active) > 1 and not constraint.per_topic and not stop():
        order = state.by_load()
        giver, taker = order[:1], order[-1:]
        mine = state.held_by(int(giver[0]))
        cost = moves_added(group, mine, giver, taker)
        fits = constraint.may(mine, taker) & (cost <= moves)
        fits &= constraint.may_lose_one(state.counts, giver)
        fits &= constraint.may_gain_one(state.counts, taker)
        lag = group.lag[mine]
        given = state.loads[giver] - state.scaled(lag, giver)
        worse = np.maximum(given, state.loads[taker] + state.scaled(lag, taker))
        worse = np.where(fits, worse, np.inf)
        best = int(worse.argmin()) if len(mine) else 0
        if not len(mine) or worse[best] >= state.loads[giver][0]:
            break
        moves -= int(cost[best])
        state.transfer(mine[best : best + 1], taker)
    return state.assigned


def _start(state: AssignmentState, window: Window, heaviest: int) -> AssignmentState:
    """The state itself, or one with the heaviest apart and all else dealt anew."""
    dealt = heavy_apart(state, heaviest)
    if dealt is None:
        return state
    other = AssignmentState.of(state.group, state.constraint, dealt)
    return other if heaviest or 2 * _apart(other, window) < _apart(state, window) else state


def _near_the_extremes(state: AssignmentState, window: Window, rng: np.random.Generator) -> Window:
    """A window that leaves out the loads near the heaviest and the lightest one."""
    high, low = state.extremes()
    above, below = (REACH * (high - low) * rng.random(2)).tolist()
    return Window(min(window.low, low + below), max(window.high, high - above))


def _apart(state: AssignmentState, window: Window) -> float:
    return float(window.outside(state.loads)[state.active].sum())


def _pairs(
    state: AssignmentState,
    window: Window,
    near: Window,
    missed: Ints,
    beside: int,
    rng: np.random.Generator,
) -> tuple[Index, Pairs]:
    """The members farthest outside the window `near`, and pairs of each of them with others.

    A member that `missed` [M] rounds in a row counts as half as far for each of them: there may be
    nothing to help it.
    """
    class_of, face = state.group.class_of, state.constraint.face
    active = state.active[np.logical_or.reduce(face, axis=0)[class_of[state.active]]]
    size = np.ldexp(near.outside(state.loads[active]), -missed[active])
    order = np.argsort(-size, kind="stable")
    wide = int(np.count_nonzero(2 * size >= size.max(initial=0)))
    each = len(state.assigned) // len(state.active) + 1
    cost = each * (1 + beside)
    order = order[: max(FEWEST_FAR, min(wide, ROUND_SIZE // (2 * cost)))]
    far = active[order[size[order] > 0]]
    n_partners = int(np.clip(ROUND_SIZE // (max(1, len(far)) * cost), 2, MAX_PARTNERS))
    by_load = state.by_load()
    pools, turn = dict[int, Index](), Counter[tuple[int, bool]]()
    partners = [np.zeros(0, np.int32)]
    for member in far.tolist():
        kind = int(class_of[member])
        if kind not in pools:
            shares = np.logical_or.reduce(face[face[:, kind]], axis=0)
            pools[kind] = by_load[shares[class_of[by_load]]]
        pool, half = pools[kind], n_partners // 2
        lacks = bool(state.loads[member] < window.low)
        # Each has other partners there, as a member takes part in one exchange of a round.
        first, turn[kind, lacks] = turn[kind, lacks], turn[kind, lacks] + 1
        ends = (pool if lacks else pool[::-1])[first : first + half]
        some = pool[rng.integers(0, len(pool), n_partners - len(ends))]
        partners += [ends, some]
    one, other = np.repeat(far, n_partners), np.concatenate(partners)
    over = state.loads[one] > window.high
    heavy, light = np.where(over, one, other), np.where(over, other, one)
    apart = state.loads[heavy] > state.loads[light]
    heavy, light = heavy[apart], light[apart]
    return far, Pairs(heavy, light, _wanted(state, window, heavy, light))


def _wanted(state: AssignmentState, window: Window, heavy: Index, light: Index) -> Ints:
    """[pairs] the lag that brings both members into the window; where there is none, what leaves
    their loads equal."""
    high, low = state.loads[heavy], state.loads[light]
    give, take = (1, 1) if state.factor is None else (state.factor[heavy], state.factor[light])
    needed = np.maximum((window.low - low) / take, (high - window.high) / give)
    spare = np.minimum((high - window.low) / give, (window.high - low) / take)
    return np.where(spare >= needed, needed, (high - low) / (give + take)).astype(np.int64)


def _score(state: AssignmentState, pairs: Pairs, window: Window, left: float | None) -> Score:
    """Minus what the larger of a pair's two distances from the window shrinks by, per move where so
    many are `left`. Where as many are left as anybody wants, all members get there at last: then
    what the sum shrinks by."""

    def score(pair: Ints, change: Ints, cost: Ints) -> Floats:
        heavy, light = pairs.heavy[pair], pairs.light[pair]
        high, low = state.loads[heavy], state.loads[light]
        above, below = window.outside(high), window.outside(low)
        one = window.outside(high - state.scaled(change, heavy))
        other = window.outside(low + state.scaled(change, light))
        before = np.maximum(above, below)
        gain = before - np.maximum(one, other)
        helps = (gain > ROUNDING * before) & (left is None or cost <= left)
        if left == np.inf:
            gain = above + below - one - other
        price = 1.0 if left is None else np.maximum(cost, FREE)
        return np.where(helps, -gain / price, NO_GAIN)

    return score
