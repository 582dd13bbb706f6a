"""Range, round robin, fair and lag-aware against plain loops; what range by racks keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load

import equilag.heuristics.baselines as lag_aware_module
from equilag.domain.group.group import NOBODY
from equilag.domain.plan.metrics import member_counts
from equilag.heuristics import get_assignor


def readers(group, topic):
    """Members, ascending, that read the topic, from the subscriptions themselves."""
    classes = [set(topics.tolist()) for topics in group.class_topics]
    return [m for m in range(group.n_members) if topic in classes[group.class_of[m]]]


def static_first(group, members):
    def key(m):
        instance = group.members[m].instance_id
        return (0, instance) if instance is not None else (1, group.members[m].id)

    return sorted(members, key=key)


def partitions(group, topic):
    return range(int(group.topic_start[topic]), int(group.topic_start[topic + 1]))


def range_by_loops(group):
    answer = [NOBODY] * group.n_partitions
    for topic in range(len(group.topics)):
        queue = iter(partitions(group, topic))
        members = static_first(group, readers(group, topic))
        n = len(partitions(group, topic))
        for place, member in enumerate(members):
            for _ in range(n // len(members) + (place < n % len(members))):
                answer[next(queue)] = member
    return answer


def round_robin_by_loops(group):
    answer = [NOBODY] * group.n_partitions
    ring = static_first(group, range(group.n_members))
    at = 0
    for topic in range(len(group.topics)):
        members = readers(group, topic)
        for partition in partitions(group, topic) if members else ():
            while ring[at % len(ring)] not in members:
                at += 1
            answer[partition] = ring[at % len(ring)]
            at += 1
    return answer


def fair_by_loops(group):
    answer = [NOBODY] * group.n_partitions
    total = [0] * group.n_members
    order = sorted(
        range(len(group.topics)),
        key=lambda t: (len(readers(group, t)), -len(partitions(group, t)), group.topics[t]),
    )
    for topic in order:
        members = readers(group, topic)
        for partition in partitions(group, topic) if members else ():
            answer[partition] = min(members, key=lambda m: (total[m], m))
            total[answer[partition]] += 1
    return answer


def lag_aware_by_loops(group):
    answer = [NOBODY] * group.n_partitions
    for topic in range(len(group.topics)):
        members = readers(group, topic)
        count, load = dict.fromkeys(members, 0), dict.fromkeys(members, 0)
        queue = sorted(partitions(group, topic), key=lambda p: (-int(group.lag[p]), p))
        for partition in queue if members else ():
            taker = min(members, key=lambda m: (count[m], load[m], m))
            answer[partition] = taker
            count[taker] += 1
            load[taker] += int(group.lag[partition])
    return answer


ORACLES = {
    "range": range_by_loops,
    "broker-range": range_by_loops,
    "round-robin": round_robin_by_loops,
    "fair": fair_by_loops,
    "lag-aware": lag_aware_by_loops,
}


@given(group=groups(max_size=12))
def test_same_as_a_plain_loop(group):
    for name, oracle in ORACLES.items():
        assert get_assignor(name).assign(group).tolist() == oracle(group), name
    for array_round in (0, 1 << 30):  # all rounds as arrays, all as loops
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lag_aware_module, "_ARRAY_ROUND", array_round)
            assert get_assignor("lag-aware").assign(group).tolist() == lag_aware_by_loops(group)


def test_lag_aware_ties_among_many_members_go_by_id():
    """Enough members that an unstable sort would show."""
    members = [{"id": f"m{i:03}", "subscription": ["t", "u"]} for i in range(60)]
    lags = {"t": [9] * 30 + [5] * 210, "u": [1] * 150}
    group = load({"topics": {"t": 240, "u": 150}, "members": members, "lags": lags})
    assert get_assignor("lag-aware").assign(group).tolist() == lag_aware_by_loops(group)


RANGE = get_assignor("range")
RACKS = ("a", "b", "c")


@st.composite
def racked_groups(draw):
    """Groups in which most members have a rack and most partitions replicas in some."""
    group = draw(groups(max_size=8))
    rack = st.sampled_from((*RACKS, "elsewhere", "", None))
    replicas = st.lists(st.sampled_from(RACKS), unique=True, max_size=2).map(tuple)
    n = group.n_partitions
    return replace(
        group,
        members=tuple(replace(member, rack=draw(rack)) for member in group.members),
        racks=tuple(draw(st.lists(replicas, min_size=n, max_size=n))),
    )


@given(racked_groups())
def test_counts_of_every_topic_are_those_of_plain_range(group):
    by_racks, plain = RANGE.assign(group), RANGE.assign(replace(group, racks=None))
    for start, end in zip(group.topic_start[:-1], group.topic_start[1:], strict=True):
        counts = [
            sorted(member_counts(assigned[start:end], group.n_members).tolist())
            for assigned in (by_racks, plain)
        ]
        assert counts[0] == counts[1]


@given(racked_groups())
def test_co_partitioned_topics_stay_together(group):
    assigned = RANGE.assign(group)
    rows = {}
    for topic, (start, end) in enumerate(
        zip(group.topic_start[:-1], group.topic_start[1:], strict=True)
    ):
        alike = int(group.topic_class[topic]), int(end - start)
        rows.setdefault(alike, set()).add(tuple(assigned[start:end].tolist()))
    assert all(len(found) == 1 for found in rows.values())


@given(racked_groups())
def test_racks_do_not_matter_where_no_member_has_one(group):
    plain = replace(group, members=tuple(replace(member, rack=None) for member in group.members))
    assert RANGE.assign(plain).tolist() == RANGE.assign(replace(group, racks=None)).tolist()
