"""Sets of members that the counting bounds are tried with, the most promising ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.domain.columns import distinct
from equilag.domain.group.group import Flags

MAX_ROWS: Final = 30
"""Partition classes, and member classes, that sets are made of: each set costs a pass over the
partitions."""
POOREST: Final = 4
"""Members that can have the least load: each is tried as a set of its own."""
HEAVIEST: Final = 8
"""Partitions whose takers are tried as a set of their own."""
MOST_CLASSES: Final = 2_000
"""Member classes up to which the poorest members are looked for: 20 ms."""
FEW_MEMBERS: Final = 8
"""Members up to which all sets are tried: 255."""


def member_sets(counting: Counting) -> Iterator[Flags]:
    """[M] each set once, the most promising ones first."""
    group = counting.group
    seen: set[bytes] = {counting.active.tobytes()}
    by_class = (row[group.class_of] for row in _class_sets(counting))
    numbers = np.arange(group.n_members)
    singles = (numbers == m for m in range(group.n_members) if group.n_members <= 2 * MAX_ROWS)
    few = range(1, 1 << group.n_members if group.n_members <= FEW_MEMBERS else 1)
    subsets = ((bits >> numbers) & 1 == 1 for bits in few)
    for members in chain(by_class, singles, subsets):
        members = members & counting.active
        if members.any() and members.tobytes() not in seen:
            seen.add(members.tobytes())
            yield members


def poorest(counting: Counting) -> list[int]:
    """The members that can have the least load at most: the heaviest partitions that they may take,
    as many as they may hold, per unit of capacity. None of them where all read the same."""
    group, rate = counting.group, counting.capacities.rate
    n_classes = len(group.class_topics)
    if not 1 < n_classes <= MOST_CLASSES or counting.per_topic:
        return []
    most = np.full(group.n_members, np.inf)
    for member_class in range(n_classes):
        members = np.flatnonzero((group.class_of == member_class) & counting.active)
        lags = np.sort(counting.lag[counting.within_reach(member_class)])[::-1]
        held = np.concatenate(([0], np.cumsum(lags)))[np.minimum(counting.hi[members], len(lags))]
        most[members] = (counting.base[members] + held) * rate[members]
    order = np.argsort(most, kind="stable")[:POOREST]
    found: list[int] = order[most[order] < np.inf].tolist()
    return found


def slowest_takers(counting: Counting) -> list[Flags]:
    """[M] who may take the partitions that are the heaviest beside the capacity of their fastest
    taker. None of them where all read the same."""
    if counting.n_buckets < 2:
        return []
    bucket, member_class = counting.arcs
    rate = counting.capacities.rate[counting.active]
    of_class = np.full(len(counting.group.class_topics), np.inf)
    np.minimum.at(of_class, counting.group.class_of[counting.active], rate)
    fastest = np.full(counting.n_buckets, np.inf)
    np.minimum.at(fastest, bucket, of_class[member_class])
    last = np.flatnonzero(counting.from_heavy == 0)
    load = counting.lag[last] * fastest[counting.bucket[last]]
    order = last[np.argsort(-load, kind="stable")]
    return [counting.takers(order[i : i + 1]) for i in range(min(HEAVIEST, len(order)))]


def _class_sets(counting: Counting) -> Iterator[Flags]:
    """[K] sets of member classes: parts of the group that share nothing; the readers of the
    partition classes with the most lag per reader; the member classes with the least of that in
    all. The last two one by one, and together with those before."""
    group, constraint = counting.group, counting.constraint
    n_classes, face = len(group.class_topics), constraint.face
    if n_classes == 1:
        return
    classes, member_classes = constraint.arcs
    yield from (constraint.parts == part for part in distinct(constraint.parts[member_classes]))
    lag = np.bincount(group.partition_class, weights=group.lag, minlength=len(group.eligible))
    readers = np.bincount(classes, weights=group.class_size[member_classes], minlength=len(face))
    weight = np.where(readers > 0, lag / np.maximum(1, readers), 0)
    share = np.zeros(n_classes)
    np.add.at(share, member_classes, weight[classes])
    dense = _together(face[c] for c in np.argsort(-weight, kind="stable")[:MAX_ROWS])
    one = np.eye(n_classes, dtype=np.bool_)
    thin = _together(one[k] for k in np.argsort(share, kind="stable")[:MAX_ROWS])
    for pair in zip_longest(dense, thin):
        yield from (row for row in pair if row is not None)


def _together(rows: Iterable[Flags]) -> Iterator[Flags]:
    """Each row, and the union of it and all before."""
    union: Flags | None = None
    for row in rows:
        union = row if union is None else union | row
        yield row
        yield union
