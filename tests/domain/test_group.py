"""Columns of a group: topics, members, classes and owners."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from support.groups import group_of, groups

from equilag.domain.group.group import (
    NOBODY,
    Group,
    iter_names,
)


def test_columns_of_a_group() -> None:
    group = group_of([2, 0, 3], [[0, 2], [2], [0, 2], [1]])
    assert group.n_partitions == 5
    assert group.topic_size.tolist() == [2, 0, 3]
    assert group.topic_of.tolist() == [0, 0, 2, 2, 2]
    assert group.class_of.tolist() == [0, 1, 0, 2]
    assert group.class_size.tolist() == [2, 1, 1]
    assert group.idle.tolist() == [False, False, False, True]
    assert group.subscribers(2).tolist() == [0, 1, 2]
    assert group.assignable.all()
    assert not group.one_subscription
    assert group.partition_name(3) == ("t02", 1)
    assert list(iter_names(group, np.array([4, 0]))) == [("t02", 2), ("t00", 0)]


def test_topics_with_the_same_readers_are_one_class() -> None:
    group = group_of([1, 1, 1, 1], [[0, 2, 3], [0, 1, 2]])
    assert group.topic_class.tolist() == [0, 1, 0, 2]
    assert group.partition_class.tolist() == [0, 1, 0, 2]
    assert group.eligible.tolist() == [[True, True], [False, True], [True, False]]


@given(groups())
def test_classes_say_the_same_as_subscriptions(group: Group) -> None:
    for partition in range(group.n_partitions):
        readers = group.subscribers(int(group.topic_of[partition])).tolist()
        row = group.eligible[group.partition_class[partition]]
        assert readers == np.flatnonzero(row[group.class_of]).tolist()
        assert group.assignable[partition] == bool(readers)


def test_without_owners() -> None:
    group = group_of([3], [[0], [0]], owners=[0, 0, 1], lags=[1, 2, 3])
    fresh = group.without_owners()
    assert (fresh.owner == NOBODY).all()
    assert fresh.lag.tolist() == [1, 2, 3]
    assert group.owner.tolist() == [0, 0, 1]
