"""Remainders of topics: different members for each, in turn or with even totals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.groups import random_group

from equilag.domain.constraint import TopicIntervals, topics_of
from equilag.domain.group.group import Ints
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import deal_in_turn, even_cells, even_totals


@pytest.mark.parametrize("deal", [deal_in_turn, even_totals, even_cells])
def test_a_topic_gives_its_remainder_to_different_subscribers(
    deal: Callable[[TopicIntervals, Ints], tuple[Ints, Ints]],
) -> None:
    rng = np.random.default_rng(14)
    for number in range(12):
        group = random_group(rng, topics=9, members=8, size=9, reads=(0.4, 0.8, 1.0)[number % 3])
        topics = topics_of(group, Policy("kip-169"))
        assert topics is not None
        topic, member = deal(topics, topics.remainder)
        assert np.bincount(topic, minlength=len(group.topics)).tolist() == topics.remainder.tolist()
        assert group.reads[topic, group.class_of[member]].all()
        assert len(np.unique(topic * group.n_members + member)) == len(topic)


def test_totals_of_classes_are_as_even_as_those_of_single_members() -> None:
    rng = np.random.default_rng(15)
    for _ in range(12):
        group = random_group(rng, topics=7, members=9, size=9, reads=0.5)
        topics = topics_of(group, Policy("kip-169"))
        assert topics is not None
        least = topics.by_member.least
        totals = [
            sorted(
                (
                    least + np.bincount(deal(topics, topics.remainder)[1], minlength=len(least))
                ).tolist()
            )
            for deal in (even_totals, even_cells)
        ]
        assert totals[0] == totals[1]
