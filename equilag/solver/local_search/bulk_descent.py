"""Descent along the front of moves and lag spread in bulk, for groups too large for single steps.

A window of loads around the mean closes in, level by level. Members outside it exchange partitions
in pairs, all pairs of a round at once; what each level reaches is a point of the front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Index, Ints
from equilag.solver.exchange.pair_exchanges import FREE, NO_GAIN, Pairs, Score, exchange_best
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.load_targets import LoadTargets

SHRINK: Final = 0.6
"""Half the width of the window at one level, of that at the level before: more than a half, so that
the spread does not shrink by more than half from one point of the front to the next."""
NEAR: Final = 0.0025
"""Of the mean load: a member so near to the load that it should have counts as even. It leaves half
of a spread of 1 % to those that come no nearer."""
FINEST: Final = 1e-5
"""Of the mean load: half the width of the window at which the descent ends."""
MAX_ROUNDS: Final = 24
"""Rounds of one level. Most end after some three: see `PATIENCE`."""
PATIENCE: Final = 4
"""Rounds in a row in which a member finds no exchange, after which it waits for the next level: one
with each sort of partners in `_partners`."""
ROUND_SIZE: Final = 20_000
"""Partitions that one round looks at, about: it limits the partners that each member is tried with.
A round of this size takes some 10 ms."""
MAX_PARTNERS: Final = 24
"""Members that one member is tried with in a round: more do not lower the moves any further."""


class Distances(NamedTuple):
    """Pairs of members, and what an exchange is to do for each."""

    pairs: Pairs
    over: Ints
    """[pairs] by how much the heavy member is above the load that it should have."""
    under: Ints
    """[pairs] by how much the light member is below it; over + under is above 0."""
    least: Ints
    """[pairs] by how much the larger of both distances must shrink at least."""
    greedy: Flags
    """[pairs] True where the exchange that shrinks that distance most per move is the best one;
    else it is the one that leaves the fewest moves to be made."""

    def score(self, state: AssignmentState, near: int) -> Score:
        """Smaller is better: see `greedy`. Otherwise it is the moves now and those that both
        members are expected to need, and less than one for how far they stay from their loads: a
        member within `near` of the load that it should have needs none."""

        def score(pair: Ints, change: Ints, cost: Ints) -> Floats:
            over, under = self.over[pair], self.under[pair]
            high = np.abs(over - state.scaled(change, self.pairs.heavy[pair]))
            low = np.abs(under - state.scaled(change, self.pairs.light[pair]))
            before = np.maximum(over, under)
            shrinks = before - np.maximum(high, low)
            outside = (high > near).astype(np.float64) + (low > near)
            result = cost + outside + (high + low) / (2.0 * before + 1.0)
            greedy = self.greedy[pair]
            gain = shrinks[greedy] / (before[greedy] + 1.0)
            result[greedy] = -gain / np.maximum(cost[greedy], FREE)
            return np.where((change > 0) & (shrinks >= self.least[pair]), result, NO_GAIN)

        return score

    @staticmethod
    def joined(some: list[Distances]) -> Distances:
        """All of them, one after the other."""
        pairs = Pairs(*(np.concatenate(c) for c in zip(*(d.pairs for d in some), strict=True)))
        rest = zip(*(d[1:] for d in some), strict=True)
        return Distances(pairs, *(np.concatenate(column) for column in rest))


def descend_in_bulk(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Iterator[Index]:
    """Yield assignments [P], each with its loads in a narrower window than the one before.

    Starts at `assigned`, a plan of few moves, and goes on until nothing gets any nearer to the mean
    load, or `stop` returns True; it is called before every round. Every yield costs moves, as few
    as the exchanges that are tried allow. O(P + pairs × c log c) for each round, where c is the
    largest count.
    """
    state = AssignmentState.of(group, constraint, assigned)
    if len(state.active) < 2:
        return
    targets = LoadTargets.of(state)
    mean = state.mean
    radius = int(targets.beyond(state.loads).max())
    while radius > max(1, FINEST * mean) and not stop():
        radius = int(radius * SHRINK)
        if _close_in(state, targets, radius, min(int(NEAR * mean), radius // 2), rng, stop):
            yield state.assigned.copy()


def _close_in(
    state: AssignmentState,
    targets: LoadTargets,
    radius: int,
    near: int,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> bool:
    """Bring loads to within `radius` of the window; False if no exchange was found."""
    changed = False
    missed = np.zeros(state.group.n_members, np.int64)
    for _ in range(MAX_ROUNDS):
        far = (targets.beyond(state.loads) > radius) & (missed < PATIENCE)
        if not far.any() or stop():
            break
        found = _partners(state, targets, far, missed, radius, near, rng)
        made = exchange_best(state, found.pairs, found.score(state, near), np.inf)
        far[made] = False  # what worked is tried again
        missed[far] += 1
        changed |= len(made) > 0
    return changed


def _partners(
    state: AssignmentState,
    targets: LoadTargets,
    far: Flags,
    missed: Ints,
    radius: int,
    near: int,
    rng: np.random.Generator,
) -> Distances:
    """Pairs for every member that is `far` [M] outside the window: first with members of its class
    that lack what it has too much of, then with such members of its part, then with those at the
    other end of the loads, then with any.
    """
    off = state.loads - targets.aim
    alike, apart = far & (missed == 0), far & (missed == 1)
    found = [
        _even_out(state, off, alike, state.group.class_of, near),
        _even_out(state, off, apart, targets.part, near),
        _level(state, off, far & (missed == 2), targets.part, radius, near, None),
        _level(state, off, far & (missed > 2), targets.part, radius, near, rng),
    ]
    return Distances.joined(found)


def _n_partners(state: AssignmentState, number: int) -> int:
    """Partners of each of so many members in one round."""
    each = int(np.count_nonzero(state.movable)) // len(state.active) + 1
    return int(np.clip(ROUND_SIZE // (max(1, number) * each), 1, MAX_PARTNERS))


def _even_out(
    state: AssignmentState, off: Ints, far: Flags, label: Ints | Index, near: int
) -> Distances:
    """Pairs of a member above its load and one below, as far as each other: one exchange evens out
    both. Partners have the same `label` [M]."""
    busy = ~state.group.idle
    n_partners = _n_partners(state, int(np.count_nonzero(far)))
    above, below = off > 0, off < 0
    size = state.unscaled(np.abs(off))
    heavy, light = _nearest(size, label, far & above, below & busy, n_partners)
    second, first = _nearest(size, label, far & below, above & busy, n_partners)
    heavy, light = np.concatenate((heavy, first)), np.concatenate((light, second))
    over, under = off[heavy], -off[light]
    least = np.minimum(over, under)
    one_sided = np.minimum(size[heavy], size[light])
    both = ((over + under) // state.rate(heavy, light)).astype(np.int64)
    wanted = np.where(np.abs(over - under) <= 2 * near, both, one_sided)
    pairs, greedy = Pairs(heavy, light, wanted), np.zeros(len(heavy), np.bool_)
    return Distances(pairs, over, under, -(-least // 4), greedy)


def _nearest(
    size: Ints, label: Ints | Index, ones: Flags, others: Flags, n_partners: int
) -> tuple[Ints, Ints]:
    """For each of `ones` [M], some of `others` [M] with the same label and about the same size.

    The nearest ones, shifted so that no two have the same others in the middle: both run in one
    order. Returns the members of the pairs.
    """
    mine, pool = _in_order(size, label, ones), _in_order(size, label, others)
    first = np.searchsorted(label[pool], label[mine])
    last = np.searchsorted(label[pool], label[mine], side="right")
    behind = np.searchsorted(label[mine], label[mine], side="right") - np.arange(len(mine)) - 1
    enough = behind < last - first  # else only the largest ones find a partner
    mine, first, last, behind = mine[enough], first[enough], last[enough], behind[enough]
    key = label[pool].astype(np.float64) + size[pool] / (int(size.max(initial=0)) + 1.0)
    own = label[mine].astype(np.float64) + size[mine] / (int(size.max(initial=0)) + 1.0)
    place = np.clip(np.searchsorted(key, own), first, last - 1 - behind)
    turn = np.arange(len(mine))
    place = turn + np.maximum.accumulate(place - turn) if len(mine) else place
    step = np.arange(n_partners)
    spot = place[:, None] + np.where(step % 2, (step + 1) // 2, -(step // 2))
    inside = (spot >= first[:, None]) & (spot < last[:, None])
    return np.repeat(mine, np.count_nonzero(inside, axis=1)), pool[spot[inside]]


def _in_order(size: Ints, label: Ints | Index, which: Flags) -> Ints:
    members = np.flatnonzero(which)
    return members[np.lexsort((size[members], label[members]))]


def _level(
    state: AssignmentState,
    off: Ints,
    far: Flags,
    part: Ints,
    radius: int,
    near: int,
    rng: np.random.Generator | None,
) -> Distances:
    """Pairs of a member that finds no even exchange with the other end of the loads of its part, or
    with others at random: the two meet in the middle."""
    order = _in_order(off, part, ~state.group.idle)
    place = np.zeros(len(off), np.int64)
    place[order] = np.arange(len(order))
    members = order[far[order]]
    first = np.searchsorted(part[order], part[members])
    last = np.searchsorted(part[order], part[members], side="right")
    upper = off[members] > 0
    mirrored = np.where(upper, last - 1 - place[members], place[members] - first)
    width = (last - first)[:, None]
    n_partners = _n_partners(state, len(members))
    if rng is None:
        rank = (mirrored[:, None] + np.arange(n_partners)) % width
    else:
        rank = rng.integers(0, width, (len(members), n_partners))
    spot = np.where(upper[:, None], first[:, None] + rank, last[:, None] - 1 - rank)
    one, other = np.repeat(members, n_partners), order[spot.ravel()]
    up = np.repeat(upper, n_partners)
    heavy, light = np.where(up, one, other), np.where(up, other, one)
    apart = off[heavy] > off[light]
    heavy, light = heavy[apart], light[apart]
    over, under = off[heavy], -off[light]
    # One swap of many lowers an extreme load by little, but it is the only way to lower it.
    extreme = np.abs(off[one]) >= SHRINK * np.abs(off[members]).max(initial=0)
    worth = np.where(extreme[apart], near // 25, 2 * near)
    least = np.clip((np.maximum(over, under) - radius) // 4, 1, np.maximum(1, worth))
    greedy = np.ones(len(heavy), np.bool_)
    wanted = ((over + under) // state.rate(heavy, light)).astype(np.int64)
    return Distances(Pairs(heavy, light, wanted), over, under, least, greedy)
