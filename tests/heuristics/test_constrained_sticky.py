"""Constrained sticky against KIP-615's steps as plain loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.metrics import count_moves, member_counts
from equilag.heuristics import get_assignor


def by_loops(group):
    answer = [NOBODY] * group.n_partitions
    partitions = [p for p in range(group.n_partitions) if group.assignable[p]]
    if not partitions:
        return answer
    floor = len(partitions) // group.n_members
    ceil = -(-len(partitions) // group.n_members)

    held = []
    claims = list(zip(group.claim_member.tolist(), group.claim_partition.tolist(), strict=True))
    for member in range(group.n_members):
        owned = [p for m, p in claims if m == member and group.owner[p] == member]
        if len(owned) < floor:
            held.append(owned)
        elif len(owned) == floor:
            held.append(owned[:floor])
        else:
            held.append(owned[:ceil])

    kept = {p for mine in held for p in mine}
    by_number = sorted(partitions, key=lambda p: (group.partition_name(p)[1], p))
    left = [p for p in by_number if p not in kept]
    for mine in held:
        while len(mine) < floor:
            if left:
                mine.append(left.pop(0))
            else:
                donor = next(other for other in held if len(other) == ceil)
                mine.append(donor.pop())
    for mine in held:
        if left and len(mine) < ceil:
            mine.append(left.pop(0))
    assert not left

    for member, mine in enumerate(held):
        for partition in mine:
            answer[partition] = member
    return answer


@given(data=st.data())
def test_same_as_the_steps_in_plain_loops(data):
    group = data.draw(groups(one_subscription=True, max_size=9))
    assert get_assignor("constrained-sticky").assign(group).tolist() == by_loops(group)


@pytest.mark.parametrize("name", ["constrained-sticky", "sticky", "uniform"])
@given(data=st.data())
def test_one_subscription_moves_no_more_than_the_counts_force(data, name):
    group = data.draw(groups(one_subscription=True, max_size=9))
    assigned = get_assignor(name).assign(group)
    n = int(group.assignable.sum())
    if n == 0:
        assert (assigned == NOBODY).all()
        return
    floor, rest = divmod(n, group.n_members)
    counts = member_counts(assigned, group.n_members).tolist()
    assert sorted(counts) == [floor] * (group.n_members - rest) + [floor + 1] * rest
    owned = member_counts(group.owner, group.n_members).tolist()
    most_kept = sum(min(x, floor) for x in owned) + min(rest, sum(x > floor for x in owned))
    assert count_moves(group, assigned) == sum(owned) - most_kept


@given(data=st.data())
def test_mixed_subscriptions_are_handed_over_to_sticky(data):
    group = data.draw(groups().filter(lambda group: not group.one_subscription))
    handed_over = get_assignor("constrained-sticky").assign(group)
    assert handed_over.tolist() == get_assignor("sticky").assign(group).tolist()
