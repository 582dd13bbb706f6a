"""Sets of members whose bounds by counting may be strong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.free_of_topics import heaviest_of
from equilag.domain.columns import distinct
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags

MAX_SETS: Final = 60
"""Member sets of one sort that are tried at most: each costs a pass over the partitions."""
MAX_FACE: Final = 50_000_000
"""Pairs of a partition class and a member class up to which `poorest` looks at each member."""
MAX_POOREST: Final = 3
"""Member classes that `poorest` returns: each costs a pass over the partitions."""


def member_sets(counting: Counting, blocks: list[Flags]) -> Iterator[Flags]:
    """Sets that may give good bounds, the most promising ones first, each once."""
    group, face = counting.group, counting.constraint.face
    seen: set[bytes] = {counting.active.tobytes()}
    n_member_classes = len(group.class_topics)
    candidates: list[Flags] = []
    if len(blocks) > 1:
        candidates += [block[group.class_of] for block in blocks]
    if n_member_classes > 1:
        size = group.class_size
        lag = np.bincount(group.partition_class, weights=group.lag, minlength=len(group.eligible))
        classes, member_classes = counting.constraint.arcs
        readers = np.bincount(classes, weights=size[member_classes], minlength=len(face))
        weight = np.where(readers > 0, lag / np.maximum(1, readers), 0)
        dense = np.argsort(-weight, kind="stable")[: MAX_SETS // 2]
        union = np.zeros(n_member_classes, np.bool_)
        for c in dense.tolist():
            union = union | face[c]
            candidates += [face[c][group.class_of], union[group.class_of]]
        heaviest = np.zeros(n_member_classes)
        np.maximum.at(heaviest, member_classes, weight[classes])
        thin = np.argsort(heaviest, kind="stable")
        chosen = np.zeros(n_member_classes, np.bool_)
        for k in thin[: MAX_SETS // 2].tolist():
            chosen[k] = True
            alone = np.zeros(n_member_classes, np.bool_)
            alone[k] = True
            candidates += [alone[group.class_of], chosen[group.class_of]]
    if group.n_members <= MAX_SETS:
        candidates += [np.arange(group.n_members) == m for m in range(group.n_members)]
    if group.n_members <= 8:
        for bits in range(1, 1 << group.n_members):
            candidates.append((bits >> np.arange(group.n_members)) & 1 == 1)
    for members in candidates:
        members = members & counting.active
        if members.any() and members.tobytes() not in seen:
            seen.add(members.tobytes())
            yield members


def poorest(counting: Counting) -> list[int]:
    """The member classes of one member that can reach the least load, by itself each.

    O(member classes × partition classes), and the partitions that each class may read.
    """
    group, face = counting.group, counting.constraint.face
    if counting.per_topic or face.shape[1] < 2 or face.size > MAX_FACE:
        return []
    alone = np.flatnonzero(group.class_size == 1)
    member = np.zeros(face.shape[1], np.int64)
    member[group.class_of] = np.arange(group.n_members)
    reach = [
        heaviest_of(counting.lag[counting.within_reach(k)], int(counting.hi[member[k]]))
        for k in alone.tolist()
    ]
    return [int(k) for k in alone[np.argsort(reach, kind="stable")[:MAX_POOREST]]]


def parts(counting: Counting, blocks: list[Flags]) -> list[Flags]:
    """Each block and each member class: sets in which heavy partitions may concentrate."""
    n_member_classes = len(counting.group.class_topics)
    if len(blocks) + n_member_classes > MAX_SETS or n_member_classes == 1:
        return []
    sides = [*blocks, *np.eye(n_member_classes, dtype=np.bool_)]
    return [side[counting.group.class_of] for side in sides]


def blocks_of(constraint: CountConstraint) -> list[Flags]:
    """[K] masks of the parts of the face, without classes that may take nothing."""
    reading = np.zeros(len(constraint.parts), np.bool_)
    reading[constraint.arcs[1]] = True
    return [constraint.parts == first for first in distinct(constraint.parts[reading])]
