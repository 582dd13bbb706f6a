"""The best exchange of each of many pairs of members, found by binary search.

A pair looks at one partition of the heavy member, or two, for as many of the light member, or for
one fewer where counts leave room. For what is given, the return whose lag is nearest to what should
come back is looked up, so that a pair costs O(c log c) for c partitions of a member, and not O(c²).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats, ranges
from equilag.domain.group.group import NOBODY, Flags, Ints
from equilag.domain.plan.metrics import moves_added
from equilag.solver.local_search.assignment_state import AssignmentState, disjoint_pairs

KEY_BITS: Final = 62
"""Bits of a key that joins a lag to the number of its pair: a signed integer's, less one."""
FREE: Final = 0.25
"""Moves that an exchange without any counts as, where exchanges compare by what a move gains."""
NO_GAIN: Final = np.inf
"""The score of an exchange that is out of the question."""


class Pairs(NamedTuple):
    """Pairs of members; a member may be in several."""

    heavy: Ints
    light: Ints
    wanted: Ints
    """[pairs] the lag that should change hands, not scaled."""


class Side(NamedTuple):
    """What one member of each pair may hand to the other: [entries], by pair."""

    pair: Ints
    partition: Ints
    second: Ints
    """Another partition that goes with it, NOBODY for none."""
    lag: Ints
    cost: Ints
    """Partitions that would leave their owner, less those that would return to theirs."""
    open: Flags
    """True where it may go without a partition of the same topic in return."""

    @property
    def alone(self) -> Flags:
        found: Flags = self.second == NOBODY
        return found

    def followed_by(self, more: Side) -> Side:
        return Side(
            np.concatenate((self.pair, more.pair)),
            np.concatenate((self.partition, more.partition)),
            np.concatenate((self.second, more.second)),
            np.concatenate((self.lag, more.lag)),
            np.concatenate((self.cost, more.cost)),
            np.concatenate((self.open, more.open)),
        )


class Offers(NamedTuple):
    """Exchanges: for each of some entries of the giving side, an entry in return or NOBODY."""

    entry: Ints
    back: Ints
    """The index of the entry in return."""
    change: Ints
    """Lag that the heavy member hands to the light one, net."""
    cost: Ints


Score = Callable[[Ints, Ints, Ints], Floats]
"""Of exchanges, given their pair, the lag that changes hands and the moves that it costs: less is
better, `NO_GAIN` for never."""


def exchange_best(
    state: AssignmentState,
    pairs: Pairs,
    score: Score,
    left: float | None,
    beside: int = 0,
) -> Ints:
    """Make the best exchange of each pair, unless one of its members has a better one in another.

    All together they cost no more than the moves that are `left`; None where moves do not count.
    Two partitions go at a time as well, each with up to `beside` others, unless topics count one by
    one. Returns the members that took part. O(c log c) per pair, c × `beside` in place of c.
    """
    by_member, start = state.by_member(np.concatenate((pairs.heavy, pairs.light)))
    give = _side(state, by_member, start, pairs.heavy, pairs.light)
    take = _side(state, by_member, start, pairs.light, pairs.heavy)
    if beside and state.per_topic is None:
        give, take = _with_twos(give, beside), _with_twos(take, beside)
    found = [_alone(state, pairs, give)]
    found += _swaps(state, pairs, give, take, np.arange(len(take.pair)))
    if left is not None:
        found += _swaps(state, pairs, give, take, np.flatnonzero(take.cost <= 0))
    offers = Offers(*(np.concatenate(column) for column in zip(*found, strict=True)))
    pair = give.pair[offers.entry]
    scores = score(pair, offers.change, offers.cost)
    order = np.flatnonzero(scores < NO_GAIN)
    order = order[np.lexsort((scores[order], pair[order]))]
    order = order[np.flatnonzero(np.diff(pair[order], prepend=-1))]  # the best of each pair
    order = order[np.argsort(scores[order], kind="stable")]
    heavy, light = pairs.heavy[pair[order]], pairs.light[pair[order]]
    chosen = disjoint_pairs(heavy, light, state.group.n_members)
    made, heavy, light = order[chosen], heavy[chosen], light[chosen]
    entry, back = offers.entry[made], offers.back[made]
    partition, second = (np.append(column, NOBODY) for column in (take.partition, take.second))
    parts = np.array((give.partition[entry], give.second[entry], partition[back], second[back]))
    passed = np.count_nonzero(parts[:2] != NOBODY, axis=0)
    uneven = passed != np.count_nonzero(parts[2:] != NOBODY, axis=0)
    kept = state.one_for_each_instance(uneven, heavy, light)
    if left is not None:
        added = np.maximum(offers.cost[made], 0)
        kept &= (added == 0) | (np.cumsum(added) <= left)
    parts = parts.ravel()
    takers = np.concatenate((light, light, heavy, heavy)).astype(np.int32)
    some = (parts != NOBODY) & np.tile(kept, 4)
    state.transfer(parts[some], takers[some])
    return np.concatenate((heavy[kept], light[kept]))


