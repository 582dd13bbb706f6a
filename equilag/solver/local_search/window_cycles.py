"""Cycles of any length that bring a member into a window of loads and keep all others in it.

An arc leads from place i to place j if the holder of j may hold i in its stead and its load is then
inside the window. A cycle of arcs that meets no member twice is a valid exchange. The cycles of one
member outside the window are found breadth first. All arcs of the present loads are computed in one
array operation, for many members; a member that took part in an exchange sits out until they are
computed anew.

Where the window is so narrow that a place has less than one arc on average, cycles become rare:
that is the limit of this search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from equilag.domain.group.group import Ints
from equilag.solver.exchange.cyclic_exchanges import NEVER, Window
from equilag.solver.exchange.places import NOTHING, PlaceTable

MAX_ARCS_IN: Final = 6
"""Arcs to one place; more make the search slower and not more successful."""
OTHERS: Final = 10
"""Members inside the window that exchange, too, in each round: their new places offer new arcs."""
NEAREST: Final = 0.003
"""The least part of the way to the window that a round tries to go; the search then ends after
`PATIENCE` rounds in vain."""
FIRST: Final = 0.1
"""The part that the first round tries."""
FURTHEST: Final = 0.2
"""The largest part that a round tries."""
PATIENCE: Final = 12
"""Rounds in a row without a load closer to the window, after which the search ends."""


def exchange_in_cycles(
    places: PlaceTable, window: Window, rng: np.random.Generator, stop: Callable[[], bool]
) -> bool:
    """Bring the extreme loads closer to the window, round by round; True if they are any closer.

    `stop` is called before every round.
    """
    below = above = FIRST
    stalled, closer = 0, False
    while stalled < PATIENCE and not stop():
        low, high = places.extremes
        aim = Window(
            _part_way(low, max(low, window.low), below),
            -_part_way(-high, max(-high, -window.high), above),
        )
        outside = np.flatnonzero(aim.outside(places.loads))
        if not len(outside):
            return closer
        _round(places, aim, rng, outside)
        lowest, highest = places.extremes
        helped = lowest > low or highest < high
        closer |= helped
        stalled = 0 if helped else stalled + 1
        below, above = _next_part(below, lowest > low), _next_part(above, highest < high)
    return closer


def _part_way(present: float, aim: float, part: float) -> float:
    """A part of the way from the present load up to the aim; at least 1 unless it is there."""
    way = aim - present
    return present + min(way, max(1, int(way * part)))


def _next_part(part: float, helped: bool) -> float:
    return min(FURTHEST, part * 1.3) if helped else max(NEAREST, part * 0.7)


def _round(places: PlaceTable, window: Window, rng: np.random.Generator, outside: Ints) -> None:
    """Exchange along a cycle for every member outside for which there is one, and some others."""
    arcs = ExchangeArcs(places, window, rng)
    others = rng.integers(len(places.members), size=OTHERS)
    for member in [*rng.permutation(outside).tolist(), *others.tolist()]:
        cycle = arcs.cycle(member)
        if cycle is not None:
            arcs.close(cycle)
            places.rotate(cycle)


class ExchangeArcs:
    """The arcs between the places of a table, for one window and the present loads."""

    def __init__(self, places: PlaceTable, window: Window, rng: np.random.Generator) -> None:
        tail, head = _arcs(places, window)
        order = rng.permutation(len(head))
        order = order[np.argsort(head[order], kind="stable")]
        heads = head[order]
        order = order[np.arange(len(heads)) - np.searchsorted(heads, heads) < MAX_ARCS_IN]
        edges = np.arange(len(places.holder) + 1)
        self._into: list[int] = tail[order].tolist()
        self._into_start: list[int] = np.searchsorted(head[order], edges).tolist()
        order = order[np.argsort(tail[order], kind="stable")]
        self._out: list[int] = head[order].tolist()
        self._out_start: list[int] = np.searchsorted(tail[order], edges).tolist()
        self._holder: list[int] = places.holder.tolist()
        self._table = places.table
        self._closed = bytearray(len(places.members))

    def close(self, cycle: list[int]) -> None:
        """Take the members of a cycle out: their loads are no longer those of the arcs."""
        for place in cycle:
            self._closed[self._holder[place]] = True

    def cycle(self, member: int) -> list[int] | None:
        """A shortest cycle through a place of the member, None if there is none."""
        if self._closed[member]:
            return None
        for first in self._table[member].tolist():
            if first == NOTHING:
                continue
            last = self._into[self._into_start[first] : self._into_start[first + 1]]
            for way in self._ways(first, set(last)) if last else ():
                members = {self._holder[place] for place in way}
                if len(members) == len(way):
                    return way
        return None

    def _ways(self, first: int, last: set[int]) -> Iterator[list[int]]:
        """Shortest ways from a place to each one of `last`."""
        holder, closed, start, out = self._holder, self._closed, self._out_start, self._out
        own = holder[first]
        came = {first: NOTHING}
        queue = [first]
        for place in queue:  # grows as it is walked through
            if place in last:
                way = [place]
                while (before := came[way[-1]]) != NOTHING:
                    way.append(before)
                yield way[::-1]
            for onward in out[start[place] : start[place + 1]]:
                taker = holder[onward]
                if onward not in came and taker != own and not closed[taker]:
                    came[onward] = place
                    queue.append(onward)


def _arcs(places: PlaceTable, window: Window) -> tuple[Ints, Ints]:
    """Tail and head of every arc, by ascending tail."""
    place, member = places.pairs
    table = places.table
    used = table != NOTHING
    each = places.scaled(table, np.arange(len(table))[:, None])
    lightest = np.where(used, each, NEVER).min(axis=1)
    heaviest = np.where(used, each, 0).max(axis=1)
    with_it = places.loads[member] + places.scaled(place, member)
    fits = (places.holder[place] != member) & (with_it - heaviest[member] <= window.high)
    fits &= with_it - lightest[member] >= window.low
    full = places.n_empty >= places.room
    fits &= (place < places.n_partitions) | ~full[member]
    rows = np.flatnonzero(fits)
    theirs = table[member[rows]]
    after = with_it[rows][:, None] - each[member[rows]]
    inside = (after >= window.low) & (after <= window.high) & (theirs != NOTHING)
    row, column = np.nonzero(inside)
    return place[rows[row]], theirs[row, column]
