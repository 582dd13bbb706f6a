"""Classes of partitions: the sets of partitions that the same members may take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equilag.domain.columns import Flags, Index, Ints


class PartitionClasses(NamedTuple):
    """Who may take what, where the partitions of one topic differ in that."""

    of_partition: Index
    """[P] class of each partition."""
    eligible: Flags
    """[C, K] True if members of class k may take partitions of class c; subscribers only."""


class TopicClasses(NamedTuple):
    """Who may take what, where all partitions of a topic are of one class."""

    of_topic: Index
    """[T] class of each topic's partitions, numbered by the first topic."""
    eligible: Flags
    """[C, K] True if members of class k may take partitions of class c."""
    first: Ints
    """[C] the first topic of each class."""


def topic_classes(reads: Flags, subscriptions: tuple[Ints, Ints]) -> TopicClasses:
    """Put topics with the same subscribers into one class; O(T + subscriptions).

    `reads` [T, K] is True if the member class subscribes to the topic; `subscriptions` are the
    topics and the member classes of the pairs where it does.
    """
    n_topics, n_member_classes = reads.shape
    if not n_topics:
        return TopicClasses(np.zeros(0, np.int32), reads, np.zeros(0, np.int64))
    if reads.all():  # the most common group of all
        return TopicClasses(np.zeros(n_topics, np.int32), reads[:1], np.zeros(1, np.int64))
    topics, member_classes = subscriptions
    for seed in range(2**32):  # the first is enough unless 64-bit numbers collide
        mark = np.zeros(n_topics, dtype=np.uint64)
        np.add.at(mark, topics, _scrambled(n_member_classes, seed)[member_classes])
        _, first, inverse = np.unique(mark, return_index=True, return_inverse=True)
        like = first[inverse]
        others = np.flatnonzero(like != np.arange(len(like)))
        if np.array_equal(reads[others], reads[like[others]]):
            break
    if len(first) == len(mark):
        every = np.arange(len(mark))
        return TopicClasses(every.astype(np.int32), reads, every)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return TopicClasses(rank[inverse].astype(np.int32), reads[first[order]], first[order])


def topic_class_arcs(classes: TopicClasses, subscriptions: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Partition class and member class of every pair that is eligible, ascending."""
    topics, member_classes = subscriptions
    first = np.zeros(len(classes.of_topic), dtype=np.bool_)
    first[classes.first] = True
    one_each = first[topics]  # one topic stands for all of its class
    found = classes.of_topic[topics[one_each]].astype(np.int64)
    member_classes = member_classes[one_each]
    narrow = found.astype(np.min_scalar_type(len(first)))  # up to 16 bits sort much faster
    order = np.argsort(narrow, kind="stable")
    return found[order], member_classes[order]


def _scrambled(n: int, seed: int) -> npt.NDArray[np.uint64]:
    """n numbers of 64 bits with no pattern to them (SplitMix64; Steele, Lea and Flood, 2014)."""
    first = seed * n + 1
    z = np.arange(first, first + n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
