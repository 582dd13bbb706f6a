"""Columns of a group: topics, members, classes and owners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from support.groups import groups

from equilag.domain.group.group import Group, Member


@given(groups())
def test_classes_say_the_same_as_subscriptions(group: Group) -> None:
    for partition in range(group.n_partitions):
        readers = group.subscribers(int(group.topic_of[partition])).tolist()
        row = group.eligible[group.partition_class[partition]]
        assert readers == np.flatnonzero(row[group.class_of]).tolist()
        assert group.assignable[partition] == bool(readers)


# Equality


def test_groups_are_equal_by_what_they_say() -> None:
    def built() -> Group:
        return Group.build(
            name="g", topics={"t": 2}, members=["a", "b"], lags={"t": [1, 2]},
            subscriptions={"a": ["t"], "b": ["t"]}, rates={"t": [1.5, None]},
        )  # fmt: skip

    group, same = built(), built()
    assert (group, hash(group)) == (same, hash(same))
    assert replace(group, remarks=("of another source",)) == group
    for changed in (
        replace(group, name="h"),
        replace(group, lag=group.lag + 1),
        replace(group, rates=None),
        replace(group, owner=np.array([0, 1], np.int32)),
        replace(group, members=(group.members[0], Member("c"))),
        replace(group, taken_at="2026-11-22T16:05:00Z"),
    ):
        assert changed != group
    assert group != "g"
    assert len({group, same}) == 1
