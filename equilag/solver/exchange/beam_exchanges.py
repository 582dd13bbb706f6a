"""All exchanges of one partition between the extreme members of many assignments at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.group.group import Flags, Group, Ints
from equilag.solver.exchange.beam_states import EXTREME, BeamGroup, BeamStates

MAX_HELD_IN_BEAM: Final = 16
"""Partitions of one member that take part: of more, some of each size."""


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
    for i in range(order.shape[1] - 1):
        others = order[:, i + 1 :]
        rows = np.repeat(np.arange(len(states)), others.shape[1])
        pairs = rows, order[rows, i], others.ravel()
        found += _exchanges(setting, states, (table, counts), pairs, (most, width))
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
    pairs: tuple[Ints, Ints, Ints],
    limits: tuple[int, int],
) -> list[_Children]:
    """The most promising exchanges of some pairs of members in some states, by added moves; `pairs`
    are the state, and who gives and takes."""
    (table, counts), (rows, giver, taker), (most, width) = held, pairs, limits
    nothing = len(setting.items)
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
    pair, u, v = np.nonzero(fits)
    given, taken, state = give[pair, u], take[pair, v], rows[pair]
    one, other = giver[pair], taker[pair]
    net = setting.lag[given] - setting.lag[taken]
    before = states.loads[rows, giver], states.loads[rows, taker]
    after = before[0][pair] - net, before[1][pair] + net
    high, low = _rest(states.loads[rows], giver, taker)
    spread = np.maximum(np.maximum(*after), high[pair])
    spread -= np.minimum(np.minimum(*after), low[pair])
    others = states.squares[rows] - setting.apart(before[0]) - setting.apart(before[1])
    squares = others[pair] + setting.apart(after[0]) + setting.apart(after[1])
    extra = out[pair, u] + into[pair, v]
    children = _Children(state, given, taken, one, other, net, spread, squares, extra)
    kinds = [np.flatnonzero(extra == k) for k in range(-2, min(most, 2) + 1)]
    return [_promising(children, mine, width) for mine in kinds if len(mine)]


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


def _promising(children: _Children, rows: Ints, width: int) -> _Children:
    """Of some children those of the smallest spreads and of the least sums of squares."""
    if len(rows) > 2 * width:
        measures = children.spread[rows], children.squares[rows]
        best = [np.argpartition(measure, width)[:width] for measure in measures]
        rows = rows[np.union1d(*best)]
    return children.take(rows)


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
