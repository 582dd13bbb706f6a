"""Range, round robin, fair and lag-aware against plain loops over their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load, named

import equilag.heuristics.lag_aware as lag_aware_module
from equilag.domain.group.group import NOBODY
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


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("range", range_by_loops),
        ("round-robin", round_robin_by_loops),
        ("fair", fair_by_loops),
        ("lag-aware", lag_aware_by_loops),
    ],
)
@given(data=st.data())
def test_same_as_a_plain_loop(data, name, oracle):
    group = data.draw(groups(max_size=12))
    assert get_assignor(name).assign(group).tolist() == oracle(group)


@pytest.mark.parametrize("array_round", [0, 1 << 30], ids=["arrays", "loops"])
@given(data=st.data())
def test_lag_aware_rounds_are_the_same_as_arrays_and_as_loops(data, array_round):
    group = data.draw(groups(max_size=12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lag_aware_module, "_ARRAY_ROUND", array_round)
        assert get_assignor("lag-aware").assign(group).tolist() == lag_aware_by_loops(group)


def test_lag_aware_ties_among_many_members_go_by_id():
    """Enough members that an unstable sort would show."""
    members = [{"id": f"m{i:03}", "subscription": ["t", "u"]} for i in range(60)]
    lags = {"t": [9] * 30 + [5] * 210, "u": [1] * 150}
    group = load({"topics": {"t": 240, "u": 150}, "members": members, "lags": lags})
    assert get_assignor("lag-aware").assign(group).tolist() == lag_aware_by_loops(group)


def assignment(name, topics, members, **more):
    entries = [{"id": m, "subscription": list(topics)} for m in members]
    group = load({"topics": topics, "members": entries, **more})
    held = named(group, get_assignor(name).assign(group))
    return {m: [f"{topic}-{p}" for topic, p in mine] for m, mine in held.items()}


def test_lag_aware_balances_where_range_does_not():
    lags = {"lags": {"t": [100_000, 60_000, 50_000]}}
    by_lag = assignment("lag-aware", {"t": 3}, ["c0", "c1"], **lags)
    assert by_lag == {"c0": ["t-0"], "c1": ["t-1", "t-2"]}
    by_range = assignment("range", {"t": 3}, ["c0", "c1"], **lags)
    assert by_range == {"c0": ["t-0", "t-1"], "c1": ["t-2"]}


def test_lag_aware_starts_every_topic_anew():
    topics = {f"t{i}": 1 for i in range(4)}
    lags = {topic: [10] for topic in topics}
    held = assignment("lag-aware", topics, ["c0", "c1"], lags=lags)
    assert held == {"c0": ["t0-0", "t1-0", "t2-0", "t3-0"], "c1": []}


def test_lag_aware_ties_go_by_number_then_by_id_as_text():
    held = assignment("lag-aware", {"t": 3}, ["c9", "c10"], lags={"t": [5, 5, 5]})
    assert held == {"c10": ["t-0", "t-2"], "c9": ["t-1"]}


def test_fair_is_a_greedy_that_can_miss_the_most_even_totals():
    """Totals 2, 1, 1, 0 where 1, 1, 1, 1 exists: d would have to take u, and c then w."""
    readers_of = {"t": "ab", "u": "cd", "v": "abc", "w": "abc"}
    members = [
        {"id": m, "subscription": [t for t, ids in readers_of.items() if m in ids]} for m in "abcd"
    ]
    topics = dict.fromkeys(readers_of, 1)
    group = load({"topics": topics, "members": members})
    assert get_assignor("fair").assign(group).tolist() == [0, 2, 1, 0]
