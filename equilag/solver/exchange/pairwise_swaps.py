"""Pairwise swaps: heavy and light members are paired, and all pairs exchange at once.

Each round costs O(members × c²) array elements, where c is the largest count, at most `MAX_HELD`.
Counts stay inside the constraint: a member gives one partition for another one, or for nothing
where both members' intervals leave room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import has_stakes, moves_added
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.load_targets import ImprovementGoal

MAX_BATCH: Final = 1_000_000
"""Array elements of one batch of pairs: 8 MB for each of the some ten arrays."""
MAX_HELD: Final = 128
"""Partitions of one member that a round considers; of more, the heaviest and a sample."""
ALWAYS_SEEN: Final = 16
"""The heaviest partitions of a member, which are considered in every round."""
NEVER: Final = np.int64(2**62)
"""A distance of loads above any other: the sum of all lags stays below it."""
MAX_ROUNDS: Final = 400
"""Rounds of one search; `PATIENCE` ends most searches earlier."""
PATIENCE: Final = 24
"""Rounds in a row without a change of either extreme load, after which the search ends: twelve with
each of the two pairings."""


def holdings(
    state: AssignmentState,
    rng: np.random.Generator,
    of: Index | None = None,
    widest: int = MAX_HELD,
) -> tuple[Ints, Ints]:
    """Movable partitions by member, and [M + 1] where each member's begin.

    Of a member that holds more than `widest`, only that many: its heaviest, and others drawn anew
    every time. Of the members `of` alone, where they are given.
    """
    by_member, start = state.by_member(of)
    if int(np.diff(start).max(initial=0)) > widest:
        by_member = _drawn(state, by_member, start, rng, widest)
        start = state.starts(by_member)
    return by_member, start


def _drawn(
    state: AssignmentState, by_member: Ints, start: Ints, rng: np.random.Generator, widest: int
) -> Ints:
    """`widest` partitions of each member, the heaviest `ALWAYS_SEEN` of them included."""
    first = np.repeat(start[:-1], np.diff(start))
    member = state.assigned[by_member]
    by_lag = by_member[np.lexsort((-state.group.lag[by_member], member))]
    place = rng.random(len(by_lag))
    place[np.arange(len(by_lag)) - first < ALWAYS_SEEN] = -1.0
    drawn = by_lag[np.lexsort((place, member))]
    return drawn[np.arange(len(drawn)) - first < widest]


def swap_pairwise(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    goal: ImprovementGoal,
    rounds: int = MAX_ROUNDS,
) -> Index:
    """[P] an assignment with a spread no larger, after at most `rounds` rounds.

    Of assignments with the same spread, the one with the least excess over the mean load.

    Rounds pair the heaviest with the lightest members and so on, and in turn at random, so that
    swaps become possible that the first pairing never offers. `stop` is called before every batch.
    """
    state = AssignmentState.of(group, constraint, assigned)
    best, least, stalled = assigned, state.unevenness, 0
    if len(state.active) < 2:
        return best
    for number in range(rounds):
        if stop() or least[0] <= goal.enough or stalled >= PATIENCE:
            break
        before = state.extremes()
        changed = _round(state, _pairs(state, rng, number), rng, stop, goal.keep_moves)
        stalled = 0 if state.extremes() != before else stalled + (1 if changed else 4)
        if state.unevenness < least:
            best, least = state.assigned.copy(), state.unevenness
    return best


def _pairs(state: AssignmentState, rng: np.random.Generator, number: int) -> tuple[Index, Index]:
    """Heavy and light member of each pair: mirrored by load, in odd rounds at random."""
    if number % 2 == 0:
        order = state.active[np.argsort(-state.loads[state.active], kind="stable")]
    else:
        order = rng.permutation(state.active)
    half = len(order) // 2
    one, other = order[:half], order[: len(order) - half - 1 : -1]
    swap = state.loads[one] < state.loads[other]
    return np.where(swap, other, one), np.where(swap, one, other)


def _round(
    state: AssignmentState,
    pairs: tuple[Index, Index],
    rng: np.random.Generator,
    stop: Callable[[], bool],
    keep_moves: bool,
) -> bool:
    heavy, light = pairs
    by_member, start = holdings(state, rng)
    size = np.diff(start)
    widest = int(max(size[heavy].max(initial=0), size[light].max(initial=0))) + 1
    step = max(1, MAX_BATCH // (widest * widest))
    changed = False
    for begin in range(0, len(heavy), step):
        if stop():
            break
        chunk = slice(begin, begin + step)
        changed |= _exchange(state, by_member, start, heavy[chunk], light[chunk], keep_moves)
    return changed


def _padded(by_member: Ints, start: Ints, members: Index) -> Ints:
    """[members, widest] partitions of each member, NOBODY in the empty places."""
    size = (start[1:] - start[:-1])[members]
    column = np.arange(max(1, int(size.max(initial=0))))
    inside = column[None, :] < size[:, None]
    place = np.where(inside, start[members][:, None] + column[None, :], 0)
    return np.where(inside, by_member[place] if len(by_member) else NOBODY, NOBODY)


def _leaves(group: Group, partitions: Ints, holder: Index, receiver: Index) -> Ints:
    """[pairs, places] 1 where a partition would leave its owner, −1 where it would return to it."""
    if has_stakes(group):
        cost = moves_added(group, partitions, holder[:, None], receiver[:, None])
        return np.where(partitions == NOBODY, 0, cost)
    whose = np.where(partitions == NOBODY, NOBODY, group.owner[partitions])
    leaves: Ints = (whose == holder[:, None]).astype(np.int64)
    leaves -= (whose == receiver[:, None]) & (whose != NOBODY)
    return leaves


def _exchange(
    state: AssignmentState,
    by_member: Ints,
    start: Ints,
    heavy: Index,
    light: Index,
    keep_moves: bool,
) -> bool:
    """Make the exchange of each pair that brings its two loads closest; False if there is none."""
    give, take = _padded(by_member, start, heavy), _padded(by_member, start, light)
    take = np.concatenate((take, np.full((len(take), 1), NOBODY)), axis=1)  # for an empty place
    fits = _may(state, give, heavy, light)[:, :, None] & _returns(state, give, take, heavy, light)
    weight, back = (np.where(side == NOBODY, 0, state.group.lag[side]) for side in (give, take))
    change = weight[:, :, None] - back[:, None, :]
    apart = state.loads[heavy] - state.loads[light]
    after = apart[:, None, None] - state.scaled(change, heavy[:, None, None])
    after = np.abs(after - state.scaled(change, light[:, None, None]))
    after[~fits] = NEVER
    if keep_moves:
        out = _leaves(state.group, give, heavy, light)[:, :, None]
        after[out + _leaves(state.group, take, light, heavy)[:, None, :] > 0] = NEVER
    flat = after.reshape(len(after), -1)
    pick = flat.argmin(axis=1)
    rows = np.flatnonzero(flat[np.arange(len(flat)), pick] < apart)
    if not len(rows):
        return False
    i, j = np.divmod(pick[rows], after.shape[2])
    one_sided = (give[rows, i] == NOBODY) | (take[rows, j] == NOBODY)
    kept = state.one_for_each_instance(one_sided, heavy[rows], light[rows])
    rows, i, j = rows[kept], i[kept], j[kept]
    state.exchange(give[rows, i], take[rows, j], heavy[rows], light[rows])
    return True


def _may(state: AssignmentState, partitions: Ints, holder: Index, receiver: Index) -> Flags:
    """[pairs, places] True for partitions (no empty places) that the receiver may take."""
    fits: Flags = (partitions != NOBODY) & state.constraint.may(partitions, receiver[:, None])
    return fits


def _returns(state: AssignmentState, give: Ints, take: Ints, heavy: Index, light: Index) -> Flags:
    """[pairs, give, take] True where the partition may be taken in return; the last place of `take`
    stands for nothing in return."""
    constraint, counts = state.constraint, state.counts
    back = _may(state, take, light, heavy)
    room = constraint.may_lose_one(counts, heavy) & constraint.may_gain_one(counts, light)
    if state.per_topic is None:
        back[:, -1] = room
        return np.broadcast_to(back[:, None, :], (len(give), give.shape[1], take.shape[1]))
    topic = state.group.topic_of
    out, into = topic[give], topic[take]
    one, other, held = heavy[:, None], light[:, None], state.per_topic
    give_ok = constraint.may_lose_of_topic(held, out, one)
    give_ok &= constraint.may_gain_of_topic(held, out, other)
    take_ok = constraint.may_lose_of_topic(held, into, other)
    take_ok &= constraint.may_gain_of_topic(held, into, one)
    same = out[:, :, None] == into[:, None, :]
    fits: Flags = back[:, None, :] & (same | (give_ok[:, :, None] & take_ok[:, None, :]))
    fits[:, :, -1] = give_ok & room[:, None]
    return fits
