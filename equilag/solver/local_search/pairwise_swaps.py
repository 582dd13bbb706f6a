"""Swap sweeps: pair heavy with light members and make the best exchange of every pair at once.

Each round costs O(members × c²) array elements, c being the largest count, `WIDEST` at most.
Counts stay inside the constraint: an exchange gives one partition for another, or for an empty
place where both members' intervals leave room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.constraint import CountConstraint, topic_counts
from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.metrics import member_counts, member_loads

CHUNK = 1_000_000
"""Array elements of one batch of pairs."""
WIDEST = 128
"""Partitions of one member that a round looks at."""
SURE = 16
"""Its heaviest ones, which are always among them."""
FAR = np.int64(2**62)
PATIENCE = 24
"""Rounds without a change at either end after which a sweep gives up."""


@dataclass(slots=True)
class Exchange:
    """The assignment being improved, with what the rounds need at hand."""

    group: Group
    constraint: CountConstraint
    assigned: Index
    loads: Ints
    counts: Ints
    active: Index
    per_topic: Ints | None

    @staticmethod
    def of(group: Group, constraint: CountConstraint, assigned: Index) -> Exchange:
        topics = topic_counts(group, assigned) if constraint.per_topic else None
        return Exchange(
            group,
            constraint,
            assigned.copy(),
            member_loads(assigned, group.lag, group.n_members),
            member_counts(assigned, group.n_members),
            np.flatnonzero(~group.idle).astype(np.int32),
            topics,
        )

    def extremes(self) -> tuple[int, int]:
        loads = self.loads[self.active]
        return (int(loads.max()), int(loads.min())) if len(loads) else (0, 0)

    @property
    def spread(self) -> int:
        high, low = self.extremes()
        return high - low

    def holdings(
        self, rng: np.random.Generator, of: Index | None = None, widest: int = WIDEST
    ) -> tuple[Ints, Ints]:
        """Free partitions by member, and where each member's begin [M + 1].

        Of a member that holds more than `widest`, as many as that: its heaviest, and others drawn
        anew every time. Of the members `of` alone, where they are given.
        """
        held = self.constraint.free
        if of is not None:
            wanted = np.zeros(self.group.n_members, np.bool_)
            wanted[of] = True
            held = held & wanted[self.assigned]
        free = np.flatnonzero(held)
        by_member = free[np.argsort(self.assigned[free], kind="stable")]
        edges = np.arange(self.group.n_members + 1)
        start = np.searchsorted(self.assigned[by_member], edges)
        if int(np.diff(start).max(initial=0)) > widest:
            by_member = self._some(by_member, start, rng, widest)
            start = np.searchsorted(self.assigned[by_member], edges)
        return by_member, start

    def _some(self, by_member: Ints, start: Ints, rng: np.random.Generator, widest: int) -> Ints:
        """So many partitions of each member, the heaviest `SURE` of them included."""
        first = np.repeat(start[:-1], np.diff(start))
        member = self.assigned[by_member]
        by_lag = by_member[np.lexsort((-self.group.lag[by_member], member))]
        place = rng.random(len(by_lag))
        place[np.arange(len(by_lag)) - first < SURE] = -1.0
        drawn = by_lag[np.lexsort((place, member))]
        return drawn[np.arange(len(drawn)) - first < widest]

    def apply(self, given: Ints, taken: Ints, giver: Index, taker: Index) -> None:
        """Give `given` from giver to taker, and `taken` (NOBODY for none) the other way."""
        back = taken != NOBODY
        self.assigned[given] = taker
        self.assigned[taken[back]] = giver[back]
        change = self.group.lag[given].copy()
        change[back] -= self.group.lag[taken[back]]
        np.subtract.at(self.loads, giver, change)
        np.add.at(self.loads, taker, change)
        np.subtract.at(self.counts, giver[~back], 1)
        np.add.at(self.counts, taker[~back], 1)
        if self.per_topic is not None:
            topic = self.group.topic_of
            np.subtract.at(self.per_topic, (topic[given], giver), 1)
            np.add.at(self.per_topic, (topic[given], taker), 1)
            np.subtract.at(self.per_topic, (topic[taken[back]], taker[back]), 1)
            np.add.at(self.per_topic, (topic[taken[back]], giver[back]), 1)


def sweep(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    rounds: int = 400,
    enough: int = 0,
    keep_moves: bool = False,
) -> Index:
    """[P] an assignment with a spread no larger; at most `rounds` rounds, fewer when they stall.

    Stops early at a spread of `enough`. With `keep_moves` no exchange may add a move. Rounds
    alternate between the mirrored order by load and a random pairing, which frees what is stuck.
    """
    work = Exchange.of(group, constraint, assigned)
    best, best_spread, stalled = assigned, work.spread, 0
    if len(work.active) < 2:
        return best
    for number in range(rounds):
        if stop() or best_spread <= enough or stalled >= PATIENCE:
            break
        before = work.extremes()
        changed = _round(work, _pairs(work, rng, number), rng, stop, keep_moves)
        stalled = 0 if work.extremes() != before else stalled + (1 if changed else 4)
        if work.spread < best_spread:
            best, best_spread = work.assigned.copy(), work.spread
    return best


def _pairs(work: Exchange, rng: np.random.Generator, number: int) -> tuple[Index, Index]:
    """Heavy and light member of each pair: mirrored by load, or drawn at random from all."""
    if number % 2 == 0:
        order = work.active[np.argsort(-work.loads[work.active], kind="stable")]
    else:
        order = rng.permutation(work.active)
    half = len(order) // 2
    one, other = order[:half], order[: len(order) - half - 1 : -1]
    swap = work.loads[one] < work.loads[other]
    return np.where(swap, other, one), np.where(swap, one, other)


def _round(
    work: Exchange,
    pairs: tuple[Index, Index],
    rng: np.random.Generator,
    stop: Callable[[], bool],
    keep_moves: bool,
) -> bool:
    heavy, light = pairs
    by_member, start = work.holdings(rng)
    size = np.diff(start)
    widest = int(max(size[heavy].max(initial=0), size[light].max(initial=0))) + 1
    step = max(1, CHUNK // (widest * widest))
    changed = False
    for begin in range(0, len(heavy), step):
        if stop():
            break
        chunk = slice(begin, begin + step)
        changed |= _exchange(work, by_member, start, heavy[chunk], light[chunk], keep_moves)
    return changed


def _padded(by_member: Ints, start: Ints, members: Index) -> Ints:
    """[members, widest] partitions of each member, NOBODY in the empty places."""
    size = (start[1:] - start[:-1])[members]
    column = np.arange(max(1, int(size.max(initial=0))))
    inside = column[None, :] < size[:, None]
    place = np.where(inside, start[members][:, None] + column[None, :], 0)
    return np.where(inside, by_member[place] if len(by_member) else NOBODY, NOBODY)


class Options(NamedTuple):
    """Every exchange of some pairs of members: [pairs, given, taken]."""

    give: Ints
    """[pairs, given] partitions, NOBODY in the empty places."""
    take: Ints
    """[pairs, taken]; the last one is nothing at all."""
    fits: Flags
    change: Ints
    """Lag that goes from the heavy to the light member."""
    moves: Ints
    """Partitions that leave their owners by it, less those that come home."""


def options(work: Exchange, by_member: Ints, start: Ints, heavy: Index, light: Index) -> Options:
    give = _padded(by_member, start, heavy)
    take = _padded(by_member, start, light)
    take = np.concatenate((take, np.full((len(take), 1), NOBODY)), axis=1)  # for an empty place
    fits = _may(work, give, heavy, light)[:, :, None] & _returns(work, give, take, heavy, light)
    lag, owner = work.group.lag, work.group.owner
    weight = np.where(give == NOBODY, 0, lag[give])
    back = np.where(take == NOBODY, 0, lag[take])
    out = _leaves(owner, give, heavy, light)
    into = _leaves(owner, take, light, heavy)
    return Options(
        give,
        take,
        fits,
        weight[:, :, None] - back[:, None, :],
        out[:, :, None] + into[:, None, :],
    )


def _leaves(owner: Index, partitions: Ints, holder: Index, receiver: Index) -> Ints:
    """[pairs, places] 1 where a partition would leave its owner, −1 where it would come home."""
    whose = np.where(partitions == NOBODY, NOBODY, owner[partitions])
    leaves: Ints = (whose == holder[:, None]).astype(np.int64)
    leaves -= (whose == receiver[:, None]) & (whose != NOBODY)
    return leaves


def _exchange(
    work: Exchange, by_member: Ints, start: Ints, heavy: Index, light: Index, keep_moves: bool
) -> bool:
    """The exchange of each pair that brings its two loads closest together."""
    found = options(work, by_member, start, heavy, light)
    apart = work.loads[heavy] - work.loads[light]
    after = np.abs(apart[:, None, None] - 2 * found.change)
    after[~found.fits] = FAR
    if keep_moves:
        after[found.moves > 0] = FAR
    flat = after.reshape(len(after), -1)
    pick = flat.argmin(axis=1)
    rows = np.flatnonzero(flat[np.arange(len(flat)), pick] < apart)
    if not len(rows):
        return False
    i, j = np.divmod(pick[rows], after.shape[2])
    work.apply(found.give[rows, i], found.take[rows, j], heavy[rows], light[rows])
    return True


def _may(work: Exchange, partitions: Ints, holder: Index, receiver: Index) -> Flags:
    """[pairs, places] real partitions that the receiver may take."""
    fits: Flags = (partitions != NOBODY) & work.constraint.may(partitions, receiver[:, None])
    return fits


def _returns(work: Exchange, give: Ints, take: Ints, heavy: Index, light: Index) -> Flags:
    """[pairs, give, take] what may come back for what is given; the last place is nothing."""
    constraint, counts = work.constraint, work.counts
    back = _may(work, take, light, heavy)
    room = constraint.may_lose_one(counts, heavy) & constraint.may_gain_one(counts, light)
    if work.per_topic is None:
        back[:, -1] = room
        return np.broadcast_to(back[:, None, :], (len(give), give.shape[1], take.shape[1]))
    topic = work.group.topic_of
    out, into = topic[give], topic[take]
    one, other, held = heavy[:, None], light[:, None], work.per_topic
    give_ok = constraint.may_lose_of_topic(held, out, one)
    give_ok &= constraint.may_gain_of_topic(held, out, other)
    take_ok = constraint.may_lose_of_topic(held, into, other)
    take_ok &= constraint.may_gain_of_topic(held, into, one)
    same = out[:, :, None] == into[:, None, :]
    fits: Flags = back[:, None, :] & (same | (give_ok[:, :, None] & take_ok[:, None, :]))
    fits[:, :, -1] = give_ok & room[:, None]
    return fits
