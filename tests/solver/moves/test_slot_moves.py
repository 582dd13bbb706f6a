"""Few moves by slots of members: a true bound, and plans that reach it."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of, random_group

from equilag.certificate.checks.potentials import bound_by_potentials
from equilag.domain.budget import TABLE
from equilag.domain.constraint import CountConstraint, CountInterval
from equilag.domain.plan.metrics import count_moves
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import balanced
from equilag.solver.moves import topic_moves
from equilag.solver.moves.fewest_moves import fewest_moves
from equilag.solver.moves.topic_moves import extras_by_slots

BOTH = Policy(balance="both")


def room_of(constraint: CountConstraint) -> CountInterval:
    least, most = constraint.counts_of()
    fixed = constraint.topics.by_member.least
    return CountInterval(least - fixed, most - fixed)


def test_the_bound_is_true_and_the_remainders_are_dealt_within_the_constraint() -> None:
    rng, parted, tight = np.random.default_rng(21), 0, 0
    for number in range(60):
        group = random_group(
            rng, topics=12, members=14, size=6, reads=(0.5, 1.0)[number % 2], owned=0.9
        )
        constraint = balanced(group, BOTH)[1]()
        fewest = count_moves(group, fewest_moves(group, constraint).assigned)
        found = extras_by_slots(group, constraint.topics, room_of(constraint))
        if found is None:
            continue
        (topic, member), potentials = found
        bound = bound_by_potentials(group, constraint, potentials)
        assert bound <= fewest
        tight += bound == fewest
        parted += 1
        topics, (least, most) = constraint.topics, room_of(constraint)
        number_of = np.bincount(topic, minlength=len(group.topics))
        assert number_of.tolist() == topics.remainder.tolist()
        cells = topic * group.n_members + member
        assert len(np.unique(cells)) == len(cells)
        open_topic, open_member = topics.by_members.pairs
        assert np.isin(cells, open_topic * group.n_members + open_member).all()
        taken = np.bincount(member, minlength=group.n_members)
        assert ((least <= taken) & (taken <= most)).all()
    assert parted >= 40
    assert tight >= parted - 2


def test_what_slots_cannot_part_is_found_member_by_member(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = 0
    for seed in range(40):
        rng, reads = np.random.default_rng(seed), (0.5, 1.0)[seed % 2]
        group = random_group(rng, topics=8, members=20, size=30, reads=reads, owned=0.9)
        constraint = balanced(group, BOTH)[1]()
        if extras_by_slots(group, constraint.topics, room_of(constraint)) is None:
            exact = count_moves(group, fewest_moves(group, constraint).assigned)
            with monkeypatch.context() as patch:
                patch.setattr(topic_moves, "TABLE", 0)
                assert count_moves(group, fewest_moves(group, constraint).assigned) == exact
            failed += 1
    assert failed


def test_large_groups_reach_the_bound() -> None:
    rng = np.random.default_rng(22)
    owners = rng.integers(0, 700, 900)
    group = group_of([3] * 300, [list(range(300))] * 700, [*owners.tolist()])
    constraint = balanced(group, BOTH)[1]()
    found = fewest_moves(group, constraint)
    assert int(constraint.topics.n_open.sum()) > TABLE
    assert constraint.admits(found.assigned)
    claim = found.claim(group, BOTH, constraint)
    assert claim.value == count_moves(group, found.assigned)
