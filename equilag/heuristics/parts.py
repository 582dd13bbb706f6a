"""Assignors on groups in which the partitions of one topic are of different classes.

An assignor deals topic by topic to the topic's subscribers. Such a group is given to it as one in
which every part of a topic, the partitions of one class, is a topic of its own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equilag.domain.group.group import NOBODY, Group, Ints
from equilag.heuristics.protocol import Assignor


def answer_of(assignor: Assignor, group: Group) -> npt.ArrayLike:
    """What the assignor returns for the group, [P] if it is valid."""
    if group.partition_classes is None:
        return assignor.assign(group)
    parts, order = topics_in_parts(group)
    answer = np.asarray(assignor.assign(parts))
    if answer.shape != order.shape:
        return answer
    assigned = np.full(group.n_partitions, NOBODY, dtype=answer.dtype)
    assigned[order] = answer
    return assigned


def topics_in_parts(group: Group) -> tuple[Group, Ints]:
    """The group with a topic for each part of a topic, and [P] the partitions in its order."""
    order = np.lexsort((group.partition_class, group.topic_of))
    topic, of = group.topic_of[order], group.partition_class[order]
    new = np.append(True, (topic[1:] != topic[:-1]) | (of[1:] != of[:-1]))[: len(order)]
    first = np.flatnonzero(new)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    names = zip(topic[first].tolist(), of[first].tolist(), strict=True)
    read = (np.flatnonzero(row[of[first]]) for row in group.eligible.T)
    parts = replace(
        group,
        topics=tuple(f"{group.topics[t]}/{c}" for t, c in names),
        topic_start=np.append(first, len(order)),
        class_topics=tuple(topics.astype(np.int32) for topics in read),
        lag=group.lag[order],
        quality=group.quality[order],
        claim_partition=place[group.claim_partition],
        owner=group.owner[order],
        partition_classes=None,
        rates=None if group.rates is None else group.rates[order],
        weights=None if group.weights is None else group.weights[order],
        move_weights=None,
        racks=None if group.racks is None else tuple(group.racks[p] for p in order.tolist()),
    )
    return parts, order
