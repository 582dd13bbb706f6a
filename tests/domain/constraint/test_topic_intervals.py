"""Intervals of topics without tables: every answer as read off the tables of a small group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.constraints import constraint_for, topic_table
from support.groups import random_group

from equilag.domain.constraint import CountConstraint
from equilag.domain.policy.policy import Policy

POLICIES = [
    Policy(name, balance)
    for balance in ("per-topic", "both", "total-then-topics")
    for name in ("lag-aware", "sticky-yet-fair")
]


def constraints(policy: Policy) -> Iterator[CountConstraint]:
    rng = np.random.default_rng(77)
    for number in range(12):
        group = random_group(rng, topics=6, members=9, size=20, reads=(0.3, 0.7, 1.0)[number % 3])
        yield constraint_for(group, policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
def test_sums_and_cells_are_those_of_the_tables(policy: Policy) -> None:
    rng = np.random.default_rng(1)
    for constraint in constraints(policy):
        topics, group = constraint.topics, constraint.group
        least, most = topic_table(constraint)
        assert topics.by_member.least.tolist() == least.sum(axis=0).tolist()
        assert topics.by_member.most.tolist() == most.sum(axis=0).tolist()
        assert topics.n_open.tolist() == (most > least).sum(axis=0).tolist()
        some = rng.random(group.n_members) < 0.5
        assert topics.by_topic(some).least.tolist() == least[:, some].sum(axis=1).tolist()
        assert topics.by_topic(some).most.tolist() == most[:, some].sum(axis=1).tolist()
        read = group.reads.any(axis=1)
        assert (topics.remainder + least.sum(axis=1))[read].tolist() == group.topic_size[
            read
        ].tolist()
        pairs = np.stack(topics.by_members.pairs, axis=1)
        assert np.argwhere(most > least).tolist() == pairs.tolist()
        cells = sorted(zip(*(column.tolist() for column in topics.least_cells), strict=True))
        places = np.argwhere(least > 0)
        assert cells == [(t, m, int(least[t, m])) for t, m in places.tolist()]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
def test_the_row_of_open_members_has_all_that_may_have_one_more(policy: Policy) -> None:
    for constraint in constraints(policy):
        row = constraint.topics.open_row
        least, most = topic_table(constraint)
        for topic in range(len(least)):
            members = row.members_at(np.arange(row.edges[topic], row.edges[topic + 1])).tolist()
            open_ones = np.flatnonzero(most[topic] > least[topic]).tolist()
            assert sorted(members) == open_ones
