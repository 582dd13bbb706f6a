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

from equilag.group import Ints
from equilag.solver.local_search.cyclic_exchanges import Window
from equilag.solver.local_search.places import PlaceTable

STEPS: Final = 100
"""Steps of the distance from the window, up to the worst load: the cost is the square of this
number, since a linear cost would leave a few members far outside."""
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
        layer = _layer(places, rng)
        taker = _dealt(places, layer, window)
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


def _layer(places: PlaceTable, rng: np.random.Generator) -> Ints:
    """[N] one place of each member, at random."""
    size = np.bincount(places.holder, minlength=len(places.members))
    column = (rng.random(len(size)) * size).astype(np.int64)
    return places.table[np.arange(len(size)), column]


def _dealt(places: PlaceTable, layer: Ints, window: Window) -> Ints | None:
    """[N] the member that gets each place of the layer; None if the solver fails."""
    in_layer = np.zeros(len(places.holder), np.bool_)
    in_layer[layer] = True
    place, member = places.pairs
    arcs = np.flatnonzero(in_layer[place])
    place, member = place[arcs], member[arcs]
    empty = places.n_empty - (layer >= places.n_partitions)
    fits = (place < places.n_partitions) | (empty < places.room)[member]
    after = (places.loads - places.lag[layer])[member] + places.lag[place]
    outside = window.outside(after)
    worst = int(window.outside(places.loads).max())
    fits &= (outside <= worst) | (places.holder[place] == member)
    place, member, outside = place[fits], member[fits], outside[fits]
    cost = (outside * STEPS // max(1, worst)) ** 2
    return _cheapest(places.holder[place], member, cost, len(layer))


def _cheapest(left: Ints, right: Ints, cost: Ints, size: int) -> Ints | None:
    """[size] the partner of each left node in the cheapest perfect assignment."""
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver: Any = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(left.astype(np.int32), right.astype(np.int32), cost)
    if solver.solve() != solver.OPTIMAL:
        return None
    return np.array([solver.right_mate(node) for node in range(size)], np.int64)
