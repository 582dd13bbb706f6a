"""Level search: bring members into the window, under mixed subscriptions, by layers of places among
as many of them as one table holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import loads_of
from equilag.solver.exchange.places import PlaceTable, deal_layers
from equilag.solver.local_search.load_targets import Window

MAX_PAIRS: Final = 120_000
"""Pairs of a place and a member that may hold it, in one table: about 30 ms for one layer. Of
larger groups, the members furthest outside the window are searched with others at random."""
PATIENCE: Final = 3
"""Tables in a row without loads closer to the window, after which the search ends."""


def search_level(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Index:
    """[P] an assignment within the constraint, with a spread no larger.

    `window` is the target: from the upper bound of the lightest load to the lower bound of the
    heaviest one. `stop` is called before every step. Where topics count one by one, nothing is
    changed.
    """
    members = np.flatnonzero(~group.idle)
    if len(members) < 2 or constraint.per_topic or stop():
        return assigned
    found, stalled = assigned, 0
    held = np.bincount(assigned[constraint.free], minlength=group.n_members)
    least, most = constraint.counts_of()
    members = members[((held > 0) | (least < most))[members]]
    size = _table_size(group, constraint, members)
    while len(members) > 1 and stalled < PATIENCE and not stop():
        drawn = _drawn(group, found, members, size, window, rng)
        if loads_of(group, found).column[members].min() >= window.low:
            break  # a load above the window may have to stay
        places = PlaceTable(group, constraint, found, drawn)
        helped = deal_layers(places, window, rng, stop)
        found = places.assigned(found)
        stalled = 0 if helped else stalled + 1
    return min(assigned, found, key=lambda option: loads_of(group, option).spread)


def _table_size(group: Group, constraint: CountConstraint, members: Ints) -> int:
    """How many of the members make a table of `MAX_PAIRS`, about."""
    face = constraint.face.astype(np.int64)
    readers = face @ np.bincount(group.class_of[members], minlength=face.shape[1])
    partitions = np.bincount(group.partition_class[constraint.free], minlength=len(face))
    least, most = constraint.counts_of(members)
    elastic = int(np.count_nonzero(least < most))
    share = len(members) / max(1, group.n_members)
    pairs = int(readers @ partitions) * share + elastic * elastic
    return int(len(members) * min(1.0, (MAX_PAIRS / max(1.0, pairs)) ** 0.5))


def _drawn(
    group: Group,
    assigned: Index,
    members: Ints,
    size: int,
    window: Window,
    rng: np.random.Generator,
) -> Ints:
    """All of the members, or as many as `size`: half of them those furthest outside the window, the
    others at random; ascending."""
    if size >= len(members):
        return members
    outside = window.outside(loads_of(group, assigned).column[members])
    first = np.argsort(-outside, kind="stable")[: size // 2]
    others = rng.permutation(np.delete(np.arange(len(members)), first))[: max(2, size - len(first))]
    return np.sort(members[np.concatenate((first, others))])
