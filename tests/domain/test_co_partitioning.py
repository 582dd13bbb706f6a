"""Topics that seem to be co-partitioned: what tells them, and what does not."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from support.groups import group_of

from equilag.domain.group.co_partitioning import (
    CoPartitionedTopics,
    chance_of_matches,
    detect_co_partitioned,
)
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.heuristics import get_assignor


def owned_by(assignor: str, sizes: list[int], members: int) -> Group:
    subscriptions = [list(range(len(sizes)))] * members
    assigned = get_assignor(assignor).assign(group_of(sizes, subscriptions))
    return group_of(sizes, subscriptions, assigned)


def rows(*topics: Any) -> Group:
    """All members read all topics; each topic's owners as a list."""
    members = max(max(topic) for topic in topics) + 1
    owners = [owner for topic in topics for owner in topic]
    subscriptions = [list(range(len(topics)))] * members
    return group_of([len(topic) for topic in topics], subscriptions, owners)


def test_what_range_assigned_is_found() -> None:
    group = owned_by("range", [12, 6, 12, 12], 4)
    assert detect_co_partitioned(group) == (
        CoPartitionedTopics(("t00", "t02", "t03"), 12, 12, False),
    )


@pytest.mark.parametrize("protocol", ["roundrobin", "cooperative-sticky"])
def test_an_assignor_that_scatters_partitions_tells_that_nothing_is_joined(protocol: str) -> None:
    assert detect_co_partitioned(owned_by("range", [12, 12], 4), protocol) == ()


def test_range_tells_without_owners_and_for_the_same_subscribers_only() -> None:
    group = group_of([3, 3, 3, 2, 1, 1], [[0, 1, 2, 3, 4, 5], [0, 2, 3, 4, 5]])
    assert detect_co_partitioned(group) == ()
    assert detect_co_partitioned(group, "range") == (
        CoPartitionedTopics(("t00", "t02"), 3, 0, True),
    )


def test_few_partitions_and_one_member_tell_nothing() -> None:
    assert detect_co_partitioned(owned_by("range", [4, 4], 4)) == ()
    assert detect_co_partitioned(owned_by("range", [100, 100], 1)) == ()
    assert detect_co_partitioned(rows([0] * 90 + [1] * 10, [0] * 90 + [1] * 10)) != ()
    assert detect_co_partitioned(rows([0] * 99 + [1], [0] * 99 + [1])) == ()


def test_some_owners_may_differ_or_be_missing() -> None:
    base = [0, 1, 2, 3, 4, 5] * 4
    near = [*base[:-6], 5, 0, 1, NOBODY, NOBODY, NOBODY]
    assert detect_co_partitioned(rows(base, near)) == (
        CoPartitionedTopics(("t00", "t01"), 24, 18, False),
    )
    away = [*base[:9], *((one + 1) % 6 for one in base[9:])]
    assert detect_co_partitioned(rows(base, away)) == ()  # fewer than half


def test_members_that_read_one_topic_only_join_nothing() -> None:
    owners = [0, 1, 2, 3] * 3
    apart = group_of([12, 12], [[0], [0], [0], [0], [1], [1], [1], [1]],
                     [*owners, *(m + 4 for m in owners)])  # fmt: skip
    assert detect_co_partitioned(apart, "range") == ()
    assert detect_co_partitioned(apart) == ()


def test_declared_lists_are_enough() -> None:
    group = replace(owned_by("range", [12, 12], 4), co_partitioned=((0, 1),))
    assert detect_co_partitioned(group) == detect_co_partitioned(group, "range") == ()


def test_owners_at_random_are_seldom_taken_for_more() -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(240):
        members, size, topics = (int(rng.integers(2, most)) for most in (7, 30, 8))
        assigned: Index = rng.integers(0, members, size * topics).astype(np.int32)
        group = group_of([size] * topics, [list(range(topics))] * members, assigned)
        found += len(detect_co_partitioned(group))
    assert found == 0


@pytest.mark.parametrize(("n", "least", "p"), [(12, 12, 0.3), (20, 15, 0.25), (40, 22, 0.5)])
def test_the_chance_is_bounded_from_above(n: int, least: int, p: float) -> None:
    exact = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1))
    assert exact <= chance_of_matches(n, least, p) * (1 + 1e-12)
    if n == least:
        assert chance_of_matches(n, least, p) == pytest.approx(exact)
