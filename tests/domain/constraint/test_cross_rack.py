"""The plans with the fewest reads across racks, against all assignments."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.constraints import same_constraint
from support.oracles import Assignments
from support.reduced_groups import drawn_reduced

from equilag.certificate.checks.claim_checks import CHECKS
from equilag.certificate.ledger import Ledger, Refuted
from equilag.domain.constraint import (
    CountConstraint,
    NotFewestAcross,
    NotMinimal,
    constraint_of,
    count_constraint_of,
)
from equilag.domain.group.group import Flags, Group
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.cheapest_flow import fewest_reads
from equilag.solver.counts.even_counts import balanced

POLICY = Policy(rack_aware=True)


def drawn_group(seed: int) -> Group:
    """Two or three members and up to six partitions; some without a rack."""
    while True:
        rng, seed = Random(seed), seed + 100
        group = drawn_reduced(rng, 3, 6, {"rack", "subscriptions"}, POLICY)
        if group.extended.cross is not None and group.extended.cross.any():
            return group


def admitted(constraint: CountConstraint, every: Assignments) -> Flags:
    return np.array([constraint.admits(row) for row in every.rows])


@pytest.mark.parametrize("seed", range(13))
def test_the_constraint_admits_exactly_the_best(seed: int) -> None:
    group = drawn_group(seed)
    assigned, counts = balanced(group, POLICY)
    found = fewest_reads(counts, assigned)[1]
    every = Assignments.all(group)
    even = every.where(admitted(counts, every))
    assert found.most_across == even.cross.min()
    assert admitted(found, even).tolist() == (even.cross == even.cross.min()).tolist()
    assert admitted(found, every).sum() == (even.cross == even.cross.min()).sum()
    for row, across in zip(even.rows, even.cross.tolist(), strict=True):
        if across > even.cross.min():
            with pytest.raises(NotFewestAcross):
                constraint_of(group, POLICY, row)
        else:
            assert same_constraint(constraint_of(group, POLICY, row), found)


def test_the_narrower_constraint_alone_admits_no_other() -> None:
    """Face and intervals say it all; the limit on reads only confirms it."""
    for seed in range(16):
        group = drawn_group(seed)
        every = Assignments.all(group)
        found = fewest_reads(*balanced(group, POLICY)[::-1])[1]
        without = CountConstraint(
            group, *found.counts_of(), found.face, np.zeros(group.n_partitions, np.bool_)
        )
        assert admitted(found, every).tolist() == admitted(without, every).tolist()


def test_the_claim() -> None:
    group = drawn_group(3)
    constraint = fewest_reads(*balanced(group, POLICY)[::-1])[1]
    check = CHECKS["fewest_cross_rack", "residual"]
    ledger = Ledger(group, group, POLICY, constraint, True, None)
    reads = constraint.most_across
    assert reads is not None
    check(ledger, reads, {})
    with pytest.raises(Refuted, match="at least"):
        check(ledger, reads + 1, {})
    with pytest.raises(Refuted, match="does not keep"):
        check(Ledger(group, group, POLICY, constraint, False, None), reads, {})


def test_uneven_counts_are_found_first() -> None:
    group = drawn_group(1)
    every = Assignments.all(group)
    with pytest.raises(NotMinimal):
        count_constraint_of(group, POLICY, every.rows[int((~every.even("total")).argmax())])
