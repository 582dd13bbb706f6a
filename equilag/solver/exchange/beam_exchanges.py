"""All exchanges of one partition between the extreme members of many assignments at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import member_counts, member_loads

EXTREME: Final = 10
"""Members of an assignment that exchange with each other: the heaviest and the lightest half of
them. With up to ten members these are all."""
MAX_HELD_IN_BEAM: Final = 16
"""Partitions of one member that take part: of more, some of each size."""
MIX: Final = 0x9E3779B97F4A7C15
"""Seed of the random keys of assignments: any number, but always the same."""


@dataclass(eq=False)
class BeamStates:
    """n assignments of I items to J members."""

    held: Ints
    """[n, I] member of each item."""
    loads: Ints
    """[n, J]"""
    key: Ints
    """[n] equal for equal assignments."""
    spread: Ints
    squares: Floats
    """[n] sum of squared distances from the mean load."""

    def __len__(self) -> int:
        return len(self.key)

    def take(self, rows: Ints | Flags) -> BeamStates:
        return BeamStates(*(getattr(self, field.name)[rows] for field in fields(self)))

    @staticmethod
    def joined(parts: list[BeamStates]) -> BeamStates:
        return BeamStates(
            *(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(BeamStates))
        )


@dataclass(eq=False)
class BeamGroup:
    """What all assignments have in common. Members are those that are not idle, J of them."""

    items: Ints
    """[I] free partitions."""
    members: Ints
    """[J]"""
    lag: Ints
    """[I + 1] the last one stands for no partition."""
    owner: Ints
    """[I + 1] column of the owner; NOBODY, and −2 for no partition."""
    topic: Ints
    """[I + 1] topic where topics count one by one, else 0."""
    allowed: Flags
    """[I + 1, J]"""
    lo: Ints
    hi: Ints
    by_topic: bool
    random: Ints
    """[I + 1, J] a random number for each pair, 0 for no partition."""
    base: Index
    """[P] the partitions that are no items."""
    pinned_load: Ints
    """[J]"""

    @staticmethod
    def of(group: Group, constraint: CountConstraint) -> BeamGroup:
        items, members = np.flatnonzero(constraint.free), np.flatnonzero(~group.idle)
        column = np.full(group.n_members + 1, NOBODY, dtype=np.int64)
        column[members] = np.arange(len(members))
        pinned = constraint.pinned_assignment
        least, most = constraint.counts_of(members)
        fixed = member_counts(pinned, group.n_members)[members]
        shape = len(items), len(members)
        random = np.random.default_rng(MIX).integers(1, 2**62, shape)
        topic = group.topic_of[items] if constraint.per_topic else np.zeros(len(items), np.int64)
        return BeamGroup(
            items, members, np.append(group.lag[items], 0),
            np.append(column[group.owner[items]], -2), np.append(topic, -1),
            np.vstack((constraint.may(items[:, None], members), np.ones((1, len(members)), bool))),
            least - fixed, most - fixed, constraint.per_topic,
            np.vstack((random, np.zeros((1, len(members)), np.int64))),
            pinned, member_loads(pinned, group.lag, group.n_members)[members],
        )  # fmt: skip

    def states(self, assigned: Index) -> BeamStates:
        """One assignment [P]."""
        held = np.searchsorted(self.members, assigned[self.items])[None, :]
        loads = self.pinned_load[None, :].copy()
        np.add.at(loads[0], held[0], self.lag[:-1])
        key = np.bitwise_xor.reduce(self.random[np.arange(len(self.items)), held[0]])
        spread = loads.max(axis=1) - loads.min(axis=1)
        return BeamStates(held, loads, np.array([key]), spread, self.squares(loads))

    def squares(self, loads: Ints) -> Floats:
        apart = loads - loads.sum(axis=1, keepdims=True) / len(self.members)
        return np.asarray((apart**2).sum(axis=1))

    def assignments(self, states: BeamStates) -> Iterator[Index]:
        """Each assignment [P]."""
        for held in states.held:
            assigned = self.base.copy()
            assigned[self.items] = self.members[held]
            yield assigned


def most_exchanges(group: Group) -> int:
    """Exchanges of one assignment that are looked at, about; at least its partitions."""
    active = int(np.count_nonzero(~group.idle))
    seen = min(EXTREME, active)
    held = min(MAX_HELD_IN_BEAM, -(-group.n_partitions // max(1, active))) + 2
    return max(1, group.n_partitions, seen * (seen - 1) // 2 * held * held)


@dataclass(eq=False)
class _Children:
    """Exchanges of one pair of members in some states, one per row."""

    state: Ints
    given: Ints
    taken: Ints
    giver: Ints
    taker: Ints
    net: Ints
    """Lag that the giver hands over."""
    spread: Ints
    squares: Floats
    extra: Ints
    """Moves that the exchange adds."""

    def take(self, rows: Ints | Flags) -> _Children:
        return _Children(*(getattr(self, field.name)[rows] for field in fields(self)))


def extended(
    setting: BeamGroup, states: BeamStates, most: int, width: int
) -> Iterator[tuple[int, BeamStates]]:
    """The best states after one exchange, by the number of moves that it adds, at most `most`."""
    table, counts = _held_items(setting, states)
    order = np.argsort(-states.loads, axis=1, kind="stable")
    members = len(setting.members)
    if members > EXTREME:
        half = EXTREME // 2
        order = np.concatenate((order[:, :half], order[:, members - half :]), axis=1)
    found: list[_Children] = []
    for i in range(order.shape[1]):
        for j in range(i + 1, order.shape[1]):
            pair = order[:, i], order[:, j]
            found += _exchanges(setting, states, (table, counts), pair, (most, width))
    for extra in range(-2, min(most, 2) + 1):
        same = [each for each in found if each.extra[0] == extra]
        if same:
            joined = _Children(
                *(np.concatenate([getattr(c, f.name) for c in same]) for f in fields(_Children))
            )
            yield extra, _carried_out(setting, states, joined, width)


def _held_items(setting: BeamGroup, states: BeamStates) -> tuple[Ints, Ints]:
    """[n, J, c] items of each member and one empty place more, and [n, J] their number."""
    n, n_items = states.held.shape
    members = len(setting.members)
    # Ascending by lag within each member, so that a sample takes items of all sizes.
    by_lag = np.argsort(setting.lag[:-1], kind="stable")
    order = by_lag[np.argsort(states.held[:, by_lag], axis=1, kind="stable")]
    flat = states.held + members * np.arange(n)[:, None]
    counts = np.bincount(flat.ravel(), minlength=n * members).reshape(n, members)
    start = np.cumsum(counts, axis=1) - counts
    widest = min(int(counts.max(initial=0)), MAX_HELD_IN_BEAM)
    place = np.arange(widest)[None, None, :]
    shown = np.minimum(counts, widest)[:, :, None]
    step = place * (counts[:, :, None] - 1) // np.maximum(shown - 1, 1)
    at = np.minimum(start[:, :, None] + np.where(place < shown, step, 0), n_items - 1)
    table = np.take_along_axis(order, at.reshape(n, -1), axis=1).reshape(n, members, widest)
    table = np.where(place < shown, table, n_items)
    return np.concatenate((table, np.full((n, members, 1), n_items)), axis=2), counts


def _exchanges(
    setting: BeamGroup,
    states: BeamStates,
    held: tuple[Ints, Ints],
    pair: tuple[Ints, Ints],
    limits: tuple[int, int],
) -> list[_Children]:
    """The most promising exchanges of one pair of members in each state, by added moves."""
    (table, counts), (giver, taker), (most, width) = held, pair, limits
    rows, nothing = np.arange(len(states)), len(setting.items)
    give, take = table[rows, giver], table[rows, taker]
    gives, takes = give < nothing, take < nothing
    # Empty places before the last one are doubles of it.
    gives[:, -1] = (counts[rows, taker] > setting.lo[taker]) & (
        counts[rows, giver] < setting.hi[giver]
    )
    takes[:, -1] = (counts[rows, giver] > setting.lo[giver]) & (
        counts[rows, taker] < setting.hi[taker]
    )
    gives &= setting.allowed[give, taker[:, None]]
    takes &= setting.allowed[take, giver[:, None]]
    fits = gives[:, :, None] & takes[:, None, :]
    fits[:, -1, -1] = False
    if setting.by_topic:
        fits &= setting.topic[give][:, :, None] == setting.topic[take][:, None, :]
    out = _added(setting.owner[give], giver, taker)
    into = _added(setting.owner[take], taker, giver)
    fits &= out[:, :, None] + into[:, None, :] <= most
    state, u, v = np.nonzero(fits)
    given, taken = give[state, u], take[state, v]
    one, other = giver[state], taker[state]
    net = setting.lag[given] - setting.lag[taken]
    before = states.loads[state, one], states.loads[state, other]
    after = before[0] - net, before[1] + net
    high, low = _rest(states.loads, giver, taker)
    spread = np.maximum(np.maximum(*after), high[state])
    spread -= np.minimum(np.minimum(*after), low[state])
    apart = (before[0] - before[1]).astype(np.float64)
    squares = states.squares[state] + 2.0 * net * (net - apart)
    extra = out[state, u] + into[state, v]
    children = _Children(state, given, taken, one, other, net, spread, squares, extra)
    return [_promising(children.take(extra == k), width) for k in np.unique(extra)]


def _added(owner: Ints, holder: Ints, receiver: Ints) -> Ints:
    """[n, places] moves that handing an item over adds: −1 where it returns to its owner."""
    added: Ints = (owner == holder[:, None]).astype(np.int64) - (owner == receiver[:, None])
    return added


def _rest(loads: Ints, one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """[n] heaviest and lightest load of all members but two."""
    rows = np.arange(len(loads))
    rest = loads.copy()
    rest[rows, one] = rest[rows, other] = -1
    high = rest.max(axis=1)
    rest[rows, one] = rest[rows, other] = 2**62
    return high, rest.min(axis=1)


def _promising(children: _Children, width: int) -> _Children:
    if len(children.state) <= 2 * width:
        return children
    best = np.argpartition(children.spread, width)[:width]
    return children.take(np.union1d(best, np.argpartition(children.squares, width)[:width]))


def _carried_out(
    setting: BeamGroup, states: BeamStates, children: _Children, width: int
) -> BeamStates:
    """The best children as states, each assignment once."""
    c, random = children, setting.random
    change = random[c.given, c.giver] ^ random[c.given, c.taker]
    change ^= random[c.taken, c.taker] ^ random[c.taken, c.giver]
    key = states.key[c.state] ^ change
    _, first = np.unique(key, return_index=True)
    by_spread = first[np.lexsort((c.squares[first], c.spread[first]))[:width]]
    by_squares = first[np.argsort(c.squares[first], kind="stable")[:width]]
    rows = np.union1d(by_spread, by_squares)
    c, key = c.take(rows), key[rows]
    place = np.arange(len(rows))
    held = np.column_stack((states.held[c.state], np.zeros(len(rows), np.int64)))
    held[place, c.given] = c.taker
    held[place, c.taken] = c.giver
    loads = states.loads[c.state]
    loads[place, c.giver] -= c.net
    loads[place, c.taker] += c.net
    return BeamStates(held[:, :-1], loads, key, c.spread, c.squares)
