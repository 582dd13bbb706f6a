"""What is planned in place of a group: limits of members."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.groups import group_of

import equilag


def test_a_limit_beyond_64_bits_is_none() -> None:
    group = group_of([3], [[0], [0]])
    plan = equilag.solve(group, effort=0.01, max_partitions=2**70)
    assert plan.counts.max == 2
    assert equilag.verify(group, plan) == []


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (equilag.Policy("kip-169"), "policy: per-topic, the balance of kip-169, does not go with"),
        (equilag.Policy(balance="both"), "balance: both does not go with"),
    ],
)
def test_balance_topic_by_topic_names_who_asked_for_it(
    policy: equilag.Policy, problem: str
) -> None:
    group = replace(group_of([2, 2], [[0, 1]]), co_partitioned=((0, 1),))
    with pytest.raises(equilag.InputError) as error:
        equilag.solve(group, policy)
    assert str(error.value) == f"{problem} co-partitioned topics; total or none do"


def test_topics_after_totals_do_not_go_with_instances() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1]])
    members = tuple(replace(member, instance="p") for member in group.members)
    group = replace(group, members=members, alike=None)
    with pytest.raises(equilag.InputError, match="total-then-topics does not go with instances"):
        equilag.solve(group, balance="total-then-topics")
    plan = equilag.solve(group, balance="total-then-topics", instances="none", effort=0.1)
    assert plan.counts.per_topic_squares == plan.counts.per_topic_squares_lower_bound == 4
