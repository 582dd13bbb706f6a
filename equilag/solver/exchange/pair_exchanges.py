"""The best exchange of each of many pairs of members, found by binary search.

A pair looks at one partition of the heavy member for one of the light member, or for nothing. For
each partition given, the one whose lag is nearest to what should come back is looked up, so that a
pair costs O(c log c) for c partitions of a member, and not O(c²).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.constraint import ranges
from equilag.domain.group.group import NOBODY, Flags, Ints
from equilag.domain.plan.metrics import has_stakes, moves_added
from equilag.solver.local_search.assignment_state import AssignmentState, disjoint_pairs

KEY_BITS: Final = 62
"""Bits of a key that joins a lag to the number of its pair: a signed integer's, less one."""
FREE: Final = 0.25
"""Moves that an exchange without any counts as, where exchanges compare by what a move gains."""
NO_GAIN: Final = np.inf
"""The score of an exchange that is out of the question."""


class Pairs(NamedTuple):
    """Pairs of members, and what an exchange is to do for each; a member may be in several."""

    heavy: Ints
    light: Ints
    over: Ints
    """[pairs] by how much the heavy member is above the load that it should have."""
    under: Ints
    """[pairs] by how much the light member is below it; over + under is above 0."""
    wanted: Ints
    """[pairs] the lag that should change hands, not scaled."""
    least: Ints
    """[pairs] by how much the larger of both distances must shrink at least."""
    greedy: Flags
    """[pairs] True where the exchange that shrinks that distance most per move is the best one;
    else it is the one that leaves the fewest moves to be made."""


class Side(NamedTuple):
    """The partitions that one member of each pair may hand to the other: [entries], by pair."""

    pair: Ints
    partition: Ints
    lag: Ints
    cost: Ints
    """1 where the partition would leave its owner, −1 where it would return to it, else 0."""
    open: Flags
    """True where it may go without a partition of the same topic in return."""

    def only(self, some: Flags) -> Side:
        return Side(
            self.pair[some], self.partition[some], self.lag[some], self.cost[some], self.open[some]
        )


class Offers(NamedTuple):
    """Exchanges: for each of some entries of the giving side, a partition in return or NOBODY."""

    entry: Ints
    taken: Ints
    change: Ints
    """Lag that the heavy member hands to the light one, net."""
    cost: Ints


def exchange_best(
    state: AssignmentState, pairs: Pairs, near: int, moves_count: bool = True
) -> Ints:
    """Make the best exchange of each pair, unless one of its members has a better one in another.

    The best exchange costs the fewest moves, those to come included: a member that ends within
    `near` records of the load that it should have needs none. Unless moves count, it is the one
    that brings the larger distance down most. Returns the members that took part.
    O(c log c) per pair.
    """
    by_member, start = state.by_member(np.concatenate((pairs.heavy, pairs.light)))
    give = _side(state, by_member, start, pairs.heavy, pairs.light)
    take = _side(state, by_member, start, pairs.light, pairs.heavy)
    if not moves_count:
        give, take = (side._replace(cost=np.zeros_like(side.cost)) for side in (give, take))
    found = [_alone(state, pairs, give)]
    for returned in (take, take.only(take.cost <= 0)) if moves_count else (take,):
        found += _swaps(state, give, returned, pairs.wanted[give.pair])
    offers = Offers(*(np.concatenate(column) for column in zip(*found, strict=True)))
    score = _scores(state, pairs, give, offers, near)
    order = np.flatnonzero(score < NO_GAIN)
    order = order[np.lexsort((score[order], give.pair[offers.entry[order]]))]
    pair = give.pair[offers.entry[order]]
    order = order[np.flatnonzero(np.diff(pair, prepend=-1))]  # the best of each pair
    order = order[np.argsort(score[order], kind="stable")]
    pair = give.pair[offers.entry[order]]
    chosen = disjoint_pairs(pairs.heavy[pair], pairs.light[pair], state.group.n_members)
    made, which = order[chosen], pair[chosen]
    heavy, light = pairs.heavy[which], pairs.light[which]
    kept = state.one_for_each_instance(offers.taken[made] == NOBODY, heavy, light)
    made, heavy, light = made[kept], heavy[kept], light[kept]
    back = offers.taken[made]
    state.exchange(
        give.partition[offers.entry[made]], back, heavy.astype(np.int32), light.astype(np.int32)
    )
    return np.concatenate((heavy, light))


def _side(
    state: AssignmentState, by_member: Ints, start: Ints, holder: Ints, receiver: Ints
) -> Side:
    group, constraint = state.group, state.constraint
    begin, end = start[holder], start[holder + 1]
    partition = by_member[ranges(begin, end)]
    pair = np.repeat(np.arange(len(holder)), end - begin)
    fits = constraint.may(partition, receiver[pair])
    pair, partition = pair[fits], partition[fits]
    if has_stakes(group):
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
    return Side(pair, partition, group.lag[partition], cost, may_go)


def _alone(state: AssignmentState, pairs: Pairs, give: Side) -> Offers:
    """Every partition for nothing in return, where counts leave room for that."""
    constraint, counts = state.constraint, state.counts
    room = constraint.may_lose_one(counts, pairs.heavy)
    room &= constraint.may_gain_one(counts, pairs.light)
    entry = np.flatnonzero(give.open & room[give.pair])
    return Offers(entry, np.full(len(entry), NOBODY), give.lag[entry], give.cost[entry])


def _swaps(state: AssignmentState, give: Side, take: Side, wanted: Ints) -> list[Offers]:
    """For every partition given, those in return that leave the lag nearest to what is wanted."""
    every = np.arange(len(give.pair))
    if state.per_topic is None:
        return _nearest(give, take, every, np.arange(len(take.pair)), wanted, give.pair, take.pair)
    topic_of, n_topics = state.group.topic_of, len(state.group.topics)
    inner = give.pair * n_topics + topic_of[give.partition]
    other = take.pair * n_topics + topic_of[take.partition]
    same = _nearest(give, take, every, np.arange(len(take.pair)), wanted, inner, other)
    out, into = np.flatnonzero(give.open), np.flatnonzero(take.open)
    return same + _nearest(give, take, out, into, wanted, give.pair, take.pair)


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
        offers.append(Offers(entry, take.partition[returned], change, cost))
    return offers


def _scores(state: AssignmentState, pairs: Pairs, give: Side, offers: Offers, near: int) -> Floats:
    """[offers] smaller is better; see `Pairs.greedy`. Otherwise it is the moves now and those that
    both members are expected to need, and less than one for how far they stay from their loads."""
    pair = give.pair[offers.entry]
    over, under, change = pairs.over[pair], pairs.under[pair], offers.change
    high = np.abs(over - state.scaled(change, pairs.heavy[pair]))
    low = np.abs(under - state.scaled(change, pairs.light[pair]))
    before = np.maximum(over, under)
    shrinks = before - np.maximum(high, low)
    outside = (high > near).astype(np.float64) + (low > near)
    score = offers.cost + outside + (high + low) / (2.0 * before + 1.0)
    greedy = pairs.greedy[pair]
    gain = shrinks[greedy] / (before[greedy] + 1.0)
    score[greedy] = -gain / np.maximum(offers.cost[greedy], FREE)
    return np.where((change > 0) & (shrinks >= pairs.least[pair]), score, NO_GAIN)