def _side(
    state: AssignmentState, by_member: Ints, start: Ints, holder: Ints, receiver: Ints
) -> Side:
    group, constraint = state.group, state.constraint
    begin, end = start[holder], start[holder + 1]
    partition = by_member[ranges(begin, end)]
    pair = np.repeat(np.arange(len(holder)), end - begin)
    fits = constraint.may(partition, receiver[pair])
    pair, partition = pair[fits], partition[fits]
    if group.extended.has_stakes:
        cost = moves_added(group, partition, holder[pair], receiver[pair])
    else:
        owner = group.owner[partition]
        cost = (owner == holder[pair]).astype(np.int64)
        cost -= (owner == receiver[pair]) & (owner != NOBODY)
    if state.per_topic is None:
        may_go = np.ones(len(pair), np.bool_)
    else:
        topic = group.topic_of[partition]
        may_go = constraint.may_lose_of_topic(state.per_topic, topic, holder[pair])
        may_go &= constraint.may_gain_of_topic(state.per_topic, topic, receiver[pair])
    none = np.full(len(pair), NOBODY, np.int64)
    return Side(pair, partition, none, group.lag[partition], cost, may_go)


def _with_twos(side: Side, beside: int) -> Side:
    """The entries, and each with up to `beside` others of its pair."""
    number = np.arange(len(side.pair))
    end = np.searchsorted(side.pair, side.pair, side="right")
    one = np.repeat(number, np.minimum(end - number - 1, beside))
    other = ranges(number + 1, np.minimum(end, number + 1 + beside))
    twos = Side(
        side.pair[one],
        side.partition[one],
        side.partition[other],
        side.lag[one] + side.lag[other],
        side.cost[one] + side.cost[other],
        side.open[one],
    )
    return side.followed_by(twos)


def _alone(state: AssignmentState, pairs: Pairs, give: Side) -> Offers:
    """Every partition for nothing in return, where counts leave room for that."""
    room = _room(state, pairs.heavy, pairs.light)
    entry = np.flatnonzero(give.alone & give.open & room[give.pair])
    return Offers(entry, np.full(len(entry), NOBODY), give.lag[entry], give.cost[entry])


def _room(state: AssignmentState, givers: Ints, takers: Ints) -> Flags:
    """[pairs] True where counts let the giver hold one fewer and the taker one more."""
    constraint, counts = state.constraint, state.counts
    return constraint.may_lose_one(counts, givers) & constraint.may_gain_one(counts, takers)


def _swaps(
    state: AssignmentState, pairs: Pairs, give: Side, take: Side, into: Ints
) -> list[Offers]:
    """For everything given, those of the entries `into` in return that leave the lag nearest to
    what is wanted."""
    wanted, out = pairs.wanted[give.pair], np.arange(len(give.pair))
    if state.per_topic is not None:
        topic_of, n_topics = state.group.topic_of, len(state.group.topics)
        inner = give.pair * n_topics + topic_of[give.partition]
        other = take.pair * n_topics + topic_of[take.partition]
        same = _nearest(give, take, out, into, wanted, inner, other)
        out, into = out[give.open], into[take.open[into]]
        return same + _nearest(give, take, out, into, wanted, give.pair, take.pair)
    alone, single = give.alone[out], take.alone[into]
    if alone.all() and single.all():
        return _nearest(give, take, out, into, wanted, give.pair, take.pair)
    more = _room(state, pairs.heavy, pairs.light)[give.pair]
    fewer = _room(state, pairs.light, pairs.heavy)[give.pair]
    matches = (
        (alone, single),
        (~alone, ~single),
        (~alone & more, single),
        (alone & fewer, ~single),
    )
    found = []
    for given, back in matches:
        found += _nearest(give, take, out[given], into[back], wanted, give.pair, take.pair)
    return found


def _nearest(
    give: Side, take: Side, out: Ints, into: Ints, wanted: Ints, giver: Ints, taker: Ints
) -> list[Offers]:
    """Offers of the entries `out` against the entries `into` with the same label: of the lags in
    return the next below and the next above what leaves the lag that is wanted."""
    if not len(out) or not len(into):
        return []
    labels = int(max(giver.max(), taker.max())) + 1
    largest = int(max(give.lag.max(), take.lag.max()))
    lag_bits = KEY_BITS - labels.bit_length()
    shift = max(0, (largest + 1).bit_length() - lag_bits)  # coarse beyond that, not wrong
    width = (largest >> shift) + 1
    key = taker[into] * width + (take.lag[into] >> shift)
    order = np.argsort(key, kind="stable")
    key, into = key[order], into[order]
    back = np.clip(give.lag[out] - wanted[out], 0, largest) >> shift
    place = np.searchsorted(key, giver[out] * width + back)
    offers = []
    for spot in (place - 1, place):
        inside = (spot >= 0) & (spot < len(into))
        entry, spot = out[inside], spot[inside]
        matches = taker[into[spot]] == giver[entry]
        entry, returned = entry[matches], into[spot[matches]]
        change = give.lag[entry] - take.lag[returned]
        cost = give.cost[entry] + take.cost[returned]
        offers.append(Offers(entry, returned, change, cost))
    return offers
