"""The array forms of "to the least loaded, then by id" against plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups

from equilag.heuristics.dealing import (
    dealing_order,
    fill_evenly,
    partition_class_members,
    partitions_by_class,
    rank_within,
)

TOTALS = st.lists(st.integers(0, 9), min_size=1, max_size=7)


@given(TOTALS, st.integers(0, 60))
def test_filling_and_order_are_those_of_one_partition_after_the_other(totals, n):
    total = np.array(totals, dtype=np.int64)
    now, order = list(totals), []
    for _ in range(n):
        taker = now.index(min(now))
        now[taker] += 1
        order.append(taker)

    room = fill_evenly(total, n)
    assert (total + room).tolist() == now
    assert dealing_order(total, room).tolist() == order


@given(st.lists(st.integers(0, 4), max_size=12))
def test_rank_counts_earlier_entries_with_the_same_label(labels):
    ranks = rank_within(np.array(labels, dtype=np.int64), 5).tolist()
    assert ranks == [labels[:i].count(label) for i, label in enumerate(labels)]


@given(data=st.data())
def test_classes_list_their_members_and_partitions(data):
    group = data.draw(groups())
    members = partition_class_members(group)
    in_order = partition_class_members(group, group.static_order)
    rank = {m: i for i, m in enumerate(group.static_order.tolist())}
    partitions = partitions_by_class(group)
    assert len(members) == len(partitions) == len(group.eligible)
    for topic in range(len(group.topics)):
        c = group.topic_class[topic]
        assert members[c].tolist() == group.subscribers(topic).tolist()
        assert in_order[c].tolist() == sorted(members[c].tolist(), key=rank.__getitem__)
    seen = sorted(p for part in partitions for p in part.tolist())
    assert seen == list(range(group.n_partitions))
    for c, part in enumerate(partitions):
        assert part.tolist() == sorted(part.tolist())
        assert (group.partition_class[part] == c).all()
