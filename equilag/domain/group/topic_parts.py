"""The partitions of one topic and one class, which are alike where topics count one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Index, Ints
from equilag.domain.group.group import Group


class TopicParts(NamedTuple):
    """S parts, by topic."""

    of_partition: Ints | Index
    """[P]"""
    partition_class: Ints | Index
    """[S]"""
    topic: Ints
    """[S]"""


def topic_parts(group: Group) -> TopicParts:
    """O(P log P); O(T) where the partitions of a topic are all of one class."""
    if group.partition_classes is None:
        return TopicParts(group.topic_of, group.topic_class, np.arange(len(group.topics)))
    n_classes = max(1, len(group.eligible))
    key, of = np.unique(
        group.topic_of * np.int64(n_classes) + group.partition_class, return_inverse=True
    )
    return TopicParts(of.ravel(), key % n_classes, key // n_classes)
