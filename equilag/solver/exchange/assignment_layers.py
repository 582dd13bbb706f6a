"""One place of every member dealt anew at once, by a minimum-cost assignment.

A layer is one place of each member. Among all ways to deal a layer back, one place to each member
that may hold it, the assignment problem finds the one whose loads are closest to the window: any
number of exchanges along cycles of any length in one step (a very large neighbourhood: Ahuja,
Ergun, Orlin and Punnen, "A survey of very large-scale neighborhood search techniques"). Layers are
drawn at random, so that the next one offers other exchanges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from equilag.domain.group.group import Ints
from equilag.solver.exchange.cyclic_exchanges import Window
from equilag.solver.exchange.places import PlaceTable

STEPS: Final = 100
"""Steps of the distance from the window, up to the worst load: the cost is the square of this
number, since a linear cost would leave a few members far outside."""
NEAR: Final = 2
"""Times the lower end of the window up to which a member takes part in every layer."""
FAR_SHARE: Final = 0.3
"""Probability with which any other member takes part, once a layer of all was of no use: such a
layer takes a quarter of the time."""
PATIENCE: Final = 25
"""Layers in a row without extreme loads closer to the window, after which other exchanges have to
help."""


def deal_layers(
    places: PlaceTable,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    patience: int = PATIENCE,
) -> bool:
    """Deal layers until `patience` in a row do not bring the extreme loads closer to the window.

    Leaves the best loads found in `places`; True if they are any better. `stop` is called before
    every layer.
    """
    first = least = _beyond(places, window)
    best = places.holder.copy()
    stalled = 0
    while least and stalled < patience and not stop():
        rows = _rows(places, window, FAR_SHARE if stalled else 1.0, rng)
        layer = _layer(places, rows, rng)
        taker = _dealt(places, rows, layer, window)
        if taker is None:
            break
        places.permute(layer, taker)
        reached = _beyond(places, window)
        stalled += 1
        if reached < least:
            best, least, stalled = places.holder.copy(), reached, 0
    places.hold(best)
    return least < first


def _beyond(places: PlaceTable, window: Window) -> int:
    """How far the lightest load is below the window, and the heaviest above it."""
    low, high = places.extremes
    return max(0, window.low - low) + max(0, high - window.high)


def _rows(places: PlaceTable, window: Window, far_share: float, rng: np.random.Generator) -> Ints:
    """The members that take part: of those far above the window's lower end only a share."""
    near = places.loads <= NEAR * window.low
    return np.flatnonzero(near | (rng.random(len(near)) < far_share))


def _layer(places: PlaceTable, rows: Ints, rng: np.random.Generator) -> Ints:
    """One place of each of the rows, at random."""
    size = np.bincount(places.holder, minlength=len(places.members))[rows]
    return places.table[rows, (rng.random(len(size)) * size).astype(np.int64)]


def _dealt(places: PlaceTable, rows: Ints, layer: Ints, window: Window) -> Ints | None:
    """The row that gets each place of the layer; None if the solver fails."""
    in_layer = np.zeros(len(places.holder), np.bool_)
    in_layer[layer] = True
    number = np.full(len(places.members), -1)
    number[rows] = np.arange(len(rows))
    place, member = places.pairs
    arcs = np.flatnonzero(in_layer[place] & (number >= 0)[member])
    place, member = place[arcs], member[arcs]
    empty, left = places.n_empty, places.loads.copy()
    empty[rows] -= layer >= places.n_partitions
    left[rows] -= places.lag[layer]
    fits = (place < places.n_partitions) | (empty < places.room)[member]
    outside = window.outside(left[member] + places.lag[place])
    worst = int(window.outside(places.loads).max())
    fits &= (outside <= worst) | (places.holder[place] == member)
    place, member, outside = place[fits], member[fits], outside[fits]
    cost = (outside * STEPS // max(1, worst)) ** 2
    found = _cheapest(number[places.holder[place]], number[member], cost, len(rows))
    return None if found is None else rows[found]


def _cheapest(left: Ints, right: Ints, cost: Ints, size: int) -> Ints | None:
    """[size] the partner of each left node in the cheapest perfect assignment."""
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver: Any = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(left.astype(np.int32), right.astype(np.int32), cost)
    if solver.solve() != solver.OPTIMAL:
        return None
    return np.array([solver.right_mate(node) for node in range(size)], np.int64)
