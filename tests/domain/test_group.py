"""Columns of a group: topics, members, classes and owners."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from support.groups import groups

from equilag.domain.group.group import Group


@given(groups())
def test_classes_say_the_same_as_subscriptions(group: Group) -> None:
    for partition in range(group.n_partitions):
        readers = group.subscribers(int(group.topic_of[partition])).tolist()
        row = group.eligible[group.partition_class[partition]]
        assert readers == np.flatnonzero(row[group.class_of]).tolist()
        assert group.assignable[partition] == bool(readers)
