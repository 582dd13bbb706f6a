"""The plans with the fewest reads across racks, against all assignments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from equilag.certificate.checks.claim_checks import CHECKS
from equilag.certificate.ledger import Ledger, Refuted
from equilag.domain.constraint import (
    CountConstraint,
    NotFewestAcross,
    NotMinimal,
    constraint_of,
    count_constraint_of,
)
from equilag.domain.group.group import Group, Member
from equilag.domain.plan.metrics import cross_reads
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.even_counts import balanced
from equilag.solver.moves.fewest_moves import fewest_across

RACKS = ("a", "b", "c")
POLICY = Policy(rack_aware=True)


def drawn_group(seed: int) -> Group:
    """Three members and up to seven partitions of two topics; some without a rack."""
    rng = np.random.default_rng(seed)
    sizes = {"t": int(rng.integers(1, 5)), "u": int(rng.integers(1, 4))}

    def some_racks() -> list[str]:
        return [rack for rack in RACKS if rng.random() < 0.4]

    members = [Member(f"m{n}", rack=[None, *RACKS][rng.integers(4)]) for n in range(3)]
    reads = {m.id: [t for t in sizes if rng.random() < 0.8] or ["t"] for m in members}
    racks = {topic: [some_racks() for _ in range(size)] for topic, size in sizes.items()}
    members[0] = Member("m0", rack="a")
    racks["t"][0] = ["b"]
    given = Group.build(name="g", topics=sizes, members=members, subscriptions=reads, racks=racks)
    return reduce_group(given, POLICY).group


def all_assignments(group: Group) -> list[np.ndarray]:
    takers = [
        np.flatnonzero(group.may_hold(p, np.arange(group.n_members))).tolist() or [-1]
        for p in range(group.n_partitions)
    ]
    return [np.array(choice, dtype=np.int32) for choice in itertools.product(*takers)]


def admitted(constraint: CountConstraint, group: Group) -> set[bytes]:
    return {one.tobytes() for one in all_assignments(group) if constraint.admits(one)}


@pytest.mark.parametrize("seed", range(13))
def test_the_constraint_admits_exactly_the_best(seed: int) -> None:
    group = drawn_group(seed)
    _, counts = balanced(group, POLICY)
    found = fewest_across(counts)[1]
    even = [one for one in all_assignments(group) if counts.admits(one)]
    reads = [cross_reads(group, one) for one in even]
    best = {one.tobytes() for one, across in zip(even, reads, strict=True) if across == min(reads)}
    assert found.most_across == min(reads)
    assert admitted(found, group) == best
    for one, across in zip(even, reads, strict=True):
        if across > min(reads):
            with pytest.raises(NotFewestAcross):
                constraint_of(group, POLICY, one)
            continue
        read_off = constraint_of(group, POLICY, one)
        assert np.array_equal(read_off.face, found.face)
        assert read_off.counts_of().least.tolist() == found.counts_of().least.tolist()
        assert read_off.counts_of().most.tolist() == found.counts_of().most.tolist()


def test_the_narrower_constraint_alone_admits_no_other() -> None:
    """Face and intervals say it all; the limit on reads only confirms it."""
    for seed in range(16):
        group = drawn_group(seed)
        found = fewest_across(balanced(group, POLICY)[1])[1]
        without = CountConstraint(
            group, *found.counts_of(), found.face, np.zeros(group.n_partitions, np.bool_)
        )
        assert admitted(found, group) == admitted(without, group)


def test_the_claim() -> None:
    group = drawn_group(3)
    constraint = fewest_across(balanced(group, POLICY)[1])[1]
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
    uneven = np.zeros(group.n_partitions, dtype=np.int32)
    with pytest.raises(NotMinimal):
        count_constraint_of(group, POLICY, uneven)
