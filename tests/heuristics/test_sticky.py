"""Sticky, balanced as KIP-54 defines it with no more moves than its search needs; and constrained
sticky against the steps of KIP-615 as plain loops."""

from __future__ import annotations

import copy

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load, named, snapshots

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.metrics import count_moves, member_counts, moved
from equilag.heuristics import get_assignor
from equilag.heuristics.sticky import components, even_out


def sticky(group):
    return get_assignor("sticky").assign(group)


def improving_move(group, assigned):
    """A partition and a subscriber that should take it, or None: KIP-54's own condition."""
    counts = member_counts(assigned, group.n_members)
    for partition in np.flatnonzero(assigned != NOBODY):
        for member in group.subscribers(int(group.topic_of[partition])):
            if counts[member] + 1 < counts[assigned[partition]]:
                return partition, member
    return None


def with_owned(snapshot, held):
    """The snapshot with these partitions owned, all of one generation."""
    changed = copy.deepcopy(snapshot)
    for member in changed["members"]:
        member["generation"] = 3
        member["owned"] = {}
        for topic, partition in held[member["id"]]:
            member["owned"].setdefault(topic, []).append(partition)
    return changed


@given(data=st.data())
def test_no_single_move_improves_the_result(data):
    group = data.draw(groups(max_size=9))
    assert improving_move(group, sticky(group)) is None


@given(data=st.data())
def test_a_second_run_moves_nothing(data):
    snapshot = data.draw(snapshots())
    group = load(snapshot)
    first = sticky(group)
    again = load(with_owned(snapshot, named(group, first)))
    assert again.owner.tolist() == first.tolist()
    assert sticky(again).tolist() == first.tolist()


@given(data=st.data())
def test_any_balanced_assignment_stays_as_it_is(data):
    snapshot = data.draw(snapshots())
    group = load(snapshot)
    readers = [group.subscribers(int(topic)) for topic in group.topic_of]
    picks = data.draw(
        st.tuples(*(st.sampled_from(r.tolist()) if len(r) else st.just(NOBODY) for r in readers))
    )
    balanced = np.array(picks, dtype=np.int32)
    while (move := improving_move(group, balanced)) is not None:
        balanced[move[0]] = move[1]
    owning = load(with_owned(snapshot, named(group, balanced)))
    assert sticky(owning).tolist() == balanced.tolist()


@given(data=st.data())
def test_owners_keep_all_they_own_where_filling_up_is_enough(data):
    """Take some partitions off a balanced, one-subscription group: only those are dealt again."""
    snapshot = data.draw(snapshots(one_subscription=True))
    group = load(snapshot)
    assigned = sticky(group)
    freed = data.draw(st.lists(st.booleans(), min_size=len(assigned), max_size=len(assigned)))
    rest = np.where(freed, NOBODY, assigned).astype(np.int32)
    smaller = load(with_owned(snapshot, named(group, rest)))
    assert not moved(rest, sticky(smaller)).any()


@pytest.mark.parametrize(
    ("total", "held", "owned", "change"),
    [
        # Two could give one to the third: the one that has more than it owned.
        ([3, 3, 1], [3, 3, 1], [3, 2, 2], [0, -1, 1]),
        ([3, 3, 1], [3, 3, 1], [2, 3, 2], [-1, 0, 1]),
        # Two could receive the spare one: the one that had more before.
        ([4, 1, 1], [4, 1, 1], [4, 1, 1], [-2, 1, 1]),
        ([3, 1, 1], [3, 1, 1], [3, 1, 2], [-1, 0, 1]),
        ([3, 1, 1], [3, 1, 1], [3, 2, 1], [-1, 1, 0]),
        # What is held outside the class cannot be given.
        ([9, 1, 0], [1, 1, 0], [1, 1, 0], [-1, 0, 1]),
    ],
)
def test_who_gives_and_who_receives(total, held, owned, change):
    arrays = (np.array(x, dtype=np.int64) for x in (total, held, owned))
    assert even_out(*arrays).tolist() == change


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


@given(data=st.data())
def test_components_are_those_of_the_graph(data):
    group = data.draw(groups())
    edges = np.argwhere(group.eligible).tolist()
    graph = nx.Graph((("topics", c), ("members", k)) for c, k in edges)
    parts = ([c for kind, c in part if kind == "topics"] for part in nx.connected_components(graph))
    assert [part.tolist() for part in components(group)] == sorted(map(sorted, parts))
